"""What the Python tests share: the installed program, real data, small volumes."""

import functools
import json
import os
import signal
import subprocess
import sys
import types
from collections import defaultdict
from pathlib import Path

import numpy
import pytest
import tifffile

from scale_of_tests import SCALE, by_scale

TESTS = Path(__file__).resolve().parent
# Test modules import each other's helpers, whichever folders they lie in.
sys.path[:0] = sorted(str(folder) for folder in TESTS.iterdir() if folder.is_dir())


def program():
    """TAMIS_PROGRAM, or the program of the build folder TAMIS_BUILD, or that of build/."""
    build = Path(os.environ.get("TAMIS_BUILD", TESTS.parent / "build"))
    return os.environ.get("TAMIS_PROGRAM", str(build / "bin" / "tamis"))


def pytest_configure(config):
    config.addinivalue_line("markers", "extra: takes long; `make test-extra` runs it, `make test` does not")
    config.addinivalue_line("markers", "sampled(n): one in n of the parameter sets is in `make test`, all are in `make test-extra`")
    config.addinivalue_line("markers", "whole: cannot be made smaller; `make check` leaves it out")
    config.addinivalue_line("markers", "gpu: needs a first GPU that tamis can use; skipped elsewhere")
    # A shell that starts the tests in the background lets them ignore Ctrl-C; what they start would too.
    signal.signal(signal.SIGINT, signal.default_int_handler)


SMALL_SAMPLE = 3  # parameter sets of a function of which make check takes so many, spread over all


def pytest_collection_modifyitems(config, items):
    """Leaves out what a smaller scale does without."""
    if SCALE == 2:
        return
    functions = defaultdict(list)
    for item in items:
        functions[item.nodeid.partition("[")[0]].append(item)
    left_out = set()
    for sets in functions.values():
        usual = next((mark.args[0] for mark in sets[0].iter_markers("sampled")), 1)
        # Steps of the golden ratio keep no time with any of the parameters that were crossed, which a fixed step may.
        step = by_scale(max(usual, len(sets) / SMALL_SAMPLE), usual, 1)
        left_out.update(item for number, item in enumerate(sets) if number * 0.6180339887498949 % 1 * step >= 1)
        if SCALE == 0:
            left_out.update(item for item in sets if item.get_closest_marker("whole"))
    if left_out:
        config.hook.pytest_deselected(items=[item for item in items if item in left_out])
        items[:] = [item for item in items if item not in left_out]


@functools.cache
def has_gpu():
    told = subprocess.run([program(), "devices", "--quiet", "--json", "/dev/stdout"], check=True, capture_output=True)
    return any(gpu["usable"] for gpu in json.loads(told.stdout)["gpus"][:1])


def pytest_runtest_setup(item):
    if item.get_closest_marker("gpu") and not has_gpu():
        pytest.skip("no GPU")


@pytest.fixture(scope="session")
def tamis_program():
    if not Path(program()).exists():
        pytest.fail(f"{program()} is missing; build first, or set TAMIS_PROGRAM")
    return program()


@pytest.fixture
def tamis(tamis_program, tmp_path):
    """tamis("info", "a.tif") runs the program in a folder of its own; check=False where it is to fail."""

    def run(*arguments, check=True, text=True, **options):
        options.setdefault("cwd", tmp_path)
        options.setdefault("timeout", 300)
        result = subprocess.run([tamis_program, *map(str, arguments)], capture_output=True, text=text, **options)
        if check:
            assert result.returncode == 0, result.stderr
        return result

    return run


@pytest.fixture
def refused(tamis, tmp_path):
    """Runs the program, checks how it refuses, returns the line."""

    def run(*arguments, words=(), **options):
        before = sorted(tmp_path.rglob("*"))
        result = tamis(*arguments, check=False, **options)
        assert result.returncode == 2, (result.returncode, result.stdout, result.stderr)
        assert result.stdout == ""
        assert result.stderr.endswith("\n") and result.stderr.count("\n") == 1, result.stderr
        assert result.stderr.startswith("tamis"), result.stderr
        for noise in ("terminate called", "what():", "Traceback", "HDF5-DIAG", ".tamis-", ".part"):
            assert noise not in result.stderr
        for word in words:
            assert word in result.stderr, result.stderr
        assert sorted(tmp_path.rglob("*")) == before, "files were left"
        return result.stderr

    return run


@pytest.fixture
def samples(tamis, tmp_path):
    """What tamis makes of a file, as an array."""

    def read(name, *flags):
        tamis("convert", name, "out.npy", *flags)
        return numpy.load(tmp_path / "out.npy")

    return read


@pytest.fixture(scope="session")
def data():
    """The folder of real images, outside the repository."""
    folder = os.environ.get("TAMIS_DATA")
    if not folder:
        pytest.skip("TAMIS_DATA is not set")
    return Path(folder)


@pytest.fixture(scope="session")
def porespy():
    """PoreSpy, where it is installed (tests/docs/peers.txt); it compiles itself for a minute."""
    sys.modules.setdefault("pyvista", types.ModuleType("pyvista"))  # with which it draws
    return pytest.importorskip("porespy")


@pytest.fixture
def volume(tmp_path):
    """volume("a.tif", array) writes a small volume as a TIFF and returns its name."""

    def write(name, array, **options):
        options.setdefault("photometric", "minisblack")
        tifffile.imwrite(tmp_path / name, array, **options)
        return name

    return write


@pytest.fixture
def balls():
    """A grey volume (z, y, x) of bright balls on dark ground, with noise: something to threshold."""
    random = numpy.random.default_rng(7)
    z, y, x = numpy.ogrid[:24, :30, :37]
    grey = random.normal(60, 5, (24, 30, 37))
    for centre, radius in (((8, 9, 10), 6), ((16, 20, 25), 8), ((12, 4, 30), 3)):
        inside = (z - centre[0]) ** 2 + (y - centre[1]) ** 2 + (x - centre[2]) ** 2 <= radius**2
        grey[inside] += 110
    return grey.clip(0, 255).astype(numpy.uint8)
