"""Granulometry by balls and disks of the program against the definition in NumPy, and against PoreSpy."""

import csv
import json

import numpy
import pytest
import tifffile
from scipy import ndimage
from test_distance import blobs, written


def squares_of(image, border, sampling=None):
    """Whole squares of distances."""
    if border == "neutral":
        distances = ndimage.distance_transform_edt(image, sampling=sampling)
    else:
        distances = ndimage.distance_transform_edt(numpy.pad(image, 1), sampling=sampling)[(slice(1, -1),) * image.ndim]
    return numpy.rint(distances**2).astype(int)


def painted(image, squares, sampling=None):
    """The largest square of a ball that covers each voxel: balls from small to large, each over what is there."""
    sampling = sampling or (1,) * image.ndim
    result = numpy.zeros(image.shape, int)
    axes = numpy.ogrid[tuple(slice(n) for n in image.shape)]
    for index in sorted(zip(*numpy.nonzero(squares)), key=lambda index: squares[index]):
        radius = int(squares[index] ** 0.5) + 1
        box = tuple(slice(max(0, i - radius), i + radius + 1) for i in index)
        away = sum(
            (h * (axis[tuple(part if n > 1 else slice(None) for part, n in zip(box, axis.shape))] - i)) ** 2
            for axis, i, h in zip(axes, index, sampling)
        )
        result[box][(away < squares[index]) & image[box]] = squares[index]
    return result


def curve(folder):
    with open(folder / "out.csv", newline="") as file:
        return [int(row["volume"]) for row in csv.DictReader(file)]


@pytest.mark.parametrize("border", ["background", "neutral"])
@pytest.mark.parametrize("shape, element", [((17, 25, 40), "ball"), ((40, 71), "disk"), ((8, 30, 35), "disk")])
def test_maps_and_curve_agree_with_the_definition(tamis, tmp_path, shape, element, border):
    image = blobs(shape, 1)
    written(tmp_path, image)
    maps = ["--map", "sizes.tif", "--map-radius", "radius.npy", "--map-width", "width.npy", "--map-diameter", "d.npy"]
    tamis("granulometry", "in.tif", "--element", element, "--border", border, "--csv", "out.csv", *maps)
    slices = image if element == "disk" and image.ndim == 3 else image[None]
    radius = numpy.sqrt([painted(part, squares_of(part, border)) for part in slices]).reshape(shape)
    numpy.testing.assert_array_equal(numpy.load(tmp_path / "radius.npy"), radius.astype(numpy.float32))
    numpy.testing.assert_array_equal(numpy.load(tmp_path / "d.npy"), (2 * radius).astype(numpy.float32))
    numpy.testing.assert_allclose(numpy.load(tmp_path / "width.npy"), numpy.where(image, 2 * radius - 1, 0), rtol=1e-6)
    sizes = numpy.ceil(radius - 1e-9).astype(int)
    numpy.testing.assert_array_equal(tifffile.imread(tmp_path / "sizes.tif"), sizes)
    assert curve(tmp_path) == [int((sizes > n).sum()) for n in range(sizes.max() + 1)]


def test_anisotropic_voxels_are_measured_in_their_unit(tamis, tmp_path):
    image = blobs((14, 30, 36), 2)
    written(tmp_path, image)
    told = tamis("granulometry", "in.tif", "--element", "ball", "--spacing", "2x2x5um", "--map-radius", "radius.npy",
                 "--json", "out.json")  # fmt: skip
    squares = painted(image, squares_of(image, "background", (5, 2, 2)), (5, 2, 2))
    numpy.testing.assert_allclose(numpy.load(tmp_path / "radius.npy"), numpy.sqrt(squares), rtol=1e-6)
    thickness = json.loads((tmp_path / "out.json").read_text())["thickness"]
    diameters = 2 * numpy.sqrt(squares[image])
    assert thickness["mean_diameter"] == pytest.approx(diameters.mean())
    assert thickness["standard_deviation"] == pytest.approx(diameters.std())
    assert thickness["largest_diameter"] == pytest.approx(diameters.max())
    assert thickness["mean_width"] == pytest.approx(diameters.mean() - 2)
    assert "the measure of BoneJ" in told.stdout


def test_little_memory_gives_the_same_maps(tamis, tmp_path):
    image = blobs((150, 100, 110), 3)
    written(tmp_path, image)
    tamis("granulometry", "in.tif", "--element", "ball", "--map-radius", "whole.npy", "--csv", "out.csv")
    whole = curve(tmp_path)
    tamis("granulometry", "in.tif", "--element", "ball", "--map-radius", "slabs.npy", "--csv", "out.csv", "--memory", "17M")
    assert curve(tmp_path) == whole
    numpy.testing.assert_array_equal(numpy.load(tmp_path / "slabs.npy"), numpy.load(tmp_path / "whole.npy"))


