"""Damaged files of every kind: tamis.read reads them or says in one line why not; it neither hangs nor eats memory."""

import gzip
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy
import pytest
import tamis

SCRIPT = Path(__file__).with_name("python_damage.py")
CASES = 30  # of each file: the fuzzers have millions

h5py = pytest.importorskip("h5py")
pytest.importorskip("nibabel")
pydicom = pytest.importorskip("pydicom")
tifffile = pytest.importorskip("tifffile")


def make_files(folder):
    grey = (numpy.random.default_rng(1).random((4, 9, 11)) * 200).astype(numpy.uint8)
    wide = grey.astype(numpy.uint16) * 100
    for name in ("a.npy", "a.tif", "a.h5", "a.nii", "a.nrrd", "a.mha"):
        tamis.write(folder / name, wide, **({} if name == "a.npy" else {"spacing": "1x2x3um"}))
    for name in ("a.png", "a.pgm"):
        tamis.write(folder / name, grey[0])
    tamis.write(folder / "a.pbm", grey[0] > 100)
    tifffile.imwrite(folder / "zip.tif", wide, compression="zlib", predictor=True, photometric="minisblack")
    tifffile.imwrite(folder / "imagej.tif", grey, imagej=True, photometric="minisblack")
    tifffile.imwrite(folder / "tiles.tif", grey, compression="lzw", tile=(16, 16), photometric="minisblack")
    tifffile.imwrite(folder / "ome.ome.tif", wide[None, :, None], metadata={"axes": "TZCYX"}, photometric="minisblack")
    tifffile.imwrite(folder / "big.tif", wide, bigtiff=True, photometric="minisblack")
    tifffile.imwrite(folder / "rgb.tif", numpy.stack([grey[0]] * 3, -1), photometric="rgb")
    for name, version, more in (("new.h5", "latest", {}), ("old.h5", "earliest", {"fletcher32": True})):
        with h5py.File(folder / name, "w", libver=version) as file:
            file.create_dataset("x/y", data=wide, chunks=(2, 4, 4), compression="gzip", shuffle=True, **more)
            file["x/s"] = h5py.SoftLink("/x/y")
    for name in ("CT_small.dcm", "MR_small_RLE.dcm"):
        shutil.copy(pydicom.data.get_testdata_file(name), folder)
    with gzip.open(folder / "a_11x9x4_u16.raw.gz", "wb") as file:
        file.write(wide.tobytes())
    return sorted(folder.iterdir())


def test_damaged_files_are_read_or_refused_in_one_line(tmp_path):
    paths = make_files(tmp_path)
    command = [sys.executable, SCRIPT, "1", str(CASES), *paths]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, env=dict(os.environ))
    last = (tmp_path / "case").read_text()
    assert done.returncode == 0, f"{last}: {done.stderr[-500:]}"
    assert done.stdout == ""


@pytest.mark.parametrize("name", ["a.tif", "zip.tif", "imagej.tif", "big.tif", "ome.ome.tif", "a.npy", "a.nii", "a.nrrd", "a.mha", "a.h5",
                                  "a.png", "a_11x9x4_u16.raw.gz"])
def test_a_file_that_is_cut_off_is_never_a_smaller_image(tmp_path, name):
    make_files(tmp_path)
    path = tmp_path / name
    whole, content = tamis.read(path), path.read_bytes()
    for length in range(0, len(content), max(1, len(content) // 40)):
        path.write_bytes(content[:length])
        try:
            array = tamis.read(path)
        except (tamis.InputError, tamis.ResourceError):
            continue
        numpy.testing.assert_array_equal(array, whole)


@pytest.mark.parametrize("shape", [(40, 50), (7, 40, 50)])
@pytest.mark.parametrize("dtype", ["u1", "<u2", ">u2", "<f4", "<f8", "i8", "?"])
@pytest.mark.parametrize("filters", [{}, {"compression": 4}, {"compression": 4, "shuffle": True}, {"fletcher32": True},
                                     {"compression": "lzf"}])
def test_chunks_of_hdf5_are_read_as_h5py_reads_them(tmp_path, shape, dtype, filters):
    image = (numpy.random.default_rng(2).random(shape) * 100).astype(dtype)
    with h5py.File(tmp_path / "a.h5", "w") as file:
        chunks = (3, 16, 17)[-len(shape):]
        file.create_dataset("whole", data=image, chunks=chunks, **filters)
        sparse = file.create_dataset("sparse", shape, dtype, chunks=chunks, fillvalue=1, **filters)
        sparse[..., :16, :17] = image[..., :16, :17]
    with h5py.File(tmp_path / "a.h5") as file:
        for name in ("whole", "sparse"):
            read = tamis.read(f"{tmp_path}/a.h5:/{name}")
            numpy.testing.assert_array_equal(read, file[name][()])
            assert read.dtype == image.dtype.newbyteorder("=")


def test_headers_that_ask_for_more_than_there_is_are_refused_before_anything_is_allocated(tmp_path):
    huge = (1 << 20, 1 << 20, 1 << 10)
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file.create_dataset("a", huge, "u1", chunks=(1, 1024, 1024))
    nibabel = pytest.importorskip("nibabel")
    header = nibabel.Nifti1Header()
    header.set_data_shape((32767, 32767, 32767))
    (tmp_path / "a.nii").write_bytes(header.binaryblock + bytes(4))
    with gzip.open(tmp_path / "b.nii.gz", "wb") as file:
        file.write(header.binaryblock + bytes(4))
    (tmp_path / "a_999999x999999x999999_u8.raw.gz").write_bytes(gzip.compress(bytes(10)))
    for path in sorted(tmp_path.iterdir()):
        with pytest.raises((tamis.InputError, tamis.ResourceError), match=path.name):
            tamis.read(path)
