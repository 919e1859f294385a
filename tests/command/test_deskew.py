"""tamis deskew, and tamis.skew, deskew and rotate in Python: angles that are known, and turns against SciPy."""

import json
import pickle

import imageio.v3
import numpy
import pytest
import scipy.ndimage
import tifffile

tamis_module = pytest.importorskip("tamis")


def stripes(degrees, shape=(420, 560), ink=25, ground=235):
    """Dark lines that end before the edges of the page; positive: they rise to the right."""
    y, x = numpy.mgrid[: shape[0], : shape[1]] - numpy.array(shape)[:, None, None] / 2
    level = (y + x * numpy.tan(numpy.radians(degrees))) * numpy.cos(numpy.radians(degrees))
    distance = numpy.abs(level - 21.3 * numpy.round(level / 21.3))
    share = numpy.clip(2.0 - distance, 0, 1) * (abs(x) < 0.4 * shape[1]) * (abs(y) < 0.4 * shape[0])
    return (ground + share * (ink - ground)).round().astype(numpy.uint8)


@pytest.fixture
def page(tmp_path):
    """page("a.png", 3.3) writes a page and returns its name."""

    def write(name, degrees, **options):
        imageio.v3.imwrite(tmp_path / name, stripes(degrees, **options))
        return name

    return write


def first_angle(result):
    return float(result.stdout.splitlines()[0])


# The program.


@pytest.mark.parametrize("degrees", [-7.3, 0.0, 0.4, 12.6])
def test_the_angle_is_the_first_line(tamis, page, degrees):
    assert first_angle(tamis("deskew", page("a.png", degrees), "b.png")) == pytest.approx(degrees, abs=0.03)


def test_without_a_target_only_the_angle_is_printed(tamis, page, tmp_path):
    source = page("a.png", 3.3)
    before = sorted(tmp_path.iterdir())
    result = tamis("deskew", source)
    assert result.stdout.count("\n") == 1
    assert first_angle(result) == pytest.approx(3.3, abs=0.03)
    assert sorted(tmp_path.iterdir()) == before


def test_quiet_leaves_the_angle(tamis, page):
    assert tamis("deskew", page("a.png", 3.3), "b.png", "--quiet").stdout.count("\n") == 1


@pytest.mark.parametrize("method", ["fused", "projection", "closing"])
def test_a_straightened_page_is_straight(tamis, page, tmp_path, method):
    tamis("deskew", page("a.png", -5.7), "b.png", "--method", method)
    straight = imageio.v3.imread(tmp_path / "b.png")
    assert straight.shape == (420, 560) and straight.dtype == numpy.uint8
    assert straight[0, 0] == straight[-1, 0] == 235
    assert abs(first_angle(tamis("deskew", "b.png"))) < 0.1


def test_no_page_is_minus_zero(tamis, page):
    assert tamis("deskew", page("a.png", 0.0)).stdout in ("0.000\n", "0.001\n", "-0.001\n")


def test_expand_makes_room_for_the_corners_and_fill_says_what_comes_there(tamis, page, tmp_path):
    tamis("deskew", page("a.png", 10), "b.png", "--expand", "--fill", "77")
    straight = imageio.v3.imread(tmp_path / "b.png")
    angle = numpy.radians(10)
    assert straight.shape[1] == pytest.approx(560 * numpy.cos(angle) + 420 * numpy.sin(angle), abs=2)
    assert straight[0, 0] == straight[-1, -1] == 77


def test_an_undecided_page_ends_with_3_and_writes_no_page(tamis, tmp_path):
    imageio.v3.imwrite(tmp_path / "blank.png", numpy.full((200, 300), 255, numpy.uint8))
    result = tamis("deskew", "blank.png", "b.png", "--json", "b.json", check=False)
    assert (result.returncode, result.stdout, result.stderr) == (3, "undecided\n", "")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["b.json", "blank.png"]
    assert json.loads((tmp_path / "b.json").read_text())["pages"][0]["angle_degrees"] is None


