"""What a newcomer does first: wrong figures that look right are told, and messages name what was meant."""

import csv
import json
import re
from pathlib import Path

import numpy
import pytest
import tifffile

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.fixture
def foam(tamis):
    tamis("phantom", "foam", "foam.tif", "--size", "48x40x20", "--max-radius", "6")
    return "foam.tif"


# Silent wrong answers


@pytest.mark.parametrize("text, volume, image", [("2x5um", None, "2 x 5 µm"), ("2um", "2 µm", "2 µm"), ("1x2x3um", "1 x 2 x 3 µm", "1 x 2 µm")])
def test_a_spacing_has_one_side_or_three_and_two_of_an_image(tamis, refused, foam, tmp_path, text, volume, image):
    tamis("convert", foam, "slice.png", "--crop", "0:48,0:40,3:4")
    assert image in tamis("info", "slice.png", "--spacing", text).stdout
    assert "2 x 5 µm" in tamis("convert", "slice.png", "image.tif", "--spacing", "2x5um").stdout
    if volume is None:
        refused("granulometry", foam, "--spacing", text, words=["--spacing 2x5um", "two sides, of a volume", "one or three"])
        refused("convert", foam, "out.tif", "--spacing", "1um", "--resample", text, words=["two sides, of a volume"])
    else:
        assert volume in tamis("info", foam, "--spacing", text).stdout


@pytest.mark.parametrize("element", ["cross", "ball", "line@30"])
@pytest.mark.parametrize("border", ["background", "neutral"])
def test_element_and_border_are_named_wherever_sizes_are_told(tamis, foam, tmp_path, element, border):
    told = tamis("granulometry", foam, "--element", element, "--border", border, "--csv", "t.csv", "--summary", "s.csv", "--curves", "c.csv",
                 "--json", "t.json", "--plot", "p.svg").stdout  # fmt: skip
    assert f"of the {element}, border {border}" in told
    for name in ("t.csv", "s.csv", "c.csv"):
        table = list(csv.DictReader(open(tmp_path / name, newline="")))
        assert list(table[0])[-2:] == ["element", "border"]
        assert {(row["element"], row["border"]) for row in table} == {(element, border)}
    found = json.loads((tmp_path / "t.json").read_text())
    assert (found["element"], found["border"]) == (element, border)
    assert f"of the {element}, border {border}" in (tmp_path / "p.svg").read_text()


def test_the_mean_direction_is_axial(tamis, tmp_path):
    """Lines at 170 and at 10 degrees run along 0 together, not along 90."""
    y, x = numpy.mgrid[:200, :200]
    stripes = [255.0 * (numpy.sin((x * numpy.sin(a) + y * numpy.cos(a)) / 3) > 0.9) for a in numpy.radians([170, 10])]
    tifffile.imwrite(tmp_path / "in.tif", numpy.hstack(stripes).astype("u1"))
    told = tamis("orientation", "in.tif", "--length", "21", "--json", "o.json", "--rose", "rose.svg").stdout
    found = json.loads((tmp_path / "o.json").read_text())
    weights, twice = numpy.array(found["histogram"]), numpy.radians(2 * numpy.array(found["angles"]))
    vector = (weights * numpy.exp(1j * twice)).sum() / weights.sum()
    assert found["resultant_length"] == pytest.approx(abs(vector))
    assert found["axial_mean"] == pytest.approx(numpy.degrees(numpy.angle(vector)) / 2 % 180)
    assert min(found["axial_mean"], 180 - found["axial_mean"]) < 5
    assert re.search(r"mean direction +[0-9.]+ degrees, axial; resultant length 0\.[0-9]{3}", told)
    assert "where openings change least" in told
    rose = (tmp_path / "rose.svg").read_text()
    assert "dashed: dominant" in rose and "where openings remove least" in rose


@pytest.mark.parametrize("numbers, words", [
    ([3, 5, 10], "slices 4, 6 to 9 are missing"), ([98, 99, 101], "slices 100 are missing"), ([3, 4, 5], None), ([7], None),
])  # fmt: skip
@pytest.mark.parametrize("name", ["s{}.tif", "rod_2024_{:04}_b1.tif"])
def test_a_folder_says_which_slices_are_missing(tamis, tmp_path, numbers, words, name):
    (tmp_path / "rod").mkdir()
    for number in numbers:
        tifffile.imwrite(tmp_path / "rod" / name.format(number), numpy.eye(9, dtype="u1"))
    for command in (["info", "rod"], ["granulometry", "rod"], ["open", "rod", "out.tif", "--element", "cube:3"]):
        told = tamis(*command).stderr.splitlines()
        assert [line for line in told if "missing" in line] == ([] if words is None else [f"note: rod: {words} by the numbers of the "
                                                                 "files, and those there are taken as neighbours"])  # fmt: skip


def test_files_that_differ_otherwise_have_no_numbers(tamis, tmp_path):
    (tmp_path / "rod").mkdir()
    for name in ("a1.tif", "b4.tif"):
        tifffile.imwrite(tmp_path / "rod" / name, numpy.eye(9, dtype="u1"))
    assert tamis("info", "rod").stderr == ""


