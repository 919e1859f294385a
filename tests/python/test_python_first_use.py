"""What a newcomer to the package does first."""

import inspect
import re
from pathlib import Path

import numpy
import pytest
import tamis

COMING_FROM = Path(__file__).resolve().parents[2] / "docs" / "coming_from"


@pytest.fixture
def block():
    image = numpy.zeros((10, 12, 14), bool)
    image[3:8, 3:9, 2:11] = True
    return image


MAPS = {
    "thickness": lambda image, **words: tamis.thickness(image, **words),
    "thickness with figures": lambda image, **words: tamis.thickness(image, return_figures=True, **words)[0],
    "size_map": lambda image, **words: tamis.size_map(image, **words),
    "size_map of balls": lambda image, **words: tamis.size_map(image, element="ball", widths=True, **words),
    "distance": lambda image, **words: tamis.distance(image, **words),
    "squares": lambda image, **words: tamis.distance(image, squared=True, **words),
    "porosimetry": lambda image, **words: tamis.porosimetry(image, map="radius", **words).map,
}


def test_every_function_with_a_spacing_is_in_the_list():
    functions = [name for name in tamis.__all__ if callable(getattr(tamis, name)) and not isinstance(getattr(tamis, name), type)]
    taking = {name for name in functions if "spacing" in inspect.signature(getattr(tamis, name)).parameters}
    without_maps = {"granulometry", "resample", "open_file", "write"}  # resample has voxels of its own
    assert taking == {name.split()[0] for name in MAPS if name != "squares"} | without_maps


@pytest.mark.parametrize("name", MAPS)
@pytest.mark.parametrize("own", [None, "7um"])
@pytest.mark.parametrize("words", [{"spacing": (1, 2, 3), "unit": "um"}, {"spacing": "2.5um"}])
def test_a_result_knows_the_spacing_that_it_was_computed_in(block, tmp_path, name, own, words):
    image = block if own is None else tamis.CalibratedArray(block, own)
    found = MAPS[name](image, **words)
    wanted = (1.0, 2.0, 3.0) if "unit" in words else (2.5,) * 3
    assert found.spacing == wanted and found.unit == "um"
    tamis.write(tmp_path / "map.tif", found.astype("f4"))
    assert tamis.read(tmp_path / "map.tif").spacing == pytest.approx(wanted)
    numpy.testing.assert_array_equal(found, MAPS[name](numpy.asarray(block), **words))


@pytest.mark.parametrize("name", MAPS)
def test_a_ratio_is_no_size_of_voxels(block, name):
    assert getattr(MAPS[name](block, spacing=(2, 1, 1)), "spacing", None) is None
    assert MAPS[name](tamis.CalibratedArray(block, "7um"), spacing=(2, 1, 1)).spacing is None
    assert MAPS[name](tamis.CalibratedArray(block, "7um")).spacing == (7.0, 7.0, 7.0)


def test_out_stays_the_array_that_it_is(block):
    out = numpy.empty(block.shape, "f4")
    assert tamis.distance(block, spacing="2um", out=out) is out
    known = tamis.CalibratedArray(numpy.empty(block.shape, "f4"), "9um")
    assert tamis.distance(block, spacing="2um", out=known) is known and known.spacing == (2.0, 2.0, 2.0)


@pytest.mark.parametrize("call", [
    lambda image: tamis.granulometry(image, spacing="2x5um"),
    lambda image: tamis.CalibratedArray(image, "2x5um"),
    lambda image: tamis.resample(tamis.CalibratedArray(image.astype("u1"), "1um"), "2x5um"),
])  # fmt: skip
def test_two_sides_are_those_of_an_image(block, call):
    with pytest.raises(tamis.InputError, match="two sides, of a volume; wanted one or three"):
        call(block)
    assert tamis.CalibratedArray(block[0], "2x5um").spacing == (5.0, 2.0)


def test_the_axial_mean_is_not_the_arithmetic_one():
    y, x = numpy.mgrid[:120, :120]
    stripes = [(numpy.sin((x * numpy.sin(a) + y * numpy.cos(a)) / 3) > 0.9) for a in numpy.radians([172, 8])]
    found = tamis.orientation(numpy.hstack(stripes).astype("u1") * 255, 21)
    vector = (found.histogram * numpy.exp(2j * numpy.radians(found.angles))).sum() / found.histogram.sum()
    assert found.resultant == pytest.approx(abs(vector)) and 0.5 < found.resultant < 1
    assert found.mean == pytest.approx(numpy.degrees(numpy.angle(vector)) / 2 % 180)
    assert min(found.mean, 180 - found.mean) < 5
    flat = tamis.orientation(numpy.zeros((20, 20), "u1"), 5)
    assert flat.mean is None and flat.resultant == 0


@pytest.mark.parametrize("dtype", ["u1", "u2"])
@pytest.mark.parametrize("ending", [".png", ".ppm", ".tif"])
def test_colours_that_were_read_are_written(tmp_path, dtype, ending, recwarn):
    rgb = numpy.random.default_rng(1).integers(0, numpy.iinfo(dtype).max, (20, 30, 3)).astype(dtype)
    tamis.write(tmp_path / "in.png", rgb)
    read = tamis.read(tmp_path / "in.png")
    tamis.write(tmp_path / f"out{ending}", tamis.median(read, 1, channel_axis=-1))
    again = tamis.read(tmp_path / f"out{ending}")
    numpy.testing.assert_array_equal(again, rgb)
    assert tamis.info(tmp_path / f"out{ending}")["channels"] == 3
    assert not recwarn.list
    tamis.write(tmp_path / "first.tif", numpy.moveaxis(rgb, -1, 0), channel_axis=0)
    numpy.testing.assert_array_equal(tamis.read(tmp_path / "first.tif"), rgb)
    tamis.write(tmp_path / "one.tif", read[..., 0])
    assert tamis.info(tmp_path / "one.tif")["channels"] == 1
    with pytest.raises(tamis.InputError, match="JPEG is only read"):
        tamis.write(tmp_path / "out.jpg", read)


