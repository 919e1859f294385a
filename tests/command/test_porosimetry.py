"""Porosimetry of the program against the definition in NumPy and SciPy."""

import csv
import json

import numpy
import pytest
from scipy import ndimage
from test_ball_granulometry import painted
from test_distance import blobs, written


def open_squares(image, inlet_axis_low):
    """Whole squares of distances; the first face along z, or all faces, are open."""
    padded = numpy.pad(image, 1)
    if inlet_axis_low == "all":
        return numpy.rint(ndimage.distance_transform_edt(image) ** 2).astype(int)
    far = 100  # no background within reach beyond the open face
    longer = numpy.concatenate([numpy.repeat(padded[1:2] | True, far, axis=0), padded[1:]])
    return numpy.rint(ndimage.distance_transform_edt(longer) ** 2).astype(int)[far:-1, 1:-1, 1:-1]


def access(squares, inlet):
    """The greatest least square over all face-connected paths from the inlet."""
    result = numpy.zeros_like(squares)
    for square in numpy.unique(squares)[1:]:
        labels, _ = ndimage.label(squares >= square)
        reached = numpy.unique(labels[inlet & (labels > 0)])
        result[numpy.isin(labels, reached) & (labels > 0)] = square
    return result


@pytest.mark.parametrize("inlet", ["z-", "all"])
def test_invasion_agrees_with_the_definition(tamis, tmp_path, inlet):
    image = blobs((20, 26, 31), 7, 0.5)
    written(tmp_path, image)
    faces = numpy.zeros(image.shape, bool)
    faces[0] = True
    if inlet == "all":
        faces[-1] = faces[:, [0, -1]] = faces[:, :, [0, -1]] = True
    told = tamis("porosimetry", "in.tif", "--inlet", inlet, "--map-radius", "r.npy", "--csv", "out.csv", "--json",
                 "out.json", "--spacing", "2um")  # fmt: skip
    reach = access(open_squares(image, inlet), faces)
    radius = numpy.sqrt(painted(image, reach))
    numpy.testing.assert_allclose(numpy.load(tmp_path / "r.npy"), 2 * radius, rtol=1e-6)
    with open(tmp_path / "out.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [int(row["invaded"]) for row in rows] == [int((radius > n).sum()) for n in range(len(rows))]
    assert float(rows[1]["pressure"]) == pytest.approx(2 * 0.48 * 0.7660444 / 2e-6, rel=1e-6)
    report = json.loads((tmp_path / "out.json").read_text())
    assert report["never_reached"] == pytest.approx(1 - (radius > 0).sum() / image.sum())
    widest = radius[-1].max() if inlet == "z-" else 0
    assert report["breakthrough_radius"] == (pytest.approx(2 * widest) if widest > 0 else None)
    assert "never reached" in told.stdout


def test_inlets_that_are_none_are_refused(refused, tmp_path):
    written(tmp_path, blobs((6, 20, 20), 5))
    refused("porosimetry", "in.tif", "--inlet", "top", words=["--inlet top", "wanted z-, z+"])
    refused("porosimetry", "in.tif", "--memory", "1M", "--spacing", "1x1x2.718um", words=["ratio of whole numbers"])
