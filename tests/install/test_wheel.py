"""The wheels that `make wheel` has left in build/wheel: what is in them, what they ask for, and what they do where nothing else is.

`make wheel-test` runs it. scripts/wheel_test.sh and scripts/notebook_test.sh make the empty environments, debootstrap a
Debian 11 (glibc 2.31). Without a wheel all of it is skipped."""

import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy
import pytest

import wheel_files

ROOT = Path(__file__).resolve().parents[2]
WHEELS = sorted((ROOT / "build/wheel").glob("*.whl"))
PACKAGE = ROOT / "bindings/python"
# Of every Linux with glibc 2.28; the driver's library is loaded when it is there.
FROM_THE_SYSTEM = {"libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1", "ld-linux-x86-64.so.2",
                   "ld-linux-aarch64.so.1", "libgcc_s.so.1"}  # fmt: skip
MIB = 1 << 20
# Linked, and what is left out for its licence: words that their code or messages have.
LICENSES = ["bzip2", "fmtlib", "gdcm", "hdf5", "highway", "libaec-dev", "libblosc-dev", "libcli11-dev", "libdeflate-dev",
            "liblz4-dev", "liblzma-dev", "libpng1.6", "libsnappy-dev", "libxlsxwriter", "libzstd-dev", "nanobind", "nlohmann-json3-dev", "onetbb",
            "openjpeg2", "tiff", "zlib1g-dev"]  # fmt: skip
GPL = (b"JBIG-KIT",)

pytestmark = [pytest.mark.extra, pytest.mark.skipif(not WHEELS, reason="no wheel in build/wheel; make wheel")]
each_wheel = pytest.mark.parametrize("wheel", WHEELS, ids=lambda path: path.name)


@pytest.fixture
def unpacked(wheel, tmp_path):
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    return tmp_path


def told(*words):
    return subprocess.run(list(map(str, words)), check=True, capture_output=True, text=True).stdout


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    wheel_files.make(folder)
    return folder


def binaries(folder):
    return [path for path in sorted(folder.rglob("*")) if path.is_file() and path.read_bytes()[:4] == b"\x7fELF"]


@each_wheel
def test_it_has_every_file_of_the_package(wheel, unpacked):
    wanted = {path.relative_to(PACKAGE) for path in (PACKAGE / "tamis").rglob("*") if path.suffix in (".py", ".typed")}
    wanted |= {Path("tamis/_native.pyi"), Path("tamis/_elements.pyi")}
    assert len(wanted) > 20
    assert not [str(name) for name in wanted if not (unpacked / name).is_file()]
    assert len(list(unpacked.glob("tamis/_native*.so"))) == 1
    assert not list(unpacked.rglob("*.pyc"))
    module = next(unpacked.glob("tamis/_native*.so")).name
    version = wheel.name.split("-")[1]
    assert {str(path.relative_to(unpacked)) for path in binaries(unpacked)} == {
        f"tamis/{module}", f"tamis-{version}.data/scripts/tamis", *(f"tamis/libexec/tamis-{what}-{version}" for what in ("reader", "dicom"))
    }  # fmt: skip


@each_wheel
def test_without_the_gpu_part_it_is_small(wheel):
    if "1cuda" in wheel.name:
        pytest.skip("with the GPU part")
    assert wheel.stat().st_size <= 15 * MIB


@each_wheel
def test_licenses_travel_along(wheel, unpacked):
    names = {path.stem for path in unpacked.glob("tamis/licenses/*.txt")}
    assert set(LICENSES) <= names
    assert all(any(name.startswith(library) for name in names) for library in ("libjpeg", "libstdc++"))
    assert all(path.stat().st_size > 500 for path in unpacked.glob("tamis/licenses/*.txt"))
    assert list(unpacked.glob("*.dist-info/licenses/LICENSE"))
    assert not [path.name for path in binaries(unpacked) for word in GPL if word in path.read_bytes()]


