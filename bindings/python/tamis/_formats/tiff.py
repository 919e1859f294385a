"""TIFF through tifffile: which of its images is meant, held against the file before it is read."""

from __future__ import annotations

import contextlib
import logging
import math
import os
import re
import threading
from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree

import numpy

from .._calibrated import as_float, calibrated, number_in, unit_of
from .._channel import index_of, take_channel
from .follow import referred
from .._foreign import CODEC_RATIO, check_expansion, need, one_line, reading, shown
from .._native import InputError

_WHITE_IS_ZERO, _BLACK_IS_ZERO, _RGB, _PALETTE, _MASK, _YCBCR = 0, 1, 2, 3, 4, 6
_JPEG = 7
_CENTIMETRE = 3
# Kinds of files of which tifffile gives all images; of the others, those of slide scanners, the first is the slide.
_PLAIN_KINDS = ("generic", "uniform", "shaped", "ome", "imagej")


def read_tiff(name: str, lazy: bool, follow: bool, time: Any, channel: Any) -> numpy.ndarray:
    """One image or volume; mapped with `lazy`."""
    tifffile = need("tifffile")
    with reading(name), _heard(name), contextlib.ExitStack() as stack:
        # Not the series that Micro-Manager and NDTiff spread over a folder: they name files that nobody has checked.
        options = {"is_mmstack": False, "is_ndtiff": False}
        file = stack.enter_context(tifffile.TiffFile(name, _multifile=False, **options))
        if not len(file.pages):
            raise InputError(f"{shown(name)}: a TIFF without a page")
        others, described = _other_files(file, name, follow) if file.is_ome else ([], None)
        if others or described:
            again = {**options, "_multifile": bool(others), "omexml": described}
            file = stack.enter_context(tifffile.TiffFile(os.path.realpath(name), **again))
        if file.is_imagej:
            _check_imagej(file, name)
        series = _the_series(file, name)
        length = sum(map(os.path.getsize, [name, *others]))
        check_expansion(name, series.nbytes, length, 1 if _is_dense(series) else CODEC_RATIO)
        _check_places(series, name)
        taken, channel = _taken(file, series, name, time, channel)
        if lazy:
            mapped: numpy.ndarray = _mapped(file, series, name)[taken]
            return mapped
        array = _samples(file, series, taken)
        axes = "".join(axis for axis, part in zip(series.axes, taken, strict=True) if isinstance(part, slice))
        array, colour = _in_colour(array, axes, series, name)
        edges, unit = _voxel(file, series.keyframe, array.ndim - colour)
        return take_channel(name, calibrated(array, edges, unit, colour), channel, colour)


class _Ear(logging.Filter):
    """What tifffile complains of in this thread while a file is read: it goes on with zeros or with less."""

    # These leave the samples as they are: dates, and tags but those that say what the samples are and where.
    _HARMLESS = ("GDAL_NODATA", "Datetime", "Stamp", "uic1tag")
    _TAG = re.compile(r"TiffTag (\d+)")
    _TAGS = {254, 256, 257, 258, 259, 262, 266, 270, 273, 277, 278, 279, 284, 317, 320, 322, 323, 324, 325, 338, 339}

    def __init__(self, level: int) -> None:
        super().__init__()
        self.level = level
        self._thread = threading.get_ident()
        self.words: list[str] = []

    def filter(self, record: logging.LogRecord) -> bool:
        message = record.getMessage()
        tag = self._TAG.search(message)
        harmless = int(tag[1]) not in self._TAGS if tag else any(word in message for word in self._HARMLESS)
        if record.thread != self._thread or record.levelno < logging.WARNING or harmless:
            return record.levelno >= self.level
        self.words.append(message.split("> ", 1)[-1])  # without tifffile's name of the file
        return False


@contextlib.contextmanager
def _heard(name: str) -> Iterator[None]:
    logger = logging.getLogger("tifffile")
    told, ear = logger.level, _Ear(logger.getEffectiveLevel())
    if ear.level > logging.WARNING:
        logger.setLevel(logging.WARNING)  # many people have it be quiet
    logger.addFilter(ear)
    try:
        yield
    finally:
        logger.removeFilter(ear)
        logger.setLevel(told)
    if ear.words:
        raise InputError(f"{shown(name)}: {one_line(ear.words[0])}")


