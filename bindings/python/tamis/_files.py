"""Files: read, write, and what they say of themselves. The formats are those of the library, as the program reads them."""

from __future__ import annotations

import os
import stat
import warnings
from collections.abc import Sequence
from typing import Any

import numpy
import numpy.typing

from . import _native
from ._calibrated import CalibratedArray
from ._chunks import Reader, is_dask
from ._errors import one_line, shown
from ._image_file import ImageFile
from ._native import InputError, ResourceError

# Those that keep no size of voxels.
_WITHOUT_SPACING = (".npy", ".raw", ".vol", ".gz", ".png", ".pgm", ".pbm", ".ppm", ".pnm", ".pfm")


def open_file(
    path: str | os.PathLike[str],
    *,
    shape: str | Sequence[int] | None = None,
    dtype: numpy.typing.DTypeLike | None = None,
    byte_order: str | None = None,
    skip: int | None = None,
    axes: str | None = None,
    spacing: str | None = None,
    channel: int | str | None = None,
    time: int | None = None,
    level: int | None = None,
    only: str | None = None,
    upright: bool = False,
    follow: bool = False,
    unconfined: bool = False,
) -> ImageFile:
    """A file whose samples stay where they are until they are asked for.

    Parameters
    ----------
    path : str or path
        Raw (.raw, .vol, .raw.gz), .npy, TIFF, PNG, JPEG, BMP, PNM, PFM, MRC, HDF5 ('file.h5:/dataset'), Zarr and OME-Zarr (a folder), NRRD,
        MetaImage, NIfTI, DICOM, or a folder of slices or of a DICOM series.
    shape : str or sequence of int, optional
        Of a raw file: '600x600x250', x first, or (250, 600, 600). Otherwise read off a name such as
        foam_600x600x250_u8.raw.
    dtype : dtype or str, optional
        Of a raw file: 'u8', 'u16', 'i16', 'f32' ... or a NumPy type. Otherwise read off the name.
    byte_order : {'little', 'big'}, optional
        Of a raw file; little without.
    skip : int, optional
        How many bytes lie before the samples of a raw file.
    axes : {'zyx', 'tyx', 'cyx'}, optional
        What the first axis of a stack is, where the file calls its slices times or channels.
    spacing : str, optional
        Size of a voxel, '2.5um' or '1x1x2um' (x first), instead of what the file says.
    channel : int or str, optional
        Which channel of a file that holds several, from 0, or 'luma'. Without, colours are the last axis.
    time : int, optional
        Which time of a file that holds several, from 0. Such a file is not read without.
    level : int, optional
        Which level of an OME-Zarr image, 0 the finest, which it is without.
    only : str, optional
        Which files of a folder are its slices, a pattern as the shell has them: ``'*.tif'``.
    upright : bool
        Turn pictures as their EXIF orientation says, as viewers do.
    follow : bool
        Open also what a file refers to outside its own folder: external data and virtual datasets of HDF5, the samples of
        .nhdr and .mhd, links in a Zarr store. What lies in its folder or below is always opened, and has to be there.
    unconfined : bool
        Decode files in a process that is not confined, where this system cannot confine one.

    Returns
    -------
    ImageFile
        It is indexed as an array is, and every operation takes it as an image.

    Raises
    ------
    InputError
        For a file that is missing (also a FileNotFoundError), may not be read (a PermissionError), is damaged, cannot be
        understood, or refers to files that may not be opened. ResourceError where the machine cannot read it.

    Examples
    --------
    >>> import numpy, tamis
    >>> tamis.write("made.tif", numpy.arange(60, dtype=numpy.uint8).reshape(3, 4, 5))
    >>> file = tamis.open_file("made.tif")
    >>> file.shape, file[1, 2:, 0].tolist()
    ((3, 4, 5), [30, 35])
    """
    given = {
        "shape": tuple(shape) if isinstance(shape, Sequence) and not isinstance(shape, str) else shape, "dtype": _word_of(dtype),
        "byte_order": byte_order, "skip": skip, "axes": axes,
        "spacing": spacing, "channel": str(channel) if isinstance(channel, (int, numpy.integer)) else channel, "time": time,
        "level": level, "only": only, "upright": upright, "follow": follow, "unconfined": unconfined,
    }  # fmt: skip
    return ImageFile(_name_of(path), {name: value for name, value in given.items() if value is not None})


