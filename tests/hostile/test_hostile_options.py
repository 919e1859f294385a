"""Every option of every command with values that nobody means: no crash, no hang, no memory eaten, one clear line.

The options are those of `tamis COMMAND --help`, so a new one is tried without an entry here. A run of the tests takes a
sample; TAMIS_TEST_ALL_OPTIONS=1 takes all, TAMIS_TEST_SEED another sample.
"""

import concurrent.futures
import os
import random
import re
import resource
import subprocess
from pathlib import Path

import numpy
import pytest
import tifffile

from scale_of_tests import by_scale

SECONDS = 10
MEMORY = 3 << 30  # of addresses: libraries and the stacks of threads take one of them
SAMPLE = by_scale(60, 400, 1500)

NUMBERS = ["0", "-1", "1e308", "-1e308", "nan", "inf", "-inf", str(2**31), str(2**32), str(2**63 - 1), str(2**63),
           str(-(2**63)), "1e-25", "1e-300", "", " ", "0x10", "1e", "1,5"]
LONG = "a" * 100_000
HOSTILE = [*NUMBERS, LONG, "9" * 1000, "%s%n", "1\n2", "\udcff", "--", "x" * 300 + ":1"]

# What a value stands in, by what the help says that it is.
SHAPES = {
    "LO:HI": ["{v}:{v}", "0:{v}", "{v}:0", "-1:{v}"],
    "A:B": ["0:{v}", "{v}:{v}"],
    "WxHxD": ["{v}x{v}x{v}", "1x{v}x1", "{v}x1"],
    "WxH": ["{v}x{v}", "1x{v}"],
    "LENGTH": ["{v}um", "{v}x1x1mm"],
    "SIZE": ["{v}G", "{v}M", "{v}"],
    "X0:X1": ["0:{v},0:{v},0:{v}", "{v}:{v},0:1", "1:2,{v}:3"],
    "constant:V": ["constant:{v}"],
    "line@A": ["line@{v}"],
    "cuda:N": ["cuda:{v}"],
    "cuda:N,M": ["cuda:0,{v}"],
    "L": ["{v},{v}", "11,{v}"],
    "SPEC": [f"{shape}:{{v}}" for shape in ("square", "cube", "cross", "disk", "ball", "circle", "octagon", "hexagon")]
            + ["rect:{v}x1", "box:1x{v}x{v}", "line:{v}@30", "line:9@{v}", "line:9@30,{v}", "file:mask.tif@{v},0",
               "file:vol.tif@0,{v},{v}", "shift(disk:2,{v},0)", "shift(ball:2,0,0,{v})", "reflect(disk:{v})",
               "disk:2+disk:{v}", "shift(disk:2,{v},0)+shift(disk:2,{v},0)"],
}

COMMANDS = {
    "granulometry": ["vol.tif", "--threshold", "100"],
    "threshold": ["vol.tif", "out.tif"],
    "info": ["vol.tif"],
    "convert": ["vol.tif", "out.tif"],
    **{name: ["flat.tif", "out.tif"] for name in
       ("erode", "dilate", "open", "close", "gradient", "tophat", "bothat", "hitmiss", "asf", "median", "smooth")},
    "reconstruct": ["low.tif", "flat.tif", "out.tif"],
    "orientation": ["flat.tif", "--length", "5", "--angles", "4"],
    "deskew": ["flat.tif", "out.tif"],
    "element": ["disk:2", "out.tif"],
    "phantom foam": ["out.tif"],
    "phantom octahedra": ["out.tif"],
    "devices": [],
}
# What makes work small where it is not what is tried.
SMALL = {"phantom foam": {"--size": "20", "--max-radius": "3"}, "phantom octahedra": {"--size": "20"},
         "threshold": {"--value": "9"}}


def options_of(program, command):
    """(option, what the help says of its value) of a command."""
    text = subprocess.run([program, *command.split(), "--help"], check=True, capture_output=True, text=True).stdout
    return [(match[1], match[2]) for match in re.finditer(r"^  (?:-\w, )?(--[a-z-]+) (\S+)", text, re.MULTILINE)]


