"""Files through the libraries that people have: tifffile, h5py, zarr, nibabel, pydicom, imageio."""

from __future__ import annotations

import importlib
import os
import re
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy
import numpy.typing

from ._native import EnvironmentError, InputError
from ._raw import read_raw, write_raw

_PICTURES = (".png", ".jpg", ".jpeg", ".pgm", ".pbm", ".ppm", ".pnm", ".bmp", ".gif")
_HDF5 = re.compile(r"^(.*\.(?:h5|hdf5|nxs))(?::(/.*))?$", re.IGNORECASE)


def read(
    path: str | os.PathLike[str],
    *,
    shape: str | tuple[int, ...] | None = None,
    dtype: numpy.typing.DTypeLike | None = None,
    byte_order: str = "little",
    lazy: bool = False,
) -> Any:
    """An image or volume from a file, axes (y, x) or (z, y, x).

    Parameters
    ----------
    path : str or path
        .npy, .raw, .raw.gz, .tif, .tiff; 'file.h5:/dataset'; a folder .zarr; .nii, .nii.gz; .dcm, or a folder of
        slices of DICOM, TIFF or PNG in the order of their names; .png, .jpg, .pgm and other pictures.
    shape : str or tuple, optional
        Of a raw file: '600x600x250', x first, or (250, 600, 600). Otherwise read off a name such as
        foam_600x600x250_u8.raw.
    dtype : dtype or str, optional
        Of a raw file: 'u8', 'u16', 'i16', 'f32' ... or a NumPy type. Otherwise read off the name.
    byte_order : str
        Of a raw file: 'little' or 'big'.
    lazy : bool
        Leave the samples where they are: raw, .npy and plain TIFF files are mapped, HDF5 and Zarr arrays are returned
        open. `granulometry` and `threshold` take them all.

    Returns
    -------
    array
        A NumPy array; with `lazy` what there is: numpy.memmap, h5py.Dataset or zarr.Array.

    Raises
    ------
    InputError
        For a file that is missing or cannot be understood. EnvironmentError where a library is missing.

    Examples
    --------
    >>> import numpy, tamis
    >>> tamis.write("made_4x3_u16.raw", numpy.arange(12, dtype=numpy.uint16).reshape(3, 4))
    >>> tamis.read("made_4x3_u16.raw")[2]
    array([ 8,  9, 10, 11], dtype=uint16)
    """
    name = os.fspath(path)
    lower = name.lower()
    if (hdf5 := _HDF5.match(name)) is not None:
        return _read_hdf5(hdf5[1], hdf5[2], lazy)
    if not os.path.exists(name):
        raise InputError(f"{name}: there is no such file")
    if lower.endswith((".raw", ".raw.gz")):
        return read_raw(name, shape, dtype, byte_order, lazy)
    if shape is not None or dtype is not None:
        raise InputError(f"{name}: shape and dtype are for raw files; wanted none")
    return _reader_of(name, lower)(name, lazy)


def _reader_of(name: str, lower: str) -> Callable[[str, bool], Any]:
    if lower.rstrip("/").endswith(".zarr"):
        return _read_zarr
    if os.path.isdir(name):
        return _read_folder
    for endings, reader in _READERS.items():
        if lower.endswith(endings):
            return reader
    known = ".npy, .raw, .tif, .h5, .zarr, .nii, .dcm, .png and other pictures"
    raise InputError(f"{name}: not a kind of file that is known here; wanted {known}")


def _need(library: str) -> Any:
    try:
        return importlib.import_module(library)
    except ImportError as error:
        raise EnvironmentError(f"this kind of file needs {library}: pip install 'tamis[io]'") from error


def _read_npy(name: str, lazy: bool) -> numpy.ndarray:
    try:
        return numpy.load(name, mmap_mode="r" if lazy else None, allow_pickle=False)
    except ValueError as error:
        raise InputError(f"{name}: {error}") from error


def _read_tiff(name: str, lazy: bool) -> numpy.ndarray:
    tifffile = _need("tifffile")
    try:
        if lazy:
            return tifffile.memmap(name, mode="r")
        return tifffile.imread(name)
    except (tifffile.TiffFileError, ValueError) as error:
        raise InputError(f"{name}: {str(error).splitlines()[0]}") from error


def _read_hdf5(name: str, dataset: str | None, lazy: bool) -> Any:
    h5py = _need("h5py")
    if not os.path.exists(name):
        raise InputError(f"{name}: there is no such file")
    try:
        file = h5py.File(name, "r")
    except OSError as error:
        raise InputError(f"{name}: {error}") from error
    found: list[str] = []

    def note(path: str, item: Any) -> None:
        if isinstance(item, h5py.Dataset) and item.ndim > 1:
            found.append(f"/{path}")

    file.visititems(note)
    chosen = dataset or (found[0] if len(found) == 1 else None)
    if chosen is None or chosen not in file:
        file.close()
        raise InputError(f"{name}: wanted one of its datasets, {name}:NAME: {', '.join(found) or 'there is none'}")
    if lazy:
        return file[chosen]  # keeps the file open
    with file:
        return file[chosen][()]


def _read_zarr(name: str, lazy: bool) -> Any:
    array = _need("zarr").open(name, mode="r")
    # A group, an OME-Zarr image for one, is returned open: granulometry finds its level.
    return array if lazy or not hasattr(array, "shape") else array[:]


