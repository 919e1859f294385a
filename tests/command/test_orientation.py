"""tamis orientation: maps, tables, plots and pictures against SciPy; what it says and refuses."""

import csv
import json
import re
import xml.etree.ElementTree as xml

import imageio.v3 as imageio
import numpy
import pytest
import tifffile

import morphology_oracle as oracle
from test_lines import traced
from test_morphology import noise


def sweep(image, lengths, angles, dark=False, lines="invariant", border="neutral"):
    """Openings (lengths, angles, y, x) by SciPy, or along traced lines from the definition."""
    name = "close" if dark else "open"
    if lines == "traced":
        return numpy.stack([[traced(name, image, length, angle, border) for angle in angles] for length in lengths])
    return numpy.stack([[oracle.operation(name, image, oracle.offsets(f"line:{length}@{angle}", 2))
                         for angle in angles] for length in lengths])


def middles(tied):
    """Of all directions (angles, y, x) those that tie: the number in the middle of the first and the last one or, where
    that is shorter, of the way from the second half to the first one over the end."""
    count, half = len(tied), len(tied) // 2
    first, last = tied.argmax(0), count - 1 - tied[::-1].argmax(0)
    begin, end = half + tied[half:].argmax(0), count + half - 1 - tied[:half][::-1].argmax(0)
    over_the_end = tied[:half].any(0) & tied[half:].any(0) & (end - begin < last - first)
    return numpy.where(over_the_end, begin + end, first + last) / 2 % count


def maps_of(openings, angles, dark=False):
    """Orientation, enhanced image, contrast (in whole numbers), of the openings of one length in all directions."""
    order = -openings.astype(int) if dark else openings.astype(int)
    best, worst = order.max(0), order.min(0)
    degrees = (middles(order == best) * angles[1]).astype(numpy.float32)
    return numpy.where(best == worst, numpy.float32("nan"), degrees), abs(best), best - worst


def histogram_of(degrees, contrast, angles):
    """Contrast by angle; what lies between two counts half for each."""
    known = ~numpy.isnan(degrees)
    place, weight = degrees[known] / angles[1], contrast[known] / 2
    return sum(numpy.bincount(side(place).astype(int) % len(angles), weight, len(angles))
               for side in (numpy.floor, numpy.ceil))


def rows(path):
    with open(path, newline="") as file:
        return list(csv.reader(file))


@pytest.fixture
def stripes():
    """Bright lines that run at 30 degrees, u8."""
    y, x = numpy.mgrid[:90, :110]
    across = x * numpy.sin(numpy.radians(30)) + y * numpy.cos(numpy.radians(30))
    return (120 + 100 * numpy.cos(2 * numpy.pi * across / 10)).astype(numpy.uint8)


@pytest.mark.parametrize("keywords", [{}, {"dark": True}, {"lines": "traced"}, {"lines": "traced", "border": "fit"},
                                      {"lines": "traced", "border": "fit", "dark": True}])