def test_pictures_plots_regions_and_both_conventions_go_with_balls(tamis, tmp_path):
    image = blobs((12, 60, 60), 4)
    written(tmp_path, image)
    for convention in ("porespy", "fiji"):
        tamis("granulometry", "in.tif", "--element", "ball", "--convention", convention, "--roi", "cylinder",
              "--crop", "5:60,0:60,0:10", "--plot", "out.svg", "--picture", "out.png", "--csv", "out.csv")  # fmt: skip
        assert curve(tmp_path)[-1] == 0
    tamis("granulometry", "in.tif", "in.tif", "--element", "disk", "--csv", "out.csv", "--phase", "dark")


@pytest.mark.parametrize(
    "options, words",
    [
        (["--element", "cube", "--map-radius", "a.npy"], ["--map-radius", "wanted --element ball or disk"]),
        (["--element", "cross", "--convention", "fiji"], ["--convention fiji", "wanted --element ball or disk"]),
        (["--element", "ball", "--spacing", "0.01x0.01x1e9um"], ["0.01x0.01x1e+09um", "ratio of whole numbers"]),
        (["--element", "ball", "--spacing", "1x1x2um", "--convention", "porespy"], ["equal sides"]),
    ],
)
def test_what_does_not_go_with_balls_is_refused(refused, tmp_path, options, words):
    written(tmp_path, blobs((6, 20, 20), 5))
    refused("granulometry", "in.tif", *options, words=words)


def test_balls_of_an_image_are_disks_and_the_report_says_so(tamis, tmp_path):
    written(tmp_path, blobs((20, 20), 5))
    tamis("granulometry", "in.tif", "--element", "disk", "--csv", "out.csv")
    disks = curve(tmp_path)
    told = tamis("granulometry", "in.tif", "--element", "ball", "--csv", "out.csv")
    assert curve(tmp_path) == disks and "balls of an image are disks" in told.stdout + told.stderr


@pytest.mark.extra
@pytest.mark.parametrize("scan", [None, "qim3d_cement_128x128x128.tif", "qim3d_bone_128x128x128.tif"])
def test_the_convention_of_porespy_is_that_of_porespy(tamis, tmp_path, porespy, request, scan):
    image = blobs((40, 50, 60), 6)
    if scan:
        grey = tifffile.imread(request.getfixturevalue("data") / "volumes" / scan)
        image = grey > numpy.median(grey)
    written(tmp_path, image)
    tamis("granulometry", "in.tif", "--element", "ball", "--border", "neutral", "--convention", "porespy",
          "--map-radius", "radius.npy")  # fmt: skip
    found = porespy.filters.local_thickness(image, method="dt", smooth=True, sizes=list(range(100, 0, -1)))
    numpy.testing.assert_array_equal(numpy.load(tmp_path / "radius.npy"), found)


def test_only_listed_radii(tamis, tmp_path):
    image = blobs((17, 25, 40), 8, 0.8)
    written(tmp_path, image)
    told = tamis("granulometry", "in.tif", "--element", "ball", "--sizes", "5,2,4", "--map", "sizes.npy",
                 "--map-radius", "radius.npy", "--csv", "out.csv", "--plot", "out.svg", "--json", "out.json")  # fmt: skip
    squares = squares_of(image, "background")
    listed = numpy.select([squares >= n * n for n in (5, 4, 2)], [25, 16, 4], 0)
    radius = numpy.sqrt(painted(image, listed))
    assert (image & (radius == 0)).any()
    numpy.testing.assert_array_equal(numpy.load(tmp_path / "radius.npy"), radius)
    numpy.testing.assert_array_equal(numpy.load(tmp_path / "sizes.npy"), numpy.where(image, radius.clip(1), 0))
    with open(tmp_path / "out.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [int(row["size"]) for row in rows] == [0, 2, 4, 5]
    assert curve(tmp_path) == [image.sum(), *((radius > n).sum() for n in (2, 4, 5))]
    report = json.loads((tmp_path / "out.json").read_text())
    assert report["size"] == [0, 2, 4, 5]
    assert report["thickness"]["mean_diameter"] == pytest.approx(2 * radius[image].mean())
    assert report["parameters"]["sizes"] == [2, 4, 5]
    assert "    4 " in told.stdout


@pytest.mark.parametrize(
    "options, words",
    [
        (["--element", "cube", "--sizes", "2,4"], ["--sizes 2,4", "wanted --element ball or disk"]),
        (["--element", "ball", "--sizes", "2,0"], ["--sizes 2,0", "wanted whole numbers, 1 to 65534"]),
        (["--element", "ball", "--sizes", "2,,3"], ["--sizes 2,,3", "wanted whole numbers"]),
        (["--element", "ball", "--sizes", "1.5"], ["--sizes 1.5", "wanted whole numbers"]),
        (["--element", "ball", "--sizes", "2", "--max-size", "3"], ["--sizes excludes --max-size"]),
    ],
)
def test_radii_that_cannot_be_listed_are_refused(refused, tmp_path, options, words):
    written(tmp_path, blobs((6, 20, 20), 5))
    refused("granulometry", "in.tif", *options, words=words)
