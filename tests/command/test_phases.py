"""Both phases of an image in one run, and outputs that are named after what they hold."""

import csv
import json

import numpy
import pytest
import tifffile
from test_distance import blobs, written


def rows(folder, name="out.csv"):
    with open(folder / name, newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("element", ["cross", "ball", "disk", "line@30"])
def test_both_phases_are_those_of_two_runs(tamis, tmp_path, element):
    written(tmp_path, blobs((12, 30, 35), 3))
    common = ["granulometry", "in.tif", "--element", element, "--roi", "cylinder", "--border", "neutral"]
    told = tamis(*common, "--phase", "both", "--csv", "out.csv", "--json", "both.json")
    assert list(rows(tmp_path)[0]) == ["phase", "size", "width [voxels]", "volume", "fraction", "spectrum", "element", "border"]
    results = json.loads((tmp_path / "both.json").read_text())["files"]
    for phase, result in zip(["bright", "dark"], results, strict=True):
        tamis(*common, "--phase", phase, "--csv", "one.csv", "--json", "one.json")
        of_phase = [{key: value for key, value in row.items() if key != "phase"} for row in rows(tmp_path)
                    if row["phase"] == phase]  # fmt: skip
        assert of_phase == rows(tmp_path, "one.csv")
        alone = json.loads((tmp_path / "one.json").read_text())
        assert result["phase"] == phase
        assert result["spectrum"] == alone["spectrum"]
        assert result.get("thickness") == alone.get("thickness")
        assert f"the {phase} phase is the object" in told.stdout


def test_grey_values_have_both_phases_too(tamis, tmp_path):
    grey = numpy.random.default_rng(0).integers(0, 255, (30, 40)).astype(numpy.uint8)
    tifffile.imwrite(tmp_path / "in.tif", grey, photometric="minisblack")
    tamis("granulometry", "in.tif", "--grey", "--phase", "both", "--max-size", "3", "--csv", "out.csv")
    assert [row["phase"] for row in rows(tmp_path)] == ["bright"] * 4 + ["dark"] * 4


def test_outputs_are_named_after_file_and_phase(tamis, tmp_path):
    (tmp_path / "scans").mkdir()
    for name, seed in [("one", 1), ("two", 2)]:
        tifffile.imwrite(tmp_path / "scans" / f"{name}.tif", blobs((5, 20, 21), seed).astype(numpy.uint8),
                         photometric="minisblack")  # fmt: skip
    tamis("granulometry", "scans/one.tif", "scans/two.tif", "--phase", "both", "--element", "ball",
          "--map", "{name}_{phase}.npy", "--map-radius", "r_{phase}_{name}.npy", "--csv", "out.csv", "--plot", "p.svg")  # fmt: skip
    assert list(rows(tmp_path)[0])[:2] == ["file", "phase"]
    for name in ("one", "two"):
        image = tifffile.imread(tmp_path / "scans" / f"{name}.tif") > 0
        for phase, object_ in (("bright", image), ("dark", ~image)):
            numpy.testing.assert_array_equal(numpy.load(tmp_path / f"{name}_{phase}.npy") > 0, object_)
            numpy.testing.assert_array_equal(numpy.load(tmp_path / f"r_{phase}_{name}.npy") > 0, object_)


def test_a_name_that_ends_in_two_endings_is_short(tamis, tmp_path):
    import gzip

    (tmp_path / "scan_20x10x3_u8.raw.gz").write_bytes(gzip.compress(bytes(range(200)) * 3))
    tamis("granulometry", "scan_20x10x3_u8.raw.gz", "--threshold", "99", "--map", "{name}.npy")
    assert (tmp_path / "scan_20x10x3_u8.npy").exists()


@pytest.mark.parametrize(
    "options, words",
    [
        (["--phase", "both", "--map", "map.tif"], ["--map map.tif", "got both", "wanted {phase}"]),
        (["--phase", "both", "--picture", "p.png"], ["--picture p.png", "wanted {phase}"]),
        (["--phase", "both", "--csv", "{phase}.csv"], ["--csv {phase}.csv", "wanted a name without {phase}"]),
        (["--phase", "each"], ["--phase each", "wanted bright, dark or both"]),
        (["in.tif", "--map", "{name}.tif"], ["two outputs|same file|more than once|--map in.tif"]),
    ],
)
def test_names_that_would_not_do_are_refused(refused, tmp_path, options, words):
    written(tmp_path, blobs((6, 20, 20), 5))
    told = refused("granulometry", "in.tif", *options)
    assert all(any(part in told for part in word.split("|")) for word in words), told
