"""Segments along invariant and traced lines: the filters against SciPy and against the definition in NumPy."""

import json
import math

import numpy
import pytest
import tamis

import morphology_oracle as oracle
from test_morphology import TYPES, noise

ANGLES = [0, 17.5, 44.9, 45, 63.4, 90, 120.25, 134.9, 135, 178.5, -30, 400]
FILTERS = ["erode", "dilate", "open", "close", "gradient", "tophat", "bothat"]


def lines_at(angle, shape):
    """The samples (y, x) of each line of the tiling, in order."""
    height, width = shape
    angle %= 180
    lines = {}
    if 45 <= angle < 135:
        cot = math.cos(math.radians(angle)) / math.sin(math.radians(angle))
        for y in range(height):
            shift = math.floor(y * cot + 0.5 + 1e-9)
            for x in range(width):
                lines.setdefault(x + shift, []).append((y, x))
    else:
        tan = math.tan(math.radians(angle))
        for x in range(width):
            shift = math.floor(x * tan + 0.5 + 1e-9)
            for y in range(height):
                lines.setdefault(y + shift, []).append((y, x))
    return list(lines.values())


def step_along(line, length, erode, outside, neutral):
    """`outside`: what is seen beyond the ends, None for nothing."""
    origin, found = length // 2, []
    for at in range(len(line)):
        first = at - origin if erode else at + origin - length + 1
        seen = [line[i] if 0 <= i < len(line) else outside for i in range(first, first + length)]
        seen = [value for value in seen if value is not None]
        found.append((min if erode else max)(seen) if seen else neutral)
    return found


def traced(name, image, length, angle, border="neutral"):
    """The definition, line by line. One line of a tiling is a list of samples, whatever its angle."""
    lowest, highest = oracle.extremes(image.dtype)
    neutral = {True: highest, False: lowest}

    def chain(*steps):
        result = image.copy()
        for line in lines_at(angle, image.shape):
            values = [image[at] for at in line]
            for k, erode in enumerate(steps):
                outside = neutral[not erode] if border == "fit" and k == 0 else None
                values = step_along(values, length, erode, outside, neutral[erode])
            for at, value in zip(line, values):
                result[at] = value
        return result

    return {
        "erode": lambda: chain(True),
        "dilate": lambda: chain(False),
        "open": lambda: chain(True, False),
        "close": lambda: chain(False, True),
        "gradient": lambda: oracle.saturated(chain(False), chain(True)),
        "tophat": lambda: oracle.saturated(image, chain(True, False)),
        "bothat": lambda: oracle.saturated(chain(False, True), image),
    }[name]()


@pytest.mark.sampled(3)
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("length", [1, 2, 7, 20.5, 41, 90])
def test_openings_and_closings_by_invariant_lines_agree_with_scipy(length, dtype):
    image = noise((37, 51), dtype)
    for angle in ANGLES:
        spec = f"line:{length}@{angle}"
        points = oracle.offsets(spec, 2)
        for name in ("open", "close"):
            found = getattr(tamis, name)(image, spec, lines="invariant")
            numpy.testing.assert_array_equal(found, oracle.operation(name, image, points), err_msg=f"{name} {spec}")


@pytest.mark.parametrize("border", ["neutral", "fit"])
@pytest.mark.parametrize("dtype", TYPES)
def test_filters_along_traced_lines_are_those_of_the_definition(dtype, border):
    image = noise((13, 17), dtype)
    for angle in ANGLES:
        for length in (1, 2, 5, 40):
            for name in FILTERS:
                if dtype == numpy.float32 and border == "fit" and name in ("gradient", "tophat", "bothat"):
                    continue  # differences of infinities
                found = getattr(tamis, name)(image, f"line:{length}@{angle}", lines="traced", border=border)
                wanted = traced(name, image, length, angle, border)
                numpy.testing.assert_array_equal(found, wanted, err_msg=f"{name} {length}@{angle}")


@pytest.mark.parametrize("shape", [(1, 30), (30, 1), (1, 1), (3, 50)])
def test_thin_images_have_traced_lines_too(shape):
    image = noise(shape, numpy.uint16)
    for angle in ANGLES:
        found = tamis.open(image, f"line:4@{angle}", lines="traced")
        numpy.testing.assert_array_equal(found, traced("open", image, 4, angle), err_msg=str(angle))


def test_iterations_of_traced_lines_follow_each_other():
    image = noise((20, 24), numpy.uint8)
    for angle in (0, 30, 77.7, 150):
        wanted = image
        for name in ("erode", "erode", "erode", "dilate", "dilate", "dilate"):
            wanted = traced(name, wanted, 4, angle)
        found = tamis.open(image, f"line:4@{angle}", lines="traced", iterations=3)
        numpy.testing.assert_array_equal(found, wanted)


def test_openings_along_traced_lines_are_idempotent():
    image = noise((60, 70), numpy.uint8)
    for angle in numpy.arange(0, 180, 3.7):
        for border in ("neutral", "fit"):
            once = tamis.open(image, f"line:9@{angle}", lines="traced", border=border)
            numpy.testing.assert_array_equal(tamis.open(once, f"line:9@{angle}", lines="traced", border=border), once)


