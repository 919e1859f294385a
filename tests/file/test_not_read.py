"""Files that are not read say which they are, and what to do about it."""

import h5py
import numpy
import pytest
import scipy.io
import scipy.sparse
import zarr
from PIL import Image

import tamis as package

MATRIX = scipy.sparse.random(20, 30, 0.1, format="csr", random_state=1)


def hdf5(path, head=b"", **attributes):
    with h5py.File(path, "w", userblock_size=512) as file:
        group = file.create_group("a")
        group.attrs.update(attributes)
        for name, part in (("data", MATRIX.data), ("indices", MATRIX.indices), ("indptr", MATRIX.indptr)):
            group[name] = part
    with open(path, "r+b") as file:
        file.write(head)


def anndata(path):
    group = zarr.open_group(path, mode="w", zarr_format=2)
    group.attrs.update({"encoding-type": "csr_matrix", "shape": [20, 30]})
    for name, part in (("data", MATRIX.data), ("indices", MATRIX.indices), ("indptr", MATRIX.indptr)):
        group.create_array(name, data=part)


def nrrd(path, data):
    path.write_text(f"NRRD0004\ntype: uint8\ndimension: 3\nsizes: 3 4 2\nencoding: raw\ndata file: {data}\n")


def meta(path, data):
    path.write_text(f"ObjectType = Image\nNDims = 3\nDimSize = 3 4 2\nElementType = MET_UCHAR\nElementDataFile = {data}\n")


def picture(path):
    Image.fromarray(numpy.zeros((9, 9), "uint8")).save(path)


FILES = {
    "a.gif": (picture, ["a GIF file, which is not read", "PNG, or a TIFF stack"]),
    "a.webp": (picture, ["a WebP file, which is not read"]),
    "a.jp2": (picture, ["a JPEG 2000 file, which is not read"]),
    "sparse.npz": (lambda path: scipy.sparse.save_npz(path, MATRIX), ["zip (.npz of NumPy, sparse matrices of SciPy)", ".npy"]),
    "arrays.npz": (lambda path: numpy.savez(path, a=numpy.zeros((3, 4))), ["zip (.npz of NumPy"]),
    "old.mat": (lambda path: scipy.io.savemat(path, {"a": MATRIX}), ["MATLAB of before 7.3 file, which is not read", "-v7.3"]),
    "new.mat": (lambda path: hdf5(path, b"MATLAB 7.3 MAT-file".ljust(124) + b"\0\2IM", MATLAB_sparse=30), ["sparse matrices are not read"]),
    "a.h5": (hdf5, ["got 0 datasets", "sparse matrices are not read"]),
    "a.mtx": (lambda path: scipy.io.mmwrite(str(path), MATRIX), ["Matrix Market (sparse matrix)"]),
    "a.zarr": (anndata, ["a sparse matrix in Zarr", "csr_matrix", "wanted a dense array"]),
    "list.nhdr": (lambda path: nrrd(path, "LIST\na.raw\nb.raw"), ["NRRD with its samples in several files (data file: LIST)"]),
    "flat.nhdr": (lambda path: nrrd(path, "LIST 2\na.raw\nb.raw"), ["NRRD with its samples in several files (data file: LIST 2)"]),
    "pattern.nhdr": (lambda path: nrrd(path, "s%03d.raw 1 2 1"), ["NRRD with its samples in several files (data file: s%03d.raw 1 2 1)"]),
    "list.mhd": (lambda path: meta(path, "LIST\na.raw\nb.raw"), ["MetaImage with its samples in several files, ElementDataFile = LIST"]),
    "pattern.mhd": (lambda path: meta(path, "s%03d.raw 1 2 1"), ["MetaImage with its samples in several files", "s%03d.raw 1 2 1"]),
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_is_not_read_says_which_it_is(refused, tmp_path, name):
    make, words = FILES[name]
    make(tmp_path / name)
    refused("convert", name, "out.npy", words=[name, *words])
    with pytest.raises(ValueError) as error:
        package.read(tmp_path / name)
    assert all(word in str(error.value) for word in words), error.value


def test_another_format_under_a_known_name_is_named(refused, tmp_path):
    picture(tmp_path / "a.gif")
    (tmp_path / "a.gif").rename(tmp_path / "a.png")
    refused("info", "a.png", words=["got a GIF file, which is not read", "wanted PNG as the name says"])
