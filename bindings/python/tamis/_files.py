"""Files through the libraries that people have: tifffile, h5py, zarr, nibabel, pydicom, imageio."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path
from typing import Any

import numpy
import numpy.typing

from ._calibrated import CalibratedArray, calibrated
from ._channel import only_time, take_channel
from ._foreign import check_memory, missing, one_line, reading, shown
from ._formats.others import PICTURES, dicom_depth, read_dicom, read_nifti, read_npy, read_pfm, read_picture
from ._formats.hdf5 import read_hdf5
from ._formats.headed import read_meta, read_nrrd
from ._native import InputError
from ._formats.raw import read_raw
from ._saving import write_file
from ._formats.tiff import read_tiff
from ._formats.zarr import is_store, read_zarr

_HDF5 = re.compile(r"^(.*\.(?:h5|hdf5|nxs))(?::(/.*))?$", re.IGNORECASE | re.DOTALL)
_TIFF = (".tif", ".tiff")
_DICOM = (".dcm", ".dicom", ".ima")
_RAW = (".raw", ".raw.gz", ".vol", ".vol.gz")


def read(
    path: str | os.PathLike[str],
    *,
    shape: str | tuple[int, ...] | None = None,
    dtype: numpy.typing.DTypeLike | None = None,
    byte_order: str = "little",
    time: int | None = None,
    channel: int | str | None = None,
    level: int | None = None,
    follow: bool = False,
    lazy: bool = False,
) -> Any:
    """An image or volume from a file, axes (y, x) or (z, y, x).

    Parameters
    ----------
    path : str or path
        .npy, .raw, .raw.gz, .vol, .tif, .tiff; 'file.h5:/dataset'; a folder .zarr, an array or an OME-Zarr image; .nii, .nii.gz, .nrrd, .nhdr, .mha, .mhd;
        .dcm, or a folder of slices of DICOM, TIFF or PNG in the order of their names; .png, .jpg, .pgm, .pfm and other
        pictures.
    shape : str or tuple, optional
        Of a raw file: '600x600x250', x first, or (250, 600, 600). Otherwise read off a name such as
        foam_600x600x250_u8.raw.
    dtype : dtype or str, optional
        Of a raw file: 'u8', 'u16', 'i16', 'f32' ... or a NumPy type. Otherwise read off the name.
    byte_order : str
        Of a raw file: 'little' or 'big'.
    time : int, optional
        Which time of a TIFF file or OME-Zarr image that holds several, from 0. Such a file is not read without.
    channel : int or str, optional
        Which channel of a TIFF file or OME-Zarr image that holds several, from 0; such a file is not read without. Of
        colours, which are otherwise the last axis of the result, a channel or 'luma'.
    level : int, optional
        Which level of an OME-Zarr image, 0 the finest, which it is without.
    follow : bool
        Open also what a file refers to outside its own folder: external links, external storage and virtual datasets of
        HDF5, the files of an OME-TIFF, the samples of .nhdr and .mhd. What lies in its folder or below is always opened, and has to be there.
    lazy : bool
        Leave the samples where they are: raw, .npy and plain TIFF files are mapped, HDF5 and Zarr arrays are returned
        open, a level of an OME-Zarr image too, with its `spacing`. `granulometry`, `threshold` and `tamis.dask` take them all.

    Returns
    -------
    CalibratedArray
        A NumPy array that knows the size of its voxels where the file says it: `image.spacing`, `image.unit`. With `lazy`
        what there is: numpy.memmap, h5py.Dataset or zarr.Array.

    Raises
    ------
    InputError
        For a file that is missing or damaged, cannot be understood, or refers to files that may not be opened.
        ResourceError where a library is missing or the machine cannot read it.

    Examples
    --------
    >>> import numpy, tamis
    >>> tamis.write("made_4x3_u16.raw", numpy.arange(12, dtype=numpy.uint16).reshape(3, 4))
    >>> tamis.read("made_4x3_u16.raw")[2].tolist()
    [8, 9, 10, 11]
    """
    name = _name_of(path)
    lower = name.lower()
    hdf5 = _HDF5.match(name)
    is_raw = hdf5 is None and lower.endswith(_RAW)
    if hdf5 is None:
        _check_kind(name)
    if not is_raw and (shape is not None or dtype is not None):
        raise InputError(f"{shown(name)}: shape and dtype are for raw files; wanted none")
    if level is not None and not (os.path.isdir(name) and is_store(name)):
        raise InputError(f"{shown(name)}: level={level!r} is for OME-Zarr images; wanted none")
    if hdf5 is None and not is_raw and os.path.isdir(name) and is_store(name):
        array = read_zarr(name, lazy, level, time, channel)
    elif hdf5 is None and not is_raw:
        array = _read(name, lower, lazy, follow, time, channel)
    else:
        only_time(name, time)
        array = read_hdf5(hdf5[1], hdf5[2], lazy, follow) if hdf5 else read_raw(name, shape, dtype, byte_order, lazy)
        array = take_channel(name, array, channel, False)
    return CalibratedArray(array) if type(array) is numpy.ndarray and not lazy else array


def _name_of(path: Any) -> str:
    try:
        return os.fsdecode(path)
    except TypeError:
        raise InputError(f"path={one_line(repr(path))}: wanted the name of a file") from None


def _check_kind(name: str) -> None:
    """A pipe would have reading wait for ever, or a device never end."""
    with reading(name):
        try:
            mode = os.stat(name).st_mode
        except (FileNotFoundError, NotADirectoryError, ValueError):
            raise missing(name) from None
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        raise InputError(f"{shown(name)}: a pipe or a device; wanted a file")


def _read(name: str, lower: str, lazy: bool, follow: bool, time: Any, channel: Any) -> Any:
    if os.path.isdir(name):
        return _read_folder(name, follow, time, channel)
    if lower.endswith(_TIFF):
        return read_tiff(name, lazy, follow, time, channel)
    only_time(name, time)
    if lower.endswith(PICTURES):
        return read_picture(name, lazy, channel)
    if lower.endswith(".npy"):
        array = read_npy(name, lazy)
    elif lower.endswith(".pfm"):
        array = read_pfm(name, lazy)
    elif lower.endswith((".nii", ".nii.gz")):
        array = read_nifti(name, lazy)
    elif lower.endswith((".nrrd", ".nhdr")):
        array = read_nrrd(name, lazy, follow)
    elif lower.endswith((".mha", ".mhd")):
        array = read_meta(name, lazy, follow)
    elif lower.endswith(_DICOM):
        array = read_dicom(name, lazy)
    else:
        known = ".npy, .raw, .tif, .h5, .zarr, .nii, .nrrd, .mha, .dcm, .png and other pictures"
        raise InputError(f"{shown(name)}: not a kind of file that is known here; wanted {known}")
    return take_channel(name, array, channel, False)


def _read_folder(name: str, follow: bool, time: Any, channel: Any) -> numpy.ndarray:
    def natural(path: Path) -> list[Any]:
        return [(int(part), "") if part.isdecimal() else (0, part) for part in re.split(r"(\d+)", path.name)]

    endings = (*_TIFF, *_DICOM, *PICTURES)
    with reading(name):
        paths = sorted((p for p in Path(name).iterdir() if p.name.lower().endswith(endings)), key=natural)
    if not paths:
        raise InputError(f"{shown(name)}: a folder without slices; wanted {', '.join(endings[:4])}, .png ...")
    volume = numpy.empty(0)
    edges: list[float | None] = []
    unit = ""
    for z, path in enumerate(paths):
        _check_kind(str(path))
        if path.is_dir():
            raise InputError(f"{shown(path)}: a folder; wanted a slice")
        one = _read(str(path), path.name.lower(), False, follow, time, channel)
        if z == 0:
            check_memory(name, one.nbytes * len(paths))
            with reading(name):
                volume = numpy.empty((len(paths), *one.shape), one.dtype)
        elif one.shape != volume.shape[1:] or one.dtype != volume.dtype:
            raise InputError(
                f"{shown(path)}: {one.shape} {one.dtype}; "
                f"wanted {volume.shape[1:]} {volume.dtype} like the first"
            )
        if z == 0 and getattr(one, "spacing", None) is not None and paths[0].name.lower().endswith(_DICOM):
            with reading(name):
                edges, unit = [dicom_depth(paths), *one.spacing], one.unit
        volume[z] = one
    return calibrated(volume, edges, unit)


def write(
    path: str | os.PathLike[str], image: Any, *, spacing: Any = None, unit: str = "", ome_zarr: str | None = None
) -> None:
    """Writes an array; the ending chooses the format. The file appears whole or not at all.

    Parameters
    ----------
    path : str or path
        .npy, .raw, .tif, .tiff, 'file.h5:/dataset', .zarr, .nii, .nii.gz, .nrrd, .mha, .png and other pictures. HDF5 and
        Zarr make a new file; .zarr is an OME-Zarr image of one level. Of a link its target is written.
    image : array, shape (y, x) or (z, y, x)
        A Dask array is written to .zarr chunk by chunk, and made whole for the others.
        Bool becomes 0 and 255 of uint8, but in .npy, HDF5, Zarr and .pbm, which have it. Pictures hold one slice of
        uint8, .png and .pgm also uint16. Masked arrays are refused: `image.filled(value)`.
    spacing : str, float or sequence, optional
        Edges of a voxel: '2.5um', '1x1x2um' (x first); or numbers in the order of the axes (z, y, x), with `unit`.
        TIFF, HDF5, OME-Zarr, NIfTI, NRRD and MetaImage keep it; others refuse it. None: that of a `CalibratedArray`, where the
        format keeps one.
    unit : str
        'nm', 'um', 'mm', 'cm' or 'm', where `spacing` is a number.
    ome_zarr : str, optional
        Which OME-Zarr is written: '0.5', on Zarr 3, or '0.4', on Zarr 2, for older readers. Without, the newest that the
        installed zarr has.

    Raises
    ------
    InputError
        For an ending that is not known, arrays that are no image or that the format cannot hold, and a spacing that it
        cannot hold. ResourceError where a library is missing or the file cannot be written.

    Examples
    --------
    >>> import numpy, tamis
    >>> tamis.write("made.npy", numpy.eye(3, dtype=bool))
    >>> int(tamis.read("made.npy").sum())
    3
    >>> tamis.write("made.nrrd", numpy.zeros((3, 4, 5)), spacing=(0.002, 0.001, 0.001), unit="mm")
    >>> tamis.read("made.nrrd").spacing
    (0.002, 0.001, 0.001)
    """
    name = _name_of(path)
    hdf5 = _HDF5.match(name)
    write_file(name, hdf5[1] if hdf5 else name.rstrip("/"), (hdf5[2] or "/image") if hdf5 else None, image, spacing, unit, ome_zarr)