@each_wheel
def test_what_it_needs_is_on_every_linux(wheel, unpacked):
    for binary in binaries(unpacked):
        asked = told("objdump", "-p", binary)
        assert set(re.findall(r"NEEDED +(\S+)", asked)) <= FROM_THE_SYSTEM, binary.name
        assert not re.search(r"R(UN)?PATH", asked), binary.name
        newest = max(tuple(map(int, version.split("."))) for version in re.findall(r"GLIBC_([0-9.]+)", asked))
        assert newest <= (2, 28), binary.name


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
def test_it_works_in_an_empty_environment(wheel, script, files):
    if not (pythons := interpreters(wheel)):
        pytest.skip("no Python here that the wheel is for")
    options = ["--files", files] if script == "wheel_test.sh" else []
    done = subprocess.run([ROOT / "scripts" / script, *options, wheel, *pythons[:2]], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@each_wheel
def test_the_readme_s_commands_run_in_an_empty_environment(wheel, tmp_path):
    if not (pythons := interpreters(wheel)):
        pytest.skip("no Python here that the wheel is for")
    block = re.search(r"<!-- wheel[^>]*-->\n```sh\nmake wheel\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)[1]
    (tmp_path / "build/wheel").mkdir(parents=True)
    (tmp_path / "build/wheel" / wheel.name).symlink_to(wheel)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/python3").symlink_to(shutil.which(pythons[0]))
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "TAMIS"))}
    environment["PATH"] = f"{tmp_path}/bin:/usr/bin:/bin"
    said = subprocess.run(["sh", "-ec", block], cwd=tmp_path, env=environment, check=True, capture_output=True, text=True).stdout
    assert re.search(r"^tamis 0\.", said, re.MULTILINE), said


@pytest.fixture(scope="module")
def debian_11(tmp_path_factory):
    if os.geteuid() != 0 or not shutil.which("debootstrap"):
        pytest.skip("wants root and debootstrap")
    listed = told("apt-get", "indextargets", "--format", "$(REPO_URI)", "Created-By: Packages", "Origin: Debian", "Component: main")
    mirror = [line for line in listed.splitlines() if not line.rstrip("/").endswith("-security")][:1]
    root = tmp_path_factory.mktemp("debian_11")
    subprocess.run(["debootstrap", "--variant=minbase", "bullseye", root, *mirror], check=True, capture_output=True)
    yield root
    shutil.rmtree(root)


@each_wheel
def test_it_runs_in_debian_11(wheel, unpacked, files, debian_11):
    """The program and what decodes for it; of the module only its names, as Debian 11 has an older Python."""
    there = debian_11 / "opt/wheel"
    shutil.rmtree(there, ignore_errors=True)
    shutil.copytree(next(unpacked.glob("*.data/scripts")), there / "bin")
    shutil.copytree(unpacked / "tamis", there / "lib/python3.12/site-packages/tamis")
    shutil.copytree(files, there / "files")
    for program in (there / "bin/tamis", *there.rglob("libexec/*")):
        program.chmod(0o755)

    def inside(command):
        mounted = f"mount -t proc proc {debian_11}/proc && exec chroot {debian_11} sh -c '{command}'"
        return subprocess.run(["unshare", "--mount", "sh", "-c", mounted], capture_output=True, text=True)

    wanted = sorted(files.glob("*.npy"))
    assert len(wanted) > 15
    for path in wanted:
        done = inside(f"PATH=/opt/wheel/bin:$PATH tamis convert /opt/wheel/files/{path.stem} /opt/wheel/{path.name} --quiet")
        assert done.returncode == 0, done.stderr
        numpy.testing.assert_array_equal(numpy.load(there / path.name), numpy.load(path), err_msg=path.stem)
    done = inside("ldd -r /opt/wheel/lib/python3.12/site-packages/tamis/_native*.so")
    missing = re.findall(r"undefined symbol: (\w+)|not found|version `", done.stdout + done.stderr)
    assert missing and all(re.match(r"_?Py", name) for name in missing), done.stdout + done.stderr
