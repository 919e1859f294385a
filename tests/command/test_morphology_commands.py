"""The morphology commands as a user calls them: elements, colour, stacks, errors."""

import json
import re

import imageio.v3 as imageio
import numpy
import pytest
import tifffile

import morphology_oracle as oracle

COMMANDS = ["erode", "dilate", "open", "close", "gradient", "tophat", "bothat", "hitmiss", "asf", "reconstruct",
            "element"]


@pytest.mark.parametrize("command", COMMANDS)
def test_help_examples_and_the_manual_page_describe_every_option(tamis, command):
    text = tamis(command, "--help").stdout
    assert text.startswith(f"tamis {command}: ") and "\nExamples\n  tamis " in text
    page = tamis("man").stdout
    assert f".SS tamis {command}" in page
    for option in re.findall(r"^  (--[a-z-]+)", text, re.M):
        assert option.replace("-", "\\-") in page
    assert f'"{command}")' in tamis("completion", "bash").stdout


def test_the_summary_says_what_was_done(tamis, volume, balls, tmp_path):
    result = tamis("open", volume("balls.tif", balls), "out.tif", "--element", "square:5", "--json", "told.json")
    for words in ("open of balls.tif: 37x30x24 u8", "square:5 (25 offsets)", "neutral", "erode (run x 5, run y 5)",
                  "ran on", "out.tif"):
        assert words in result.stdout
    told = json.loads((tmp_path / "told.json").read_text())
    assert told["command"] == "open" and told["parameters"]["border"] == "neutral" and "open" in told["seconds"]
    assert tamis("open", "balls.tif", "out.tif", "-q").stdout == ""


def test_elements_are_drawn_and_written(tamis, tmp_path):
    text = tamis("element", "line:5@45", "out.png").stdout
    assert text == "line:5@45: 3 offsets, x -1 to 1, y -1 to 1\n  . . #\n  . O .\n  # . .\n"
    assert (imageio.imread(tmp_path / "out.png") > 0).tolist() == [[False, False, True], [False, True, False],
                                                                   [True, False, False]]
    tamis("element", "ball:2", "ball.tif", "-q")
    assert (tifffile.imread(tmp_path / "ball.tif") > 0).sum() == len(oracle.offsets("ball:2", 3))
    again = tamis("element", "file:out.png").stdout
    assert "3 offsets" in again


def test_every_shape_is_what_its_definition_says(tamis, tmp_path):
    for spec in ("square:4", "rect:5x2", "cross:4", "disk:3.7", "circle:5", "octagon:7", "hexagon:6", "line:17@73",
                 "line:41@45", "ball:3.2", "box:2x3x4", "line:9@30,50"):
        rank = 3 if re.match("ball|box|line:.*,", spec) else 2
        points = oracle.offsets(spec, rank)
        tamis("element", spec, "out.npy", "-q")
        found = numpy.load(tmp_path / "out.npy") > 0
        low = [min(p[axis] for p in points) for axis in range(3)]
        wanted = numpy.zeros(found.shape if rank == 3 else (1, *found.shape), bool)
        for point in points:
            wanted[tuple(v - n for v, n in zip(point, low))] = True
        assert numpy.array_equal(found.reshape(wanted.shape), wanted), spec


def test_sums_reflections_and_shifts_act_in_turn(tamis, tmp_path):
    image = numpy.random.default_rng(1).integers(0, 255, (30, 40), numpy.uint8)
    numpy.save(tmp_path / "in.npy", image)
    rect = oracle.offsets("rect:4x2", 2)
    mirrored = {tuple(-v for v in p) for p in rect}
    moved = {(z, y - 2, x + 3) for z, y, x in rect}
    for spec, parts in (("rect:4x2+disk:2", [rect, oracle.offsets("disk:2", 2)]), ("reflect(rect:4x2)", [mirrored]),
                        ("shift(rect:4x2,3,-2)", [moved])):
        tamis("erode", "in.npy", "out.npy", "--element", spec)
        wanted = image
        for part in parts:
            wanted = oracle.step(wanted, part, True)
        assert numpy.array_equal(numpy.load(tmp_path / "out.npy"), wanted), spec


def test_colour_is_worked_on_channel_by_channel(tamis, tmp_path):
    image = numpy.random.default_rng(1).integers(0, 255, (20, 31, 3), numpy.uint8)
    imageio.imwrite(tmp_path / "in.png", image)
    tamis("close", "in.png", "out.png", "--element", "cross:2")
    found = imageio.imread(tmp_path / "out.png")
    for channel in range(3):
        wanted = oracle.operation("close", image[..., channel], oracle.offsets("cross:2", 2))
        assert numpy.array_equal(found[..., channel], wanted)
    tamis("close", "in.png", "one.png", "--element", "cross:2", "--channel", "1")
    assert numpy.array_equal(imageio.imread(tmp_path / "one.png"), found[..., 1])


