"""tamis.granulometry(image, grey=True) against SciPy."""

import pickle

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scale_of_tests import examples
from test_grey_granulometry import blotches, openings

tamis = pytest.importorskip("tamis")


@pytest.mark.parametrize("phase", ["bright", "dark"])
@pytest.mark.parametrize("element", ["cross", "square", "disk", "octagon"])
@pytest.mark.parametrize("dtype", ["uint8", "uint16", "int16", "float32"])
def test_images_agree_with_scipy(dtype, element, phase):
    image = blotches((23, 31), dtype)
    sizes = tamis.granulometry(image, grey=True, element=element, phase=phase)
    assert sizes.curve.tolist() == openings(image, element, phase=phase)
    assert sizes.curve.dtype == sizes.spectrum.dtype == (numpy.float64 if dtype == "float32" else numpy.int64)
    assert sizes.spectrum.sum() == sizes.curve[0]
    assert sizes.grey_base == (image.max() if phase == "dark" else image.min())
    assert (sizes.element, sizes.border, sizes.device) == (element, "background", "cpu")


@pytest.mark.parametrize("element", ["cross", "cube", "ball", "octagon"])
def test_volumes_agree_with_scipy(element):
    image = blotches((9, 14, 17), "uint16")
    for border in ("background", "neutral"):
        sizes = tamis.granulometry(image, grey=True, element=element, border=border, max_size=3)
        assert sizes.curve.tolist() == openings(image, element, border, max_size=3)


@settings(max_examples=examples(25), deadline=None)
@given(st.integers(1, 12), st.integers(1, 12), st.data())
def test_arbitrary_images_agree_with_scipy(height, width, data):
    values = data.draw(st.lists(st.integers(0, 9), min_size=height * width, max_size=height * width))
    image = numpy.array(values, numpy.uint8).reshape(height, width)
    assert tamis.granulometry(image, grey=True).curve.tolist() == openings(image, "cross")


def test_views_crops_and_keywords_make_no_difference():
    image = blotches((40, 50), "int16")
    expected = tamis.granulometry(image, grey=True)
    for options in ({"threads": 1}, {"simd": "portable"}, {"device": "cpu"}, {"progress": lambda *_: None}):
        assert tamis.granulometry(image, grey=True, **options) == expected
    assert tamis.granulometry(image[::-1, ::-1], grey=True) == expected
    assert tamis.granulometry(image.T, grey=True) == expected
    part = tamis.granulometry(numpy.ascontiguousarray(image[3:20, 5:25]), grey=True)
    assert tamis.granulometry(image, grey=True, crop="5:25,3:20") == part
    assert tamis.granulometry(image[3:20, 5:25], grey=True) == part


@pytest.mark.parametrize("dtype", ["uint8", "float32"])
def test_sizes_of_grey_values_can_be_kept_and_shown(dtype):
    sizes = tamis.granulometry(blotches((23, 31), dtype), grey=True, spacing="2um")
    assert pickle.loads(pickle.dumps(sizes)) == sizes
    assert sizes.width[1] == 6
    assert "grey values" in repr(sizes) and "grey values" in str(sizes) and "svg" in sizes._repr_html_()
    assert tamis.granulometry(numpy.eye(5, dtype=bool)).grey_base is None


def test_balls_of_an_image_are_disks():
    image = blotches((23, 31), "uint8")
    balls, disks = (tamis.granulometry(image, grey=True, element=element) for element in ("ball", "disk"))
    numpy.testing.assert_array_equal(balls.curve, disks.curve)
    assert balls.element == "disk"


def test_grey_values_without_a_threshold_teach_the_keyword():
    with pytest.raises(tamis.InputError, match="threshold=V.*; or grey=True for sums of grey values"):
        tamis.granulometry(blotches((23, 31), "uint8"))


@pytest.mark.parametrize(("options", "words"), [
    ({"threshold": 9}, "threshold=9: grey=True"), ({"roi": "cylinder"}, "roi: grey=True"),
    ({"element": "star"}, "element='star': wanted cross"),
    ({"element": "cube"}, "element cube on a 2-D image"), ({"max_size": -1}, "max_size=-1: wanted a whole number"),
    ({"phase": "grey"}, "phase='grey'"),
])
def test_a_bad_keyword_is_named_with_what_was_wanted(options, words):
    with pytest.raises(tamis.InputError, match=words):
        tamis.granulometry(blotches((23, 31), "uint8"), grey=True, **options)


def test_bits_have_no_grey_values():
    with pytest.raises(tamis.InputError, match="grey granulometry of a bool image; wanted u8, u16, i16 or f32"):
        tamis.granulometry(numpy.ones((4, 4), bool), grey=True)


def test_nan_and_too_little_memory_are_refused():
    image = blotches((23, 31), "float32")
    image[4, 7] = numpy.nan
    with pytest.raises(tamis.InputError, match="holds NaN at y 4, x 7; wanted numbers"):
        tamis.granulometry(image, grey=True)
    with pytest.raises(tamis.ResourceError, match="memory limit"):
        tamis.granulometry(numpy.zeros((2000, 2000), numpy.uint8), grey=True, memory="1M")
