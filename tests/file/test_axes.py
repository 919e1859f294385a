"""Axes that say nothing, slices that are called otherwise, and raw files with something in front."""

import gzip

import h5py
import nibabel
import numpy
import pytest
import tifffile
import zarr

VOLUME = numpy.random.default_rng(4).integers(0, 4000, (5, 12, 17)).astype("u2")
SHAPES = {(1, 5, 12, 17): 3, (5, 12, 17, 1): 3, (1, 5, 12, 17, 1): 3, (1, 1, 5, 12, 17): 3, (1, 1, 60, 17): 2,
          (60, 17, 1, 1): 2, (1, 1, 1, 1020): 2}


@pytest.mark.parametrize("shape", SHAPES)
def test_axes_of_one_sample_are_left_out(samples, tmp_path, shape):
    array = VOLUME.reshape(shape)
    kept = [edge for edge in shape if edge > 1]
    wanted = array.reshape(kept if len(kept) > 1 else (1, *kept))
    numpy.save(tmp_path / "c.npy", array)
    numpy.save(tmp_path / "f.npy", numpy.asfortranarray(array))
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["plain"] = array
        chunks = tuple(min(edge, 7) for edge in shape)
        file.create_dataset("chunks", data=array, chunks=chunks, compression="gzip", shuffle=True)
        file.create_dataset("big", data=array.astype(">u2"), chunks=chunks)
        file.create_dataset("deep", data=array, chunks=tuple(2 if edge == 1 else edge for edge in shape),
                            maxshape=(None,) * len(shape), compression="gzip")
        file.create_dataset("lzf", data=array, chunks=chunks, compression="lzf")
    for version in (2, 3):
        zarr.create_array(tmp_path / f"{version}.zarr", data=array, chunks=chunks, zarr_format=version)
    for name in ("c.npy", "f.npy", "a.h5:/plain", "a.h5:/chunks", "a.h5:/big", "a.h5:/deep", "a.h5:/lzf", "2.zarr", "3.zarr"):
        got = samples(name)
        assert got.shape == wanted.shape, name
        numpy.testing.assert_array_equal(got, wanted, name)


def test_what_is_left_has_to_be_an_image(samples, refused, tmp_path):
    for shape in ((2, 3, 4, 5), (1020,), (1, 3, 4, 17, 5)):
        array = numpy.resize(VOLUME, shape)
        numpy.save(tmp_path / "a.npy", array)
        refused("info", "a.npy", words=["dimensions", "wanted 2 or 3"])
        with h5py.File(tmp_path / "a.h5", "w") as file:
            file["a"] = array
        refused("info", "a.h5", words=["wanted", "2 or 3 dimensions"])
        zarr.create_array(tmp_path / "a.zarr", data=array, overwrite=True)
        refused("info", "a.zarr", words=["wanted (y, x) or (z, y, x)"])
    numpy.save(tmp_path / "a.npy", VOLUME[:1])
    assert samples("a.npy").shape == (1, 12, 17)


def test_hdf5_has_the_voxel_size_of_the_axes_that_stay(tamis, tmp_path):
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["a"] = VOLUME[None, ..., None]
        file["a"].attrs["element_size_um"] = [2.0, 0.75, 0.5]
        file["b"] = VOLUME[None, ..., None]
        file["b"].attrs["spacing"] = [1, 2.0, 0.75, 0.5, 1]
        file["b"].attrs["unit"] = "um"
    for name in "ab":
        assert "0.5 x 0.75 x 2 µm" in tamis("info", f"a.h5:/{name}").stdout