def read(path: str | os.PathLike[str], *, lazy: bool = False, **options: Any) -> Any:
    """An image or volume from a file, axes (y, x) or (z, y, x).

    Parameters
    ----------
    path : str or path
        As `open_file` takes it.
    lazy : bool
        Leave the samples where they are: the ImageFile of `open_file`.
    **options
        Those of `open_file`: `shape`, `dtype` and `byte_order` of a raw file, `channel`, `time`, `level`, `only`, `follow` ...

    Returns
    -------
    CalibratedArray
        A NumPy array that knows the size of its voxels where the file says it: `image.spacing`, `image.unit`. Of colour the
        channels are the last axis. Half floats are float32.

    Raises
    ------
    InputError
        As `open_file`, and ResourceError where memory is short.

    Examples
    --------
    >>> import numpy, tamis
    >>> tamis.write("made_4x3_u16.raw", numpy.arange(12, dtype=numpy.uint16).reshape(3, 4))
    >>> tamis.read("made_4x3_u16.raw")[2].tolist()
    [8, 9, 10, 11]
    """
    file = open_file(path, **options)
    if lazy:
        return file
    _check_memory(file)
    with file:
        return file[...]


def info(path: str | os.PathLike[str], **options: Any) -> dict[str, Any]:
    """What a file says of itself; no sample is read.

    Parameters
    ----------
    path : str or path
        As `open_file` takes it.
    **options
        Those of `open_file`.

    Returns
    -------
    dict
        'path', 'format', 'shape', 'dtype', 'channels', 'spacing' (None where it is not known), 'unit', 'placement' and 'files'.

    Raises
    ------
    InputError
        As `open_file`.

    Examples
    --------
    >>> import numpy, tamis
    >>> tamis.write("made.nrrd", numpy.zeros((3, 4, 5), "u1"), spacing=(2, 1, 1), unit="um")
    >>> found = tamis.info("made.nrrd")
    >>> found["shape"], found["dtype"], found["spacing"], found["unit"]
    ((3, 4, 5), 'uint8', (0.002, 0.001, 0.001), 'mm')
    """
    options.setdefault("time", 0)  # the description says how many there are
    with open_file(path, **options) as file:
        channels = file.shape[-1] if file._in_colour else 1
        return {
            "path": file.path, "format": file.description, "shape": file.shape, "dtype": file.dtype.name,
            "channels": channels, "spacing": file.spacing, "unit": file.unit, "placement": file.placement,
            "files": file.files,
        }  # fmt: skip


