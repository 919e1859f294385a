"""tamis-mpi: the answers of one process from any number of them, whole or not at all, and going on after a kill."""

import itertools
import json
import os
import signal
import subprocess
import time
from pathlib import Path

import numpy
import pytest

@pytest.fixture
def command(program):
    return lambda ranks, *arguments: program(ranks, "granulometry", *arguments)


@pytest.fixture
def mpi(processes):
    return lambda ranks, *arguments, **keywords: processes(ranks, "granulometry", *arguments, **keywords)


def same(tmp_path, *names):
    first = (tmp_path / names[0]).read_bytes()
    return all((tmp_path / name).read_bytes() == first for name in names)


CASES = list(itertools.product(["cross", "cube", "square"], ["background", "neutral"]))


@pytest.mark.parametrize("element, border", CASES)
def test_any_number_of_ranks_gives_the_answer_of_one_process(tamis, mpi, foam, tmp_path, element, border):
    flags = [foam, "--element", element, "--border", border, "-q"]
    tamis("granulometry", *flags, "--csv", "one.csv", "--map", "one.tif")
    for ranks in (1, 2, 4):
        mpi(ranks, *flags, "--csv", "many.csv", "--map", "many.tif")
        assert same(tmp_path, "one.csv", "many.csv") and same(tmp_path, "one.tif", "many.tif"), ranks


@pytest.mark.parametrize("flags", [
    ["ball"], ["ball", "--border", "neutral", "--roi", "cylinder"], ["ball", "--convention", "fiji", "--max-size", "6"],
    ["ball", "--sizes", "2,5,9"], ["ball", "--spacing", "1x1x3um"], ["disk"]])
def test_balls_and_their_maps_are_those_of_one_process(tamis, mpi, foam, tmp_path, flags):
    flags = [foam, "--element", *flags, "-q"]
    maps = {name: {option: f"{name}-{option}.tif" for option in ("map", "map-radius", "map-width", "map-diameter")}
            for name in ("one", "many")}
    outputs = {name: [word for option, path in paths.items() for word in (f"--{option}", path)] for name, paths in maps.items()}
    tamis("granulometry", *flags, "--csv", "one.csv", "--json", "one.json", *outputs["one"])
    for ranks in (2, 5):
        mpi(ranks, *flags, "--csv", "many.csv", "--json", "many.json", *outputs["many"], *(["--resume"] if ranks == 5 else []))
        assert same(tmp_path, "one.csv", "many.csv"), ranks
        assert all(same(tmp_path, maps["one"][option], maps["many"][option]) for option in maps["one"]), ranks
        one, many = (json.loads((tmp_path / f"{name}.json").read_text()) for name in ("one", "many"))
        assert one["thickness"] == many["thickness"]


def test_balls_wider_than_slabs_and_without_an_end(tamis, mpi, tmp_path):
    # One hole: radii above 255, whose squares need 32 bits; then an object that fills its domain.
    wide = numpy.full((290, 40, 50), 255, numpy.uint8)
    wide[2, 3, 4] = 0
    full = numpy.full((40, 30, 20), 255, numpy.uint8)
    for volume, flags in ((wide, ["--border", "neutral"]), (full, ["--border", "neutral", "--threshold", "9"])):
        numpy.save(tmp_path / "volume.npy", volume)
        flags = ["volume.npy", "--element", "ball", *flags, "-q"]
        tamis("granulometry", *flags, "--csv", "one.csv", "--json", "one.json", "--map-radius", "one.tif")
        mpi(3, *flags, "--csv", "many.csv", "--json", "many.json", "--map-radius", "many.tif")
        assert same(tmp_path, "one.csv", "many.csv") and same(tmp_path, "one.tif", "many.tif")
        one, many = (json.loads((tmp_path / f"{name}.json").read_text()) for name in ("one", "many"))
        assert one.get("thickness") == many.get("thickness")