@pytest.mark.parametrize("command", ["granulometry", "porosimetry"])
def test_numbered_slices_given_one_by_one_are_perhaps_a_volume(tamis, tmp_path, command):
    (tmp_path / "rod").mkdir()
    for number in range(4):
        tifffile.imwrite(tmp_path / "rod" / f"s{number:03}.tif", numpy.eye(9, dtype="u1"))
    names = [f"rod/s{number:03}.tif" for number in range(4)]
    told = tamis(command, *names).stderr
    assert "4 numbered pictures of one size" in told and f"tamis {command} rod" in told
    tifffile.imwrite(tmp_path / names[2], numpy.eye(8, dtype="u1"))
    assert "numbered" not in tamis(command, *names).stderr


def rod(radius, porosity=0.2, edge=120):
    """A porous rod in air, and what the inscribed cylinder of its slices holds of the dark phase."""
    y, x = numpy.mgrid[:edge, :edge] - (edge - 1) / 2
    inside = numpy.hypot(y, x) < radius
    blocks = numpy.random.default_rng(4).random((6, edge // 6, edge // 6)) > porosity
    return (inside & numpy.kron(blocks, numpy.ones((1, 6, 6), bool)) * 255).astype("u1"), inside


def test_a_ring_of_air_within_the_roi_is_told(tamis, tmp_path):
    image, inside = rod(54)
    tifffile.imwrite(tmp_path / "rod.tif", numpy.where(inside, image, 0), photometric="minisblack")
    told = tamis("granulometry", "rod.tif", "--phase", "dark", "--roi", "cylinder").stderr
    y, x = numpy.mgrid[:120, :120] - 59.5
    disk = numpy.hypot(y, x) <= 60
    (rim, share), = re.findall(r"along (\d+) % of the rim of the region, and ([0-9.]+) % of it in a ring", told)
    dark = (image == 0) & disk
    assert float(rim) > 90
    assert float(share) == pytest.approx(100 * (dark & ~inside).sum() / dark.sum(), abs=8)
    assert "--roi FILE" in told
    tifffile.imwrite(tmp_path / "mask.tif", inside.astype("u1"))
    for options in (["--phase", "dark", "--roi", "mask.tif"], ["--phase", "dark"], ["--phase", "bright", "--roi", "cylinder"]):
        assert "rim" not in tamis("granulometry", "rod.tif", *options).stderr
    tifffile.imwrite(tmp_path / "full.tif", rod(99)[0])  # fills the field of view, pores at the rim and all
    assert "rim" not in tamis("granulometry", "full.tif", "--phase", "dark", "--roi", "cylinder").stderr


@pytest.mark.parametrize("options, words", [
    (["--threshold", "300"], "the bright phase is empty: bright is above 300, and samples are 0 to 255"),
    (["--threshold", "300", "--phase", "dark"], "the dark phase is everything: bright is above 300, and samples are 0 to 255"),
    (["--threshold", "-4:-2"], "the bright phase is empty: bright is above -4 and not above -2, and samples are 0 to 255"),
    (["--threshold", "300", "--crop", "0:2,0:2,0:1"], "samples are 255 to 255"),
    (["--threshold", "100"], None),
])  # fmt: skip
@pytest.mark.parametrize("command", [["granulometry"], ["porosimetry"], ["distance"]])
def test_a_threshold_that_nothing_is_above_is_told_with_the_range(tamis, tmp_path, options, words, command):
    image = numpy.zeros((4, 9, 9), "u1")
    image[1:3, 2:6, 2:6] = image[0, :2, :2] = 255
    tifffile.imwrite(tmp_path / "in.tif", image, photometric="minisblack")
    told = tamis(*command, "in.tif", *(["out.tif"] if command == ["distance"] else []), *options).stderr
    assert (words in told) if words else "phase is" not in told


# Which number do I report?


def test_means_have_units_and_the_plot_marks_them(tamis, foam, tmp_path):
    told = tamis("granulometry", foam, "--spacing", "2.5um", "--summary", "s.csv", "--plot", "p.svg").stdout
    (row,) = csv.DictReader(open(tmp_path / "s.csv", newline=""))
    (mean, std), = re.findall(r"mean size +[0-9.]+ \(([0-9.]+) µm wide\), standard deviation [0-9.]+ \(([0-9.]+) µm\)", told)
    assert float(mean) == pytest.approx(float(row["mean [um]"]), rel=1e-5)
    assert float(std) == pytest.approx(float(row["sd [um]"]), rel=1e-5)
    assert f"dashed: mean {float(mean):.4g} µm" in (tmp_path / "p.svg").read_text()
    assert "the figures come by --summary" in " ".join(tamis("granulometry", "--help").stdout.split())


def test_a_picture_has_the_measure_of_the_map_beside_it(tamis, foam, tmp_path):
    """Two balls whose radii differ by less than a voxel have one size, two diameters."""
    z, y, x = numpy.mgrid[:21, :21, :42] - numpy.array([10, 10, 10])[:, None, None, None]
    two = (z**2 + y**2 + x**2 < 50) | (z**2 + y**2 + (x - 21) ** 2 < 62)
    tifffile.imwrite(tmp_path / "two.tif", two.astype("u1"))

    def colours(*options):
        from test_pictures import panels_of

        tamis("granulometry", "two.tif", "--element", "ball", "--picture", "p.png", *options)
        panel = panels_of(tmp_path / "p.png", (21, 42))[1]
        return tuple(panel[10, 10]), tuple(panel[10, 31])

    same, other = colours("--map", "m.npy")
    assert same == other
    assert len(set(colours("--map-diameter", "d.npy"))) == 2
    largest = numpy.load(tmp_path / "d.npy")[10]
    assert 14 < largest[10, 10] < largest[10, 31] < 16


# Pages


@pytest.mark.parametrize("command", ["granulometry", "porosimetry", "info", "median", "threshold"])
def test_the_help_names_the_formats_of_the_page_of_files(tamis, command):
    told = " ".join(tamis(command, "--help").stdout.split())
    table = (DOCS / "files.md").read_text().split("\n\n")[1]
    names = ["TIFF", "HDF5", "NRRD", "MetaImage", "NIfTI", "DICOM", "PNG", "JPEG", "BMP", "MRC", "PFM"]
    for name in names:
        assert name in table and name in told, name


def test_every_format_that_a_help_offers_is_written(tamis, foam, tmp_path):
    told = " ".join(tamis("granulometry", "--help").stdout.split())
    offered = re.search(r"0 on the background: ([^-]*?) --", told)[1].split(", ")
    assert len(offered) > 10
    types = {".pbm": None, ".ppm": None, ".pfm": "f32"}
    for ending in offered:
        picture = ending in (".png", ".pgm", ".pfm", ".ppm", ".pbm")
        if types.get(ending, "u8") is None:
            continue  # of bits, and of colours
        name = "out" + ending.replace("/name", "/a")
        tamis("convert", foam, name, "--as", types.get(ending, "u8"), *(["--crop", "0:9,0:9,2:3"] if picture else []))


# Messages


@pytest.mark.parametrize("command, words", [
    (["granulometry", "foam.tif", "--memory", "4"], ["--memory 4 is 4 bytes: 4G?", "--max-size N"]),
    (["threshold", "foam.tif", "out.tif", "--method", "100"], ["--value 100"]),
    (["threshold", "foam.tif", "out.tif", "--value", "otsu"], ["--method otsu"]),
    (["threshold", "foam.tif", "out.tif", "--threshold", "otsu"], ["--method", "--value", "--band"]),
    (["median", "foam.tif", "out/"], ["is a folder", "folders of slices are only read"]),
    (["median", "foam.tif", "there"], ["is a folder", "folders of slices are only read"]),
    (["median", "foam.tif"], ["OUT, the file to write, is missing"]),
    (["granulometry"], ["FILE, the file to read, is missing"]),
    (["granulometry", "foam.tif", "--spacing", "2,5um"], ["with a decimal point: 2.5um"]),
    (["granulometry", "foam.tif", "--threshold", "0,5"], ["with a decimal point: 0.5"]),
    (["threshold", "foam.tif", "out.tif", "--band", "0,5:1"], ["with a decimal point: 0.5:1"]),
    (["median", "foam.tif", "out.tif", "--percentile", "0,5"], ["with a decimal point: 0.5"]),
    (["remove-outliers", "foam.tif", "out.tif", "--radius", "2"], ["tamis remove-outliers"]),
])  # fmt: skip
def test_messages_name_what_was_meant(refused, foam, tmp_path, command, words):
    (tmp_path / "there").mkdir()
    refused(*command, words=words)


def test_a_comma_that_is_no_decimal_is_left_alone(refused, foam):
    assert "decimal" not in refused("granulometry", foam, "--element", "ball", "--sizes", "2,x")
    assert "decimal" not in refused("granulometry", foam, "--device", "cuda:0,0")


def test_formats_that_are_only_read_are_not_offered(refused, foam):
    line = refused("median", foam, "out.xyz")
    assert not re.search(r"\.(nhdr|mhd|jpg|bmp|mrc|dcm|hdr|img)\b", line) and " .nrrd " in line


@pytest.mark.parametrize("word", ["uint16", "u16"])
def test_types_are_called_as_numpy_calls_them(tamis, refused, foam, tmp_path, word):
    tamis("convert", foam, "out.tif", "--as", word)
    assert tifffile.imread(tmp_path / "out.tif").dtype == "u2"
    refused("convert", foam, "out.tif", "--as", "uint32", words=["--as uint32", "wanted u8, u16, i16 or f32"])


def test_commands_are_called_as_people_type_them(tamis, foam):
    told = tamis("remove-outliers", foam, "out.tif", "--size", "3", "--threshold", "3").stdout
    assert told.startswith("remove-outliers of foam.tif")
    assert "remove_outliers" not in told