def _other_files(file: Any, name: str, follow: bool) -> tuple[list[str], str | None]:
    """The files over which an OME-TIFF is spread, all checked; and its description where it needs mending."""
    root = ElementTree.fromstring(file.ome_metadata)
    tags = [(element.tag.rpartition("}")[2], element) for element in root.iter()]
    for tag, element in tags:
        if tag == "BinaryOnly":
            where = shown(element.attrib.get("MetadataFile", "without a name"))
            raise InputError(f"{shown(name)}: its OME header lies in another file, {where}; wanted it in this one")
    places = [element for tag, element in tags if tag == "UUID"]
    own = root.attrib.get("UUID")
    if own is None and len({place.text for place in places}) == 1:
        # All planes are in one file, which is this one, renamed or not.
        root.set("UUID", places[0].text or "")
        return [], ElementTree.tostring(root, "unicode")
    here = os.path.basename(name).lower()
    found: dict[str, str] = {}
    for place in places:
        reference = place.attrib.get("FileName", "")
        if place.text != own and not (own is None and reference.lower() == here) and reference not in found:
            found[reference] = referred(name, reference, "pages", follow)
    return list(found.values()), None


def _check_imagej(file: Any, name: str) -> None:
    """What ImageJ's header says of the number of images, held against itself and the pages."""
    header = file.imagej_metadata or {}
    channels, slices, frames = (int(header.get(key, 1)) for key in ("channels", "slices", "frames"))
    planes, pages = channels * slices * frames, len(file.pages)
    images = int(header.get("images", planes))
    if images > 1 and pages not in (1, images):
        raise InputError(f"{shown(name)}: got {pages} pages, wanted {images} as its ImageJ header says")
    if planes not in (1, max(images, pages)):
        raise InputError(
            f"{shown(name)}: got {max(images, pages)} images, wanted {channels} channels x {slices} slices x {frames} "
            "frames as its ImageJ header says"
        )


def _the_series(file: Any, name: str) -> Any:
    """The image of the file that is no thumbnail and no mask."""
    images = [series for series in file.series if not (series.keyframe.is_reduced or series.keyframe.is_mask)]
    if not images:
        raise InputError(f"{shown(name)}: got only thumbnails and masks, wanted an image")
    if len(images) > 1 and images[0].kind in _PLAIN_KINDS:
        some = ", ".join(f"{one.shape} {one.dtype}" for one in images[:3])
        raise InputError(f"{shown(name)}: {len(images)} images, {some}; wanted one, or pages that are alike")
    if any(page is None for page in images[0].pages):
        raise InputError(f"{shown(name)}: pages are missing that its description has")
    if images[0].dtype is None or images[0].dtype.kind not in "biuf":
        raise InputError(f"{shown(name)}: samples of {images[0].dtype}; wanted bool, integers or floats")
    return images[0]


def _is_dense(series: Any) -> bool:
    return series.dataoffset is not None


def _check_places(series: Any, name: str) -> None:
    """Every strip and tile lies in its file, and has all its bytes where nothing is compressed."""
    if _is_dense(series):
        _check_room(series, name)
        where = [([series.dataoffset], [series.nbytes], series.keyframe.parent)]
    else:
        where = [(page.dataoffsets, page.databytecounts, page.parent) for page in series.pages]
    wanted = [] if _is_dense(series) else _segment_bytes(series.keyframe)
    lengths = {parent: os.path.getsize(parent.filehandle.path) for _, _, parent in where}
    for number, (offsets, counts, parent) in enumerate(where):
        length = lengths[parent]
        if len(offsets) != len(counts) or len(counts) < len(wanted):
            raise InputError(f"{shown(name)}: page {number + 1} has {len(counts)} strips; wanted {len(wanted)}")
        for offset, count, least in zip(offsets, counts, wanted or counts, strict=False):
            if offset + count > length:
                end = offset + count
                raise InputError(f"{shown(name)}: truncated: page {number + 1} needs {end} bytes, got {length}")
            if count < least or offset == 0:
                raise InputError(
                    f"{shown(name)}: page {number + 1} has a strip or tile of {count} bytes; wanted {least}"
                )


