"""The code of a page, and running it: for the tests, and for the script that makes the pictures.

All blocks of a page are run from top to bottom in one folder, commands by bash and Python in one process. A block that is
not run here says in a remark above it who runs it, or why nobody can."""

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

BLOCK = re.compile(r"(?:<!-- (?P<remark>[^>]*) -->\n)?^```(?P<language>\w*)\n(?P<code>.*?)^```$", re.DOTALL | re.MULTILINE)
PICTURE = re.compile(r"<!-- picture (\w+): (.*?) -->")
RUN = ("sh", "python", "text")
LEFT_OUT = ("not run: ", "fresh: ", "wheel: ", "runs after: ", "sources", "examples/")  # remarks above blocks that others run

BETWEEN = "\x1e"  # between what blocks print
RUNNER = f"""import subprocess as _subprocess
def _run(_code):
    _done = _subprocess.run(["bash", "-euo", "pipefail", "-c", _code], capture_output=True, text=True)
    print(_done.stdout)
    if _done.returncode:
        raise SystemExit(f"{{_code}}\\nexit code {{_done.returncode}}: {{_done.stderr}}")
"""


@dataclass
class Block:
    language: str  # sh, python, or text: what the block above prints
    code: str


def is_left_out(match):
    return (match["remark"] or "").startswith(LEFT_OUT)


def blocks(text):
    """What is code that runs here, and what it prints."""
    for match in BLOCK.finditer(text):
        if match["language"] in RUN and not is_left_out(match):
            yield Block(match["language"], match["code"])


def pictures(text):
    """(name, files) of the pictures that a page makes and shows."""
    return [(name, files.split()) for name, files in PICTURE.findall(text)]


# More processes than cores, and root in a container.
MPIRUN = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1"}


def run(found, folder, program):
    """Runs blocks in a folder; what each has printed. An error says what failed."""
    programs = folder / "build" / "bin"
    programs.mkdir(parents=True, exist_ok=True)
    for name in ("tamis", "tamis-mpi"):
        (programs / name).symlink_to(Path(program).resolve().parent / name)
    environment = dict(os.environ, PATH=os.pathsep.join([str(programs), str(Path(sys.executable).parent), os.environ["PATH"]]), MPLBACKEND="agg",
                       PYTHONUNBUFFERED="1", **MPIRUN)
    code = "".join({"sh": f"_run({block.code!r})\n", "python": block.code, "text": ""}[block.language]
                   + f"print({BETWEEN!r})\n" for block in found)
    done = subprocess.run([sys.executable, "-c", RUNNER + code], cwd=folder, env=environment, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return done.stdout.split(BETWEEN)[:-1]
