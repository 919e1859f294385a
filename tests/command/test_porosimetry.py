"""Porosimetry of the program against the definition in NumPy and SciPy, and against PoreSpy."""

import csv
import json
from xml.etree import ElementTree as xml

import numpy
import pytest
import tifffile
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
    assert float(rows[1]["pressure [Pa]"]) == pytest.approx(2 * 0.48 * 0.7660444 / 2e-6, rel=1e-6)
    report = json.loads((tmp_path / "out.json").read_text())
    assert report["never_reached"] == pytest.approx(1 - (radius > 0).sum() / image.sum())
    widest = radius[-1].max() if inlet == "z-" else 0
    assert report["breakthrough_radius"] == (pytest.approx(2 * widest) if widest > 0 else None)
    assert "never reached" in told.stdout


def test_the_report_of_an_image_names_the_faces_that_it_has(tamis, tmp_path):
    written(tmp_path, blobs((20, 30), 5))
    for options, faces in ([], "y-"), (["--inlet", "all"], "y-,y+,x-,x+"), (["--inlet", "first"], "y-"):
        tamis("porosimetry", "in.tif", *options, "--json", "out.json")
        assert json.loads((tmp_path / "out.json").read_text())["inlet"] == faces


def test_inlets_that_are_none_are_refused(refused, tmp_path):
    written(tmp_path, blobs((6, 20, 20), 5))
    refused("porosimetry", "in.tif", "--inlet", "top", words=["--inlet top", "wanted z-, z+"])
    refused("porosimetry", "in.tif", "--memory", "1M", "--spacing", "0.01x0.01x1e9um", words=["ratio of whole numbers"])


def test_masks_regions_and_crops(tamis, tmp_path):
    image = blobs((14, 26, 31), 9, 0.6)
    written(tmp_path, image)
    inlet = numpy.zeros(image.shape, numpy.uint8)
    inlet[3:5, 10:12, 10:20] = 7
    region = numpy.zeros(image.shape[1:], numpy.uint8)
    region[2:24, 3:30] = 1
    tifffile.imwrite(tmp_path / "inlet.tif", inlet, photometric="minisblack")
    tifffile.imwrite(tmp_path / "roi.tif", region, photometric="minisblack")
    tamis("porosimetry", "in.tif", "--inlet", "inlet.tif", "--roi", "roi.tif", "--crop", "1:31,0:26,1:13", "--map-radius",
          "r.npy", "--border", "neutral", "--json", "out.json")  # fmt: skip
    box = (slice(1, 13), slice(0, 26), slice(1, 31))
    inside = numpy.broadcast_to(region > 0, image.shape)[box]
    pores = image[box] & inside
    ground = ~image[box] & inside  # what is outside of the region is nothing at all
    squares = numpy.rint(ndimage.distance_transform_edt(~ground) ** 2).astype(int) * pores
    radius = numpy.sqrt(painted(pores, access(squares, inlet[box] > 0)))
    numpy.testing.assert_allclose(numpy.load(tmp_path / "r.npy"), radius, rtol=1e-6)
    report = json.loads((tmp_path / "out.json").read_text())
    assert (report["inlet"], report["roi"], report["breakthrough_radius"]) == ("inlet.tif", "roi.tif", None)
    assert report["object_volume"] == pores.sum()
    assert report["invaded_volume"] == (radius > 0).sum() > 0


def test_a_plot_shows_both_curves(tamis, tmp_path):
    written(tmp_path, blobs((20, 26, 31), 7, 0.5))
    tamis("porosimetry", "in.tif", "--plot", "p.svg", "--spacing", "2um")
    text = (tmp_path / "p.svg").read_text()
    assert xml.fromstring(text).tag.endswith("svg")
    for words in ("diameter 2r (µm)", "radius of the pore itself", "invaded by balls", "breakthrough"):
        assert words in text, words


def test_masks_that_cannot_be_are_refused(refused, tmp_path):
    written(tmp_path, blobs((6, 20, 20), 5))
    tifffile.imwrite(tmp_path / "small.tif", numpy.ones((5, 20, 20), numpy.uint8), photometric="minisblack")
    tifffile.imwrite(tmp_path / "empty.tif", numpy.zeros((6, 20, 20), numpy.uint8), photometric="minisblack")
    refused("porosimetry", "in.tif", "--inlet", "small.tif", words=["--inlet small.tif", "wanted 20x20x6"])
    refused("porosimetry", "in.tif", "--inlet", "empty.tif", words=["--inlet empty.tif", "0 everywhere"])
    refused("porosimetry", "in.tif", "--inlet", "missing.tif", words=["--inlet missing.tif"])
    refused("porosimetry", "in.tif", "--convention", "fiji", words=["--convention fiji", "wanted tamis or porespy"])
    refused("porosimetry", "in.tif", "--convention", "porespy", "--spacing", "1x1x2um", words=["equal sides"])
    refused("porosimetry", "in.tif", "--plot", "p.png", words=["--plot p.png", ".svg"])


@pytest.mark.extra
@pytest.mark.parametrize("inlet, scan", [("all", None), ("mask.tif", None), ("all", "qim3d_cement_128x128x128.tif")])
def test_the_convention_of_porespy_is_that_of_porespy(tamis, tmp_path, porespy, request, inlet, scan):
    """PoreSpy rounds distances down, and from its faces nothing lies outside: border neutral."""
    image = blobs((40, 44, 50), 11, 0.55)
    if scan:
        grey = tifffile.imread(request.getfixturevalue("data") / "volumes" / scan)
        image = grey > numpy.median(grey)
    written(tmp_path, image)
    inlets = numpy.zeros(image.shape, bool)
    inlets[:, 0, 5:40] = inlets[12:20, 20:23, 10] = True
    tifffile.imwrite(tmp_path / "mask.tif", inlets.astype(numpy.uint8), photometric="minisblack")
    tamis("porosimetry", "in.tif", "--inlet", inlet, "--border", "neutral", "--convention", "porespy", "--map-radius",
          "r.npy")  # fmt: skip
    found = porespy.filters.porosimetry(image, inlets=None if inlet == "all" else inlets, method="dt", smooth=True,
                                        sizes=list(range(100, 0, -1)))  # fmt: skip
    numpy.testing.assert_array_equal(numpy.load(tmp_path / "r.npy"), found)
