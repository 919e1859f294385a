"""tamis.threshold, threshold_value and convert against scikit-image and NumPy."""

import numpy
import pytest
import skimage.filters
import tamis
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scale_of_tests import examples
from test_threshold import IMAGES, METHODS, expected, kapur


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("kind", IMAGES)
def test_a_method_chooses_the_value_of_scikit_image(kind, method):
    image = IMAGES[kind]
    got = tamis.threshold_value(image, method)
    float_li = image.dtype.kind == "f" and method == "li"  # see test_threshold.py
    assert got == pytest.approx(expected(image, method), rel=1e-9, abs=0.005 if float_li else 1e-12)
    binary = tamis.threshold(image, method)
    assert binary.dtype == bool
    numpy.testing.assert_array_equal(binary, image > got)


def otsu_of(samples):
    """Of the samples, sorted; the criterion at each."""
    samples = numpy.sort(samples.astype(numpy.longdouble), axis=None)
    dark = numpy.arange(1, samples.size)
    sums = numpy.cumsum(samples - samples[0])
    step = sums[:-1] / dark - (sums[-1] - sums[:-1]) / (samples.size - dark)
    last = samples[:-1] < samples[1:]
    return samples[:-1][last], (dark * (samples.size - dark) * step**2)[last]


@settings(max_examples=examples(60), deadline=None)
@given(st.data())
def test_otsu_of_wide_samples_is_that_of_the_samples(data):
    random = numpy.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    dtype = numpy.dtype(data.draw(st.sampled_from(["f4", "f8", "i4", "u4", "i8", "u8"])))
    shape = (data.draw(st.integers(2, 40)), data.draw(st.integers(1, 200)))
    scale = 10.0 ** data.draw(st.integers(-30, 30)) if dtype.kind == "f" else 10.0 ** data.draw(st.integers(5, 8))
    image = (numpy.where(random.random(shape) < 0.4, random.normal(5, 0.4, shape), random.normal(3, 0.3, shape)) * scale).astype(dtype)
    image.flat[0] = image.max() + dtype.type(data.draw(st.sampled_from([0, 1, 1000])))
    assume(image.min() < image.max() and numpy.ptp(image.astype(float)) > 65536 or dtype.kind == "f")
    assume(image.min() < image.max())
    values, criterion = otsu_of(image)
    got = tamis.threshold_value(image, "otsu")
    assert criterion[numpy.flatnonzero(values == got)[0]] >= criterion.max() * (1 - 1e-12)


@pytest.mark.parametrize("method", ["otsu", "isodata", "kapur", "triangle", "minimum"])
def test_a_hot_voxel_in_a_million_changes_nothing(method):
    random = numpy.random.default_rng(7)
    image = numpy.concatenate([random.normal(100, 10, 500000), random.normal(200, 10, 300000)]).astype("f4")
    random.shuffle(image)
    image = image.reshape(80, 100, 100)
    without = tamis.threshold_value(image, method)
    for hot in (2e4, 1e5, -3e6, 1e30):
        image[0, 0, 0] = hot
        assert tamis.threshold_value(image, method) == pytest.approx(without, abs=3 if method in ("isodata", "minimum") else 0.01)