def write(
    path: str | os.PathLike[str],
    image: Any,
    *,
    spacing: Any = None,
    unit: str = "",
    channel_axis: int | None = None,
    compress: str | None = None,
    ome_zarr: str | None = None,
) -> None:
    """Writes an array; the ending chooses the format. The file appears whole or not at all.

    Parameters
    ----------
    path : str or path
        .npy, .raw, .raw.gz, .tif, 'file.h5:/dataset', .zarr, .nii, .nii.gz, .nrrd, .mha, .png, .pgm, .pbm, .ppm, .pfm. HDF5 and Zarr make
        a new file; .zarr is an OME-Zarr image of one level. Of a link its target is written.
    image : array, shape (y, x) or (z, y, x), and the channels
        Anything that NumPy takes, an ImageFile, or a Dask array, which is made row of chunks by row of chunks. Bool becomes 0
        and 255 of uint8, but in .npy, Zarr and .pbm, which have it; half floats become float32. Pictures hold one slice.
        Masked arrays are refused: `image.filled(value)`.
    spacing : str, float or sequence, optional
        Edges of a voxel: '2.5um', '1x1x2um' (x first); or numbers in the order of the axes (z, y, x), with `unit`.
        TIFF, HDF5, OME-Zarr, NIfTI, NRRD and MetaImage keep it; others refuse it. None: that of a `CalibratedArray`, where the
        format keeps one. Where a CalibratedArray lies, its `placement`, is kept by OME-Zarr, NIfTI, NRRD and MetaImage.
    unit : str
        'nm', 'um', 'mm', 'cm' or 'm', where `spacing` is a number.
    channel_axis : int, optional
        The axis of the channels, -1 for colour images, of TIFF, PNG, PPM and OME-Zarr. None: the last one of four axes, of colours
        as `read` gives them, and of (y, x, 3) in PNG and PPM, which hold no volumes; otherwise there are none. JPEG is only read.
    compress : {'deflate', 'zstd'}, optional
        Compress the samples of a TIFF file: by 'deflate', which all that read TIFF read, or 'zstd', sooner and smaller.
    ome_zarr : {'0.4', '0.5'}, optional
        Which OME-Zarr is written: 0.4, which lies on Zarr 2 and which it is without, or 0.5 on Zarr 3.

    Raises
    ------
    InputError
        For an ending that is not known, arrays that are no image or that the format cannot hold, and a spacing that it
        cannot hold. ResourceError where the file cannot be written.

    Examples
    --------
    >>> import numpy, tamis
    >>> tamis.write("made.npy", numpy.eye(3, dtype=bool))
    >>> int(tamis.read("made.npy").sum())
    3
    """
    name = _name_of(path)
    _check_target(name)
    array = _array_of(name, image)
    channels = 1
    if channel_axis is None and _in_colour(name, array, image):
        channel_axis = -1
    if channel_axis is not None:
        array, channels = _with_channels_last(name, array, channel_axis)
    own = spacing is None and not unit and isinstance(image, (CalibratedArray, ImageFile))
    edges, unit = _voxel(name, array, image, spacing, unit)
    placement = image.placement if own and edges is not None else None
    samples: Any = array._opened() if isinstance(array, ImageFile) else None  # read while it is written
    if samples is None:
        samples = Reader(array, "image", 0, any_volume=True) if is_dask(array) else numpy.asarray(array)
    options = {word: value for word, value in (("compress", compress), ("ome_zarr", ome_zarr)) if value is not None}
    for note in _native._write(os.fsencode(name), samples, channels, edges, unit, placement, options):
        warnings.warn(note, stacklevel=2)


def _name_of(path: Any) -> str:
    try:
        name = os.fsdecode(path)
    except TypeError:
        raise InputError(f"path={one_line(repr(path))}: wanted the name of a file") from None
    if "\0" in name:
        raise InputError(f"{shown(name)}: a zero character in the name; wanted the name of a file")
    return name


def _word_of(dtype: Any) -> str | None:
    """ "u8" is eight bits here as everywhere in tamis; NumPy's own types go by their names."""
    if dtype is None or isinstance(dtype, str):
        return dtype
    try:
        return str(numpy.dtype(dtype).name)
    except TypeError:
        raise InputError(f"dtype={one_line(repr(dtype))}: wanted 'u8', 'u16' ... or a NumPy type") from None


def _check_memory(file: ImageFile) -> None:
    """A file that is larger than the machine's memory is refused before the machine begins to swap."""
    there = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    if file.nbytes > there:
        words = f"needs {file.nbytes} bytes of memory, this machine has {there}"
        raise ResourceError(f"{shown(file.path)}: {words}; wanted less, or tamis.open_file(path)")


