#!/usr/bin/env python3
"""Every answer, as a hash: runs commands and calls from Python on inputs that it makes, takes times, versions and paths out
of what they say and write, and compares the hashes with those that are committed.

  corpus.py check PROGRAM            all, on every instruction set of this processor; says what differs
  corpus.py write PROGRAM            the hashes anew, into hashes.json: only where an answer is meant to change
  corpus.py show PROGRAM LINE...     what a command says and writes, as it is hashed

`said` is what a command prints, `made` the samples and texts of its files: words may change, samples may not.
"""
import hashlib
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator

import numpy

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE))

import tamis  # noqa: E402

import calls  # noqa: E402
import commands  # noqa: E402
import inputs  # noqa: E402

HASHES = HERE / "hashes.json"
PASSING = re.compile(  # what differs from run to run, and from machine to machine
    r"\d+(\.\d+)?(e-?\d+)? ?(s|ms|us|min|h)\b|tamis \d+\.\d+\S*|AVX-512|AVX2|SSE\S*|portable|\d+ threads?|\d+(\.\d+)? (GiB|MiB|GB|MB)\b")
TIMES = re.compile(r'"(times?|seconds|version|engines?|device|threads|simd|date|host|cpu|gpu|reading|writing)[^"]*": *(\{[^}]*\}|\[[^\]]*\]|"[^"]*"|[^,\n}]*)')
UNSAID = ("time", "ran on", "steps", "engine")  # lines of a report that say how, not what


def digest(parts: Iterable[bytes]) -> str:
    whole = hashlib.sha256()
    for part in parts:
        whole.update(len(part).to_bytes(8, "little") + part)
    return whole.hexdigest()[:16]


def plain(text: str, folder: pathlib.Path) -> str:
    text = PASSING.sub("#", text.replace(str(folder), "DIR"))
    return "\n".join(line.rstrip() for line in text.split("\n") if not line.strip().startswith(UNSAID))


def of_array(array: object) -> Iterator[bytes]:
    """Type, shape, samples and placement of what a call gives; of an object its public numbers."""
    if isinstance(array, tuple | list):
        for one in array:
            yield from of_array(one)
    elif isinstance(array, numpy.ndarray | numpy.generic):
        yield f"{array.dtype} {array.shape} {getattr(array, 'spacing', None)}".encode()
        yield numpy.ascontiguousarray(array).tobytes()
    elif isinstance(array, dict):
        for key in sorted(array):
            yield str(key).encode()
            yield from of_array(array[key])
    elif isinstance(array, int | float | str | bool | None):
        yield repr(array).encode()
    else:
        for name in sorted(n for n in dir(array) if not n.startswith("_")):
            value = getattr(array, name, None)
            if isinstance(value, numpy.ndarray | int | float | str | bool) and not TIMES.match(f'"{name}": 0'):
                yield name.encode()
                yield from of_array(value)


def of_file(path: pathlib.Path, folder: pathlib.Path) -> Iterator[bytes]:
    """A text as it is but for what passes; of an image the samples, for compressors differ."""
    if path.suffix in (".csv", ".json", ".svg"):
        yield plain(TIMES.sub("", path.read_text()), folder).encode()
        return
    name = str(path)
    if path.suffix == ".h5":
        import h5py
        with h5py.File(path) as file:
            name += ":/" + next(iter(file))
    if path.suffix == ".raw":
        yield path.read_bytes()
    elif path.name.endswith(".raw.gz"):
        import gzip
        yield gzip.decompress(path.read_bytes())
    else:
        yield from of_array(tamis.read(name))


def run(program: str, line: str, simd: str) -> dict[str, str]:
    """The hashes of a command, run among the inputs in a folder of its own."""
    said, made = outputs_of(program, line, simd)
    return {"said": digest([said.encode()]), "made": digest(made)}


def outputs_of(program: str, line: str, simd: str) -> tuple[str, list[bytes]]:
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for source in INPUTS().iterdir():
            (folder / source.name).symlink_to(source)
        before = {path.name for path in folder.iterdir()}
        options = [] if line.startswith(("info", "element", "phantom", "convert")) or not simd else ["--simd", simd]
        done = subprocess.run([program, *line.split(), *options], cwd=folder, capture_output=True, text=True, timeout=120,
                              env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "HOME": name})
        said = plain(f"exit {done.returncode}\n{done.stdout}\n{done.stderr}", folder)
        made: list[bytes] = []
        for path in sorted(folder.iterdir()):
            if path.name not in before:
                made.append(path.name.encode())
                made += of_file(path, folder)
        return said, made


class Inputs:
    """The folder of the inputs, made once."""
    folder: pathlib.Path | None = None

    def __call__(self) -> pathlib.Path:
        if self.folder is None:
            self.folder = pathlib.Path(tempfile.mkdtemp(prefix="corpus_"))
            inputs.make(self.folder)
        return self.folder

    def remove(self) -> None:
        if self.folder:
            shutil.rmtree(self.folder)


INPUTS = Inputs()


def instruction_sets(program: str) -> list[str]:
    """Those that this processor has: the others are refused."""
    found = []
    for simd in ("avx512", "avx2", "portable"):
        line = f"erode {INPUTS() / 'image_u8.npy'} {INPUTS() / 'tried.npy'} --simd {simd}"
        if subprocess.run([program, *line.split()], capture_output=True).returncode == 0:
            found.append(simd)
    (INPUTS() / "tried.npy").unlink(missing_ok=True)
    return found


def of_call(call: calls.Call) -> str:
    try:
        return digest(of_array(call[1]()))
    except tamis.InputError as error:
        return digest([b"refused", str(error).encode()])


def hashes(program: str, simd: str, every: int = 1) -> dict[str, dict[str, str]]:
    found = {line: run(program, line, simd) for line in commands.all_commands()[::every]}
    if simd == instruction_sets(program)[0]:
        found |= {f"tamis.{call[0]}": {"made": of_call(call)} for call in calls.all_calls()[::every]}
    return found


def differences(wanted: dict[str, dict[str, str]], got: dict[str, dict[str, str]]) -> list[str]:
    return [f"{line}: {part}" for line, parts in got.items() for part, value in parts.items()
            if wanted.get(line, {}).get(part) != value]


def main(arguments: list[str]) -> int:
    if len(arguments) < 2 or arguments[0] not in ("check", "write", "show"):
        print(__doc__)
        return 2
    verb, program, *line = arguments
    if verb == "show":
        said, made = outputs_of(program, " ".join(line), "")
        print(said, *(f"{len(part)} bytes: {part[:70]!r}" for part in made), sep="\n")
        return 0
    sets = instruction_sets(program)
    if verb == "write":
        rows = [f"{json.dumps(line)}: {json.dumps(parts)}" for line, parts in hashes(program, sets[0]).items()]
        HASHES.write_text("{\n" + ",\n".join(rows) + "\n}\n")
        return 0
    wanted = json.loads(HASHES.read_text())
    wrong = [f"{simd}: {text}" for simd in sets for text in differences(wanted, hashes(program, simd))]
    print(*wrong, f"{len(wanted)} answers on {', '.join(sets)}: {len(wrong)} differ", sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    finally:
        INPUTS.remove()
