"""Files of every sample type: what filters do not compute with goes as f32, which the program says; and spacings without a
unit."""

import csv
import json

import numpy
import pytest

import tamis as package

INTEGERS = ["int8", "uint32", "int32", "uint64", "int64"]
OURS = {"int8": "i8", "uint32": "u32", "int32": "i32", "uint64": "u64", "int64": "i64", "float64": "f64"}
VOLUME = numpy.random.default_rng(5).integers(0, 100, (9, 30, 40))
COMMANDS = {
    "erode": (["--element", "cube:3"], lambda a: package.erode(a, "cube:3")),
    "median": (["--size", "3"], lambda a: package.median(a, 3)),
    "tophat": (["--element", "ball:2"], lambda a: package.tophat(a, "ball:2")),
    "hitmiss": ([], package.hitmiss),
}


@pytest.mark.parametrize("dtype", OURS)
@pytest.mark.parametrize("command", COMMANDS)
def test_filters_give_the_type_that_python_gives_and_say_so(tamis, tmp_path, command, dtype):
    image = VOLUME.astype(dtype)
    numpy.save(tmp_path / "in.npy", image)
    options, in_python = COMMANDS[command]
    wanted = in_python(image)
    for more in ([], ["--memory", "1M"]):
        told = tamis(command, "in.npy", "out.npy", *options, *more, "--json", "told.json")
        found = numpy.load(tmp_path / "out.npy")
        assert found.dtype == wanted.dtype
        numpy.testing.assert_array_equal(found, wanted)
        how = "rounded to f32" if dtype == "float64" else "taken as f32, which has them all"
        result = "f32" if wanted.dtype == "float32" else OURS[dtype]
        note = f"{OURS[dtype]} samples were {how}; the result is {result}"
        assert f"note: {note}\n" in told.stderr
        assert json.loads((tmp_path / "told.json").read_text())["notes"] == [note]


def test_large_volumes_go_in_slabs(tamis, tmp_path):
    image = numpy.random.default_rng(6).integers(-1000, 1000, (60, 90, 100))
    numpy.save(tmp_path / "in.npy", image)
    told = tamis("open", "in.npy", "out.npy", "--element", "cube:3", "--memory", "2M")
    assert "slabs" in told.stdout
    numpy.testing.assert_array_equal(numpy.load(tmp_path / "out.npy"), package.open(image, "cube:3"))
    image[47, 5, 6] = 2**53 + 1
    numpy.save(tmp_path / "in.npy", image)
    told = tamis("open", "in.npy", "out2.npy", "--element", "cube:3", "--memory", "2M", check=False)
    assert told.returncode == 2 and not (tmp_path / "out2.npy").exists()
    assert "in.npy: i64 samples that f32 cannot hold, 9007199254740993 at x 6, y 5, z 47; wanted tamis convert" in told.stderr


def test_other_commands_take_them_too(tamis, tmp_path):
    page = 100 * (numpy.mgrid[:200, :300][0] % 24 < 8)
    for dtype in ("int64", "float64"):
        image = page.astype(dtype)
        numpy.save(tmp_path / "in.npy", image)
        told = tamis("orientation", "in.npy", "--length", "9", "--angles", "12", "--enhanced", "out.npy", "--contrast", "c.npy")
        assert f"note: {OURS[dtype]} samples were " in told.stderr
        found, wanted = numpy.load(tmp_path / "out.npy"), package.orientation(image, 9, angles=12)
        assert found.dtype == wanted.enhanced.dtype == ("int64" if dtype == "int64" else "float32")
        numpy.testing.assert_array_equal(found, wanted.enhanced)
        assert numpy.load(tmp_path / "c.npy").dtype == "float32"
        tamis("deskew", "in.npy", "out.npy")
        numpy.testing.assert_array_equal(numpy.load(tmp_path / "out.npy"), package.deskew(image))
        tamis("granulometry", "in.npy", "--grey", "--csv", "out.csv")
        with open(tmp_path / "out.csv", newline="") as file:
            volume = [float(row["volume"]) for row in csv.DictReader(file)]
        numpy.testing.assert_allclose(volume, package.granulometry(image, grey=True).curve, rtol=1e-7)


def test_masks_and_markers(tamis, tmp_path):
    image, mask = VOLUME.astype("int32"), (VOLUME % 3 > 0).astype("uint8")
    for name, array in (("in", image), ("mask", mask), ("marker", image // 2), ("small", VOLUME.astype("uint8"))):
        numpy.save(tmp_path / f"{name}.npy", array)
    tamis("median", "in.npy", "out.npy", "--mask", "mask.npy", "--memory", "1M")
    found = numpy.load(tmp_path / "out.npy")
    assert found.dtype == "int32"
    numpy.testing.assert_array_equal(found, package.median(image, 3, mask=mask))
    tamis("reconstruct", "marker.npy", "in.npy", "out.npy")
    numpy.testing.assert_array_equal(numpy.load(tmp_path / "out.npy"), package.reconstruct(image // 2, image))
    told = tamis("reconstruct", "small.npy", "in.npy", "out3.npy", check=False)
    assert told.returncode == 2 and "reconstruct of u8 and i32 images; wanted one type" in told.stderr
    told = tamis("erode", "in.npy", "out3.npy", "--border", "constant:0.5", check=False)
    assert told.returncode == 2 and "border constant:0.5 of a i32 image; wanted a value that the type has" in told.stderr


def test_a_spacing_without_a_unit_is_a_ratio(tamis, tmp_path):
    numpy.save(tmp_path / "in.npy", (VOLUME > 20).astype("uint8"))
    told = tamis("granulometry", "in.npy", "--element", "ball", "--spacing", "2x2x2", "--csv", "out.csv", "--json", "out.json")
    assert "units" in told.stdout and "voxels wide" not in told.stdout
    figures = json.loads((tmp_path / "out.json").read_text())
    assert figures["width_unit"] == "units" and figures["spacing"] == {"x": 2, "y": 2, "z": 2, "unit": "units"}
    with open(tmp_path / "out.csv", newline="") as file:
        assert [float(row["width [units]"]) for row in csv.DictReader(file)][:2] == [2, 6]
    told = tamis("distance", "in.npy", "out.npy", "--spacing", "1x1x2", "--json", "out.json")
    assert json.loads((tmp_path / "out.json").read_text())["unit"] == "units"
    numpy.testing.assert_array_equal(numpy.load(tmp_path / "out.npy"), package.distance(VOLUME > 20, spacing=(2, 1, 1)))
    told = tamis("porosimetry", "in.npy", "--spacing", "1x1x2", "--csv", "out.csv", "--json", "out.json")
    header = (tmp_path / "out.csv").read_text().partition("\n")[0]
    assert "[units]" in header and "um" not in header and json.loads((tmp_path / "out.json").read_text())["unit"] == "units"
    told = tamis("distance", "in.npy", "out.npy", "--spacing", "1x1x1", "--json", "out.json")
    assert json.loads((tmp_path / "out.json").read_text())["unit"] == "voxels"


def test_no_file_of_a_phantom_stores_a_ratio(tamis):
    told = tamis("phantom", "foam", "out.raw", "--size", "20", "--spacing", "2", check=False)
    assert told.returncode == 2 and "--spacing 2: wanted a unit too" in told.stderr
