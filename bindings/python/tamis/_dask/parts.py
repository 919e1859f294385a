"""Parts of Dask arrays: what a chunk of a result is computed from, cut out of the blocks that hold it."""

from __future__ import annotations

import bisect
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import dask.array
import numpy
from dask.delayed import Delayed as DelayedType
from dask.delayed import delayed
from dask.highlevelgraph import HighLevelGraph

from .._chunks import check_block, is_group
from .._native import InputError

# Dask says little of its types.
arrays: Any = dask.array
Delayed: Any = DelayedType
in_one_task: Any = delayed

Box = tuple[tuple[int, int], ...]  # first and end along each axis
Chunks = tuple[tuple[int, ...], ...]


def as_dask(image: Any, what: str) -> tuple[Any, Any]:
    """A Dask array that reads nothing yet, and the size of a voxel where the image knows it."""
    if is_group(image):
        raise InputError(f"{what}: a Zarr group; wanted one of its arrays, {what}['name'], or tamis.open_file(path)")
    spacing = getattr(image, "spacing", None)
    spacing = (spacing, getattr(image, "unit", "")) if spacing is not None else None
    if type(image).__module__.startswith("xarray"):
        image = image.data
    if isinstance(image, Delayed) or not (hasattr(image, "shape") and hasattr(image, "dtype")):
        raise InputError(f"{what}: got {type(image).__name__}; wanted a Dask, Zarr or HDF5 array, or one in memory")
    if not isinstance(image, arrays.Array):
        chunks = getattr(image, "shards", None) or getattr(image, "chunks", None) or "auto"
        image = arrays.from_array(image, chunks=chunks)
    if any(edge != edge for edge in image.shape):  # NaN
        raise InputError(f"{what}: a Dask array of unknown shape; wanted {what}.compute_chunk_sizes()")
    if 0 in image.shape:
        raise InputError(f"{what}: an array of shape {image.shape} is empty")
    return image, spacing


def meta_like(array: Any, dtype: Any) -> Any:
    """What Dask takes for the type of blocks: NumPy's or CuPy's."""
    return numpy.empty_like(array._meta, shape=(0,) * array.ndim, dtype=dtype)


def boxes_of(chunks: Chunks) -> Iterator[tuple[tuple[int, ...], Box]]:
    """Each chunk's place in the grid, and its box."""
    ends = [list(itertools.accumulate(lengths)) for lengths in chunks]
    for place in itertools.product(*(range(len(lengths)) for lengths in chunks)):
        yield place, tuple((ends[i][k] - chunks[i][k], ends[i][k]) for i, k in enumerate(place))


def grown(box: Box, halo: Sequence[int], shape: Sequence[int]) -> Box:
    """With so many samples more on either side, as far as the image goes."""
    return tuple((max(0, a - h), min(n, b + h)) for (a, b), h, n in zip(box, halo, shape, strict=True))


def common(one: Box, other: Box) -> Box:
    return tuple((max(a, c), min(b, d)) for (a, b), (c, d) in zip(one, other, strict=True))


def within(box: Box, frame: Box) -> tuple[slice, ...]:
    """Where a box lies in a larger one."""
    return tuple(slice(a - c, b - c) for (a, b), (c, _) in zip(box, frame, strict=True))


def lengths(box: Box) -> tuple[int, ...]:
    return tuple(b - a for a, b in box)


def words(box: Box) -> str:
    """ "0:64, 128:256": as an index has it."""
    return ", ".join(f"{a}:{b}" for a, b in box)


class Grid:
    """Which blocks of an array hold a box."""

    def __init__(self, chunks: Chunks) -> None:
        self.ends = [list(itertools.accumulate(along)) for along in chunks]
        self.chunks = chunks

    def holding(self, box: Box) -> Iterator[tuple[tuple[int, ...], Box]]:
        ranges = [
            range(bisect.bisect_right(ends, a), bisect.bisect_left(ends, b) + 1)
            for ends, (a, b) in zip(self.ends, box, strict=True)
        ]
        for place in itertools.product(*ranges):
            yield place, tuple((self.ends[i][k] - self.chunks[i][k], self.ends[i][k]) for i, k in enumerate(place))


@dataclass(eq=False)
class Cut:
    """A copy: a view would keep all of its block in memory."""

    inside: tuple[slice, ...]
    shape: tuple[int, ...]  # of the block
    dtype: numpy.dtype
    what: str

    def __call__(self, block: Any) -> Any:
        check_block(block, self.shape, self.dtype, self.what)
        return block[self.inside].copy()


@dataclass(eq=False)
class Assembly:
    """Pieces side by side as one array."""

    places: list[tuple[slice, ...]]
    shape: tuple[int, ...]
    dtype: numpy.dtype
    what: str

    def __call__(self, pieces: Sequence[Any]) -> Any:
        for piece, place in zip(pieces, self.places, strict=True):
            check_block(piece, tuple(s.stop - s.start for s in place), self.dtype, self.what)
        if len(pieces) == 1:
            return pieces[0]
        whole = numpy.empty_like(pieces[0], shape=self.shape, order="C")
        for piece, place in zip(pieces, self.places, strict=True):
            whole[place] = piece
        return whole


class Source:
    """A Dask array whose parts tasks ask for. What several of them want of a block is cut once."""

    def __init__(self, array: Any, what: str, token: str) -> None:
        self.array = array
        self.what = what
        self.dtype = numpy.dtype(array.dtype)
        self._grid = Grid(array.chunks)
        self._cut = f"tamis-cut-{what}-{token}"

    def part(self, box: Box, tasks: dict[Any, Any]) -> tuple[list[Any], Assembly]:
        """The keys of pieces, and how they become the part. Adds the tasks that cut them."""
        keys, places = [], []
        for place, block in self._grid.holding(box):
            piece = common(block, box)
            key = (self.array.name, *place)
            if piece != block:
                whole, key = key, (self._cut, *place, *itertools.chain(*piece))
                tasks[key] = (Cut(within(piece, block), lengths(block), self.dtype, self.what), whole)
            keys.append(key)
            places.append(within(piece, box))
        return keys, Assembly(places, lengths(box), self.dtype, self.what)


def array_of(name: str, tasks: dict[Any, Any], sources: Sequence[Any], chunks: Chunks, meta: Any) -> Any:
    graph = HighLevelGraph.from_collections(name, tasks, dependencies=list(sources))
    return arrays.Array(graph, name, chunks=chunks, meta=meta, dtype=meta.dtype)


def delayed_of(name: str, tasks: dict[Any, Any], sources: Sequence[Any]) -> Any:
    """The task of that name is the result."""
    return Delayed(name, HighLevelGraph.from_collections(name, tasks, dependencies=list(sources)))


def added_up(name: str, keys: Sequence[Any], add: Any, tasks: dict[Any, Any]) -> Any:
    """The key of what add([a, b, ...]) makes of all, in steps: no worker has all of them at a time."""
    level, left = 0, list(keys)
    while len(left) > 1 or level == 0:
        groups = [left[i : i + 16] for i in range(0, len(left), 16)]
        left = []
        for number, group in enumerate(groups):
            tasks[(name, level, number)] = (add, group)
            left.append((name, level, number))
        level += 1
    return left[0]
