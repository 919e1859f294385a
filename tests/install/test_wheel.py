"""The wheels that `make wheel` has left in build/wheel: what is in them, what they ask for, and what they do where nothing else is.

scripts/wheel_test.sh and scripts/notebook_test.sh make the empty environments. Without a wheel all of it is skipped."""

import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
WHEELS = sorted((ROOT / "build/wheel").glob("*.whl"))
PACKAGE = ROOT / "bindings/python"
# Of every Linux with glibc 2.28; the driver's library is loaded when it is there.
FROM_THE_SYSTEM = {"libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1", "ld-linux-x86-64.so.2",
                   "ld-linux-aarch64.so.1", "libgcc_s.so.1", "libstdc++.so.6"}  # fmt: skip

pytestmark = [pytest.mark.extra, pytest.mark.skipif(not WHEELS, reason="no wheel in build/wheel; make wheel")]
each_wheel = pytest.mark.parametrize("wheel", WHEELS, ids=lambda path: path.name)


@pytest.fixture
def unpacked(wheel, tmp_path):
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    return tmp_path


def told(*words):
    return subprocess.run(list(map(str, words)), check=True, capture_output=True, text=True).stdout


@each_wheel
def test_it_has_every_file_of_the_package(wheel, unpacked):
    wanted = {path.relative_to(PACKAGE) for path in (PACKAGE / "tamis").rglob("*") if path.suffix in (".py", ".typed")}
    wanted |= {Path("tamis/_native.pyi"), Path("tamis/_elements.pyi")}
    assert len(wanted) > 20
    assert not [str(name) for name in wanted if not (unpacked / name).is_file()]
    assert len(list(unpacked.glob("tamis/_native*.so"))) == 1
    assert not list(unpacked.rglob("*.pyc"))


@each_wheel
def test_what_it_needs_is_in_it_or_on_every_linux(wheel, unpacked):
    libraries = list(unpacked.rglob("*.so*"))
    inside = {path.name for path in libraries}
    for library in libraries:
        asked = told("objdump", "-p", library)
        assert set(re.findall(r"NEEDED +(\S+)", asked)) <= inside | FROM_THE_SYSTEM, library.name
        newest = max(tuple(map(int, version.split("."))) for version in re.findall(r"GLIBC_([0-9.]+)", asked))
        assert newest <= (2, 28), library.name


def interpreters(wheel):
    """That are on the path and can take the wheel; the one that runs the tests first."""
    least, abi = re.search(r"-cp3(\d+)-(abi3|cp3\d+)", wheel.name).groups()
    names = [sys.executable, *(f"python3.{minor}" for minor in range(20, 10, -1))]
    found = {}
    for name in filter(shutil.which, names):
        asked = subprocess.run([name, "-c", "import sys, venv; print(sys.version_info[1])"], capture_output=True, text=True)
        if asked.returncode == 0:
            found.setdefault(int(asked.stdout), name)
    return [name for minor, name in found.items() if minor == int(least) or (abi == "abi3" and minor > int(least))]


@each_wheel
@pytest.mark.parametrize("script", ["wheel_test.sh", "notebook_test.sh"])
def test_it_works_in_an_empty_environment(wheel, script):
    if not (pythons := interpreters(wheel)):
        pytest.skip("no Python here that the wheel is for")
    done = subprocess.run([ROOT / "scripts" / script, wheel, *pythons[:2]], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
