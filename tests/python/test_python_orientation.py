"""tamis.orientation against the program, SciPy's openings and known angles; its pictures, copies and errors."""

import copy
import json
import pickle

import imageio.v3 as imageio
import numpy
import pytest
import tamis

from test_morphology import noise
from test_orientation import maps_of, sweep


def stripes(angle, shape=(120, 140), period=11):
    """Bright lines with smooth flanks that run at `angle` degrees."""
    y, x = numpy.mgrid[: shape[0], : shape[1]]
    across = x * numpy.sin(numpy.radians(angle)) + y * numpy.cos(numpy.radians(angle))
    return (numpy.cos(2 * numpy.pi * across / period) * 100 + 128).astype(numpy.uint8)


@pytest.mark.parametrize("keywords", [{}, {"dark": True}, {"lines": "traced", "border": "fit"}])
def test_maps_and_spectra_are_those_of_the_openings(keywords):
    image = noise((25, 33), numpy.uint16)
    angles = numpy.arange(10) * 18.0
    found = tamis.orientation(image, [9, 5], angles=10, **keywords)
    openings = sweep(image, [9, 5], angles, **keywords)
    degrees, enhanced, contrast = maps_of(openings[0], angles, keywords.get("dark", False))
    for array, wanted, dtype in ((found.orientation, degrees, "f4"), (found.enhanced, enhanced, "u2"),
                                 (found.contrast, contrast, "u2")):
        assert array.dtype == dtype and array.flags.c_contiguous
        numpy.testing.assert_array_equal(array, wanted)
    sums = openings.sum((2, 3), dtype=float)
    numpy.testing.assert_array_equal(found.sum, sums)
    numpy.testing.assert_array_equal(found.spectrum, abs(image.sum(dtype=float) - sums))
    numpy.testing.assert_array_equal(found.angles, angles)
    assert found.lengths.tolist() == [9, 5] and found.length == 9 and found.dominant == found.dominants[0]
    assert found.histogram.sum() == pytest.approx(contrast.sum())
    assert found.spectrum.shape == (2, 10)


def test_one_length_has_one_spectrum():
    image = stripes(20)
    found, several = tamis.orientation(image, 21), tamis.orientation(image, [21, 11])
    assert found.spectrum.shape == found.sum.shape == found.histogram.shape == found.angles.shape == (180,)
    numpy.testing.assert_array_equal(found.spectrum, several.spectrum[0])
    assert (found.lines, found.border, found.dark, found.range) == ("invariant", "neutral", False, (0, 180))


@pytest.mark.parametrize("lines", ["invariant", "traced"])
@pytest.mark.parametrize("angle", [0, 12.5, 45, 70, 90, 110.25, 135, 160])
def test_stripes_run_where_they_run(angle, lines):
    for image, dark in ((stripes(angle), False), (255 - stripes(angle), True)):
        found = tamis.orientation(image, 41, dark=dark, lines=lines)
        assert abs((found.dominant - angle + 90) % 180 - 90) < 1.5
        # Beside the crests a line is wide enough for segments at many angles, and their middle is its own.
        bright = (255 - image if dark else image)[30:-30, 30:-30] >= 180
        error = (found.orientation[30:-30, 30:-30][bright].astype(float) - angle + 90) % 180 - 90
        assert numpy.median(abs(error)) < 1.5


@pytest.mark.parametrize("dtype", [bool, numpy.uint8, numpy.int16, numpy.float32])
def test_the_program_says_the_same(dtype, tmp_path, tamis_program):
    import subprocess

    image = noise((3, 30, 41), dtype)
    if dtype == numpy.float32:
        image = numpy.nan_to_num(image, nan=0, posinf=99, neginf=-99).astype(dtype)
    numpy.save(tmp_path / "in.npy", image)
    subprocess.run([tamis_program, "orientation", "in.npy", "--length", "7,15", "--angles", "40", "--range", "-20:100",
                    "--orientation", "o.npy", "--enhanced", "e.npy", "--contrast", "c.npy", "--json", "t.json",
                    "--picture", "p.png", "-q"], cwd=tmp_path, check=True)
    found = tamis.orientation(image, (7, 15), angles=40, range=(-20, 100))
    for name, array in (("o", found.orientation), ("e", found.enhanced), ("c", found.contrast)):
        numpy.testing.assert_array_equal(array, numpy.load(tmp_path / f"{name}.npy"))
    told = json.loads((tmp_path / "t.json").read_text())
    assert told["spectrum"] == found.spectrum.tolist() and told["sum"] == found.sum.tolist()
    assert told["histogram"] == found.histogram.tolist() and told["angles"] == found.angles.tolist()
    assert told["dominant_angles"] == list(found.dominants) and told["dominant_angle"] == found.dominant
    picture = found.picture(image)
    assert picture.shape == (*image.shape, 3) and picture.dtype == numpy.uint8
    assert abs(picture[1].astype(int) - imageio.imread(tmp_path / "p.png")).max() <= 1