@pytest.mark.parametrize(("flags", "word"), [
    (["--max-angle", "0"], "above 0 and at most 45"), (["--max-angle", "50"], "at most 45"),
    (["--max-angle", "nan"], "--max-angle"), (["--step", "0"], "--step 0: wanted"), (["--step", "2"], "at most 1"),
    (["--step", "0.0001"], "step"), (["--length", "1"], "--length"),
    (["--method", "hough"], "fused, projection or closing"), (["--fill", "300"], "fill"), (["--plot", "p.png"], ".svg"),
])
def test_what_cannot_be_done_is_one_line_and_leaves_nothing(tamis, page, tmp_path, flags, word):
    source = page("a.png", 3)
    result = tamis("deskew", source, "b.png", *flags, check=False)
    assert result.returncode == 2 and result.stdout == ""
    assert result.stderr.count("\n") == 1 and word in result.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["a.png"]


def test_a_page_is_not_overwritten_and_a_bad_one_is_named(tamis, page, tmp_path):
    source = page("a.png", 3)
    assert "overwrite" in tamis("deskew", source, source, check=False).stderr
    (tmp_path / "cut.png").write_bytes((tmp_path / source).read_bytes()[:500])
    result = tamis("deskew", "cut.png", "b.png", check=False)
    assert result.returncode == 2 and "cut.png" in result.stderr and not (tmp_path / "b.png").exists()


def test_csv_json_and_plot_say_what_was_tried(tamis, page, tmp_path):
    tamis("deskew", page("a.png", 2.2), "--csv", "s.csv", "--json", "s.json", "--plot", "s.svg", "--max-angle", "6",
          "--step", "0.5")
    rows = (tmp_path / "s.csv").read_text().splitlines()
    assert rows[0] == "angle_degrees,score" and len(rows) == 1 + 25
    best = max(rows[1:], key=lambda row: float(row.split(",")[1]))
    assert float(best.split(",")[0]) == 2.0
    told = json.loads((tmp_path / "s.json").read_text())
    assert told["pages"][0]["angle_degrees"] == pytest.approx(2.2, abs=0.03)
    assert told["pages"][0]["method"] == "projection" and told["parameters"]["step"] == 0.5
    assert (tmp_path / "s.svg").read_text().startswith("<?xml")


def test_every_page_of_a_file_is_turned_on_its_own(tamis, volume, tmp_path):
    pages = numpy.stack([stripes(4.0), numpy.full((420, 560), 235, numpy.uint8), stripes(-2.5)])
    source = volume("book.tif", pages)
    lines = tamis("deskew", source, "straight.tif").stdout.splitlines()
    assert float(lines[0]) == pytest.approx(4.0, abs=0.03) and lines[1] == "undecided"
    assert float(lines[2]) == pytest.approx(-2.5, abs=0.03)
    straight = tifffile.imread(tmp_path / "straight.tif")
    assert straight.shape == pages.shape
    assert (straight[1] == pages[1]).all()
    assert abs(first_angle(tamis("deskew", "straight.tif"))) < 0.05
    tamis("deskew", source, "large.tif", "--expand")
    assert tifffile.imread(tmp_path / "large.tif").shape[1:] > pages.shape[1:]


