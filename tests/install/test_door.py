"""What programs may do wrong, of the installed library: an error of a documented class in one line, never a crash, a loop
without end or an exception of another kind. docs/cpp.md says which classes there are."""

import subprocess

import pytest

from installed_tree import CLEAN, ROOT, run
from scale_of_tests import by_scale

HERE = ROOT / "tests" / "install"
FUZZ = ROOT / "fuzz"
NAMES = [line.split('"')[1] for line in (HERE / "door.cpp").read_text().splitlines() if line.startswith('    {"')]


@pytest.fixture(scope="module")
def door(installed, tmp_path_factory):
    program = tmp_path_factory.mktemp("door") / "door"
    return installed.compile(HERE / "door.cpp", program, *installed.flags("tamis-io"))


def test_every_case_has_a_name(door):
    assert run(door).splitlines() == NAMES
    assert len(NAMES) > 60


@pytest.mark.parametrize("name", NAMES)
def test_what_cannot_be_is_an_input_error(door, name):
    done = subprocess.run([door, name], capture_output=True, text=True, env=CLEAN, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("InputError: "), done.stdout
    assert done.stdout.count("\n") == 1


@pytest.mark.parametrize("bytes_left", [0, 1 << 16, 1 << 19, 1 << 20, 3 << 20, 6 << 20, 12 << 20, 40 << 20, 160 << 20])
def test_short_memory_is_a_resource_error(door, bytes_left):
    done = subprocess.run([door, "memory", str(bytes_left)], capture_output=True, text=True, env=CLEAN, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    for line in done.stdout.splitlines():
        assert line.startswith("short "), line


def test_a_call_that_fails_leaves_its_image_as_it_was(door):
    assert run(door, "in place") == "kept\n"


def test_what_a_callback_throws_comes_out_of_the_call(door):
    assert run(door, "callbacks") == "came out\n"


@pytest.fixture(scope="module")
def stops(installed, tmp_path_factory):
    program = tmp_path_factory.mktemp("stops") / "stops"
    return installed.compile(HERE / "stops.cpp", program, *installed.flags("tamis-core"))


# Types of 16 bits go through the loops of u8 and f32, a minute each; "all" asks with more borders and shapes, and for all
# that each of the others leaves out.
SOME = by_scale(97, 3, 1)


@pytest.mark.parametrize("part", [f"bool {SOME}", f"u8 {SOME}", f"f32 {SOME}", f"measures {by_scale(7, 1, 1)}",
                                  *(pytest.param(part, marks=pytest.mark.extra) for part in ("u16", "i16", "bool all", "u8 all", "f32 all"))])
def test_every_call_hears_a_stop_within_a_second(stops, part):
    done = subprocess.run([stops, *part.split()], capture_output=True, text=True, env=CLEAN, timeout=1200)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-200:]


@pytest.mark.whole
@pytest.mark.parametrize("target, package, seeds", [("cpp_call", "tamis-core", []), ("c_call", "tamis", [FUZZ / "c_call" / "seeds"])])
@pytest.mark.sampled(1)  # obeys the scale itself
def test_random_calls_return_or_throw_what_is_documented(installed, tmp_path, target, package, seeds):
    objects = []
    for source in (FUZZ / target / f"{target}_fuzz.cpp", FUZZ / "harness.cpp", FUZZ / "random_calls.cpp"):
        objects.append(tmp_path / (source.stem + ".o"))
        run("g++", "-std=c++20", "-O1", "-c", "-DTAMIS_FUZZ_REPLAY", f"-I{ROOT}", f"-I{installed.prefix / 'include'}", source,
            "-o", objects[-1])
    run("g++", *objects, "-o", tmp_path / "calls", *installed.flags(package), f"-Wl,-rpath,{installed.libraries}")
    done = subprocess.run([tmp_path / "calls", "1", str(by_scale(500, 6000, 20000)), *seeds], capture_output=True, text=True, env=CLEAN, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr[-200:]