def test_views_of_any_strides_and_threads_give_the_same():
    image = noise((50, 60), numpy.uint8)
    wanted = tamis.orientation(numpy.ascontiguousarray(image[::-1, ::2]), 9, angles=20)
    for found in (tamis.orientation(image[::-1, ::2], 9, angles=20), tamis.orientation(
            numpy.asfortranarray(image[::-1, ::2]), 9, angles=20, threads=3)):
        numpy.testing.assert_array_equal(found.orientation, wanted.orientation)
        numpy.testing.assert_array_equal(found.spectrum, wanted.spectrum)


def test_a_flat_image_has_no_orientation():
    found = tamis.orientation(numpy.full((20, 20), 9, numpy.uint8), 7)
    assert numpy.isnan(found.orientation).all() and found.dominant is None and found.histogram.sum() == 0
    assert "no dominant angle" in repr(found)
    assert (found.picture(numpy.full((20, 20), 9, numpy.uint8)) == 0).all()


def test_results_can_be_copied_and_sent():
    found = tamis.orientation(stripes(33), 15, angles=30)
    for other in (copy.deepcopy(found), pickle.loads(pickle.dumps(found))):
        assert type(other) is tamis.Orientation and repr(other) == repr(found)
        numpy.testing.assert_array_equal(other.orientation, found.orientation)
        assert other.dominant == found.dominant
    with pytest.raises(AttributeError):
        found.dark = True


def test_plots_are_drawn_with_matplotlib():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    one, several = tamis.orientation(stripes(33), 15), tamis.orientation(stripes(33), [5, 9, 15], angles=50)
    for found, lines in ((one, 1), (several, 3)):
        ax = found.plot()
        assert len(ax.lines) == lines + 1 and "angle" in ax.get_xlabel()
        means = numpy.atleast_2d(found.spectrum)[-1] / (120 * 140)
        numpy.testing.assert_allclose(ax.lines[lines - 1].get_ydata(), means)
        rose = found.rose()
        assert sum(bar.get_height() for bar in rose.patches) == pytest.approx(200)
    figure = pyplot.figure()
    ax = figure.add_subplot(projection="polar")
    assert one.rose(ax) is ax
    with pytest.raises(tamis.InputError, match="wanted figure.add_subplot"):
        one.rose(figure.add_subplot())
    figure.canvas.draw()
    pyplot.close("all")


@pytest.mark.parametrize("change, words", [
    (lambda a: tamis.orientation(a, 0), "length=0: wanted a length of at least 1"),
    (lambda a: tamis.orientation(a, []), r"length=\[\]: wanted a length"),
    (lambda a: tamis.orientation(a, "long"), "length='long': wanted a number, or a sequence"),
    (lambda a: tamis.orientation(a, float("nan")), "length=nan: wanted a length"),
    (lambda a: tamis.orientation(a, 4.5, lines="traced"), "length 4.5; wanted a whole number"),
    (lambda a: tamis.orientation(a, angles=0), "angles=0: wanted a whole number from 1 to 32767"),
    (lambda a: tamis.orientation(a, range=(30, 30)), r"range=\(30, 30\): wanted LO:HI with LO below HI"),
    (lambda a: tamis.orientation(a, range=(0, 360)), "at most 180 degrees apart"),
    (lambda a: tamis.orientation(a, range=7), "range=7: wanted two numbers"),
    (lambda a: tamis.orientation(a, lines="bent"), "lines='bent': wanted invariant or traced"),
    (lambda a: tamis.orientation(a, border="fit"), "border fit of invariant lines"),
    (lambda a: tamis.orientation(a, border="reflect"), "border='reflect': wanted neutral or fit"),
    (lambda a: tamis.orientation(a * 1e300), r"image: f64 samples that f32 cannot hold, .*; wanted tamis\.convert"),
    (lambda a: tamis.orientation(numpy.full((9, 9), numpy.nan, numpy.float32)), "NaN or infinity at y 0, x 0"),
    (lambda a: tamis.orientation(numpy.zeros((30, 40, 3), numpy.uint8)), "colour image; wanted one channel"),
    (lambda a: tamis.orientation(a[0]), "image"),
    (lambda a: tamis.orientation(a, 5).picture(a[:5]), "image: got shape"),
])
def test_errors_teach(change, words):
    with pytest.raises(tamis.InputError, match=words) as caught:
        change(noise((20, 30), numpy.uint8))
    assert "\n" not in str(caught.value)