def test_a_thin_volume_is_one_but_colours_are_named(tmp_path):
    thin = numpy.arange(20 * 30 * 3, dtype="u2").reshape(20, 30, 3)
    with pytest.warns(UserWarning, match=r"a volume of 20 slices of 30 x 3; colours are written by channel_axis=-1"):
        tamis.write(tmp_path / "thin.tif", thin)
    assert tamis.info(tmp_path / "thin.tif")["channels"] == 1


def test_missing_slices_are_a_warning(tmp_path):
    (tmp_path / "rod").mkdir()
    for number in (3, 5, 10):
        tamis.write(tmp_path / "rod" / f"s{number}.tif", numpy.eye(9, dtype="u1"))
    with pytest.warns(UserWarning, match="slices 4, 6 to 9 are missing"):
        tamis.read(tmp_path / "rod")


@pytest.mark.parametrize("call", [tamis.granulometry, tamis.threshold, tamis.distance, tamis.thickness, tamis.porosimetry])
def test_an_empty_object_is_a_warning_with_the_range(block, call):
    with pytest.warns(UserWarning, match="the bright phase is empty: bright is above 300, and samples are 0 to 255"):
        call(block.astype("u1") * 255, 300)


def test_images_of_zeros_are_no_mistake_of_filters(recwarn):
    empty = numpy.zeros((9, 9), bool)
    tamis.open(empty, "disk:2")
    tamis.median(empty, 3)
    tamis.erode(empty, "disk:20")
    assert not recwarn.list


def test_a_ring_within_the_cylinder_is_a_warning():
    y, x = numpy.mgrid[:80, :80] - 39.5
    image = numpy.broadcast_to((numpy.hypot(y, x) < 34).astype("u1") * 255, (5, 80, 80)).copy()
    image[:, 30:50:4, 30:50:4] = 0
    with pytest.warns(UserWarning, match=r"of the rim of the region.*`?roi=FILE"):
        tamis.granulometry(image, phase="dark", roi="cylinder")


def test_plots_of_porosimetry_are_alike(block, tmp_path):
    """The same words as the program's (bindings/cli/plot/porosimetry_plot.cpp)."""
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    image = numpy.pad(block, ((3, 0), (0, 0), (0, 0)), mode="edge")
    found = tamis.porosimetry(image, inlet="z-", spacing="2um", pores=True)
    numpy.testing.assert_array_equal(found.pores, tamis.granulometry(image, element="ball", spacing="2um").curve)
    upper, lower = found.plot().figure.axes[:2]
    source = (Path(__file__).resolve().parents[2] / "bindings/cli/plot/porosimetry_plot.cpp").read_text()
    words = [upper.get_ylabel(), lower.get_ylabel(), *(text.get_text() for axes in (upper, lower) for text in axes.get_legend().get_texts())]
    for text in words:
        assert re.sub(r" [0-9.]+ (% never|µm)$", "", text).strip("; ") in source, text
    assert lower.get_xlabel() == "radius r (µm)"
    assert tamis.porosimetry(image).pores is None


def test_means_of_sizes_have_units(block):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    sizes = tamis.granulometry(block, spacing="2um")
    width = 2 * (2 * sizes.mean + 1)
    assert f"({width:.6g} µm), standard deviation" in str(sizes)
    ax = sizes.plot()
    assert ax.get_xlabel() == "width (µm) of the cross, border background"
    assert f"mean {width:.4g} µm" in [text.get_text() for text in ax.texts]


# Messages


@pytest.mark.parametrize("words, told", [
    ({"spacing": "2.5um", "unit": "um"}, "given twice"),
    ({"spacing": "2,5um"}, "with a decimal point: 2.5um"),
    ({"threshold": "0,5"}, "with a decimal point: 0.5"),
])  # fmt: skip
def test_messages_name_what_was_meant(block, words, told):
    with pytest.raises(tamis.InputError, match=told):
        tamis.granulometry(block.astype("u1"), **words)


def test_functions_of_other_libraries_are_told_by_ours():
    """The same table as that of the pages: what a line of docs/coming_from calls is found by its name."""
    row = re.compile(r"^\| `(?:numpy\.asarray\()?([\w.]+)\(.*` \| `(?:numpy\.\w+\()?tamis\.(\w+)\(.*` \|$", re.MULTILINE)
    lines = [found for page in COMING_FROM.glob("*.md") for found in row.findall(page.read_text())]
    assert len(lines) > 60
    several = {"morphologyEx", "array"}  # which one is meant, its arguments say
    for theirs, ours in lines:
        name = theirs.rpartition(".")[2]
        if name in several or name in tamis.__all__:
            continue
        with pytest.raises(AttributeError) as error:
            getattr(tamis, name)
        assert f"tamis.{tamis._foreign.OURS[name]}()" in str(error.value)
        assert tamis._foreign.OURS[name] == ours or (name, ours) == ("Dilation", "open"), (name, ours)
    assert set(tamis._foreign.OURS.values()) <= set(tamis.__all__)
    assert not set(tamis._foreign.OURS) & set(tamis.__all__)


def test_other_names_are_missing_as_in_any_module():
    assert not hasattr(tamis, "median_filter") and not hasattr(tamis, "_no_such_thing")
    with pytest.raises(AttributeError, match="did you mean tamis.granulometry"):
        tamis.granulometri
    with pytest.raises(ImportError):
        from tamis import local_thickness  # noqa: F401