@pytest.mark.parametrize("method", METHODS)
def test_the_same_numbers_give_the_same_value_in_any_type(method):
    random = numpy.random.default_rng(3)
    for image in (random.integers(0, 200, (30, 41)), random.integers(0, 3000, (64, 64)) ** 2 // 300):
        values = set()
        for dtype in ("u2", "i4", "u4", "i8", "u8", "f4", "f8"):
            try:
                values.add(tamis.threshold_value(image.astype(dtype), method))
            except tamis.InputError as error:
                values.add(str(error))
        assert len(values) == 1


def test_otsu_is_what_a_threshold_is_without_more():
    image = IMAGES["u8"]
    numpy.testing.assert_array_equal(tamis.threshold(image), image > skimage.filters.threshold_otsu(image))


@pytest.mark.parametrize("method", ["otsu", "li", "kapur", "isodata"])
@pytest.mark.parametrize("name", ["gray/coins.png", "textures/gravel.png", "gray/wood_ct_u16.tif"])
def test_real_images_get_the_value_of_scikit_image(data, name, method):
    image = tamis.read(data / name)
    wanted = kapur(image) if method == "kapur" else getattr(skimage.filters, f"threshold_{method}")(image)
    assert tamis.threshold_value(image, method) == pytest.approx(float(wanted), rel=1e-9)


TYPES = ["bool", "u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", "f4", "f8"]


def any_image(draw):
    dtype = numpy.dtype(draw(st.sampled_from(TYPES)))
    shape = draw(hnp.array_shapes(min_dims=2, max_dims=3, max_side=70))
    assume(len(shape) == 2 or shape[2] not in (3, 4))  # colours
    seed = draw(st.integers(0, 2**32 - 1))
    random = numpy.random.default_rng(seed)
    if dtype.kind == "b":
        return random.random(shape) < 0.5
    if dtype.kind == "f":
        return random.normal(0, 100, shape).astype(dtype)
    limits = numpy.iinfo(dtype)
    return random.integers(max(limits.min, -200), min(limits.max, 200), shape, endpoint=True).astype(dtype)


@settings(max_examples=examples(80), deadline=None)
@given(st.data())
def test_values_bands_and_phases_are_what_numpy_says(data):
    image = any_image(data.draw)
    value = data.draw(st.floats(-210, 210))
    high = value + data.draw(st.floats(0.5, 100))
    wide = image.astype(float)
    numpy.testing.assert_array_equal(tamis.threshold(image, value), wide > value)
    numpy.testing.assert_array_equal(tamis.threshold(image, value, phase="dark"), wide <= value)
    numpy.testing.assert_array_equal(tamis.threshold(image, (value, high)), (wide > value) & (wide <= high))


@settings(max_examples=examples(60), deadline=None)
@given(st.data())
def test_views_are_taken_as_they_lie(data):
    """Steps, transpositions, flips, other byte orders, read-only: the same as a copy."""
    image = any_image(data.draw)
    view = image.transpose(data.draw(st.permutations(range(image.ndim))))
    view = view[tuple(slice(None, None, data.draw(st.sampled_from([1, 2, 3, -1, -2]))) for _ in range(image.ndim))]
    assume(view.ndim == 2 or view.shape[2] not in (3, 4))
    if data.draw(st.booleans()):
        view = view.astype(view.dtype.newbyteorder(">"))
    if data.draw(st.booleans()):
        view.flags.writeable = False
    numpy.testing.assert_array_equal(tamis.threshold(view, 20), view > 20)
    numpy.testing.assert_array_equal(tamis.convert(view, "f32"), view.astype(numpy.float32))


@settings(max_examples=examples(40), deadline=None)
@given(st.data())
def test_a_result_goes_into_any_view(data):
    image = any_image(data.draw)
    backing = numpy.zeros(tuple(2 * edge for edge in reversed(image.shape)), bool)
    steps = tuple(slice(None, None, data.draw(st.sampled_from([2, -2]))) for _ in image.shape)
    out = backing[steps].transpose()
    assert tamis.threshold(image, 20, out=out) is out
    numpy.testing.assert_array_equal(out, image > 20)
    assert backing.sum() == out.sum()


def test_only_the_region_counts():
    image = IMAGES["u16"].copy()
    y, x = numpy.ogrid[: image.shape[1], : image.shape[2]]
    edge = min(image.shape[1:])
    inside = (2 * x - image.shape[2] + 1) ** 2 + (2 * y - image.shape[1] + 1) ** 2 <= edge**2
    image[:, ~inside] = 60000
    wanted = skimage.filters.threshold_otsu(image[:, inside])
    for roi in ("cylinder", inside, numpy.broadcast_to(inside, image.shape)):
        assert tamis.threshold_value(image, roi=roi) == wanted
        numpy.testing.assert_array_equal(tamis.threshold(image, roi=roi), (image > wanted) & inside)


def convert_in_numpy(image, dtype, window):
    """The definition: rounded half away from zero, clamped."""
    if dtype.kind == "f":
        values = image.astype(numpy.float64)
        if window is not None:
            values = numpy.clip((values - window[0]) / (window[1] - window[0]), 0, 1)
        return values.astype(dtype)
    limits = numpy.iinfo(dtype)
    values = image.astype(numpy.float64)
    if window is not None:
        values = (values - window[0]) / (window[1] - window[0]) * (limits.max - limits.min) + limits.min
    return numpy.clip(numpy.sign(values) * numpy.floor(abs(values) + 0.5), limits.min, limits.max).astype(dtype)


@settings(max_examples=examples(80), deadline=None)
@given(st.data())
def test_conversion_rounds_and_clamps(data):
    image = any_image(data.draw)
    short = data.draw(st.sampled_from(["u8", "u16", "i16", "f32"]))
    dtype = {"u8": numpy.uint8, "u16": numpy.uint16, "i16": numpy.int16, "f32": numpy.float32}[short]
    window = data.draw(st.sampled_from([None, (-100, 100), (0.25, 190.5)]))
    spelling = data.draw(st.sampled_from([short, dtype, numpy.dtype(dtype), numpy.dtype(dtype).name]))
    got = tamis.convert(image, spelling, window)
    assert got.dtype == dtype
    wanted = convert_in_numpy(image, numpy.dtype(dtype), window)
    if dtype == numpy.float32:
        numpy.testing.assert_allclose(got, wanted, rtol=1e-6, atol=1e-6)
    else:  # a product of doubles that falls on a half may be rounded either way
        assert (abs(got.astype(numpy.int64) - wanted.astype(numpy.int64)) <= (window is not None)).all()
        assert (got != wanted).mean() < 0.02


@pytest.mark.parametrize(("call", "words"), [
    (lambda a: tamis.threshold(a, numpy.nan), "wanted a finite number|threshold"),
    (lambda a: tamis.threshold(a, (3, 3)), "LO below HI|LO:HI"),
    (lambda a: tamis.threshold_value(a, "otto"), "method='otto': wanted otsu, li"),
    (lambda a: tamis.threshold(numpy.full((4, 5), 3, numpy.uint8)), "constant image"),
    (lambda a: tamis.convert(a, "i32"), "wanted u8, u16, i16 or f32"),
    (lambda a: tamis.convert(a, "huge"), "dtype=huge: wanted one of u8"),
    (lambda a: tamis.convert(a, "u8", (4, 4)), "LO"),
    (lambda a: tamis.convert(a, "u8", "x:y"), "window='x:y': wanted LO:HI"),
    (lambda a: tamis.phantom("sponge"), "kind='sponge': wanted 'foam' or 'octahedra'"),
    (lambda a: tamis.phantom("foam", 64, fraction=1), "fraction"),
])
def test_what_cannot_be_is_said(call, words):
    with pytest.raises(tamis.InputError, match=words) as caught:
        call(IMAGES["u8"])
    assert "\n" not in str(caught.value)


def test_nan_is_refused_with_its_position():
    image = IMAGES["f32"].copy()
    image[3, 2, 1] = numpy.nan
    for call in (lambda: tamis.threshold(image, 0), lambda: tamis.threshold(image), lambda: tamis.convert(image, "u8")):
        with pytest.raises(tamis.InputError, match="NaN at z 3, y 2, x 1"):
            call()
    assert tamis.convert(image, "u8", (0, 1))[3, 2, 1] == 0


def test_a_foam_is_the_one_of_the_program(tamis_program, tmp_path):
    import subprocess

    subprocess.run([tamis_program, "phantom", "foam", "foam.npy", "--size", "60x50x40", "--max-radius", "9", "--quiet"],
                   cwd=tmp_path, check=True)
    foam = tamis.phantom("foam", (40, 50, 60), max_radius=9)
    numpy.testing.assert_array_equal(foam, numpy.load(tmp_path / "foam.npy") > 0)
