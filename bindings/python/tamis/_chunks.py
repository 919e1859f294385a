"""Arrays that C++ cannot take as they are: those of other libraries, and those read chunk by chunk."""

from __future__ import annotations

import bisect
import itertools
import os
import sys
from typing import Any

import numpy

from ._calibrated import calibrated
from ._errors import one_line
from ._image_file import ImageFile
from ._native import InputError

# What a row of chunks may take where there is no limit on memory; a row that is larger is read in parts, and then some
# chunks are read more than once.
_ROW_BYTES = 4 << 30


class Reader:
    """A chunked array as volumes of slices, a row of chunks at a time."""

    def __init__(self, array: Any, what: str, memory: int, any_volume: bool = False) -> None:
        if len(array.shape) not in (2, 3):
            raise InputError(
                f"{what}: an array of shape {tuple(array.shape)}; wanted axes (y, x), (z, y, x) "
                f"or with batch=True (n, y, x): {what}[0]"
            )
        if 0 in array.shape:
            raise InputError(f"{what}: an array of shape {tuple(array.shape)} is empty")
        if not any_volume and len(array.shape) == 3 and array.shape[2] in (3, 4) and min(array.shape[:2]) >= 16 and array.dtype != bool:
            raise InputError(
                f"{what}: an array of shape {tuple(array.shape)} looks like a colour image; "
                f"wanted one channel, {what}[..., 0]"
            )
        if any(edge != edge for edge in array.shape):  # NaN
            raise InputError(f"{what}: a Dask array of unknown shape; wanted {what}.compute_chunk_sizes()")
        self._array = array
        self._what = what
        self.rank = len(array.shape)
        self.shape = (1, *array.shape) if self.rank == 2 else tuple(array.shape)
        self.dtype = numpy.dtype(array.dtype).name
        slice_bytes = self.shape[1] * self.shape[2] * numpy.dtype(array.dtype).itemsize
        limit = memory // 4 if memory else _ROW_BYTES
        self._borders = _rows_of_chunks(array, self.rank, self.shape[0], max(1, limit // slice_bytes))
        self._begin = self._end = 0
        self._row = numpy.empty(0)

    def read_into(self, z0: int, count: int, buffer: memoryview) -> None:
        """Copies slices z0 ... z0+count-1 to `buffer`, dense."""
        out = numpy.frombuffer(buffer, self.dtype).reshape(count, *self.shape[1:])
        z = z0
        while z < z0 + count:
            if not self._begin <= z < self._end:
                self._load(z)
            end = min(self._end, z0 + count)
            out[z - z0 : end - z0] = self._row[z - self._begin : end - self._begin]
            z = end

    def _load(self, z: int) -> None:
        at = bisect.bisect_right(self._borders, z)
        self._row = numpy.empty(0)  # the old row goes before the new one comes
        self._begin, self._end = self._borders[at - 1], self._borders[at]
        part = self._array if self.rank == 2 else self._array[self._begin : self._end]
        # Also a subclass, or a mask would be lost in silence.
        row = _from_blocks(part, self._what) if is_dask(part) else numpy.asanyarray(part)
        row = row[None] if self.rank == 2 else row
        wanted = (self._end - self._begin, *self.shape[1:])
        check_block(row, wanted, numpy.dtype(self.dtype), self._what)
        self._row = row


def check_block(block: Any, shape: tuple[int, ...], dtype: numpy.dtype, what: str) -> None:
    """What comes has to be what was announced: in a copy other samples are cut to fit, and a smaller block repeats."""
    if isinstance(block, numpy.ma.MaskedArray):
        raise InputError(f"{what}: a block that is a masked array; wanted the mask as roi, or blocks filled")
    got = getattr(block, "dtype", None)
    if got is None or got.newbyteorder("=") != dtype.newbyteorder("=") or tuple(block.shape) != tuple(shape):
        came = f"{tuple(getattr(block, 'shape', ()))} of {got or type(block).__name__}"
        raise InputError(f"{what}: a block came as {came}; wanted {tuple(shape)} of {dtype} as announced")


def is_dask(array: Any) -> bool:
    return type(array).__module__.startswith("dask.") and hasattr(array, "to_delayed")


def is_group(array: Any) -> bool:
    """Asked of every array, so it does not import zarr."""
    zarr = sys.modules.get("zarr")
    return zarr is not None and isinstance(array, zarr.Group)


def _from_blocks(array: Any, what: str) -> numpy.ndarray:
    """The samples of a Dask array, its blocks looked at one by one: put together by Dask they take the first's type."""
    dtype = numpy.dtype(array.dtype).newbyteorder("=")
    out = numpy.empty(array.shape, dtype)
    blocks = sys.modules["dask"].compute(*array.to_delayed().ravel())
    along = [zip(itertools.accumulate(lengths), lengths, strict=True) for lengths in array.chunks]
    for block, place in zip(blocks, itertools.product(*along), strict=True):
        check_block(block, tuple(length for _, length in place), dtype, what)
        out[tuple(slice(end - length, end) for end, length in place)] = block
    return out


def _rows_of_chunks(array: Any, rank: int, depth: int, limit: int) -> list[int]:
    """Where to cut along z: at chunks, and within those of more than `limit` slices."""
    if rank == 2:
        return [0, depth]
    chunks = getattr(array, "shards", None) or getattr(array, "chunks", None) or (min(depth, limit),)
    along_z = chunks[0]
    ends = (
        list(itertools.accumulate(along_z))  # Dask: the length of each
        if isinstance(along_z, tuple)
        else [*range(along_z, depth, along_z), depth]
    )
    borders = [0]
    for end in ends:
        borders += [*range(borders[-1] + limit, end, limit), end]
    return borders


def adapt(array: Any, what: str, memory: int) -> Any:
    """Something with the buffer protocol, or a Reader."""
    if isinstance(array, (str, os.PathLike)):
        raise InputError(f"{what}: a path, {str(array)!r}; wanted an array: tamis.read(path)")
    if isinstance(array, (list, tuple)):
        return _from_lists(array, what)
    if isinstance(array, ImageFile):
        return array._opened()
    if is_group(array):
        raise InputError(f"{what}: a Zarr group; wanted one of its arrays, {what}['name'], or tamis.open_file(path)")
    if type(array).__module__.startswith("xarray"):
        inner = array.data
        return inner if isinstance(inner, numpy.ndarray) else adapt(inner, what, memory)
    if hasattr(array, "__dlpack_device__"):
        return _from_dlpack(array, what)
    if hasattr(array, "chunks") and hasattr(array, "shape") and hasattr(array, "dtype"):
        return Reader(array, what, memory)
    if hasattr(array, "__array_interface__") or hasattr(array, "__array__"):
        return _from_interface(array, what)
    raise InputError(f"{what}: got {type(array).__name__}; wanted an array")


def _from_lists(lists: Any, what: str) -> numpy.ndarray:
    """Lists of whole numbers have no type of samples: the narrowest image type that holds them all."""
    try:
        array = numpy.asarray(lists)
    except (OverflowError, TypeError, ValueError) as error:
        raise InputError(f"{what}: a {type(lists).__name__}: {one_line(error)}; wanted numbers in equal rows") from error
    if array.dtype.kind not in "iu" or array.size == 0:
        return array
    low, high = array.min(), array.max()
    fits = (kind for kind in (numpy.uint8, numpy.uint16, numpy.int16) if numpy.iinfo(kind).min <= low and high <= numpy.iinfo(kind).max)
    return array.astype(next(fits, array.dtype))


def _from_interface(array: Any, what: str) -> numpy.ndarray:
    try:
        return numpy.asarray(array)
    except (BufferError, OverflowError, TypeError, ValueError) as error:
        raise InputError(f"{what}: {one_line(error)}; wanted an array that NumPy can take") from error


def _from_dlpack(array: Any, what: str) -> numpy.ndarray:
    try:
        return numpy.from_dlpack(array)
    except Exception as error:
        raise InputError(f"{what}: {one_line(error)}; wanted an array that NumPy can share") from error


def adapt_out(out: Any) -> numpy.ndarray:
    """A NumPy array that shares the memory of `out`."""
    if hasattr(out, "__dlpack_device__"):
        return _from_dlpack(out, "out")
    raise InputError(f"out: got {type(out).__name__}; wanted an array")


def like(result: numpy.ndarray, image: Any) -> Any:
    """The result as an array of the library of `image`, sharing its memory, where that library shares arrays. Of a file it
    knows its voxels as the file does."""
    if isinstance(image, ImageFile):
        return calibrated(result, image.spacing or (), image.unit)
    library = sys.modules.get(type(image).__module__.partition(".")[0])
    share = getattr(library, "from_dlpack", None)
    return share(result) if share is not None and hasattr(image, "__dlpack_device__") else result