@pytest.mark.parametrize("dtype", [numpy.uint8, numpy.uint16, numpy.int16])
def test_maps_and_tables_agree_with_scipy(tamis, tmp_path, dtype, keywords):
    image = noise((23, 31), dtype) // 2
    angles = numpy.arange(12) * 15.0
    numpy.save(tmp_path / "in.npy", image)
    options = [word for key, value in keywords.items() for word in ([f"--{key}"] if value is True else
                                                                    [f"--{key}", value])]
    tamis("orientation", "in.npy", "--length", "5,9", "--angles", "12", *options, "--orientation", "o.tif",
          "--enhanced", "e.npy", "--contrast", "c.npy", "--csv", "t.csv", "--json", "t.json")
    openings = sweep(image, [5, 9], angles, **keywords)
    degrees, enhanced, contrast = maps_of(openings[1], angles, keywords.get("dark", False))
    numpy.testing.assert_array_equal(tifffile.imread(tmp_path / "o.tif"), degrees)
    found = numpy.load(tmp_path / "e.npy")
    assert found.dtype == dtype
    numpy.testing.assert_array_equal(found, openings[1].min(0) if "dark" in keywords else openings[1].max(0))
    numpy.testing.assert_array_equal(numpy.load(tmp_path / "c.npy"), contrast.clip(None, oracle.extremes(dtype)[1]))
    table = rows(tmp_path / "t.csv")
    assert table[0] == ["length", "angle", "spectrum", "sum", "histogram"]
    sums = openings.astype(int).sum((2, 3))
    removed = abs(image.astype(int).sum() - sums)
    told = json.loads((tmp_path / "t.json").read_text())
    assert told["lengths"] == [5, 9] and told["angles"] == angles.tolist() and told["longest"] == 9
    for i, line in enumerate(table[1:]):
        l, a = divmod(i, 12)
        assert [float(line[0]), float(line[1])] == [(5, 9)[l], angles[a]]
        assert float(line[2]) == removed[l, a] == told["spectrum"][l][a]
        assert float(line[3]) == sums[l, a] == told["sum"][l][a]
        assert (line[4] == "") == (l == 0)
    histogram = [float(line[4]) for line in table[13:]]
    assert histogram == told["histogram"] and sum(histogram) == pytest.approx(contrast.sum())
    if keywords.get("lines") == "traced":
        numpy.testing.assert_array_equal(histogram, histogram_of(degrees, contrast, angles))
    assert told["oriented_share"] == pytest.approx((contrast > 0).mean())


def test_angles_with_the_same_segment_share_the_histogram(tamis, tmp_path):
    image = noise((40, 40), numpy.uint8)
    numpy.save(tmp_path / "in.npy", image)
    tamis("orientation", "in.npy", "--length", "5", "--orientation", "o.npy", "--contrast", "c.npy", "--json", "t.json")
    degrees, contrast = numpy.load(tmp_path / "o.npy"), numpy.load(tmp_path / "c.npy").astype(int)
    segments = [frozenset(oracle.offsets(f"line:5@{angle}", 2)) for angle in range(180)]
    own = histogram_of(degrees, contrast, numpy.arange(180))
    found = json.loads((tmp_path / "t.json").read_text())["histogram"]
    for angle in range(180):
        equals = [other for other in range(180) if segments[other] == segments[angle]]
        assert found[angle] == pytest.approx(own[equals].mean())


def test_floats_and_bits_and_volumes(tamis, tmp_path):
    angles = numpy.arange(8) * 22.5
    floats = noise((20, 24), numpy.uint8).astype(numpy.float32) / 4 - 20
    bits = noise((20, 24), numpy.uint8) < 170
    volume = noise((3, 20, 24), numpy.uint8)
    for image in (floats, bits, volume):
        numpy.save(tmp_path / "in.npy", image)
        tamis("orientation", "in.npy", "--length", "7", "--angles", "8", "--enhanced", "e.npy", "--contrast", "c.npy",
              "--orientation", "o.npy", "--json", "t.json", "--picture", "p.png")
        planes = image if image.ndim == 3 else image[None]
        openings = numpy.stack([sweep(plane, [7], angles)[0] for plane in planes], axis=1)
        found = [numpy.load(tmp_path / name).reshape(planes.shape) for name in ("e.npy", "c.npy", "o.npy")]
        assert found[0].dtype == found[1].dtype == image.dtype
        numpy.testing.assert_array_equal(found[0], openings.max(0))
        numpy.testing.assert_array_equal(numpy.isnan(found[2]), openings.max(0) == openings.min(0))
        told = json.loads((tmp_path / "t.json").read_text())
        wanted = [float(image.sum(dtype=float) - opening.sum(dtype=float)) for opening in openings]
        assert told["spectrum"][0] == pytest.approx(wanted)
        assert imageio.imread(tmp_path / "p.png").shape == (20, 24, 3)


@pytest.mark.parametrize("lines", ["invariant", "traced"])
def test_the_dominant_angle_is_that_of_the_lines_and_is_said(tamis, tmp_path, stripes, lines):
    for image, dark in ((stripes, []), (255 - stripes, ["--dark"])):
        numpy.save(tmp_path / "in.npy", image)
        result = tamis("orientation", "in.npy", "--lines", lines, "--json", "t.json", *dark)
        told = json.loads((tmp_path / "t.json").read_text())
        assert abs(told["dominant_angle"] - 30) < 1.5
        assert re.search(rf"dominant angle    {told['dominant_angle']:.2f} degrees", result.stdout)
        assert "ran on" in result.stdout and "length" in result.stdout
        assert ("closings" if dark else "openings") in result.stdout
    assert tamis("orientation", "in.npy", "-q").stdout == ""


