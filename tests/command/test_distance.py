"""Distances of the program against SciPy's."""

import json

import numpy
import pytest
import tifffile
from scipy import ndimage


def blobs(shape, seed, fraction=0.6):
    """Smooth noise, cut so that the given fraction is object: many distances, no symmetry."""
    noise = ndimage.gaussian_filter(numpy.random.default_rng(seed).normal(size=shape), 2.5)
    return noise > numpy.quantile(noise, 1 - fraction)


def written(folder, image):
    tifffile.imwrite(folder / "in.tif", image.astype(numpy.uint8) * 255)


def expected(image, border, spacing=None):
    """Background lies around the image, or nothing does."""
    if border == "neutral":
        return ndimage.distance_transform_edt(image, sampling=spacing)
    inner = (slice(1, -1),) * image.ndim
    return ndimage.distance_transform_edt(numpy.pad(image, 1), sampling=spacing)[inner]


@pytest.mark.parametrize("border", ["background", "neutral"])
@pytest.mark.parametrize("shape", [(40, 50, 70), (90, 131)])
def test_distances_agree_with_scipy(tamis, tmp_path, shape, border):
    image = blobs(shape, 1)
    written(tmp_path, image)
    tamis("distance", "in.tif", "out.npy", "--border", border)
    distances = expected(image, border)
    numpy.testing.assert_array_equal(numpy.load(tmp_path / "out.npy"), distances.astype(numpy.float32))
    tamis("distance", "in.tif", "squares.tif", "--squared", "--border", border)
    squares = tifffile.imread(tmp_path / "squares.tif")
    assert squares.dtype == numpy.uint16
    numpy.testing.assert_array_equal(squares, numpy.rint(distances**2))


@pytest.mark.parametrize("scan", ["qim3d_cement_128x128x128.tif", "qim3d_bone_128x128x128.tif"])
def test_of_real_scans_agree_with_scipy_and_edt(tamis, tmp_path, data, scan):
    grey = tifffile.imread(data / "volumes" / scan)
    image = grey > numpy.median(grey)
    written(tmp_path, image)
    tamis("distance", "in.tif", "squares.npy", "--squared", "--border", "neutral")
    squares = numpy.load(tmp_path / "squares.npy")
    numpy.testing.assert_array_equal(squares, numpy.rint(expected(image, "neutral") ** 2))
    edt = pytest.importorskip("edt")
    numpy.testing.assert_array_equal(squares, edt.edtsq(image))


def test_distances_have_the_unit_of_the_spacing(tamis, tmp_path):
    image = blobs((30, 40, 50), 2)
    written(tmp_path, image)
    tamis("distance", "in.tif", "out.tif", "--spacing", "2.5x2.5x10um", "--json", "out.json")
    found = tifffile.imread(tmp_path / "out.tif")
    numpy.testing.assert_allclose(found, expected(image, "background", (10, 2.5, 2.5)), rtol=1e-6)
    told = json.loads((tmp_path / "out.json").read_text())
    assert told["sides"] == {"x": 1, "y": 1, "z": 4} and told["unit"] == "um"
    assert told["largest_distance"] == pytest.approx(found.max(), rel=1e-6)


def test_slices_stand_for_themselves(tamis, tmp_path):
    image = blobs((7, 40, 50), 3)
    written(tmp_path, image)
    tamis("distance", "in.tif", "out.npy", "--by-slices", "--phase", "dark")
    found = numpy.load(tmp_path / "out.npy")
    for plane, distances in zip(image, found):
        numpy.testing.assert_array_equal(distances, expected(~plane, "background").astype(numpy.float32))


def test_a_region_of_interest_has_its_own_border(tamis, tmp_path):
    image = blobs((20, 40, 40), 4)
    written(tmp_path, image)
    y, x = numpy.ogrid[:40, :40]
    inside = (2 * y - 39) ** 2 + (2 * x - 39) ** 2 <= 40**2
    tamis("distance", "in.tif", "out.npy", "--roi", "cylinder")
    numpy.testing.assert_array_equal(
        numpy.load(tmp_path / "out.npy"), expected(image & inside, "background").astype(numpy.float32)
    )
    tamis("distance", "in.tif", "out.npy", "--roi", "cylinder", "--border", "neutral")
    distances = ndimage.distance_transform_edt(image | ~inside) * (image & inside)
    numpy.testing.assert_array_equal(numpy.load(tmp_path / "out.npy"), distances.astype(numpy.float32))


def test_without_background_distances_are_infinite(tamis, tmp_path):
    written(tmp_path, numpy.ones((8, 9, 10), bool))
    told = tamis("distance", "in.tif", "out.npy", "--threshold", "0", "--border", "neutral")
    assert "without background" in told.stderr
    assert numpy.isinf(numpy.load(tmp_path / "out.npy")).all()


def test_sides_in_no_ratio_of_whole_numbers_are_refused(refused, tmp_path):
    written(tmp_path, blobs((5, 6, 7), 5))
    refused("distance", "in.tif", "out.npy", "--spacing", "0.01x0.01x1e9um", words=["0.01x0.01x1e+09um", "ratio of whole numbers"])