def test_colours_are_turned_alike(tamis, tmp_path):
    grey = stripes(6.0)
    imageio.v3.imwrite(tmp_path / "a.png", numpy.stack([grey, grey // 2, 255 - grey // 4], -1))
    tamis("deskew", "a.png", "b.png")
    straight = imageio.v3.imread(tmp_path / "b.png")
    assert straight[0, 0].tolist() == [235, 117, 197]
    difference = straight[..., 0] // 2 - straight[..., 1].astype(int)
    assert abs(difference).max() <= 1


def test_a_page_of_bits_stays_one(tamis, tmp_path):
    bits = stripes(5.0) > 128
    rows = numpy.packbits(~bits, axis=1)
    (tmp_path / "a.pbm").write_bytes(b"P4\n560 420\n" + rows.tobytes())
    assert first_angle(tamis("deskew", "a.pbm", "b.pbm")) == pytest.approx(5.0, abs=0.05)
    assert (tmp_path / "b.pbm").read_bytes().startswith(b"P4\n560 420\n")


def test_real_scans_have_the_angles_that_they_have(tamis, data):
    angles = {"lept_lucasta.047.jpg": 0.0, "lept_pedante.079.jpg": -0.43, "page.png": -0.3, "staff_lines.pbm": -0.23,
              "deskew_input.jpeg": 7.94}
    for name, angle in angles.items():
        assert first_angle(tamis("deskew", data / "scans" / name)) == pytest.approx(angle, abs=0.06), name
    assert tamis("deskew", data / "textures" / "grass.png", check=False).returncode == 3


# Python.


def test_skew_says_what_it_found():
    skew = tamis_module.skew(stripes(-3.3))
    assert skew.angle == pytest.approx(-3.3, abs=0.03)
    assert skew.method == "projection" and not skew.sideways and skew.confidence > 10
    assert skew.angles.shape == skew.scores.shape == (121,)
    assert repr(skew).startswith("<Skew: -3.")
    assert pickle.loads(pickle.dumps(skew)) == skew
    assert tamis_module.skew(numpy.rot90(stripes(-3.3))).sideways
    nothing = tamis_module.skew(numpy.zeros((50, 60), numpy.uint8))
    assert nothing.angle is None and repr(nothing) == "<Skew: undecided>"


def test_deskew_returns_the_page_and_the_skew_if_asked():
    page = stripes(4.4)
    straight, skew = tamis_module.deskew(page, return_skew=True)
    assert straight.shape == page.shape and straight.dtype == page.dtype
    assert skew == tamis_module.skew(page)
    assert (tamis_module.deskew(page) == straight).all()
    assert (straight == tamis_module.rotate(page, -skew.angle, fill=235)).all()
    with pytest.raises(tamis_module.InputError, match="undecided"):
        tamis_module.deskew(numpy.zeros((50, 60), numpy.uint8))


def test_an_axis_of_channels_may_be_anywhere():
    page = stripes(4.4)
    planes = numpy.stack([page, page // 2, page // 3])
    for axis in (0, 1, 2, -1):
        colour = numpy.moveaxis(planes, 0, axis)
        straight = tamis_module.deskew(colour, channel_axis=axis, expand=True)
        luma = numpy.floor(numpy.tensordot([0.299, 0.587, 0.114], planes, 1) + 0.5).astype(numpy.uint8)
        angle = tamis_module.skew(luma).angle
        expected = tamis_module.rotate(page, -angle, expand=True, fill=235)
        assert (numpy.moveaxis(straight, axis, 0)[0] == expected).all()
    with pytest.raises(tamis_module.InputError, match="channel_axis"):
        tamis_module.skew(numpy.moveaxis(planes, 0, -1))


@pytest.mark.parametrize("dtype", ["bool", "uint8", "uint16", "int16", "float32"])
def test_every_type_is_turned_as_scipy_does(dtype):
    """SciPy's spline of order 3 and cubic convolution differ a little where the image is smooth."""
    random = numpy.random.default_rng(2)
    smooth = scipy.ndimage.gaussian_filter(random.normal(size=(90, 120)), 4)
    smooth = (smooth - smooth.min()) / (smooth.max() - smooth.min())
    scale = {"bool": 1, "uint8": 255, "uint16": 65535, "int16": 30000, "float32": 1}[dtype]
    image = smooth > 0.5 if dtype == "bool" else (smooth * scale).astype(dtype)
    for degrees in (7.5, -33.0, 120.0):
        ours = tamis_module.rotate(image, degrees)
        # SciPy turns the axes (y, x), which is counter-clockwise as the image is seen.
        theirs = scipy.ndimage.rotate(image.astype(float), degrees, axes=(1, 0), reshape=False, order=3)
        inside = scipy.ndimage.rotate(numpy.ones(image.shape), degrees, axes=(1, 0), reshape=False, order=1) > 0.999
        inside = scipy.ndimage.binary_erosion(inside, iterations=3)
        if dtype == "bool":
            assert (ours != (theirs > 0.5))[inside].mean() < 0.01
        else:
            assert abs(ours - theirs)[inside].max() < max(0.004 * scale, 0.6 if scale > 1 else 0)


def test_a_bad_fill_or_shape_is_an_input_error():
    page = stripes(3)
    for call in (lambda: tamis_module.rotate(page, 3, fill=-1), lambda: tamis_module.rotate(page, float("nan")),
                 lambda: tamis_module.skew(numpy.stack([page] * 2)), lambda: tamis_module.skew((page + 0.1) * 1e300),
                 lambda: tamis_module.skew(page, 0), lambda: tamis_module.skew(page, method="hough")):
        with pytest.raises(tamis_module.InputError) as raised:
            call()
        assert "\n" not in str(raised.value)
