"""What each format holds, and how it is written."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy

from ._calibrated import CalibratedArray, calibrated, in_millimetres, micrometres
from ._chunks import is_dask
from ._foreign import need, one_line, shown, writing
from ._formats.others import PICTURES
from ._formats.headed import write_meta, write_nrrd
from ._native import InputError
from ._formats.raw import check_name, write_raw
from ._whole import whole
from ._formats.zarr import Waiting, save_zarr, version_of

_LIST = "wanted .npy, .raw, .tif, .h5, .zarr, .nii, .nrrd, .mha, .png"
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
_WITH_SPACING = (".tif", ".tiff", "HDF5", ".zarr", ".nii", ".nii.gz", ".nrrd", ".mha")
_WITH_HALVES = (".npy", ".zarr", ".tif", ".tiff", "HDF5")


def write_file(
    name: str, target: str, dataset: str | None, image: Any, spacing: Any, unit: str, ome_zarr: str | None
) -> None:
    """Checks the array against the format of the name, then writes `target` whole or not at all."""
    ending = "HDF5" if dataset is not None else _ending_of(name, target.lower())
    if ending != ".zarr" and ome_zarr is not None:
        raise InputError(f"{shown(name)}: ome_zarr={ome_zarr!r} is for .zarr; wanted none")
    if ending == ".zarr" and is_dask(image):
        return _write_chunks(name, target, image, spacing, unit, ome_zarr)
    array = _array_of(name, image)
    if array.dtype == bool and not (dataset is not None or ending in _WITH_BOOL):
        array = array.view(numpy.uint8) * numpy.uint8(255)
    array = _calibrated(name, ending, _fitting(name, ending, array), image, spacing, unit)
    save = _zarr_writer(name, ome_zarr) if ending == ".zarr" else _writer_of(name, ending, dataset)
    if ending == ".raw":
        check_name(target, array)
    with writing(name), whole(name, target) as part:
        save(part, array)


def _write_chunks(name: str, target: str, image: Any, spacing: Any, unit: str, ome_zarr: str | None) -> None:
    """A Dask array, of which no more is in memory than its tasks work on."""
    sample = numpy.empty((1,) * image.ndim, image.dtype)
    _refuse_no_image(name, image)
    voxel = _voxel(_calibrated(name, ".zarr", _fitting(name, ".zarr", sample), None, spacing, unit))
    save = _zarr_writer(name, ome_zarr)
    with writing(name), whole(name, target) as part:
        save(part, Waiting(name, image, voxel))


def _zarr_writer(name: str, ome_zarr: str | None) -> Callable[[str, Any], object]:
    version = version_of(name, ome_zarr)
    return lambda path, array: save_zarr(path, array, version)


def _calibrated(name: str, ending: str, array: numpy.ndarray, image: Any, spacing: Any, unit: str) -> numpy.ndarray:
    """The array with the size of its voxels: what the caller says, or what the image knows of itself."""
    if spacing is None and not unit:
        spacing, unit = _voxel(image)
        return array if spacing is None or ending not in _WITH_SPACING else calibrated(array, spacing, unit)
    if ending not in _WITH_SPACING:
        raise InputError(f"{shown(name)}: a {ending} file holds no size of voxels; wanted .tif, .h5, .zarr, .nii, .nrrd or .mha")
    return CalibratedArray(array, spacing, unit)


def _ending_of(name: str, lower: str) -> str:
    for ending in (".npy", ".raw", ".tif", ".tiff", ".zarr", ".nii", ".nii.gz", ".nrrd", ".mha", *PICTURES):
        if lower.endswith(ending):
            return ending
    raise InputError(f"{shown(name)}: the ending is not known; {_LIST}")


def _array_of(name: str, image: Any) -> numpy.ndarray:
    """A plain array. What would be lost on the way is refused: the mask of a masked array."""
    try:
        array = numpy.asanyarray(image)
    except MemoryError:
        raise
    except Exception as error:
        got = f"{shown(name)}: {type(image).__name__} is no array that NumPy can take"
        raise InputError(f"{got}: {one_line(error)}") from error
    if isinstance(array, numpy.ma.MaskedArray):
        image = array
    array = numpy.asarray(array)
    _refuse_no_image(name, array, image)
    return array


def _refuse_no_image(name: str, array: Any, image: Any = None) -> None:
    """`image` is what the caller gave, where that is not the array."""
    given = array if image is None else image
    meta = getattr(given, "_meta", None)  # of Dask
    if isinstance(meta, numpy.ma.MaskedArray) or isinstance(given, numpy.ma.MaskedArray):
        raise InputError(f"{shown(name)}: a masked array, and files hold no masks; wanted image.filled(value)")
    lengths = [n for n in array.shape if n == n]  # NaN: of Dask, not known yet
    if array.dtype.kind not in "biuf" or len(lengths) != array.ndim or array.ndim not in (2, 3) or 0 in lengths:
        got = f"an array of shape {array.shape} of {array.dtype}"
        raise InputError(f"{shown(name)}: {one_line(got)}; wanted numbers, axes (y, x) or (z, y, x)")


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
        return _tiff_writer(name)
    if ending == ".nrrd":
        return write_nrrd
    if ending == ".mha":
        return write_meta
    if ending in (".nii", ".nii.gz"):
        return _nifti_writer()
    return _picture_writer(ending)


def _voxel(array: Any) -> tuple[tuple[float, ...] | None, str]:
    return (array.spacing, array.unit) if isinstance(array, CalibratedArray) else (None, "")


def _tiff_writer(name: str) -> Callable[[str, numpy.ndarray], object]:
    tifffile = need("tifffile")

    def save(path: str, array: numpy.ndarray) -> None:
        (edges, unit), ome = _voxel(array), path.lower().endswith((".ome.tif", ".ome.tiff"))
        options: dict[str, Any] = {"metadata": {"axes": "ZYX"[-array.ndim :]}}  # otherwise slices are channels in OME
        if edges is not None and ome:
            for axis, edge in zip("ZYX"[-array.ndim :], edges, strict=True):
                options["metadata"] |= {f"PhysicalSize{axis}": edge, f"PhysicalSize{axis}Unit": unit.replace("um", "\xb5m")}
        elif edges is not None:
            # As ImageJ has it, and the program; of types too that ImageJ has not.
            slices = f"images={len(array)}\nslices={len(array)}\n" if array.ndim == 3 else ""
            depth = f"spacing={edges[0]!r}\n" if array.ndim == 3 else ""
            options = {
                "metadata": None, "description": f"ImageJ=1.11a\n{slices}unit={unit}\n{depth}",
                "resolution": (1 / edges[-1], 1 / edges[-2]), "resolutionunit": 1,
            }  # fmt: skip
        tifffile.imwrite(
            path, numpy.asarray(array), photometric="minisblack", bigtiff=array.nbytes >= 1 << 32, **options
        )

    return save


def _nifti_writer() -> Callable[[str, numpy.ndarray], object]:
    nibabel = need("nibabel")

    def save(path: str, array: numpy.ndarray) -> None:
        edges, unit = _voxel(array)
        # Without a place in space, or edges of 1 would be taken for millimetres.
        image = nibabel.Nifti1Image(numpy.asarray(array).T, None, dtype=array.dtype.newbyteorder("="))
        if edges is not None:
            image.header.set_zooms(in_millimetres(edges, unit)[::-1])
            image.header.set_xyzt_units("mm")
        nibabel.save(image, path)

    return save


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
            stored = file.create_dataset(dataset, data=numpy.asarray(array))
            edges, unit = _voxel(array)
            factor = micrometres(unit)
            if edges is not None and factor is not None:
                stored.attrs["spacing"], stored.attrs["unit"] = edges, unit
                # The convention of ilastik and BigDataViewer.
                stored.attrs["element_size_um"] = [factor * edge for edge in (1.0, *edges)[-3:]]

    return save