def test_a_batch_is_a_stack_of_images(tamis, volume, balls, tmp_path):
    source = volume("balls.tif", balls)
    tamis("erode", source, "solid.tif", "--element", "cross:2")
    tamis("erode", source, "flat.tif", "--element", "cross:2", "--batch")
    points = oracle.offsets("cross:2", 2)
    wanted = numpy.stack([oracle.step(image, points, True) for image in balls])
    assert numpy.array_equal(tifffile.imread(tmp_path / "flat.tif"), wanted)
    wanted = oracle.step(balls, oracle.offsets("cross:2", 3), True)
    assert numpy.array_equal(tifffile.imread(tmp_path / "solid.tif"), wanted)
    assert tamis("erode", source, "x.tif", "--element", "cube:3", "--batch", check=False).returncode == 2


def test_bits_stay_bits(tamis, tmp_path):
    image = numpy.random.default_rng(1).random((33, 70)) < 0.7
    numpy.save(tmp_path / "in.npy", image)
    tamis("open", "in.npy", "out.npy", "--element", "square:2")
    found = numpy.load(tmp_path / "out.npy")
    assert found.dtype == bool
    assert numpy.array_equal(found, oracle.operation("open", image, oracle.offsets("square:2", 2)))


def test_iterations_kinds_and_filters(tamis, tmp_path):
    image = numpy.random.default_rng(1).integers(0, 255, (30, 40), numpy.uint8)
    numpy.save(tmp_path / "in.npy", image)

    def answer(*arguments):
        tamis(*arguments[:1], "in.npy", "out.npy", *arguments[1:])
        return numpy.load(tmp_path / "out.npy")

    cross, square = oracle.offsets("cross:1", 2), oracle.offsets("square:3", 2)
    wanted = image
    for erode in (True, True, False, False):
        wanted = oracle.step(wanted, cross, erode)
    assert numpy.array_equal(answer("open", "--element", "cross:1", "--iterations", "2"), wanted)
    inner = oracle.saturated(image, oracle.step(image, square, True))
    assert numpy.array_equal(answer("gradient", "--kind", "inner"), inner)
    outer = oracle.saturated(oracle.step(image, square, False), image)
    assert numpy.array_equal(answer("gradient", "--kind", "outer"), outer)
    wanted = image
    for spec in ("disk:1", "disk:2"):
        for command in ("close", "open"):
            wanted = oracle.operation(command, wanted, oracle.offsets(spec, 2))
    assert numpy.array_equal(answer("asf", "--element", "disk:2", "--order", "co"), wanted)
    hit = oracle.step(image, {(0, 0, 0)}, True).astype(int)
    ring = oracle.step(image, oracle.offsets("circle:1", 2), False)  # symmetric
    assert numpy.array_equal(answer("hitmiss"), (hit - ring).clip(0))


@pytest.mark.parametrize("arguments, words", [
    (["--element", "blob:3"], ["--element blob:3", "octagon"]),
    (["--element", "disk"], ["disk", "disk:4.5"]),
    (["--element", "square:3+disk:x"], ["disk:x"]),
    (["--element", "cube:3"], ["cube:3", "3-D", "in.tif"]),
    (["--element", "file:missing.png"], ["missing.png"]),
    (["--border", "around"], ["around", "neutral, reflect, mirror, nearest, wrap or constant:V"]),
    (["--border", "constant:300"], ["constant:300", "u8"]),
    (["--iterations", "0"], ["--iterations 0", "1 to"]),
    (["--nan", "maybe"], ["maybe", "refuse or ignore"]),
])
def test_errors_teach(tamis, volume, arguments, words, tmp_path):
    source = volume("in.tif", numpy.zeros((9, 10), numpy.uint8))
    result = tamis("erode", source, "out.tif", *arguments, check=False)
    assert result.returncode == 2 and result.stderr.count("\n") == 1
    for word in words:
        assert word in result.stderr
    assert not (tmp_path / "out.tif").exists()


def test_types_and_values_that_have_no_answer_are_refused(tamis, volume, tmp_path):
    result = tamis("erode", volume("wide.tif", numpy.full((5, 6), 2**24 + 1, numpy.uint32)), "out.tif", check=False)
    assert result.returncode == 2 and "tamis convert" in result.stderr
    array = numpy.zeros((5, 6), numpy.float32)
    array[2, 3] = numpy.nan
    result = tamis("erode", volume("nan.tif", array), "out.tif", check=False)
    assert result.returncode == 2 and "NaN at x 3, y 2" in result.stderr
    tamis("erode", "nan.tif", "out.tif", "--nan", "ignore")
    assert not numpy.isnan(tifffile.imread(tmp_path / "out.tif")).any()
    marker = volume("marker.tif", numpy.full((5, 6), 9, numpy.uint8))
    mask = volume("mask.tif", numpy.full((5, 6), 8, numpy.uint8))
    result = tamis("reconstruct", marker, mask, "out2.tif", check=False)
    assert result.returncode == 2 and "above the mask at x 0, y 0" in result.stderr
    assert tamis("erode", "mask.tif", "mask.tif", check=False).returncode == 2
