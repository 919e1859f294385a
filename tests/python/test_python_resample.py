"""tamis.resample against SciPy and the definition, as the tests of tamis convert --resample have them."""

import numpy
import pytest
import tamis
from scipy import ndimage

from test_resample import OLD, SIDES, agrees, by_definition, keys, noise, places

TYPES = [numpy.uint8, numpy.uint16, numpy.int16, numpy.float32, numpy.int8, numpy.uint32, numpy.int32, numpy.float64]


def linear(distance):
    return numpy.maximum(0, 1 - numpy.abs(distance))


@pytest.mark.parametrize("dtype", TYPES)
def test_all_types_agree_with_map_coordinates(dtype):
    image = noise((9, 14, 11), dtype)
    axes = numpy.meshgrid(*(places(count, old, 0.7) for count, old in zip(image.shape, OLD)), indexing="ij")
    for order, word in ((0, "nearest"), (1, "linear")):
        found = tamis.resample(image, "0.7um", interpolation=word, spacing=OLD, unit="um")
        assert found.dtype == dtype
        agrees(found, ndimage.map_coordinates(image.astype(float), axes, order=order, mode="nearest"), dtype)


@pytest.mark.parametrize("size", SIDES)
def test_all_sides_agree_with_the_definition(size):
    image = noise((8, 13, 17), numpy.float32)
    axes = [places(count, old, new) for count, old, new in zip(image.shape, OLD, SIDES[size])]
    for word, kernel in (("linear", linear), ("cubic", keys)):
        found = tamis.resample(image, size, interpolation=word, spacing=OLD, unit="um")
        numpy.testing.assert_allclose(found, by_definition(image, axes, kernel), atol=1e-6)
    numpy.testing.assert_array_equal(tamis.resample(image, size, spacing=OLD, unit="um"),
                                     tamis.resample(image, size, interpolation="linear", spacing="1.5x1x3um"))


def test_an_array_that_knows_its_voxels_needs_no_spacing_and_the_result_knows_its_own():
    image = tamis.CalibratedArray(noise((6, 10, 12), numpy.uint16), OLD, "um")
    found = tamis.resample(image, "2um")
    assert isinstance(found, tamis.CalibratedArray) and (found.spacing, found.unit) == ((2.0, 2.0, 2.0), "um")
    plain = tamis.resample(numpy.asarray(image), 2, spacing=OLD, unit="um")
    numpy.testing.assert_array_equal(found, plain)
    assert (plain.spacing, plain.unit) == (found.spacing, "um")
    numpy.testing.assert_array_equal(tamis.resample(image, (2, 1, 0.5)), tamis.resample(image, "0.5x1x2um"))
    flat = tamis.resample(image[0], "500nm")
    assert (flat.spacing, flat.unit, flat.shape) == ((500.0, 500.0), "nm", (20, 36))


def test_bits_are_taken_from_the_nearest_voxel():
    image = noise((6, 7, 8), numpy.float32) > 0.2
    found = tamis.resample(image, "0.4um", spacing="1um")
    assert found.dtype == bool
    axes = numpy.meshgrid(*(places(count, 1, 0.4) for count in image.shape), indexing="ij")
    numpy.testing.assert_array_equal(found, ndimage.map_coordinates(image.astype(int), axes, order=0, mode="nearest"))


def test_views_crops_and_outputs_are_those_of_other_functions():
    image = noise((9, 14, 11), numpy.int16)
    wanted = tamis.resample(image[1:, ::-1, 2:8].copy(), "0.5um", spacing="1um")
    numpy.testing.assert_array_equal(tamis.resample(image[1:, ::-1, 2:8], "0.5um", spacing="1um"), wanted)
    turned = numpy.ascontiguousarray(image[:, ::-1])
    numpy.testing.assert_array_equal(tamis.resample(turned, "0.5um", spacing="1um", crop=numpy.s_[1:, :, 2:8]), wanted)
    out = numpy.zeros((*wanted.shape[:2], 2 * wanted.shape[2]), numpy.int16)[..., ::2]
    assert tamis.resample(image[1:, ::-1, 2:8], "0.5um", spacing="1um", out=out) is out
    numpy.testing.assert_array_equal(out, wanted)
    same = image.copy()
    tamis.resample(same, "1um", spacing="1um", out=same)
    numpy.testing.assert_array_equal(same, image)


@pytest.mark.parametrize(("call", "words"), [
    (lambda a: tamis.resample(a, "2um"), "resample: the voxel size is not known; wanted one, as in spacing="),
    (lambda a: tamis.resample(a, "2", spacing="1um"), "resample: voxels in um cannot be made such in no unit"),
    (lambda a: tamis.resample(a, (1, 2), spacing="1um"), "voxel="),
    (lambda a: tamis.resample(a, -1, spacing="1um"), "voxel=-1"),
    (lambda a: tamis.resample(a, "2um", spacing="1um", interpolation="spline"), "interpolation='spline': wanted nearest, linear or cubic"),
    (lambda a: tamis.resample(a > 3, "2um", spacing="1um", interpolation="linear"), "of bool samples; wanted nearest"),
    (lambda a: tamis.resample(a, "2um", spacing="1um", out=a), "out: got shape (4, 5, 6)"),
])
def test_what_cannot_be_is_refused(call, words):
    with pytest.raises(tamis.InputError) as error:
        call(noise((4, 5, 6), numpy.uint8))
    assert words in str(error.value)
