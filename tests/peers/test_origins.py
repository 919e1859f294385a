"""Where SciPy and scikit-image have the origin of an element, said in the words of tamis; sequences of footprints."""

import re

import numpy
import pytest
from scipy import ndimage
from skimage import morphology

import tamis

RANDOM = numpy.random.default_rng(11)
IMAGE = RANDOM.integers(0, 255, (21, 24), numpy.uint8)
VOLUME = RANDOM.integers(0, 255, (7, 9, 11), numpy.uint8)
SHAPES = [(2, 2), (4, 2), (2, 3), (3, 3), (5, 4), (1, 6), (2, 3, 4)]


def footprint(shape):
    mask = RANDOM.random(shape) < 0.7
    mask.flat[0] = mask.flat[-1] = True
    return mask


@pytest.mark.parametrize("shape", SHAPES)
def test_an_origin_of_scipy_is_counted_from_the_middle(shape):
    mask, image = footprint(shape), IMAGE if len(shape) == 2 else VOLUME
    for shift in (-1, 0, 1):
        origin = [min(max(shift, -(n // 2)), (n - 1) // 2) for n in shape]
        element = tamis.element(mask, origin=[n // 2 + o for n, o in zip(shape, origin)])
        for theirs, ours in ((ndimage.grey_erosion, tamis.erode), (ndimage.grey_dilation, tamis.dilate),
                             (ndimage.grey_opening, tamis.open), (ndimage.grey_closing, tamis.close)):  # fmt: skip
            wanted = theirs(image, footprint=mask, origin=origin)
            numpy.testing.assert_array_equal(ours(image, element, border="reflect"), wanted)
        wanted = ndimage.median_filter(image, footprint=mask, origin=origin)
        numpy.testing.assert_array_equal(tamis.median(image, element=element), wanted)


@pytest.mark.parametrize("shape", SHAPES)
def test_an_erosion_of_scikit_image_has_the_origin_of_even_footprints_before_the_middle(shape):
    mask, image = footprint(shape), IMAGE if len(shape) == 2 else VOLUME
    element = tamis.element(mask, origin=[(n - 1) // 2 for n in shape])
    numpy.testing.assert_array_equal(tamis.erode(image, element, border="reflect"), morphology.erosion(image, mask))
    # Its dilation looks to the same side, so that of symmetric footprints it is the other half of an opening by n // 2.
    numpy.testing.assert_array_equal(tamis.dilate(image, element.reflected(), border="reflect"), morphology.dilation(image, mask))
    whole = numpy.ones(shape)
    numpy.testing.assert_array_equal(tamis.dilate(image, whole, border="reflect"), morphology.dilation(image, whole))


@pytest.mark.parametrize("make", [
    lambda: morphology.footprint_rectangle((5, 7), decomposition="sequence"), lambda: morphology.disk(6, decomposition="sequence"),
    lambda: morphology.diamond(4, decomposition="sequence"), lambda: morphology.octagon(5, 3, decomposition="sequence"),
    lambda: [(numpy.ones((3, 1)), 2), (numpy.ones((1, 3)), numpy.int64(1))], lambda: ([[[1, 1, 1]], 3],),
])  # fmt: skip
def test_a_sequence_of_footprints_is_a_sum(make):
    sequence = make()
    theirs = [(numpy.asarray(mask, numpy.uint8), int(n)) for mask, n in sequence]
    numpy.testing.assert_array_equal(tamis.erode(IMAGE, sequence), morphology.erosion(IMAGE, theirs, mode="ignore"))
    # Dilations are mirrored and go the other way round, so that openings stay openings at the border; some parts are lopsided.
    found = tamis.dilate(IMAGE, tamis.element(sequence).reflected())
    numpy.testing.assert_array_equal(found, morphology.dilation(IMAGE, theirs, mode="ignore"))
    assert tamis.element(sequence) == tamis.element(sequence[0][0]).__class__(sequence)
    numpy.testing.assert_array_equal(tamis.median(IMAGE, element=sequence), tamis.median(IMAGE, element=tamis.element(sequence)))


def test_what_is_no_sequence_of_footprints_is_a_mask_or_is_refused():
    assert tamis.element([[0, 1], [1, 1]]).mask().tolist() == [[False, True], [True, True]]
    assert tamis.element([[[0, 1], [1, 1]], [[1, 0], [0, 0]]]).rank == 3
    for times in (0, -1, 2**70):
        with pytest.raises(tamis.InputError, match=r"element: \(mask, .*\); wanted a mask and how often, 1 or more"):
            tamis.erode(IMAGE, [(numpy.ones((3, 1)), times)])
    with pytest.raises(tamis.InputError, match="sum of .* elements; wanted at most"):
        tamis.erode(IMAGE, [(numpy.ones((3, 1)), 10**9)])


@pytest.mark.parametrize(("call", "words"), [
    (lambda: tamis.erode(IMAGE, origin=1), r"origin: erode\(\) .* tamis\.element\(mask, origin=\.\.\.\)"),
    (lambda: tamis.median(IMAGE, 3, origin=1), r"origin: median\(\) .* tamis\.element\(mask, origin=\.\.\.\)"),
    (lambda: tamis.open(VOLUME, axes=(1, 2)), r"axes: open\(\) .* numpy\.moveaxis\(image, axis, 0\) with batch=True"),
    (lambda: tamis.distance(IMAGE, anisotropy=(2, 1)), r"anisotropy: distance\(\) .* tamis\.distance\(image, spacing=\(2, 1, 1\)\)"),
    (lambda: tamis.distance(IMAGE, black_border=True), r"black_border: distance\(\) .* tamis\.distance\(image, border='neutral'\)"),
])  # fmt: skip
def test_a_word_of_others_is_answered_with_the_call_that_does_it(call, words):
    with pytest.raises(TypeError, match=words):
        call()


def test_a_spacing_without_a_unit_is_a_ratio():
    image = IMAGE > 90
    found = tamis.distance(image, spacing=(2.0, 1.0), border="neutral")
    numpy.testing.assert_array_equal(found, ndimage.distance_transform_edt(image, sampling=(2, 1)).astype("float32"))
    numpy.testing.assert_array_equal(tamis.distance(image, spacing="1x2", border="neutral"), found)
    sizes = tamis.granulometry(image, element="disk", spacing=2)
    assert (sizes.unit, sizes.spacing[1:], sizes.width[1]) == ("units", (2.0, 2.0), 6)
    for text in (repr(sizes), str(sizes), sizes._repr_html_(), repr(tamis.porosimetry(image, inlet="y-", spacing=(2, 1)))):
        assert "units" in text and not re.search(r"\b[uµ]m\b", text)
    assert tamis.granulometry(image, spacing=(1, 1)).unit == ""
    assert tamis.porosimetry(image, inlet="y-", spacing=(2, 1)).pressure is None
