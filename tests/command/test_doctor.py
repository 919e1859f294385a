"""tamis doctor, and what a wrong name of a file is answered with."""

import json
import os
import platform
import re
import subprocess
import sys

import numpy
import pytest
import tifffile

SECTIONS = ["tamis", "machine", "gpus", "decoders", "environment", "loaded libraries"]


@pytest.fixture
def told(tamis):
    return json.loads(tamis("doctor", "--quiet", "--json", "/dev/stdout").stdout)


def test_a_report_has_every_section_for_people_and_programs(tamis, told):
    assert list(told) == SECTIONS
    said = tamis("doctor").stdout
    assert re.findall(r"^(\w[\w ]*)$", said, re.M) == SECTIONS
    for section in ("tamis", "decoders"):
        for name, value in told[section].items():
            assert f"  {name} " in said and value.split(", ")[0] in said


def test_what_it_says_is_what_the_system_says(tamis, told):
    assert tamis("--version").stdout == f"tamis {told['tamis']['version']}\n"
    assert told["machine"]["kernel"] == " ".join(os.uname()[i] for i in (0, 2, 4))
    assert platform.freedesktop_os_release()["PRETTY_NAME"] == told["machine"]["system"]
    devices = json.loads(tamis("devices", "--quiet", "--json", "/dev/stdout").stdout)
    assert told["machine"]["tamis uses"] == devices["cpu"]
    assert told["tamis"]["CUDA"] == (devices["cuda"] or "not built in")
    assert told["gpus"].get("no GPU") == devices["why_no_gpu"]
    assert sum(name.startswith("cuda:") for name in told["gpus"]) == len(devices["gpus"])
    assert any("libtamis-core.so" in files for files in told["loaded libraries"].values())


def test_decoders_are_tried_and_leave_nothing(tamis, told, tmp_path):
    assert told["decoders"]["PNG"] == told["decoders"]["HDF5"] == "works, confined"
    tamis("doctor", env={**os.environ, "TMPDIR": str(tmp_path)})
    assert not list(tmp_path.iterdir())


def test_without_a_folder_to_try_them_in_it_says_so_and_ends_well(tamis):
    said = tamis("doctor", env={**os.environ, "TMPDIR": "/none"}).stdout
    assert re.search(r"PNG +not tried: no folder for temporary files; wanted one as TMPDIR", said)


def test_settings_of_the_environment_are_shown_and_secrets_are_not(tamis):
    said = tamis("doctor", env={**os.environ, "MALLOC_ARENA_MAX": "2", "PASSWORD": "open sesame"}).stdout
    assert re.search(r"MALLOC_ARENA_MAX +2\n", said) and "sesame" not in said


def test_python_has_a_doctor_too():
    pytest.importorskip("tamis")
    call = [sys.executable, "-m", "tamis.doctor"]
    told = json.loads(subprocess.run([*call, "--json"], check=True, capture_output=True, text=True).stdout)
    assert list(told) == ["tamis", "machine", "gpus", "packages", "environment"]
    assert told["packages"]["numpy"] == numpy.__version__
    said = subprocess.run(call, check=True, capture_output=True, text=True).stdout
    assert f"  numpy                 {numpy.__version__}\n" in said


@pytest.mark.parametrize("wrong, meant", [("foam.tiff", "foam.tif"), ("foma.tif", "foam.tif"), ("foam.png", "foam.tif"),
                                          ("foam", "foam.tif"), ("bones.tif", None), ("deep/foam.tif", None)])
def test_a_wrong_name_is_answered_with_the_near_one(tamis, tmp_path, wrong, meant):
    tifffile.imwrite(tmp_path / "foam.tif", numpy.ones((4, 4), numpy.uint8))
    tifffile.imwrite(tmp_path / "wholly_different.tif", numpy.ones((4, 4), numpy.uint8))
    wanted = f"{wrong}: cannot read it: No such file or directory" + (f"; did you mean {meant}?" if meant else "")
    result = tamis("info", wrong, check=False)
    assert (result.returncode, result.stderr) == (2, f"tamis info: {wanted}\n")
    tamis_in_python = pytest.importorskip("tamis")
    with pytest.raises(FileNotFoundError) as caught:
        tamis_in_python.read(tmp_path / wrong)
    assert str(caught.value).endswith(f"; did you mean {meant}?" if meant else "No such file or directory")


def test_bench_without_the_package_says_how_to_get_it(tamis, tmp_path):
    (tmp_path / "python3").symlink_to(sys.executable)
    bare = {"PATH": str(tmp_path), "PYTHONPATH": "", "PYTHONNOUSERSITE": "1"}
    result = tamis("bench", "--quick", env=bare, check=False)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.count("\n") == 1 and "wanted the Python package of tamis" in result.stderr
    result = tamis("bench", env={"PATH": "/none"}, check=False)
    assert result.returncode == 2 and "cannot start python3" in result.stderr
