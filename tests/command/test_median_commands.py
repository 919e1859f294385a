"""tamis median and smooth as a user calls them: help, summary, errors."""

import json
import re

import numpy
import pytest
import tifffile

COMMANDS = ["median", "smooth"]
GREY = numpy.random.default_rng(3).integers(0, 255, (9, 10), numpy.uint8)


@pytest.mark.parametrize("command", COMMANDS)
def test_help_examples_and_the_manual_page_describe_every_option(tamis, command):
    text = tamis(command, "--help").stdout
    assert text.startswith(f"tamis {command}: ") and "\nExamples\n  tamis " in text
    assert max(map(len, text.splitlines())) <= 100
    page = tamis("man").stdout
    assert f".SS tamis {command}" in page
    for option in re.findall(r"^  (--[a-z-]+)", text, re.M):
        assert option.replace("-", "\\-") in page
    completion = tamis("completion", "bash").stdout
    assert f'"{command}")' in completion
    assert '--border) words="reflect mirror nearest wrap shrink neutral"' in completion


def test_the_help_says_that_a_smoother_is_an_approximation_and_how_good(tamis):
    text = " ".join(tamis("smooth", "--help").stdout.split())
    assert "Perrot's separable pseudo-median approximates" in text and "mean difference of 0.2 to 1.6 %" in text


def test_the_summary_says_what_was_done(tamis, volume, balls, tmp_path):
    result = tamis("median", volume("balls.tif", balls), "out.tif", "--percentile", "30", "--border", "neutral",
                   "--iterations", "2", "--json", "told.json", "--device", "cpu")
    for words in ("median of balls.tif: 37x30x24 u8", "cube:3 (27 offsets)", "percentile    30", "shrink",
                  "iterations    2", "steps", "times", "ran on", "out.tif"):
        assert words in result.stdout
    told = json.loads((tmp_path / "told.json").read_text())
    assert told["command"] == "median" and told["parameters"]["percentile"] == "30" and "median" in told["seconds"]
    assert tamis("median", "balls.tif", "out.tif", "-q").stdout == ""
    result = tamis("smooth", "balls.tif", "out.tif", "--size", "5x3", "--nan", "ignore")
    for words in ("smooth of balls.tif", "of 3 along y, of 5 along x, of 1 along z", "reflect", "nan", "ignore"):
        assert words in result.stdout


def test_even_windows_have_their_origin_at_half_their_edge(tamis, volume, tmp_path):
    step = numpy.zeros((1, 12), numpy.uint8)
    step[0, 5:] = 9
    tamis("median", volume("step.tif", step), "low.tif", "--size", "4x1", "--percentile", "0")
    # x-2, x-1, x, x+1: the first of them all bright at x = 7.
    assert tifffile.imread(tmp_path / "low.tif")[0].tolist() == [0] * 7 + [9] * 5
    tamis("median", "step.tif", "middle.tif", "--size", "4x1")
    # Two of four are enough: the upper of the two in the middle.
    assert tifffile.imread(tmp_path / "middle.tif")[0].tolist() == [0] * 5 + [9] * 7


def test_bits_stay_bits_and_take_the_majority(tamis, tmp_path):
    image = GREY > 120
    numpy.save(tmp_path / "in.npy", image)
    tamis("median", "in.npy", "out.npy")
    found = numpy.load(tmp_path / "out.npy")
    assert found.dtype == bool
    whole = numpy.pad(image, 1, "symmetric").astype(int)
    votes = sum(whole[y:y + 9, x:x + 10] for y in range(3) for x in range(3))
    assert numpy.array_equal(found, votes >= 5)


def test_a_part_of_a_file_and_other_formats(tamis, tmp_path):
    numpy.save(tmp_path / "in.npy", GREY)
    tamis("median", "in.npy", "part.png", "--crop", "2:8,1:7")
    numpy.save(tmp_path / "cut.npy", GREY[1:7, 2:8])
    tamis("median", "cut.npy", "cut.png")
    assert (tmp_path / "part.png").read_bytes() == (tmp_path / "cut.png").read_bytes()


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("size", ["0", "-3", "3x", "x3", "3x0", "3.5", "three", "3x3x3x3", ""])
def test_sizes_that_are_none_are_refused(refused, volume, command, size):
    refused(command, volume("in.tif", GREY), "out.tif", "--size", size, words=["--size", "wanted N, WxH or WxHxD"])


@pytest.mark.parametrize(("flags", "words"), [
    (["--size", "3x3x3"], ["in.tif", "size 3x3x3 on an image; wanted N or WxH"]),
    (["--size", "9999999999"], ["9999999999"]),
    (["--border", "around"], ["--border around", "wanted reflect, mirror, nearest, wrap, constant:V or shrink"]),
    (["--border", "fit"], ["--border fit", "wanted reflect, mirror, nearest, wrap, constant:V or shrink"]),
    (["--border", "constant:x"], ["--border constant:x", "wanted a number"]),
    (["--border", "constant:300"], ["in.tif", "constant:300", "u8"]),
    (["--iterations", "0"], ["--iterations 0", "from 1 to"]),
    (["--nan", "maybe"], ["maybe", "refuse or ignore"]),
    (["--simd", "sse"], ["--simd sse"]),
    (["--radius", "3"], ["--radius"]),
])
@pytest.mark.parametrize("command", COMMANDS)
def test_errors_teach(refused, volume, command, flags, words):
    refused(command, volume("in.tif", GREY), "out.tif", *flags, words=[f"tamis {command}: ", *words])


@pytest.mark.parametrize(("flags", "words"), [
    (["--percentile", "100.5"], ["--percentile 100.5", "from 0 to 100"]),
    (["--percentile", "-1"], ["--percentile -1"]),
    (["--percentile", "nan"], ["--percentile nan"]),
    (["--element", "blob:3"], ["--element blob:3", "octagon"]),
    (["--element", "cube:3"], ["in.tif", "3-D"]),
    (["--element", "file:missing.png"], ["missing.png"]),
    (["--size", "3", "--element", "disk:3"], ["--element", "--size"]),
])
def test_errors_of_medians_teach(refused, volume, flags, words):
    refused("median", volume("in.tif", GREY), "out.tif", *flags, words=words)


@pytest.mark.parametrize("command", COMMANDS)
def test_files_that_cannot_be_read_or_written_are_refused(refused, volume, tmp_path, command):
    refused(command, "missing.tif", "out.tif", words=[f"tamis {command}: missing.tif: "])
    source = volume("in.tif", GREY)
    whole = (tmp_path / source).read_bytes()
    (tmp_path / "cut.tif").write_bytes(whole[:-40])
    (tmp_path / "empty.tif").write_bytes(b"")
    for name in ("cut.tif", "empty.tif"):
        refused(command, name, "out.tif", words=[name])
    refused(command, source, "missing/out.tif", words=["missing/out.tif"])
    refused(command, source, source, words=["overwrite"])
    refused(command, source, "out.txt", words=["out.txt"])
    refused(command, volume("wide.tif", GREY.astype(numpy.uint32) + 2**24), "out.tif", words=["wide.tif", "tamis convert"])


@pytest.mark.parametrize("command", COMMANDS)
def test_nan_is_refused_with_its_place(refused, volume, command):
    image = GREY.astype(numpy.float32)
    image[2, 3] = numpy.nan
    refused(command, volume("nan.tif", image), "out.tif", words=["nan.tif", "NaN at x 3, y 2"])
