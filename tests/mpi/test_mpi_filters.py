"""Filters by tamis-mpi: the images of one process from any number of them, whatever the slabs, and whole or not at all."""

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import numpy
import pytest

RNG = numpy.random.default_rng(11)
SHAPE = (97, 190, 211)  # some rounds of several slabs in few MiB

OPERATIONS = [["erode", "--element", "cube:3"], ["dilate", "--element", "ball:2.5"], ["open", "--element", "ball:3"],
              ["close", "--element", "box:1x2x9"], ["gradient", "--element", "cross:1"],
              ["tophat", "--element", "line:7@0,90"], ["asf", "--element", "ball:2"], ["median", "--size", "3x3x5"],
              ["median", "--element", "ball:2", "--percentile", "20"], ["smooth", "--size", "5"],
              ["remove-outliers", "--size", "3", "--threshold", "90"],
              ["open", "--element", "square:5"]]


@pytest.fixture
def volumes(tmp_path):
    """volumes("uint16") is the name of a file of noise of that type."""

    def make(dtype):
        noise = RNG.random(SHAPE) * 250
        if dtype == "bool":
            noise = noise > 100
        name = f"{dtype}.npy"
        numpy.save(tmp_path / name, noise.astype(dtype))
        return name

    return make


@pytest.fixture
def compared(tamis, processes, tmp_path):
    """Runs a filter by one process and by several, and compares their files; gives what the last of them told."""

    def compare(words, ranks=(1, 2, 3, 4, 5), made="npy", memory=("", "12M")):
        told = {}
        tamis(*words, "-q", at=1, out=f"one.{made}")
        for number in ranks:
            for limit in memory:
                out = tmp_path / f"many.{made}"
                limited = ["--memory", limit] if limit else []
                told = processes(number, *at_out(words, out.name), "--json", "told.json", *limited, "-q")
                assert out.read_bytes() == (tmp_path / f"one.{made}").read_bytes(), (number, limit)
        return json.loads((tmp_path / "told.json").read_text()) if told else {}

    def tamis_at(*words, at, out):
        del at
        return tamis_of(*at_out(words, out))

    tamis_of, tamis = tamis, tamis_at
    return compare


def at_out(words, out):
    return [out if word == "OUT" else word for word in words]


@pytest.mark.whole
@pytest.mark.parametrize("operation", OPERATIONS, ids=" ".join)
def test_any_number_of_processes_gives_the_image_of_one_whatever_the_filter(volumes, compared, operation):
    told = compared([operation[0], volumes("uint8"), "OUT", *operation[1:]], ranks=(3,), memory=("12M",))
    assert told["slabs"] > 2


@pytest.mark.whole
def test_any_number_of_processes_gives_the_image_of_one(volumes, compared):
    compared(["median", volumes("uint8"), "OUT", "--size", "3x3x5"])


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int16", "uint16", "float32", "float64", "uint32"])
def test_types(volumes, compared, dtype):
    compared(["median", volumes(dtype), "OUT", "--size", "3"], ranks=(3,), memory=("16M",))


@pytest.mark.whole
@pytest.mark.parametrize("border", ["reflect", "mirror", "nearest", "constant:7"])
def test_borders_are_those_of_the_volume(volumes, compared, border):
    compared(["dilate", volumes("uint16"), "OUT", "--element", "cube:7", "--border", border], ranks=(4,), memory=("16M",))


@pytest.mark.whole
def test_halos_that_are_longer_than_the_slabs_of_several_ranks(volumes, compared):
    compared(["median", volumes("uint8"), "OUT", "--size", "1x1x31"], ranks=(2, 5), memory=("16M",))


def test_more_processes_than_slices(compared, tmp_path):
    numpy.save(tmp_path / "thin.npy", (RNG.random((2, 40, 50)) * 250).astype("uint8"))
    compared(["open", "thin.npy", "OUT", "--element", "cube:3"], ranks=(4,), memory=("",))


@pytest.mark.whole
def test_stacks_of_images(volumes, compared):
    compared(["median", volumes("uint8"), "OUT", "--size", "5", "--batch"], ranks=(3,))


@pytest.mark.whole
def test_masks_and_several_images(volumes, compared, tmp_path):
    numpy.save(tmp_path / "mask.npy", (RNG.random(SHAPE) > 0.3).astype("uint8"))
    compared(["median", volumes("uint8"), "OUT", "--size", "3", "--mask", "mask.npy"], ranks=(3,), memory=("20M",))


@pytest.mark.whole
@pytest.mark.parametrize("made", ["tif", "nrrd"])
def test_files_are_written_in_order_compressed_too(volumes, compared, made):
    flags = ["--compress", "deflate"] if made == "tif" else []
    compared(["open", volumes("uint16"), "OUT", "--element", "ball:2", *flags], ranks=(3,), made=made, memory=("16M",))