def texts_for(meaning, values):
    """The texts of an option: each value alone, and inside what the option wants."""
    frames = ["{v}"]
    for token, more in SHAPES.items():
        if token in meaning:
            frames += more
    return [frame.format(v=value) for frame in dict.fromkeys(frames) for value in values]


def cases_of(program):
    cases = []
    for command, arguments in COMMANDS.items():
        small = SMALL.get(command, {})
        options = options_of(program, command)
        assert options, command
        for option, meaning in options:
            given = {name: text for name, text in small.items() if name != option}
            if command == "threshold" and option in ("--method", "--band"):
                given = {}
            rest = [part for pair in given.items() for part in pair]
            used = arguments
            if option in arguments:  # given already: leave that out
                at = arguments.index(option)
                used = arguments[:at] + arguments[at + 2:]
            for text in texts_for(meaning, HOSTILE):
                cases.append([*command.split(), *used, *rest, f"{option}={text}"])
    for text in texts_for("SPEC", HOSTILE):
        cases.append(["element", text])
        cases.append(["element", text, "out.tif"])
    for meaning in ("WxHxD",):
        cases += [["info", f"raw_{text}_u8.raw"] for text in texts_for(meaning, NUMBERS)]
    return cases


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Small images that every case finds."""
    path = tmp_path_factory.mktemp("hostile")
    noise = numpy.random.default_rng(5).integers(0, 255, (6, 17, 23), numpy.uint8)
    tifffile.imwrite(path / "vol.tif", noise, photometric="minisblack")
    tifffile.imwrite(path / "flat.tif", noise[0], photometric="minisblack")
    tifffile.imwrite(path / "low.tif", noise[0] // 2, photometric="minisblack")
    tifffile.imwrite(path / "mask.tif", (noise[0, :5, :5] > 99).astype(numpy.uint8), photometric="minisblack")
    (path / "raw_6x17x23_u8.raw").write_bytes(noise.tobytes())
    return path


def limits():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_FSIZE, (64 << 20, 64 << 20))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def fault_of(program, folder, number, case):
    """What is wrong with how the program takes a case; nothing if it is right."""
    place = folder / str(number)
    place.mkdir()
    for name in ("vol.tif", "flat.tif", "low.tif", "mask.tif", "raw_6x17x23_u8.raw"):
        (place / name).symlink_to(folder / name)
    before = set(place.iterdir())
    arguments = [part.encode("utf-8", "surrogateescape") for part in case]
    try:
        result = subprocess.run([program, *arguments], cwd=place, capture_output=True, timeout=SECONDS,
                                preexec_fn=limits)
    except subprocess.TimeoutExpired:
        return f"did not end within {SECONDS} s"
    except OSError as error:  # the system takes no argument so long
        return None if "too long" in str(error) else str(error)
    err = result.stderr.decode(errors="replace")
    left = [path.name for path in set(place.iterdir()) - before]
    for path in place.iterdir():
        path.unlink()
    place.rmdir()
    if result.returncode not in (0, 2, 3):
        return f"exit code {result.returncode}: {err[:300]}"
    if "a fault of tamis" in err or "out of memory" in err:
        return err[:300]
    if any(name.startswith(".") for name in left):
        return f"left {left}"
    if result.returncode != 2:
        return None
    if err.count("\n") != 1 or not err.startswith("tamis"):
        return f"not one line: {err[:300]}"
    if len(err) > 10_000:  # names of files may be long
        return f"{len(err)} letters: {err[:300]}"
    if left:
        return f"refused, and left {left}: {err[:300]}"
    return None


@pytest.mark.sampled(1)  # obeys the scale itself
def test_no_value_of_an_option_breaks_a_command(tamis_program, folder):
    cases = cases_of(tamis_program)
    if os.environ.get("TAMIS_TEST_ALL_OPTIONS") != "1":
        cases = random.Random(int(os.environ.get("TAMIS_TEST_SEED", "1"))).sample(cases, SAMPLE)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        faults = list(pool.map(lambda job: fault_of(tamis_program, folder, *job), enumerate(cases)))
    found = [f"{' '.join(part if len(part) < 200 else part[:80] + '...' for part in case)}\n    {fault}"
             for case, fault in zip(cases, faults) if fault]
    assert not found, f"{len(found)} of {len(cases)}:\n" + "\n".join(found)
