"""What each format holds, and how it is written."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy

from ._foreign import need, one_line, shown, writing
from ._formats import PICTURES
from ._native import InputError
from ._raw import check_name, write_raw
from ._whole import whole
from ._zarr import save_zarr

_LIST = "wanted .npy, .raw, .tif, .h5, .zarr, .nii, .png"
_WITH_BOOL = (".npy", ".zarr", ".pbm", ".pnm")
_EIGHT_OR_SIXTEEN = ("uint8", "uint16")
# Types of the formats that do not hold all the numbers there are.
_TYPES = {
    ".png": _EIGHT_OR_SIXTEEN, ".pgm": _EIGHT_OR_SIXTEEN, ".pnm": ("bool", *_EIGHT_OR_SIXTEEN), ".pbm": ("bool",),
    ".jpg": ("uint8",), ".jpeg": ("uint8",), ".bmp": ("uint8",), ".gif": ("uint8",), ".ppm": (),
}  # fmt: skip
_NUMBERS = (
    "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64", "float32", "float64",
)  # fmt: skip
_WITH_HALVES = (".npy", ".zarr", ".tif", ".tiff", "HDF5")


def write_file(name: str, target: str, dataset: str | None, image: Any) -> None:
    """Checks the array against the format of the name, then writes `target` whole or not at all."""
    ending = "HDF5" if dataset is not None else _ending_of(name, target.lower())
    array = _array_of(name, image)
    if array.dtype == bool and not (dataset is not None or ending in _WITH_BOOL):
        array = array.view(numpy.uint8) * numpy.uint8(255)
    array = _fitting(name, ending, array)
    save = _writer_of(name, ending, dataset)
    if ending == ".raw":
        check_name(target, array)
    with writing(name), whole(name, target) as part:
        save(part, array)


def _ending_of(name: str, lower: str) -> str:
    for ending in (".npy", ".raw", ".tif", ".tiff", ".zarr", ".nii", ".nii.gz", *PICTURES):
        if lower.endswith(ending):
            return ending
    raise InputError(f"{shown(name)}: the ending is not known; {_LIST}")


def _array_of(name: str, image: Any) -> numpy.ndarray:
    """A plain array. What would be lost on the way is refused: the mask of a masked array."""
    meta = getattr(image, "_meta", None)  # of Dask
    try:
        array = numpy.asanyarray(image)
    except MemoryError:
        raise
    except Exception as error:
        got = f"{shown(name)}: {type(image).__name__} is no array that NumPy can take"
        raise InputError(f"{got}: {one_line(error)}") from error
    if isinstance(meta, numpy.ma.MaskedArray) or isinstance(array, numpy.ma.MaskedArray):
        raise InputError(f"{shown(name)}: a masked array, and files hold no masks; wanted image.filled(value)")
    array = numpy.asarray(array)
    if array.dtype.kind not in "biuf" or array.ndim not in (2, 3) or array.size == 0:
        got = f"an array of shape {array.shape} of {array.dtype}"
        raise InputError(f"{shown(name)}: {one_line(got)}; wanted numbers, axes (y, x) or (z, y, x)")
    return array


def _fitting(name: str, ending: str, array: numpy.ndarray) -> numpy.ndarray:
    types = _TYPES.get(ending)
    if types is None:
        halves = ("float16",) if ending in _WITH_HALVES else ()
        if array.dtype.name not in (*_NUMBERS, *halves, "bool"):
            raise InputError(f"{shown(name)}: samples of {array.dtype}; wanted {', '.join(_NUMBERS)}")
        return array
    if array.dtype.name not in types:
        wanted = ", ".join(types) or "grey images as .pgm or .png"
        raise InputError(f"{shown(name)}: samples of {array.dtype} in a {ending} file; wanted {wanted}")
    if array.ndim == 3 and array.shape[0] > 1:
        raise InputError(
            f"{shown(name)}: a {ending} file holds one slice, got {array.shape[0]}; wanted .tif, .raw, .h5 or .npy"
        )
    return array[0] if array.ndim == 3 else array


def _writer_of(name: str, ending: str, dataset: str | None) -> Callable[[str, numpy.ndarray], object]:
    if dataset is not None:
        return _hdf5_writer(dataset)
    if ending == ".npy":
        return numpy.save
    if ending == ".raw":
        return write_raw
    if ending in (".tif", ".tiff"):
        tifffile = need("tifffile")
        return lambda path, array: tifffile.imwrite(
            path,
            array,
            photometric="minisblack",
            bigtiff=array.nbytes >= 1 << 32,
            metadata={"axes": "ZYX"[-array.ndim :]},  # in an .ome.tif the slices would become channels
        )
    if ending == ".zarr":
        need("zarr")
        return save_zarr
    if ending in (".nii", ".nii.gz"):
        nibabel = need("nibabel")
        return lambda path, array: nibabel.save(
            nibabel.Nifti1Image(array.T, numpy.eye(4), dtype=array.dtype.newbyteorder("=")), path
        )
    return _picture_writer(ending)


def _picture_writer(ending: str) -> Callable[[str, numpy.ndarray], None]:
    imageio = need("imageio.v3")

    def save(path: str, array: numpy.ndarray) -> None:
        content = imageio.imwrite("<bytes>", array, plugin="pillow", extension=ending)
        Path(path).write_bytes(content)  # imageio itself is not quiet about a disk that is full

    return save


def _hdf5_writer(dataset: str) -> Callable[[str, numpy.ndarray], None]:
    h5py = need("h5py")

    def save(path: str, array: numpy.ndarray) -> None:
        with h5py.File(path, "w") as file:
            file.create_dataset(dataset, data=array)

    return save
