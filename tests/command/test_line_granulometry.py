"""Granulometry along traced lines, of the program, against openings by definition."""

import json
import math

import numpy
import pytest


def lines_at(angle, shape):
    """The samples (y, x) of each line, in order."""
    angle %= 180
    steep = 45 <= angle < 135
    radians = math.radians(angle)
    slope = math.cos(radians) / math.sin(radians) if steep else math.tan(radians)
    lines = {}
    for along in range(shape[0] if steep else shape[1]):
        shift = math.floor(along * slope + 0.5 + 1e-9)
        for across in range(shape[1] if steep else shape[0]):
            lines.setdefault(across + shift, []).append((along, across) if steep else (across, along))
    return lines.values()


def opening(image, length, angle, neutral):
    """A stretch no lower than a level keeps it if a segment whose origin lies in the line fits; else 0 is left."""
    out = numpy.zeros_like(image)
    before, after = (length // 2, length - 1 - length // 2) if neutral else (0, 0)
    for line in lines_at(angle, image.shape):
        values = numpy.array([image[at] for at in line], int)
        padded = numpy.concatenate([numpy.full(before, 999), values, numpy.full(after, 999)])
        best = numpy.zeros(len(padded), int)
        for start in range(len(padded) - length + 1):
            window = slice(start, start + length)
            best[window] = numpy.maximum(best[window], padded[window].min())
        for at, value in zip(line, best[before : before + len(values)]):
            out[at] = value
    return out


def curve(image, angle, neutral, rows):
    return [int(image.sum())] + [int(opening(image, n, angle, neutral).sum()) for n in range(1, rows)]


def objects(shape, seed=1):
    return (numpy.random.default_rng(seed).random(shape) < 0.8).astype(numpy.uint8)


@pytest.mark.parametrize("border", ["background", "neutral"])
@pytest.mark.parametrize("angle", [0, 30, 100.5])
def test_the_table_agrees_with_openings(tamis, tmp_path, angle, border):
    image = objects((20, 31))
    numpy.save(tmp_path / "object.npy", image)
    tamis("granulometry", "object.npy", "--element", f"line@{angle}", "--border", border, "--csv", "sizes.csv",
          "--json", "sizes.json", "--plot", "sizes.svg")  # fmt: skip
    rows = [line.split(",") for line in (tmp_path / "sizes.csv").read_text().splitlines()[1:]]
    assert [int(row[2]) for row in rows] == curve(image, angle, border == "neutral", len(rows))
    assert [float(row[1]) for row in rows] == list(range(len(rows)))
    assert f"line@{angle:g}" in json.dumps(json.loads((tmp_path / "sizes.json").read_text()))


def test_grey_values_agree_with_openings(tamis, tmp_path):
    grey = numpy.random.default_rng(2).integers(0, 5, (15, 18)).astype(numpy.uint8)
    grey[0, 0] = 0
    numpy.save(tmp_path / "grey.npy", grey)
    tamis("granulometry", "grey.npy", "--grey", "--element", "line@45", "--csv", "sizes.csv")
    rows = [line.split(",") for line in (tmp_path / "sizes.csv").read_text().splitlines()[1:]]
    assert [int(row[2]) for row in rows] == curve(grey, 45, False, len(rows))


@pytest.mark.parametrize(
    "options",
    [
        ["--element", "line@x"],
        ["--element", "line@30", "--map", "m.tif"],
        ["--element", "line@30", "--picture", "m.png"],
    ],
)
def test_what_has_no_meaning_is_refused_in_one_line(tamis, tmp_path, options):
    numpy.save(tmp_path / "object.npy", objects((5, 6)))
    result = tamis("granulometry", "object.npy", *options, check=False)
    assert result.returncode == 2 and result.stderr.count("\n") == 1