@pytest.mark.parametrize("element, border, flat", [("cross", "background", False), ("cube", "neutral", False),
                                                   ("ball", "neutral", False), ("square", "neutral", True)])
def test_masks_are_cut_with_the_volume(tamis, mpi, balls, tmp_path, element, border, flat):
    numpy.save(tmp_path / "grey.npy", balls)
    mask = numpy.zeros(balls.shape[1:] if flat else balls.shape, numpy.uint8)
    mask[..., 3:-5, 2:-9] = 7
    if not flat:
        mask[: balls.shape[0] // 3] = 0  # nothing of it is the first rank's
        mask[-1, 9, 9] = 0
    numpy.save(tmp_path / "mask.npy", mask)
    flags = ["grey.npy", "--threshold", "otsu", "--roi", "mask.npy", "--element", element, "--border", border, "-q"]
    tamis("granulometry", *flags, "--csv", "one.csv", "--json", "one.json", "--map", "one.tif")
    mpi(3, *flags, "--csv", "many.csv", "--json", "many.json", "--map", "many.tif")
    assert same(tmp_path, "one.csv", "many.csv") and same(tmp_path, "one.tif", "many.tif")
    one, many = (json.loads((tmp_path / name).read_text()) for name in ("one.json", "many.json"))
    assert one["threshold"] == many["threshold"] and one["border_share"] == many["border_share"]


def test_a_process_with_one_core_is_told_of_the_others(mpi, foam, environment, monkeypatch):
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("one core")
    monkeypatch.setitem(environment, "OMPI_MCA_hwloc_base_binding_policy", "core")
    assert "mpirun --bind-to none may give it all" in mpi(1, foam).stderr
    monkeypatch.setitem(environment, "OMPI_MCA_hwloc_base_binding_policy", "none")
    assert "bind-to" not in mpi(1, foam).stderr


def is_cuda_aware():
    told = subprocess.run(["ompi_info", "--parsable", "--all"], capture_output=True, text=True, check=False)
    return "built_with_cuda_support:value:true" in told.stdout


@pytest.mark.gpu
@pytest.mark.parametrize("element, border, roi", [
    ("cross", "background", "all"), ("cube", "neutral", "cylinder"), ("square", "background", "cylinder"),
    ("cross", "neutral", "all"), ("cube", "background", "mask"), ("ball", "background", "all"), ("ball", "neutral", "mask"),
    ("disk", "neutral", "cylinder")])
def test_ranks_on_gpus_give_the_answer_of_one_process(tamis, mpi, balls, tmp_path, element, border, roi):
    numpy.save(tmp_path / "grey.npy", balls)
    if roi == "mask":
        mask = numpy.zeros(balls.shape, numpy.uint8)
        mask[balls.shape[0] // 3 :, 3:-5, 2:-9] = 7
        numpy.save(tmp_path / "mask.npy", mask)
    flags = ["grey.npy", "--threshold", "otsu", "--element", element, "--border", border]
    flags += [] if roi == "all" else ["--roi", "mask.npy" if roi == "mask" else roi]
    tamis("granulometry", *flags, "--device", "cpu", "--csv", "one.csv", "--json", "one.json", "--map", "one.tif", "-q")
    for ranks in (1, 2, 5):
        told = mpi(ranks, *flags, "--device", "cuda:all", "--csv", "many.csv", "--json", "many.json", "--map", "many.tif")
        assert same(tmp_path, "one.csv", "many.csv") and same(tmp_path, "one.tif", "many.tif"), ranks
        one, many = (json.loads((tmp_path / name).read_text()) for name in ("one.json", "many.json"))
        assert all(one[key] == many[key] for key in ("threshold", "mean", "border_share")), ranks
        assert ("halos went from GPU to GPU" in told.stderr) == (ranks > 1 and is_cuda_aware())


@pytest.mark.gpu
def test_halos_go_by_way_of_the_host_where_that_is_switched_off(tamis, mpi, foam, environment, tmp_path, monkeypatch):
    monkeypatch.setitem(environment, "OMPI_MCA_opal_cuda_support", "0")
    tamis("granulometry", foam, "--csv", "one.csv", "-q")
    told = mpi(2, foam, "--device", "cuda:all", "--csv", "many.csv")
    assert same(tmp_path, "one.csv", "many.csv") and "GPU to GPU" not in told.stderr


@pytest.mark.gpu
def test_halos_that_outgrow_the_memory_of_gpus_go_on_by_way_of_the_host(tamis, mpi, tmp_path):
    # Of three ranks each has 1,667 slices, which take 37 MiB; with halos of 64 on either side 39 MiB.
    deep = numpy.full((5000, 90, 95), 255, numpy.uint8)
    deep[::1100, 40, 40] = 0
    numpy.save(tmp_path / "deep.npy", deep)
    tamis("granulometry", "deep.npy", "--device", "cpu", "--csv", "one.csv", "--map", "one.npy", "-q")
    flags = ["deep.npy", "--device", "cuda:all", "--csv", "many.csv", "--map", "many.npy"]
    told = [mpi(3, *flags, "--device-memory", limit).stderr for limit in ("38M", "1G")]
    assert same(tmp_path, "one.csv", "many.csv") and same(tmp_path, "one.npy", "many.npy")
    assert ["halos went from GPU to GPU" in words for words in told] == [False, is_cuda_aware()]


@pytest.mark.whole
def test_halos_are_longer_than_slabs(tamis, mpi, tmp_path):
    # One hole: distances are as large as they can be, and every rank needs slices of all others.
    solid = numpy.full((9, 150, 140), 255, numpy.uint8)
    solid[4, 70, 70] = 0
    numpy.save(tmp_path / "solid.npy", solid)
    deep = numpy.full((200, 90, 95), 255, numpy.uint8)
    deep[100, 40, 40] = 0
    numpy.save(tmp_path / "deep.npy", deep)
    for name in ("solid.npy", "deep.npy"):
        tamis("granulometry", name, "--csv", "one.csv", "-q")
        mpi(5, name, "--csv", "many.csv", "-q")
        assert same(tmp_path, "one.csv", "many.csv"), name


def test_more_ranks_than_slices(tamis, mpi, tmp_path):
    numpy.save(tmp_path / "thin.npy", (numpy.random.default_rng(3).random((2, 40, 50)) > 0.1).astype(numpy.uint8))
    tamis("granulometry", "thin.npy", "--csv", "one.csv", "--map", "one.npy", "-q")
    mpi(4, "thin.npy", "--csv", "many.csv", "--map", "many.npy", "-q")
    assert same(tmp_path, "one.csv", "many.csv") and same(tmp_path, "one.npy", "many.npy")


@pytest.mark.parametrize("dtype, threshold", [("uint8", "otsu"), ("uint16", "li"), ("int16", "mean"), ("float32", "otsu"),
                                              ("float32", "90:200"), ("uint8", "120"), ("float64", "otsu"), ("float64", "li"),
                                              ("float64", "isodata"), ("float64", "kapur"), ("float64", "mean"), ("int32", "li")])
def test_thresholds_are_those_of_the_whole(tamis, mpi, balls, tmp_path, dtype, threshold):
    grey = balls.astype(dtype) - (100 if dtype == "int16" else 0)
    if dtype == "float64":  # no whole numbers, and an outlier
        grey /= 7
        grey[0, 0, 0] = -1e6
    numpy.save(tmp_path / "grey.npy", grey.astype(dtype))
    flags = ["grey.npy", "--threshold", threshold, "--roi", "cylinder", "--phase", "dark", "-q"]
    tamis("granulometry", *flags, "--csv", "one.csv", "--json", "one.json")
    mpi(3, *flags, "--csv", "many.csv", "--json", "many.json")
    assert same(tmp_path, "one.csv", "many.csv")
    one, many = (json.loads((tmp_path / name).read_text()) for name in ("one.json", "many.json"))
    assert one["threshold"] == many["threshold"] and one["mean"] == many["mean"]


@pytest.mark.parametrize("arguments, words", [
    (["missing.tif", "--csv", "out.csv"], ["missing.tif"]),
    (["foam.tif", "--element", "line@30", "--csv", "out.csv"], ["lines and grey values are not shared"]),
    (["foam.tif", "--element", "starfish", "--csv", "out.csv"], ["starfish"]),
    (["foam.tif", "--csv", "nowhere/out.csv"], ["nowhere/out.csv"]),
    (["foam.tif", "--resume"], ["--resume without an output"]),
])
def test_an_error_is_said_once(mpi, foam, tmp_path, arguments, words):
    before = sorted(tmp_path.iterdir())
    result = mpi(3, *arguments, check=False)
    assert result.returncode == 2
    ours = [line for line in result.stderr.splitlines() if line.startswith("tamis")]
    assert len(ours) == 1 and all(word in ours[0] for word in words), result.stderr
    assert sorted(tmp_path.iterdir()) == before


def children(pid):
    return [int(child) for task in Path(f"/proc/{pid}/task").iterdir() for child in (task / "children").read_text().split()]


@pytest.mark.whole
def test_what_a_killed_run_has_finished_is_not_done_again(tamis, mpi, command, environment, tmp_path):
    tamis("phantom", "foam", "foam.tif", "--size", "300x300x240", "--max-radius", "30", "-q")
    tamis("granulometry", "foam.tif", "--csv", "one.csv", "--map", "one.tif", "-q")
    flags = ["foam.tif", "--csv", "many.csv", "--map", "many.tif", "--resume", "--threads", "1", "-q"]
    parts = tmp_path / "many.tif.tamis-parts"
    run = subprocess.Popen(command(2, *flags), cwd=tmp_path, env=environment, stderr=subprocess.DEVNULL)
    while not list(parts.glob("*.part")):
        assert run.poll() is None, "it ended before a part was there"
        time.sleep(0.002)
    os.kill(children(run.pid)[-1], signal.SIGKILL)
    assert run.wait(timeout=60) != 0
    assert not (tmp_path / "many.csv").exists() and not (tmp_path / "many.tif").exists()
    finished = len(list(parts.glob("*.part")))
    result = mpi(3, *flags[:-1])  # another number of ranks
    assert " of 240 slices are those of an earlier run" in result.stderr and finished > 0
    assert same(tmp_path, "one.csv", "many.csv") and same(tmp_path, "one.tif", "many.tif")
    assert not parts.exists()


@pytest.mark.whole
def test_a_file_that_is_no_part_is_refused_and_stays(mpi, foam, tmp_path):
    parts = tmp_path / "out.csv.tamis-parts"
    parts.mkdir()
    for text in ("{}", "no json"):
        (parts / "0-9.part").write_text(text + "\n")
        result = mpi(2, foam, "--csv", "out.csv", "--resume", check=False)
        assert result.returncode == 2 and "is no part" in result.stderr, result.stderr
        assert (parts / "0-9.part").read_text() == text + "\n" and not (tmp_path / "out.csv").exists()


def test_parts_of_other_work_are_said_and_begun_anew(mpi, foam, tmp_path):
    mpi(2, foam, "--csv", "one.csv", "-q")
    parts = tmp_path / "out.csv.tamis-parts"
    parts.mkdir()
    tally = b"tamis tally 1\n\x00\x00".hex()
    part = {"job": "other", "begin": 0, "end": 9, "tally": tally, "never_value": 0, "type": "u8", "checksum": 0}
    (parts / "0-9.part").write_text(json.dumps(part) + "\n")
    (parts / "9-12.part").write_text(json.dumps({"job": "older", "begin": 9, "words": "of an earlier version"}) + "\n")
    result = mpi(2, foam, "--csv", "out.csv", "--resume")
    assert "begun anew" in result.stderr and "other options" in result.stderr, result.stderr
    assert same(tmp_path, "one.csv", "out.csv") and not parts.exists()
