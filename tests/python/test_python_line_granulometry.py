"""tamis.granulometry along traced lines against openings by definition."""

import pickle

import numpy
import pytest
from test_line_granulometry import curve, objects

tamis = pytest.importorskip("tamis")


@pytest.mark.parametrize("border", ["background", "neutral"])
@pytest.mark.parametrize("angle", [0, 30, 90, 100.5, 160])
def test_objects_and_grey_values_agree_with_openings(angle, border):
    image = objects((17, 23))
    sizes = tamis.granulometry(image > 0, element=f"line@{angle}", border=border)
    assert sizes.curve.tolist() == curve(image, angle, border == "neutral", len(sizes))
    grey = numpy.random.default_rng(2).integers(0, 5, (15, 18)).astype(numpy.uint8)
    grey[0, 0] = 0
    sizes = tamis.granulometry(grey, grey=True, element=f"line@{angle}", border=border)
    assert sizes.curve.tolist() == curve(grey, angle, border == "neutral", len(sizes))
    assert sizes.element == f"line@{angle:g}" and sizes.width[5] == 5


def test_sizes_survive_pickling():
    sizes = tamis.granulometry(objects((17, 23)) > 0, element="line@30")
    again = pickle.loads(pickle.dumps(sizes))
    assert again == sizes and again.width.tolist() == sizes.width.tolist()


def test_what_has_no_meaning_is_refused():
    with pytest.raises(tamis.InputError):
        tamis.granulometry(objects((5, 6)) > 0, element="line@x")
