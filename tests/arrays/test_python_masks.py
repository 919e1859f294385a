"""Filters with mask= against the definitions and SciPy with all that lies outside left out."""

import numpy
import pytest
import skimage
import tamis
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import ndimage

import median_oracle
import morphology_oracle
from scale_of_tests import examples
from test_morphology import TYPES, noise
from test_python_filters import views
from test_python_gpu import library  # noqa: F401 (library is a fixture)

MASKED = ["erode", "dilate", "open", "close", "gradient", "tophat", "bothat", "hitmiss", "asf", "median", "smooth",
          "remove_outliers"]


def some(shape, seed=5):
    return numpy.random.default_rng(seed).random(shape) < 0.4


def with_holes(image, mask):
    """What counts, and NaN."""
    return numpy.where(mask, image, numpy.float32(numpy.nan)).astype(numpy.float32)


def step_inside(image, mask, points, erode):
    """One erosion or dilation by SciPy of what lies in the mask, and where it sees something."""
    nothing = numpy.inf if erode else -numpy.inf
    found = morphology_oracle.step(numpy.where(mask, image, nothing), points, erode)
    return found, numpy.isfinite(found)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("spec", ["square:3", "disk:2", "line:9@30"])
def test_erosions_and_openings_agree_with_scipy_that_sees_what_is_inside(spec, dtype):
    for shape in ((23, 41), (5, 12, 17)):
        image, mask = noise(shape, dtype), some(shape)
        points = morphology_oracle.offsets(spec, image.ndim)
        for first, name, both in ((True, "erode", "open"), (False, "dilate", "close")):
            found, seen = step_inside(image, mask, points, first)
            wanted = numpy.where(seen, found, image).astype(dtype)
            numpy.testing.assert_array_equal(getattr(tamis, name)(image, spec, mask=mask), wanted, err_msg=name)
            found, seen = step_inside(found, seen, points, not first)
            wanted = numpy.where(seen, found, image).astype(dtype)
            numpy.testing.assert_array_equal(getattr(tamis, both)(image, spec, mask=mask), wanted, err_msg=both)


@settings(max_examples=examples(60), deadline=None)
@given(data=st.data())
def test_medians_of_any_view_in_any_mask_are_as_defined(data):
    image = data.draw(views())
    mask = some(image.shape, data.draw(st.integers(0, 99)))
    size = data.draw(st.integers(1, 6)), data.draw(st.integers(1, 6))
    percentile = data.draw(st.integers(0, 100))
    border = data.draw(st.sampled_from(["reflect", "mirror", "nearest", "wrap", "constant:0", "shrink"]))
    native = image.astype(image.dtype.newbyteorder("="))
    found = median_oracle.step(with_holes(native, mask), median_oracle.box(*size), percentile, border)
    wanted = numpy.where(numpy.isnan(found), native, found).astype(native.dtype)
    numpy.testing.assert_array_equal(tamis.median(image, size, percentile=percentile, border=border, mask=mask), wanted)


@pytest.mark.parametrize("name", MASKED)
def test_outside_of_a_mask_is_nan_that_is_ignored(name):
    image, mask = noise((30, 47), numpy.float32), some((30, 47))
    filter_of = getattr(tamis, name)
    found = filter_of(with_holes(image, mask), nan="ignore")
    numpy.testing.assert_array_equal(filter_of(image, mask=mask), numpy.where(numpy.isnan(found), image, found))


@pytest.mark.parametrize("name", MASKED)
@pytest.mark.parametrize("dtype", TYPES)
def test_a_mask_of_everything_changes_nothing(name, dtype):
    image = noise((4, 20, 31), dtype)
    filter_of = getattr(tamis, name)
    for mask in (numpy.ones(image.shape, bool), numpy.full((20, 31), 7, numpy.uint8)):
        numpy.testing.assert_array_equal(filter_of(image, mask=mask), filter_of(image))