def _check_room(series: Any, name: str) -> None:
    """ImageJ's images behind the samples of the only page end before the file goes on with other things."""
    page, end = series.keyframe, series.dataoffset + series.nbytes
    others = (page.offset, *(tag.valueoffset for tag in page.tags.values()))
    if series.nbytes > page.nbytes and any(series.dataoffset < other < end for other in others):
        raise InputError(f"{shown(name)}: says {series.shape} samples, but goes on with other things before their end")


def _segment_bytes(page: Any) -> list[int]:
    """The least that each strip or tile of a page has to have."""
    planes = page.samplesperpixel if page.planarconfig == 2 else 1
    samples = page.samplesperpixel // planes
    if page.is_tiled:
        width, height = page.tilewidth, page.tilelength
        segments = -(-page.imagewidth // width) * -(-page.imagelength // height)
        rows = [height] * segments
    else:
        width, strip = page.imagewidth, min(page.rowsperstrip or page.imagelength, page.imagelength)
        rows = [min(strip, page.imagelength - y) for y in range(0, page.imagelength, strip)]
    row_bytes = (width * samples * page.bitspersample + 7) // 8
    plain = page.compression == 1 and not page.is_subsampled
    return [row_bytes * count if plain else 1 for count in rows] * planes


def _taken(file: Any, series: Any, name: str, time: Any, channel: Any) -> tuple[tuple[Any, ...], Any]:
    """Along each axis all, or the time and the channel that are asked for; and what is to be taken of the colours.

    Channels with pages of their own, and the samples of a pixel in them, count as one row of channels.
    """
    counts = dict(zip(series.axes, series.shape, strict=False))
    samples = counts.get("S", 1)
    taken: list[Any] = []
    for axis, count in zip(series.axes, series.shape, strict=True):
        if axis == "T":
            taken.append(_asked(name, "time", time, count))
        elif axis != "C" or _are_slices(file, series):
            taken.append(slice(None))
        elif channel == "luma" and count * samples > 2 and samples == 1:
            taken.append(slice(None))
        else:
            number = _asked(name, "channel", channel, count * samples)
            taken.append(number // samples)
            channel = number % samples if samples > 1 else None
    if "T" not in counts and time is not None:
        index_of(name, "time", time, 1)
    return tuple(taken), channel


def _asked(name: str, keyword: str, value: Any, count: int) -> int:
    if value is None:
        raise InputError(f"{shown(name)}: {count} {keyword}s; wanted one: {keyword}=0 ... {count - 1}")
    return index_of(name, keyword, value, count)


def _voxel(file: Any, page: Any, rank: int) -> tuple[list[float | None], str]:
    """Edges of a voxel, (y, x) or (z, y, x), and their unit, as the program takes them."""
    x, y = _resolution(page, "XResolution"), _resolution(page, "YResolution")
    edges: list[float | None] = [y or x, x]
    if file.is_imagej:
        header = file.imagej_metadata or {}
        # ImageJ leaves out a voxel depth of 1.
        return [number_in(header.get("spacing", 1.0)), *edges][-rank:], unit_of(header.get("unit", ""))
    if file.is_ome:
        found = _voxel_of_ome(file, rank)
        if found is not None:
            return found
    # Dots per inch describe paper; per centimetre a few microscopes mean it. Nothing is said of z.
    unit = page.tags.get("ResolutionUnit")
    if rank != 2 or unit is None or int(unit.value) != _CENTIMETRE:
        return [], ""
    return [edge and as_float(edge * 1e4) for edge in edges], "um"


def _resolution(page: Any, tag: str) -> float | None:
    """The edge of a pixel."""
    value = page.tags.get(tag)
    if value is None or not isinstance(value.value, tuple) or len(value.value) != 2:
        return None
    pixels, lengths = value.value
    return as_float(lengths / pixels) if pixels and 0 < pixels / (lengths or 1) <= 1e30 else None


def _voxel_of_ome(file: Any, rank: int) -> tuple[list[float | None], str] | None:
    root = ElementTree.fromstring(file.ome_metadata)
    pixels = next((one for one in root.iter() if one.tag.rpartition("}")[2] == "Pixels"), None)
    if pixels is None:
        return None
    axes = "ZYX"[-rank:]
    edges = [number_in(pixels.attrib.get(f"PhysicalSize{axis}")) for axis in axes]
    units = {unit_of(pixels.attrib.get(f"PhysicalSize{axis}Unit", "um")) for axis in axes}
    return (edges, units.pop()) if len(units) == 1 and None not in edges else None


def _are_slices(file: Any, series: Any) -> bool:
    """In ImageJ's files nothing but channels, not shown as colours, is what tifffile makes of a volume's slices."""
    if series.kind != "imagej" or not set(series.axes) <= set("CYXS"):
        return False
    mode = str((file.imagej_metadata or {}).get("mode", ""))
    return not mode.startswith(("composite", "color"))


def _mapped(file: Any, series: Any, name: str) -> numpy.ndarray:
    page = series.keyframe
    if not (_is_dense(series) and page.is_memmappable and page.photometric in (_BLACK_IS_ZERO, _RGB)):
        raise InputError(f"{shown(name)}: its samples do not lie in the file as in memory; wanted lazy=False")
    mapped: numpy.ndarray = file.asarray(series=series, out="memmap")
    return mapped


def _samples(file: Any, series: Any, taken: tuple[Any, ...]) -> numpy.ndarray:
    """Of several times and channels only those pages that are asked for are read."""
    lead = series.shape[: len(series.shape) - series.keyframe.ndim]
    if all(isinstance(part, slice) for part in taken):
        every: numpy.ndarray = file.asarray(series=series)
        return every
    chosen = numpy.arange(math.prod(lead)).reshape(lead)[taken[: len(lead)]]
    if _is_dense(series) or len(series.pages) != math.prod(lead):
        return numpy.ascontiguousarray(file.asarray(series=series)[taken])
    pages: numpy.ndarray = file.asarray(series=series, key=[int(page) for page in chosen.ravel()])
    return pages.reshape(*chosen.shape, *series.keyframe.shape)


def _in_colour(array: numpy.ndarray, axes: str, series: Any, name: str) -> tuple[numpy.ndarray, bool]:
    """What the samples mean: white is bright, a palette is looked up, colours come last. And whether there are any."""
    page = series.keyframe
    array = _spread(array, page)
    meaning = page.photometric
    if meaning == _WHITE_IS_ZERO:
        if array.dtype.kind not in "bu":
            raise InputError(f"{shown(name)}: white is zero in {array.dtype}; wanted bool or unsigned integers")
        array = numpy.invert(array, out=array if array.flags.writeable else None)
    elif meaning == _PALETTE:
        return _looked_up(array, page, name)
    elif meaning not in (_BLACK_IS_ZERO, _RGB, _MASK) and not (meaning == _YCBCR and page.compression == _JPEG):
        raise InputError(f"{shown(name)}: photometric interpretation {int(meaning)}; wanted grey, RGB or a palette")
    colours = "S" if "S" in axes else "C"
    if colours in axes and not _are_slices(page.parent, series):
        return numpy.ascontiguousarray(numpy.moveaxis(array, axes.index(colours), -1)), True
    return array, False


def _spread(array: numpy.ndarray, page: Any) -> numpy.ndarray:
    """Samples of 2 and 4 bits over the range of uint8, but indices of a palette."""
    factor = {2: 85, 4: 17}.get(page.bitspersample)
    if factor is None or page.photometric == _PALETTE or array.dtype != numpy.uint8:
        return array
    return array * numpy.uint8(factor)


def _looked_up(array: numpy.ndarray, page: Any, name: str) -> tuple[numpy.ndarray, bool]:
    table = page.colormap
    if table is None or array.dtype != numpy.uint8 or table.shape != (3, 1 << page.bitspersample):
        raise InputError(f"{shown(name)}: a palette image without a usable palette")
    # Some writers put 0 ... 255 where 0 ... 65535 belongs.
    colours = (table if table.max() < 256 else table >> 8).astype(numpy.uint8)
    grey = bool((colours == colours[0]).all()) and bool((table == table[0]).all())
    return (colours[0][array], False) if grey else (colours.T[array], True)
