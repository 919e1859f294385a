"""--mask of filters: what the Python tests compare with SciPy, from files to files."""

import json

import numpy
import pytest
import tifffile

import median_oracle
from test_morphology import noise


@pytest.fixture
def masked(tmp_path):
    """Writes image.npy and mask.npy."""
    def write(image, mask):
        numpy.save(tmp_path / "image.npy", image)
        numpy.save(tmp_path / "mask.npy", mask)
    return write


def test_medians_see_what_is_inside(tamis, tmp_path, masked):
    image = noise((23, 41), numpy.uint16)
    mask = noise(image.shape, bool)
    masked(image, mask.astype(numpy.uint8) * 9)
    tamis("median", "image.npy", "out.npy", "--size", "5", "--mask", "mask.npy", "--json", "told.json")
    found = median_oracle.step(numpy.where(mask, image, numpy.nan), median_oracle.box(5, 5))
    wanted = numpy.where(numpy.isnan(found), image, found).astype(image.dtype)
    numpy.testing.assert_array_equal(numpy.load(tmp_path / "out.npy"), wanted)
    assert json.loads((tmp_path / "told.json").read_text())["parameters"]["mask"] == "mask.npy"


def test_one_slice_is_a_mask_for_all_and_a_crop_is_one_of_both(tamis, tmp_path, masked):
    image, mask = noise((5, 20, 30), numpy.uint8), noise((1, 20, 30), bool)
    masked(image, mask)
    tamis("erode", "image.npy", "whole.npy", "--element", "ball:2", "--mask", "mask.npy")
    masked(image, numpy.repeat(mask, 5, axis=0))
    tamis("erode", "image.npy", "slices.npy", "--element", "ball:2", "--mask", "mask.npy")
    numpy.testing.assert_array_equal(numpy.load(tmp_path / "whole.npy"), numpy.load(tmp_path / "slices.npy"))
    tamis("erode", "image.npy", "cropped.npy", "--element", "ball:2", "--mask", "mask.npy", "--crop", "2:20,3:17,1:4")
    masked(image[1:4, 3:17, 2:20], numpy.repeat(mask, 3, axis=0)[:, 3:17, 2:20])
    tamis("erode", "image.npy", "part.npy", "--element", "ball:2", "--mask", "mask.npy")
    numpy.testing.assert_array_equal(numpy.load(tmp_path / "cropped.npy"), numpy.load(tmp_path / "part.npy"))


@pytest.mark.parametrize("one_slice", [False, True])
@pytest.mark.parametrize("options", [["open", "--element", "ball:2"], ["median", "--size", "3", "--border", "mirror"],
                                     ["median", "--size", "3x3x1", "--border", "wrap"], ["erode", "--batch"]])
def test_slabs_have_the_results_of_the_whole(tamis, tmp_path, masked, options, one_slice):
    image = noise((60, 90, 80), numpy.uint16)
    masked(image, noise((1 if one_slice else 60, 90, 80), bool))
    tamis(options[0], "image.npy", "whole.npy", *options[1:], "--mask", "mask.npy")
    told = tamis(options[0], "image.npy", "slabs.npy", *options[1:], "--mask", "mask.npy", "--memory", "2M")
    assert "slabs" in told.stdout
    numpy.testing.assert_array_equal(numpy.load(tmp_path / "slabs.npy"), numpy.load(tmp_path / "whole.npy"))


def test_colour_has_one_mask_for_all_channels(tamis, tmp_path, masked):
    colour, mask = noise((20, 30, 3), numpy.uint8), noise((20, 30), bool)
    tifffile.imwrite(tmp_path / "colour.tif", colour, photometric="rgb")
    masked(colour[..., 0], mask)
    tamis("median", "colour.tif", "out.tif", "--size", "3", "--mask", "mask.npy")
    found = tifffile.imread(tmp_path / "out.tif")
    for channel in range(3):
        masked(colour[..., channel], mask)
        tamis("median", "image.npy", "one.npy", "--size", "3", "--mask", "mask.npy")
        numpy.testing.assert_array_equal(found[..., channel], numpy.load(tmp_path / "one.npy"))


def test_masks_that_are_none_are_refused(refused, masked):
    masked(noise((7, 9), numpy.uint8), numpy.ones((7, 8), bool))
    refused("median", "image.npy", "out.npy", "--mask", "mask.npy", words=["mask.npy: --mask is 8x7; wanted 9x7"])
    refused("median", "image.npy", "out.npy", "--mask", "missing.npy", words=["missing.npy"])
    masked(noise((7, 9), numpy.uint8), numpy.ones((7, 9), bool))
    refused("open", "image.npy", "out.npy", "--mask", "mask.npy", "--by-reconstruction",
            words=["--mask with --by-reconstruction"])
    refused("reconstruct", "image.npy", "image.npy", "out.npy", "--mask", "mask.npy", words=["--mask"])


def test_memory_for_the_filter_is_counted_before_anything_is_read(refused, masked):
    masked(noise((300, 400), numpy.uint8), numpy.ones((300, 400), bool))
    refused("median", "image.npy", "out.npy", "--mask", "mask.npy", "--memory", "400K", words=["memory"])