def test_a_mask_may_be_of_any_type_and_is_one_for_all_channels_and_slices():
    image, mask = skimage.data.astronaut()[:60, :70], some((60, 70))
    found = tamis.median(image, 5, mask=mask, channel_axis=-1)
    for channel in range(3):
        wanted = tamis.median(image[..., channel], 5, mask=mask)
        numpy.testing.assert_array_equal(found[..., channel], wanted)
        for other in (mask.astype(numpy.int16) * -3, mask[::1].tolist(), numpy.asfortranarray(mask)):
            numpy.testing.assert_array_equal(tamis.median(image[..., channel], 5, mask=other), wanted)
    volume = noise((6, 17, 20), numpy.uint16)
    inside = some((17, 20))
    numpy.testing.assert_array_equal(tamis.erode(volume, "ball:2", mask=inside),
                                     tamis.erode(volume, "ball:2", mask=numpy.broadcast_to(inside, volume.shape)))
    for name, keywords in (("median", {"size": 3}), ("erode", {"element": "disk:2"})):
        found = getattr(tamis, name)(volume, mask=inside, batch=True, **keywords)
        for z in range(6):
            numpy.testing.assert_array_equal(found[z], getattr(tamis, name)(volume[z], mask=inside, **keywords))


def test_a_mask_of_nothing_changes_nothing():
    image = noise((20, 31), numpy.uint8)
    for name in ("median", "open", "remove_outliers"):
        numpy.testing.assert_array_equal(getattr(tamis, name)(image, mask=numpy.zeros(image.shape, bool)), image)


def test_out_may_be_the_image_and_samples_of_other_types_are_taken():
    image, mask = noise((40, 50), numpy.int16), some((40, 50))
    wanted = tamis.median(image, 3, mask=mask)
    out = image.copy()
    assert tamis.median(out, 3, mask=mask, out=out) is out
    numpy.testing.assert_array_equal(out, wanted)
    numpy.testing.assert_array_equal(tamis.median(image.astype(numpy.int64), 3, mask=mask, as_type="i16"), wanted)


def test_the_middle_of_a_tomogram_is_that_of_scipy_where_its_outside_does_not_count():
    """scikit-image's rank filters have a mask too."""
    image = skimage.data.camera()[:128, :128]
    yy, xx = numpy.mgrid[:128, :128]
    disk = (yy - 64) ** 2 + (xx - 64) ** 2 < 60 ** 2
    theirs = skimage.filters.rank.median(image, numpy.ones((5, 5), numpy.uint8), mask=disk.astype(numpy.uint8))
    found = tamis.median(image, 5, border="shrink", mask=disk)
    numpy.testing.assert_array_equal(found[disk], theirs[disk])
    darkest = ndimage.grey_erosion(numpy.where(disk, image, 255), (7, 7), mode="constant", cval=255)
    numpy.testing.assert_array_equal(tamis.erode(image, "square:7", mask=disk)[disk], darkest[disk])


@pytest.mark.parametrize(("call", "words"), [
    (lambda a: tamis.median(a, mask=a[:3] > 0), "mask: an array of shape (3, 9); wanted shape (7, 9)"),
    (lambda a: tamis.open(a, mask=a > 3, by_reconstruction=True), "mask= with by_reconstruction=; wanted one of them"),
    (lambda a: tamis.median(a, mask=a > 3, border="constant:300"), "constant:300 of a u8 image"),
    (lambda a: tamis.median(a, mask=numpy.full((7, 9), numpy.nan, numpy.float32)), "mask= holds NaN"),
    (lambda a: tamis.erode(numpy.where(a > 3, numpy.nan, a).astype(numpy.float32), mask=a >= 0), "NaN in the mask at"),
])
def test_masks_that_are_none_are_refused(call, words):
    with pytest.raises(tamis.InputError) as error:
        call(numpy.arange(63, dtype=numpy.uint8).reshape(7, 9))
    assert words in str(error.value)


def test_nan_outside_of_the_mask_is_no_error():
    image = noise((20, 30), numpy.float32)
    mask = some(image.shape)
    holes = with_holes(image, mask)
    found = tamis.median(holes, 3, mask=mask)
    numpy.testing.assert_array_equal(found, tamis.median(holes, 3, nan="ignore"))


@pytest.mark.gpu
@pytest.mark.parametrize("name", MASKED)
def test_the_gpu_gives_the_same(name):
    filter_of = getattr(tamis, name)
    for dtype in TYPES:
        image, mask = noise((6, 40, 61), dtype), some((40, 61))
        numpy.testing.assert_array_equal(filter_of(image, mask=mask, device="cuda"), filter_of(image, mask=mask))


@pytest.mark.gpu
def test_arrays_on_a_gpu_have_no_mask(library):  # noqa: F811
    with pytest.raises(tamis.InputError, match="mask: of arrays in host memory only"):
        tamis.median(library.put(numpy.zeros((4, 5), numpy.uint8)), mask=numpy.ones((4, 5), bool))