def _read_nifti(name: str, lazy: bool) -> numpy.ndarray:
    data = _need("nibabel").load(name).dataobj
    return numpy.asanyarray(data).T  # NIfTI has x first; the samples stay where they are


def _read_dicom(name: str, lazy: bool) -> numpy.ndarray:
    return _need("pydicom").dcmread(name).pixel_array


def _read_picture(name: str, lazy: bool) -> numpy.ndarray:
    return numpy.asarray(_need("imageio.v3").imread(name))


_READERS: dict[str | tuple[str, ...], Callable[[str, bool], Any]] = {
    ".npy": _read_npy,
    (".tif", ".tiff"): _read_tiff,
    (".nii", ".nii.gz"): _read_nifti,
    (".dcm", ".ima"): _read_dicom,
    _PICTURES: _read_picture,
}


def _read_folder(name: str, lazy: bool) -> numpy.ndarray:
    def natural(path: Path) -> list[Any]:
        return [(int(part), "") if part.isdigit() else (0, part) for part in re.split(r"(\d+)", path.name)]

    endings = (".tif", ".tiff", ".dcm", ".ima", *_PICTURES)
    paths = sorted((p for p in Path(name).iterdir() if p.name.lower().endswith(endings)), key=natural)
    if not paths:
        raise InputError(f"{name}: a folder without slices; wanted {', '.join(endings[:4])}, .png ...")
    slices = [_reader_of(str(path), path.name.lower())(str(path), False) for path in paths]
    for path, one in zip(paths, slices, strict=True):
        if one.shape != slices[0].shape or one.dtype != slices[0].dtype:
            raise InputError(
                f"{path}: {one.shape} {one.dtype}; wanted {slices[0].shape} {slices[0].dtype} like the first"
            )
    return numpy.stack(slices)


def write(path: str | os.PathLike[str], image: Any) -> None:
    """Writes an array; the ending chooses the format. The file appears whole or not at all.

    Parameters
    ----------
    path : str or path
        .npy, .raw, .tif, .tiff, 'file.h5:/dataset', .zarr, .nii, .nii.gz, .png and other pictures. HDF5 and Zarr make
        a new file.
    image : array, shape (y, x) or (z, y, x)
        Bool becomes 0 and 255 of uint8, but in .npy, HDF5 and Zarr, which have it.

    Raises
    ------
    InputError
        For an ending that is not known, and arrays that are no image. EnvironmentError where a library is missing.

    Examples
    --------
    >>> import numpy, tamis
    >>> tamis.write("made.npy", numpy.eye(3, dtype=bool))
    >>> int(tamis.read("made.npy").sum())
    3
    """
    name, array = os.fspath(path), numpy.asarray(image)
    if array.dtype.kind not in "biuf" or array.ndim not in (2, 3) or array.size == 0:
        got = f"an array of shape {array.shape} of {array.dtype}"
        raise InputError(f"{name}: {got}; wanted numbers, axes (y, x) or (z, y, x)")
    hdf5 = _HDF5.match(name)
    target = hdf5[1] if hdf5 else name.rstrip("/")
    lower = target.lower()
    if array.dtype == bool and not (hdf5 or lower.endswith((".npy", ".zarr"))):
        array = array.view(numpy.uint8) * numpy.uint8(255)
    writer = _write_hdf5(hdf5[2] or "/image") if hdf5 else _writer_of(name, lower)
    folder, last = os.path.split(os.path.abspath(target))
    # A folder of its own beside the target: libraries choose formats by endings, and a rename stays on one disk.
    try:
        scratch = tempfile.mkdtemp(prefix=".tamis-", dir=folder)
    except OSError as error:
        raise EnvironmentError(f"{name}: {error.strerror}") from error
    try:
        part = os.path.join(scratch, last)
        writer(part, array)
        if os.path.isdir(part) and os.path.isdir(target):
            os.rename(target, os.path.join(scratch, "old"))
        os.replace(part, target)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _writer_of(name: str, lower: str) -> Callable[[str, numpy.ndarray], object]:
    if lower.endswith(".npy"):
        return numpy.save
    if lower.endswith(".raw"):
        return write_raw
    if lower.endswith((".tif", ".tiff")):
        tifffile = _need("tifffile")
        return lambda path, array: tifffile.imwrite(
            path, array, photometric="minisblack", bigtiff=array.nbytes >= 1 << 32
        )
    if lower.endswith(".zarr"):
        zarr = _need("zarr")
        return lambda path, array: zarr.save_array(path, array)
    if lower.endswith((".nii", ".nii.gz")):
        nibabel = _need("nibabel")
        return lambda path, array: nibabel.save(nibabel.Nifti1Image(array.T, numpy.eye(4)), path)
    if lower.endswith(_PICTURES):
        imageio = _need("imageio.v3")
        return lambda path, array: imageio.imwrite(path, array)
    raise InputError(f"{name}: the ending is not known; wanted .npy, .raw, .tif, .h5, .zarr, .nii, .png")


def _write_hdf5(dataset: str) -> Callable[[str, numpy.ndarray], None]:
    h5py = _need("h5py")

    def save(path: str, array: numpy.ndarray) -> None:
        with h5py.File(path, "w") as file:
            file.create_dataset(dataset, data=array)

    return save