@pytest.mark.whole
@pytest.mark.parametrize("made", ["h5", "zarr"])
def test_files_of_chunks(tamis, processes, volumes, tmp_path, made):
    words = ["open", volumes("uint16"), "OUT", "--element", "ball:2", "-q"]
    tamis(*at_out(words, "one.npy"))
    processes(3, *at_out(words, f"many.{made}"), "--memory", "16M")
    tamis("convert", f"many.{made}", "many.npy")
    assert (numpy.load(tmp_path / "many.npy") == numpy.load(tmp_path / "one.npy")).all()


@pytest.mark.whole
def test_a_nan_is_said_where_it_is_in_the_volume(tamis, processes, tmp_path):
    noise = RNG.random(SHAPE).astype("float32")
    noise[49, 3, 5] = numpy.nan
    numpy.save(tmp_path / "nan.npy", noise)
    words = ["erode", "nan.npy", "out.npy", "--element", "cube:3"]
    one = tamis(*words, check=False).stderr
    for ranks in (2, 3):
        many = processes(ranks, *words, "--memory", "16M", check=False)
        assert many.returncode == 2 and one.splitlines()[-1].removeprefix("tamis") in many.stderr, many.stderr
    assert not (tmp_path / "out.npy").exists()


@pytest.mark.parametrize("words, said", [
    (["reconstruct", "bool.npy", "bool.npy", "out.npy"], "a result may depend on the whole volume, which processes do not share"),
    (["dilate", "bool.npy", "out.npy", "--element", "cube:3", "--border", "wrap"], "a result may depend on the whole volume"),
    (["median", "flat.npy", "out.npy", "--size", "3"], "an image of one slice, which processes do not share"),
    (["median", "missing.npy", "out.npy", "--size", "3"], "missing.npy"),
    (["open", "bool.npy", "out.npy", "--element", "file:missing.png"], "missing.png"),
    (["open", "bool.npy", "nowhere/out.npy", "--element", "ball:2"], "nowhere/out.npy"),
])
def test_what_is_refused_is_said_once(processes, volumes, tmp_path, words, said):
    volumes("bool")
    numpy.save(tmp_path / "flat.npy", numpy.zeros((9, 8), "uint8"))
    before = sorted(tmp_path.iterdir())
    result = processes(3, *words, check=False)
    ours = [line for line in result.stderr.splitlines() if line.startswith("tamis")]
    assert result.returncode == 2 and len(ours) == 1 and said in ours[0], result.stderr
    assert sorted(tmp_path.iterdir()) == before


def children(pid):
    return [int(child) for task in Path(f"/proc/{pid}/task").iterdir() for child in (task / "children").read_text().split()]


@pytest.mark.whole
def test_a_killed_run_leaves_nothing_and_is_gone_on_with(tamis, processes, program, environment, tmp_path):
    numpy.save(tmp_path / "noise.npy", (RNG.random((160, 120, 130)) * 60000).astype("uint16"))
    words = ["median", "noise.npy", "OUT", "--element", "ball:4", "--threads", "1", "--memory", "4M", "-q"]
    tamis(*at_out(words, "one.npy"))
    run = subprocess.Popen(program(2, *at_out(words, "many.npy")), cwd=tmp_path, env=environment, stderr=subprocess.DEVNULL)
    ledger = tmp_path / "many.npy.tamis-ledger"
    while not ledger.exists():
        assert run.poll() is None, "it ended before anything was kept"
        time.sleep(0.002)
    os.kill(children(run.pid)[-1], signal.SIGKILL)
    begun = time.monotonic()
    assert run.wait(timeout=60) != 0 and time.monotonic() - begun < 10
    assert not (tmp_path / "many.npy").exists()
    processes(3, *at_out(words, "many.npy"), "--resume", "--json", "told.json")  # another number of processes
    assert json.loads((tmp_path / "told.json").read_text())["resumed_at_slice"] > 0
    assert (tmp_path / "one.npy").read_bytes() == (tmp_path / "many.npy").read_bytes()


@pytest.mark.whole
@pytest.mark.parametrize("whom", ["mpirun", "processes"])
def test_an_interrupted_run_keeps_what_is_done(processes, program, environment, tmp_path, whom):
    numpy.save(tmp_path / "noise.npy", (RNG.random((160, 120, 130)) * 60000).astype("uint16"))
    words = ["median", "noise.npy", "out.npy", "--element", "ball:4", "--threads", "1", "--memory", "4M"]
    run = subprocess.Popen(program(2, *words), cwd=tmp_path, env=environment, stderr=subprocess.PIPE, text=True)
    while not (tmp_path / "out.npy.tamis-ledger").exists():
        assert run.poll() is None, "it ended before anything was kept"
        time.sleep(0.002)
    for pid in [run.pid] if whom == "mpirun" else children(run.pid):
        os.kill(pid, signal.SIGINT)
    _, said = run.communicate(timeout=30)
    assert run.returncode != 0 and not (tmp_path / "out.npy").exists()
    if whom == "processes":  # mpirun need not wait for what is said when it ends them itself
        assert "of 160 slices are kept, --resume goes on" in said, said
    processes(2, *words, "--resume", "--json", "told.json", "-q")
    assert json.loads((tmp_path / "told.json").read_text())["resumed_at_slice"] > 0