def _check_target(name: str) -> None:
    """A pipe would have writing wait for ever."""
    path = name if os.path.lexists(name) else name.partition(":/")[0]
    if os.path.exists(path) and not stat.S_IFMT(os.stat(path).st_mode) in (stat.S_IFREG, stat.S_IFDIR):
        raise InputError(f"{shown(name)}: a pipe or a device; wanted a file, or nothing")


def _array_of(name: str, image: Any) -> Any:
    """An array of NumPy or Dask. What would be lost on the way is refused: the mask of a masked array."""
    try:
        open_grey = isinstance(image, ImageFile) and not image._in_colour
        array = image if open_grey or is_dask(image) else numpy.asanyarray(image)
    except MemoryError:
        raise
    except Exception as error:
        if isinstance(error, (InputError, ResourceError)):
            raise
        got = f"{shown(name)}: {type(image).__name__} is no array that NumPy can take"
        raise InputError(f"{got}: {one_line(error)}") from error
    if any(isinstance(one, numpy.ma.MaskedArray) for one in (image, array, getattr(array, "_meta", None))):
        raise InputError(f"{shown(name)}: a masked array, and files hold no masks; wanted image.filled(value)")
    if array.dtype == numpy.float16:
        array = array.astype(numpy.float32)
    known = [n for n in array.shape if n == n]  # NaN: of Dask, not known yet
    if array.dtype.kind not in "biuf" or array.dtype.itemsize > 8 or len(known) != array.ndim or 0 in known or not 2 <= array.ndim <= 4:
        got = f"an array of shape {array.shape} of {array.dtype}"
        raise InputError(f"{shown(name)}: {one_line(got)}; wanted numbers, axes (y, x) or (z, y, x)")
    return array


def _in_colour(name: str, array: Any, image: Any) -> bool:
    """Whether the last axis is that of the channels: the array knows it, or the format holds nothing else of that shape."""
    if array.ndim == 4 or getattr(image, "_colours", False) or getattr(image, "_in_colour", False):
        return True
    looks = array.ndim == 3 and array.shape[-1] in (3, 4) and min(array.shape[:2]) > 4 and array.dtype in ("uint8", "uint16")
    if looks and not name.lower().endswith((".png", ".ppm", ".pnm")):
        z, y, x = array.shape
        warnings.warn(f"{shown(name)}: a volume of {z} slices of {y} x {x}; colours are written by channel_axis=-1", stacklevel=3)
        return False
    return looks


def _with_channels_last(name: str, array: Any, axis: int) -> tuple[Any, int]:
    """The channels side by side along x, and how many there are."""
    if is_dask(array) or isinstance(array, ImageFile) or array.ndim not in (3, 4) or not -array.ndim <= axis < array.ndim:
        got = f"an array of shape {array.shape} with channel_axis={axis}"
        raise InputError(f"{shown(name)}: {got}; wanted an array in memory, (y, x) or (z, y, x), and an axis of channels")
    last = numpy.moveaxis(numpy.asarray(array), axis, -1)
    return numpy.ascontiguousarray(last).reshape(*last.shape[:-2], -1), last.shape[-1]


def _voxel(name: str, array: Any, image: Any, spacing: Any, unit: str) -> tuple[Any, str]:
    """What the caller says, or what the image knows of itself."""
    keeps = not name.lower().endswith(_WITHOUT_SPACING) or name.lower().endswith(".nii.gz")
    if spacing is not None or unit:
        if not keeps:
            raise InputError(f"{shown(name)}: this format holds no size of voxels; wanted .tif, .h5, .zarr, .nii, .nrrd or .mha")
        told = CalibratedArray(numpy.broadcast_to(numpy.uint8(0), array.shape), spacing, unit)
        return told.spacing, told.unit
    edges = getattr(image, "spacing", None) if isinstance(image, (CalibratedArray, ImageFile)) else None
    return (edges, image.unit) if keeps and edges is not None and len(edges) == array.ndim else (None, "")