def test_times_and_channels_that_are_slices(samples, refused, tmp_path):
    tifffile.imwrite(tmp_path / "t.ome.tif", VOLUME[:, None], ome=True, metadata={"axes": "TZYX"})
    tifffile.imwrite(tmp_path / "c.ome.tif", VOLUME, ome=True, metadata={"axes": "CYX"})
    tifffile.imwrite(tmp_path / "t.tif", VOLUME, imagej=True, metadata={"axes": "TYX"})
    tifffile.imwrite(tmp_path / "packed.tif", VOLUME, imagej=True, metadata={"axes": "TYX"}, compression="zlib")
    nibabel.save(nibabel.Nifti1Image(VOLUME.T[:, :, None, :], numpy.eye(4)), tmp_path / "t.nii")
    group = zarr.create_group(tmp_path / "t.zarr")
    group.create_array("0", data=VOLUME[:, None, None], chunks=(2, 1, 1, 6, 8))
    axes = [{"name": name} for name in "tczyx"]
    group.attrs["ome"] = {"version": "0.5", "multiscales": [{"axes": axes, "datasets": [{"path": "0", "coordinateTransformations": [
        {"type": "scale", "scale": [1, 1, 1, 1, 1]}]}]}]}
    for name in ("t.ome.tif", "t.tif", "packed.tif", "t.nii", "t.zarr"):
        refused("convert", name, "out.npy", words=["5 times", "--time"])
        for axes in ("zyx", "tyx"):
            numpy.testing.assert_array_equal(samples(name, "--axes", axes), VOLUME)
    for axes in ("zyx", "cyx"):
        numpy.testing.assert_array_equal(samples("c.ome.tif", "--axes", axes), VOLUME)
    tifffile.imwrite(tmp_path / "both.tif", numpy.stack([VOLUME, VOLUME + 1], 1), imagej=True, metadata={"axes": "TCYX"})
    numpy.testing.assert_array_equal(samples("both.tif", "--axes", "zyx", "--channel", 1), VOLUME + 1)
    refused("convert", "both.tif", "out.npy", "--axes", "cyx", words=["2 channels and 5 times", "--axes"])
    tifffile.imwrite(tmp_path / "full.tif", numpy.stack([VOLUME, VOLUME + 1]), imagej=True, metadata={"axes": "TZYX"})
    refused("convert", "full.tif", "out.npy", "--axes", "tyx", words=["5 slices", "2 times", "--axes"])
    refused("convert", "full.tif", "out.npy", "--axes", "zyx", words=["2 times", "--time"])
    refused("convert", "full.tif", "out.npy", "--axes", "xyz", words=["--axes xyz", "zyx, tyx or cyx"])
    numpy.save(tmp_path / "a.npy", VOLUME)
    numpy.testing.assert_array_equal(samples("a.npy", "--axes", "zyx"), VOLUME)
    refused("convert", "a.npy", "out.tif", "--axes", "tyx", words=["--axes", "NumPy has none"])


def test_bytes_before_raw_samples_are_skipped(samples, refused, tamis, tmp_path):
    for skip in (1, 512, 513):
        (tmp_path / "a_17x12x5_u16.raw").write_bytes(b"h" * skip + VOLUME.tobytes())
        (tmp_path / "a_17x12x5_u16.raw.gz").write_bytes(gzip.compress(b"h" * skip + VOLUME.tobytes()))
        for name in ("a_17x12x5_u16.raw", "a_17x12x5_u16.raw.gz"):
            numpy.testing.assert_array_equal(samples(name, "--skip", skip), VOLUME)
            numpy.testing.assert_array_equal(samples(name, "--skip", skip, "--crop", "0:17,0:12,3:5"), VOLUME[3:])
            for wrong in (skip - 1, skip + 1):
                refused("info", name, "--skip", wrong, words=["got 2"])
            refused("info", name, "--skip", 2**63 - 1, words=["larger than any file"])
        assert f"{skip} bytes skipped" in tamis("info", "a_17x12x5_u16.raw", "--skip", skip).stdout
    refused("info", "a_17x12x5_u16.raw", words=["got 2553 bytes, wanted 2040", "--skip 513"])
    refused("info", "a_17x12x5_u16.raw", "--skip", -1, words=["--skip -1", "0 or more"])
    numpy.save(tmp_path / "a.npy", VOLUME)
    refused("info", "a.npy", "--skip", 3, words=["a.npy", "--skip 3", "raw files"])
