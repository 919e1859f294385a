"""Elements have an end: far origins, deep parentheses and long sums are refused in one line, and Python says the same."""

import numpy
import pytest
import tamis as package
import tifffile

FAR = [2**63 - 1, 2**63 - 3, 2**31 + 1, -(2**63), -(2**31) - 5]


@pytest.fixture
def mask(tmp_path):
    tifffile.imwrite(tmp_path / "m.tif", numpy.ones((3, 4), numpy.uint8), photometric="minisblack")
    return "m.tif"


@pytest.mark.parametrize("far", FAR)
def test_an_origin_that_is_too_far_is_refused(refused, mask, far):
    for origin in (f"{far},0", f"0,{far}", f"{far},{far}"):
        refused("element", f"file:{mask}@{origin}", words=["reaches", "2147483648"])
        refused("erode", mask, "out.tif", "--element", f"file:{mask}@{origin}", words=["--element", "2147483648"])


def test_an_origin_as_far_as_allowed_is_taken_everywhere(tamis, mask):
    for command in ("erode", "median"):
        for far in (2**31, -(2**31) + 3):
            result = tamis(command, mask, "out.tif", "--element", f"file:{mask}@{far},0", "-q")
            assert result.stderr == ""


@pytest.mark.parametrize("spec", [
    "shift(square:3,1073741824,0)+shift(square:3,1073741824,0)",
    "shift(shift(shift(square:3,1073741824,0),1073741824,0),1,0)",
    "shift(shift(shift(cross:3,0,1073741824),0,1073741824),0,1)",
])
def test_what_is_moved_too_far_step_by_step_is_refused(refused, spec):
    refused("element", spec, words=["2147483648"])


@pytest.mark.parametrize("count", [65, 60_000])
@pytest.mark.parametrize("word", ["", "reflect"])
def test_parentheses_inside_each_other_have_an_end(refused, count, word):
    refused("element", f"{word}(" * count + "square:3" + ")" * count if count < 10_000
            else "(" * count + "square:3" + ")" * count, words=["at most 64 parentheses"])


def test_a_sum_has_at_most_a_thousand_parts(tamis, refused):
    assert "offsets" in tamis("element", "+".join(["square:2"] * 1000), timeout=10).stdout
    refused("element", "+".join(["square:2"] * 12_000), words=["at most 1000"])


def test_a_sum_that_is_too_much_work_is_refused_and_still_works_as_a_filter(tamis, refused, mask):
    refused("element", "disk:100000+disk:100000", words=["200001", "wanted simpler ones"])
    tamis("erode", mask, "out.tif", "--element", "disk:100000+disk:100000", timeout=60)


def test_a_mask_is_drawn_slice_by_slice(tamis, refused, tmp_path):
    tamis("element", "ball:100", "ball.tif", "--memory", "30M", "-q")
    drawn = tifffile.imread(tmp_path / "ball.tif") > 0
    axis = numpy.arange(-100, 101) ** 2
    assert (drawn == (axis[:, None, None] + axis[:, None] + axis <= 100**2)).all()
    refused("element", "line:1000000@45", "line.tif", words=["707107x707107", "4096 MiB"])
    refused("element", "disk:5000", "disk.tif", "--memory", "30M", words=["30 MiB"])


@pytest.mark.parametrize("far", FAR)
def test_python_refuses_an_origin_that_is_too_far(far):
    for origin in ((0, far), (far, 0)):
        with pytest.raises((package.InputError, OverflowError), match="2147483648"):
            package.Element([[1, 1]], origin=origin)
    with pytest.raises(package.InputError, match="2147483648"):
        package.disk(2).shifted((0, far)).offsets()


def test_python_refuses_deep_and_long_texts():
    with pytest.raises(package.InputError, match="at most 64 parentheses"):
        package.Element("(" * 60_000 + "square:3" + ")" * 60_000)
    with pytest.raises(package.InputError, match="at most 1000"):
        package.Element("+".join(["square:2"] * 12_000))
    with pytest.raises(package.InputError, match="wanted at most 1000"):
        element = package.Element("+".join(["square:2"] * 1000))
        element + element


def test_python_takes_a_number_that_is_no_whole_number_of_64_bits_for_an_error():
    with pytest.raises(package.InputError, match="whole numbers"):
        package.Element([[1, 1]], origin=(2**63, 0))


def test_a_sum_that_is_iterated_too_often_is_refused(refused, volume):
    noise = numpy.random.default_rng(1).integers(0, 255, (300, 300), numpy.uint8)
    spec = "+".join(["line:5@30"] * 900)
    refused("erode", volume("noise.tif", noise), "out.tif", "--element", spec, "--iterations", "1000000",
            words=["900 elements", "at most 1000000 steps"])
