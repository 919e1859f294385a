"""TIFF as the program writes it compressed, read by tifffile, Pillow and tamis itself."""

import os

import numpy
import pytest
import tifffile
from PIL import Image

TYPES = ["bool", "u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", "f4", "f8"]
COMPRESSIONS = {"deflate": 8, "zstd": 50000}


def ramp(dtype, shape=(5, 70, 333)):
    grey = numpy.add.outer(numpy.add.outer(numpy.arange(shape[0]), numpy.arange(shape[1])), numpy.arange(shape[2]))
    noise = numpy.random.default_rng(3).integers(0, 7, shape)
    return (grey + noise) % 3 == 0 if dtype == "bool" else (grey + noise).astype(dtype)


@pytest.mark.parametrize("compress", COMPRESSIONS)
@pytest.mark.parametrize("dtype", TYPES)
def test_every_type_is_read_by_tifffile_and_by_tamis(tamis, samples, tmp_path, compress, dtype):
    wanted = ramp(dtype)
    numpy.save(tmp_path / "a.npy", wanted)
    tamis("convert", "a.npy", "a.tif", "--compress", compress, "--spacing", "0.5x0.75x2um")
    with tifffile.TiffFile(tmp_path / "a.tif") as file:
        got = file.asarray()
        page = file.pages[0]
        assert page.compression == COMPRESSIONS[compress] and len(file.pages) == 5 and not file.is_bigtiff
        assert file.imagej_metadata["spacing"] == 2.0 and file.imagej_metadata["slices"] == 5
        assert page.predictor == (2 if dtype in ("u2", "i2", "u1", "i1") else 1)
    stored = wanted.astype("u1") * 255 if dtype == "bool" else wanted
    numpy.testing.assert_array_equal(got, stored)
    assert got.dtype == stored.dtype
    numpy.testing.assert_array_equal(samples("a.tif"), stored)
    assert (tmp_path / "a.tif").stat().st_size < wanted.nbytes


def test_differences_are_left_out_where_they_do_not_help(tamis, tmp_path):
    random = numpy.random.default_rng(1)
    labels = random.choice([3, 60, 9, 200], (3, 200, 300)).astype("u1")
    numpy.save(tmp_path / "a.npy", labels)
    tamis("convert", "a.npy", "a.tif", "--compress", "deflate")
    with tifffile.TiffFile(tmp_path / "a.tif") as file:
        assert file.pages[0].predictor == 1
        numpy.testing.assert_array_equal(file.asarray(), labels)


@pytest.mark.parametrize("compress", COMPRESSIONS)
def test_pictures_of_many_strips_and_in_colour(tamis, tmp_path, compress):
    colour = ramp("u1", (1, 1500, 2100))[0, :, :, None] + numpy.arange(3, dtype="u1") * 50
    Image.fromarray(colour).save(tmp_path / "in.png")
    tamis("erode", "in.png", "out.tif", "--element", "rect:1x1", "--compress", compress)
    with tifffile.TiffFile(tmp_path / "out.tif") as file:
        numpy.testing.assert_array_equal(file.asarray(), colour)
        assert len(file.pages[0].dataoffsets) == 19 and file.pages[0].rowsperstrip == 83
    if compress == "deflate":
        numpy.testing.assert_array_equal(numpy.asarray(Image.open(tmp_path / "out.tif")), colour)


def test_filters_in_slabs_write_compressed_and_go_on_anew(tamis, tmp_path):
    wanted = ramp("u2", (60, 90, 110))
    numpy.save(tmp_path / "in.npy", wanted)
    tamis("erode", "in.npy", "slabs.tif", "--element", "box:1x1x1", "--memory", "2", "--compress", "zstd")
    numpy.testing.assert_array_equal(tifffile.imread(tmp_path / "slabs.tif"), wanted)
    tamis("erode", "in.npy", "slabs.tif", "--element", "box:1x1x1", "--memory", "2", "--compress", "zstd", "--resume")
    numpy.testing.assert_array_equal(tifffile.imread(tmp_path / "slabs.tif"), wanted)
    assert sorted(os.listdir(tmp_path)) == ["in.npy", "slabs.tif"]


def test_what_cannot_be_compressed_is_refused(refused, tmp_path):
    numpy.save(tmp_path / "a.npy", ramp("u1"))
    for name, words in (("a.png", "PNG"), ("a.h5", "HDF5"), ("a.nii", "NIfTI"), ("a.zarr", "Zarr")):
        refused("convert", "a.npy", name, "--compress", "zstd", words=[name, "--compress", words, "wanted .tif"])
    refused("convert", "a.npy", "a.tif", "--compress", "lzw", words=["--compress lzw", "deflate or zstd"])
    os.mkfifo(tmp_path / "pipe.tif")
    refused("convert", "a.npy", "pipe.tif", "--compress", "zstd", words=["pipe.tif", "pipe", "wanted a file"])