def test_ranges_leave_their_end_out(tamis, tmp_path, stripes):
    numpy.save(tmp_path / "in.npy", stripes[:, ::-1])  # 150 degrees, or -30
    tamis("orientation", "in.npy", "--range", "-40:-20", "--angles", "80", "--lines", "traced", "--json", "t.json")
    told = json.loads((tmp_path / "t.json").read_text())
    assert told["angles"] == [-40 + 0.25 * i for i in range(80)]
    assert abs(told["dominant_angle"] - 150) < 1.5


def test_a_flat_image_has_no_orientation(tamis, tmp_path):
    numpy.save(tmp_path / "in.npy", numpy.full((20, 30), 7, numpy.uint8))
    result = tamis("orientation", "in.npy", "--orientation", "o.npy", "--rose", "r.svg", "--plot", "p.svg", "--picture",
                   "p.png", "--json", "t.json", "--csv", "t.csv")
    assert numpy.isnan(numpy.load(tmp_path / "o.npy")).all()
    assert json.loads((tmp_path / "t.json").read_text())["dominant_angle"] is None
    assert "dominant angle    none" in result.stdout
    assert xml.parse(tmp_path / "r.svg").getroot().tag.endswith("svg")
    picture = imageio.imread(tmp_path / "p.png")
    assert (picture == picture[..., :1]).all()  # grey


def test_plots_are_svg_that_name_their_axes(tamis, volume, stripes, tmp_path):
    name = volume("it's_lines.tif", stripes)
    tamis("orientation", name, "--rose", "rose.svg", "--plot", "one.svg")
    tamis("orientation", name, "--length", "5,11,21", "--plot", "three.svg", "--angles", "60")
    for path, words in (("rose.svg", ["it's_lines.tif", "dashed: dominant ", "where openings remove least", "150°", "0°", "bright lines, segments of 41"]),
                        ("one.svg", ["mean of image - opening", "angle (degrees", "contrast of the samples"]),
                        ("three.svg", ["L = 5", "L = 21", "length of the segments", "% of its mean"])):
        text = (tmp_path / path).read_text()
        assert xml.fromstring(text).tag.endswith("svg")
        for word in words:
            assert word in text, (path, word)


@pytest.mark.parametrize("options", [["--angles", "1"], ["--angles", "2"], ["--angles", "7", "--range", "10:11"],
                                     ["--length", ",".join(str(n) for n in range(1, 31)), "--angles", "9"]])
def test_plots_can_be_drawn_of_anything(tamis, tmp_path, stripes, options):
    numpy.save(tmp_path / "in.npy", stripes)
    tamis("orientation", "in.npy", *options, "--rose", "r.svg", "--plot", "p.svg", "--picture", "p.png")
    assert {path.name for path in tmp_path.iterdir()} == {"in.npy", "r.svg", "p.svg", "p.png"}


def test_the_picture_has_hue_saturation_and_value(tamis, tmp_path):
    image = numpy.full((60, 60), 20, numpy.uint8)
    image[10] = image[:, 40] = 220
    imageio.imwrite(tmp_path / "in.png", image)
    tamis("orientation", "in.png", "--length", "21", "--picture", "p.png")
    picture = imageio.imread(tmp_path / "p.png").astype(int)
    red, cyan = picture[10, 20], picture[30, 40]
    assert red[0] > 200 and red[1] < 40 and red[2] < 40  # 0 degrees
    assert cyan[0] < 40 and cyan[1] > 200 and cyan[2] > 200  # 90 degrees, the other side of the circle
    assert picture[30, 20].max() < 30  # dark ground
    imageio.imwrite(tmp_path / "in.png", 255 - image)
    tamis("orientation", "in.png", "--length", "21", "--picture", "q.png", "--dark")
    numpy.testing.assert_array_equal(imageio.imread(tmp_path / "q.png"), picture)