def test_volumes_batches_and_channels_go_slice_by_slice():
    volume = noise((4, 20, 25), numpy.int16)
    wanted = numpy.stack([traced("close", plane, 6, 25) for plane in volume])
    line = tamis.line(6, 25)
    numpy.testing.assert_array_equal(tamis.close(volume, line, lines="traced"), wanted)
    numpy.testing.assert_array_equal(tamis.close(volume, line, lines="traced", batch=True), wanted)
    found = tamis.close(volume.transpose(1, 2, 0), line, lines="traced", channel_axis=-1)
    numpy.testing.assert_array_equal(found, wanted.transpose(1, 2, 0))


def test_nan_is_refused_or_left_out_along_traced_lines():
    image = noise((15, 18), numpy.float32)
    holes = image.copy()
    holes[5, 6] = holes[7, 2] = numpy.nan
    with pytest.raises(tamis.InputError, match="NaN at y 5, x 6"):
        tamis.open(holes, "line:5@20", lines="traced")
    filled = numpy.where(numpy.isnan(holes), numpy.inf, holes)
    found = tamis.erode(holes, "line:5@20", lines="traced", nan="ignore")
    numpy.testing.assert_array_equal(found, traced("erode", filled, 5, 20))


def test_what_survives_keeps_its_shape_by_reconstruction():
    image = noise((30, 40), numpy.uint8)
    marker = tamis.erode(image, "line:7@60", lines="traced")
    wanted = tamis.reconstruct(numpy.minimum(marker, image), image)
    found = tamis.open(image, "line:7@60", lines="traced", by_reconstruction=True)
    numpy.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("keywords, words", [
    ({"element": "line:0@30"}, "line: length 0; wanted 1 to"),
    ({"element": "line:5@nan"}, "line:5@nan"),
    ({"element": "line:5.5@30"}, "line:5.5@30; wanted line:L@A with a whole number L"),
    ({"element": "disk:3"}, "element disk:3; wanted line:L@A"),
    ({"element": "reflect(line:4@30)"}, "wanted line:L@A"),
    ({"element": "line:5@30+square:3"}, "wanted line:L@A"),
    ({"border": "reflect"}, "border reflect; wanted neutral or fit"),
    ({"border": "constant:3"}, "border constant:3; wanted neutral or fit"),
    ({"lines": "straight"}, "lines='straight': wanted invariant or traced"),
    ({"lines": "invariant", "border": "fit"}, "border fit; wanted neutral, reflect, .*or lines traced"),
])
def test_errors_teach(keywords, words):
    image = numpy.zeros((9, 10), numpy.uint8)
    with pytest.raises(tamis.InputError, match=words) as caught:
        tamis.open(image, **{"element": "line:5@30", "lines": "traced", **keywords})
    assert "\n" not in str(caught.value)


def test_filters_without_segments_have_no_border_fit():
    image = numpy.zeros((9, 10), numpy.uint8)
    for filtered in (lambda: tamis.hitmiss(image, border="fit"), lambda: tamis.asf(image, border="fit")):
        with pytest.raises(tamis.InputError, match="border=.fit.: wanted neutral, reflect"):
            filtered()


def test_the_program_takes_lines_and_says_so(tamis, tmp_path):  # noqa: F811: the program, not the package
    image = noise((30, 40), numpy.uint8)
    numpy.save(tmp_path / "in.npy", image)
    for name in FILTERS:
        arguments = ["in.npy", "out.npy", "--element", "line:7@33", "--lines", "traced", "--border", "fit"]
        result = tamis(name, *arguments, "--json", "told.json")
        numpy.testing.assert_array_equal(numpy.load(tmp_path / "out.npy"), traced(name, image, 7, 33, "fit"))
        told = json.loads((tmp_path / "told.json").read_text())["parameters"]
        assert told["lines"] == "traced" and told["border"] == "fit" and "7 samples of each line" in told["element"]
        assert "traced lines, 7 samples" in result.stdout
    assert "lines         invariant" in tamis("open", "in.npy", "out.npy", "--element", "line:7@33").stdout
    for name, there in (("open", True), ("bothat", True), ("asf", False), ("hitmiss", False)):
        assert ("--lines" in tamis(name, "--help").stdout) == there


@pytest.mark.parametrize("arguments, words", [
    (["--element", "line:0@30"], ["--element line:0@30", "length 0; wanted 1"]),
    (["--element", "disk:3"], ["in.npy", "disk:3", "line:L@A"]),
    (["--element", "line:5.5@30"], ["line:5.5@30", "whole number"]),
    (["--element", "line:5@30", "--border", "reflect"], ["reflect", "neutral or fit"]),
    (["--element", "line:5@30", "--lines", "bent"], ["--lines bent", "invariant or traced"]),
])
def test_errors_of_the_program_teach(tamis, tmp_path, arguments, words):  # noqa: F811
    numpy.save(tmp_path / "in.npy", numpy.zeros((9, 10), numpy.uint8))
    given = arguments if "--lines" in arguments else [*arguments, "--lines", "traced"]
    result = tamis("open", "in.npy", "out.npy", *given, check=False)
    assert result.returncode == 2 and result.stderr.count("\n") == 1
    for word in words:
        assert word in result.stderr
    assert not (tmp_path / "out.npy").exists()