@pytest.mark.parametrize("arguments, words", [
    (["--length", "0"], ["--length 0", "at least 1"]),
    (["--length", "5,x"], ["--length 5,x", "11,21,41"]),
    (["--length", "5,5"], ["length 5 more than once"]),
    (["--length", "5.5", "--lines", "traced"], ["length 5.5", "whole number"]),
    (["--length", "nan"], ["--length nan"]),
    (["--angles", "0"], ["--angles 0", "1 to 32767"]),
    (["--angles", "70000"], ["--angles 70000"]),
    (["--range", "30:30"], ["--range 30:30", "LO below HI"]),
    (["--range", "0:181"], ["--range 0:181", "at most 180"]),
    (["--range", "nan:3"], ["--range nan:3"]),
    (["--border", "fit"], ["border fit", "lines traced"]),
    (["--border", "reflect"], ["border reflect", "neutral"]),
    (["--lines", "bent"], ["--lines bent", "invariant or traced"]),
    (["--picture", "p.tif"], ["--picture p.tif", ".png"]),
    (["--rose", "r.png"], ["--rose r.png", ".svg"]),
    (["--enhanced", "in.npy"], ["would overwrite the input"]),
    (["--enhanced", "a.npy", "--contrast", "a.npy"], ["--enhanced"]),
    (["--orientation", "o.png"], ["o.png"]),
    (["--crop", "0:99,0:99"], ["--crop"]),
])
def test_errors_teach_and_leave_nothing_behind(tamis, tmp_path, arguments, words):
    numpy.save(tmp_path / "in.npy", noise((20, 30), numpy.uint8))
    result = tamis("orientation", "in.npy", *arguments, "--csv", "t.csv", check=False)
    assert result.returncode == 2 and result.stderr.count("\n") == 1 and result.stdout == ""
    for word in words:
        assert word in result.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["in.npy"]


def test_images_that_have_no_answer_are_refused(tamis, tmp_path):
    def refusal(image, *options):
        numpy.save(tmp_path / "in.npy", image)
        result = tamis("orientation", "in.npy", *options, check=False)
        assert result.returncode == 2 and result.stderr.count("\n") == 1
        return result.stderr

    floats = noise((20, 30), numpy.float32)
    floats[4, 5] = numpy.nan
    assert "NaN or infinity at x 5, y 4" in refusal(floats)
    assert "f64 samples that f32 cannot hold" in refusal(numpy.full((9, 9), 1e300))
    assert "border fit of an f32 image" in refusal(numpy.zeros((9, 9), numpy.float32), "--lines", "traced", "--border",
                                                   "fit")
    imageio.imwrite(tmp_path / "c.png", noise((20, 30, 3), numpy.uint8))
    result = tamis("orientation", "c.png", check=False)
    assert result.returncode == 2 and "3 channels; wanted one: --channel luma, or 0 to 2" in result.stderr
    tamis("orientation", "c.png", "--channel", "1", "--crop", "2:20,3:18", "--orientation", "o.npy")
    assert numpy.load(tmp_path / "o.npy").shape == (15, 18)


def test_help_examples_and_the_manual_page_describe_every_option(tamis):
    text = tamis("orientation", "--help").stdout
    assert text.startswith("tamis orientation: ") and "\nExamples\n  tamis orientation" in text
    page = tamis("man").stdout
    assert ".SS tamis orientation" in page
    for option in re.findall(r"^  (--[a-z-]+)", text, re.M):
        assert option.replace("-", "\\-") in page
    assert '"orientation")' in tamis("completion", "bash").stdout


def test_existing_files_are_replaced_whole_or_not_at_all(tamis, tmp_path, stripes):
    numpy.save(tmp_path / "in.npy", stripes)
    (tmp_path / "t.csv").write_text("old")
    tamis("orientation", "in.npy", "--csv", "t.csv", "--enhanced", "e.png", "--range", "5:5", check=False)
    assert (tmp_path / "t.csv").read_text() == "old"
    tamis("orientation", "in.npy", "--csv", "t.csv", "--angles", "4")
    assert rows(tmp_path / "t.csv")[0][0] == "length"
