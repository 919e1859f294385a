"""Objects of Dask arrays as packed bits, how large they can be at most, and the parts that sizes are computed from.

The size at a voxel depends on what lies as far away as twice the largest distance to the background around it. Each
block says which of its cells, of a few voxels along each axis, hold nothing but object. The distances of these cells
bound those of the voxels, a chunk gets twice the bound as its halo, and only that travels: tasks that cut the bits of
neighbours give nothing where the bound does not reach them. A bound beyond the halo that the graph is made for sends
all the bits to one task instead.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy

from .. import _native
from .filters import looks_like_colour
from .parts import Box, Chunks, Grid, boxes_of, common, grown, lengths, within
from .threshold import counted, flat

# Cells of 2 or 4 voxels a side while these are few; one task takes some 16 bytes for each.
_FEW_CELLS = 1 << 21
_MOST_CELLS = 1 << 27
_FEW_EROSIONS = 40
_LEAST_HALO = 128  # what graphs are made for at least: sizes up to 64
_LEAST_CHUNK = 128  # thinner chunks are computed together


class Bits:
    """An array of bool, eight voxels a byte along x, the first in the lowest bit, where the array was."""

    def __init__(self, array: Any) -> None:
        self.columns = array.shape[-1]
        if self.columns % 8:
            padded = numpy.zeros_like(array, shape=(*array.shape[:-1], -(-self.columns // 8) * 8))
            padded[..., : self.columns] = array
            array = padded
        self.packed = numpy.packbits(array.ravel(), bitorder="little").reshape(*array.shape[:-1], -1)

    @classmethod
    def of_packed(cls, packed: Any, columns: int) -> Bits:
        """Of bytes as they are here."""
        bits = cls.__new__(cls)
        bits.packed, bits.columns = packed, columns
        return bits

    @property
    def shape(self) -> tuple[int, ...]:
        return (*self.packed.shape[:-1], self.columns)

    def array(self, inside: tuple[slice, ...] | None = None) -> Any:
        """The voxels there as bool."""
        last = slice(0, self.columns) if inside is None else inside[-1]
        bytes_of_rows = self.packed[(..., slice(last.start // 8, -(-last.stop // 8)))]
        if inside is not None:
            bytes_of_rows = bytes_of_rows[inside[:-1]]
        rows = numpy.unpackbits(bytes_of_rows.ravel(), bitorder="little").reshape(*bytes_of_rows.shape[:-1], -1)
        first = last.start // 8 * 8
        return rows[..., last.start - first : last.stop - first].view(bool)

    def cut(self, inside: tuple[slice, ...]) -> Bits:
        """The voxels there as bits."""
        last = inside[-1]
        if last.start % 8 or (last.stop % 8 and last.stop != self.columns):
            return Bits(self.array(inside))
        packed = self.packed[(*inside[:-1], slice(last.start // 8, -(-last.stop // 8)))]
        return Bits.of_packed(packed.copy(), last.stop - last.start)

    def count(self, rows: tuple[slice, ...] = ()) -> int:
        """How many voxels of these rows are object."""
        packed = self.packed[rows] if rows else self.packed
        return sum(n * value.bit_count() for value, n in zip(*counted(flat(packed)), strict=True))

    def column(self, x: int, rows: tuple[slice, ...]) -> int:
        """How many voxels at x of these rows are object."""
        of_rows = self.packed[rows][..., x // 8]
        return int((of_rows >> (x % 8) & 1).sum())

    def __sizeof__(self) -> int:  # what Dask counts
        return object.__sizeof__(self) + int(self.packed.nbytes)


class Metric(NamedTuple):
    """How sizes are measured."""

    kind: str  # "city", "chess", "ball"
    axes: tuple[int, ...]  # those that objects extend along; the others are slices of their own
    sides: tuple[int, ...]  # of a voxel along each axis of the image, whole numbers
    neutral: bool  # nothing lies outside

    def samples(self, distance: float, ndim: int) -> tuple[int, ...]:
        """A distance along each axis."""
        return tuple(math.ceil(distance / self.sides[i]) if i in self.axes else 0 for i in range(ndim))

    @property
    def slack(self) -> float:
        """Balls are round and voxels are not: between two there may be half a diagonal, on both sides."""
        return 0.0 if self.kind != "ball" else 2.0 + 2 * math.hypot(*(self.sides[i] for i in self.axes))

    def reach(self, bound: float, ndim: int) -> tuple[int, ...]:
        return self.samples(2 * bound + self.slack, ndim)


def cell_edge(shape: Sequence[int], axes: Sequence[int]) -> int:
    edge = 2
    while math.prod(-(-n // edge) if i in axes else n for i, n in enumerate(shape)) > (_FEW_CELLS if edge < 8 else _MOST_CELLS):
        edge *= 2
    return edge


@dataclass(eq=False)
class FullCells:
    """Which cells of a block hold nothing but object. Those at its ends may be cut short."""

    edges: tuple[int, ...]

    def __call__(self, bits: Bits) -> numpy.ndarray:
        full: Any = bits.packed
        if bits.columns % 8:  # beyond the last voxel nothing is missing
            full = full.copy()
            full[..., -1] |= 255 << bits.columns % 8 & 255
        for axis, edge in enumerate(self.edges[:-1]):
            if edge > 1:
                full = _all_along(full, axis, edge)
        full = _cells_of_bytes(full, self.edges[-1], -(-bits.columns // self.edges[-1]))
        return full if isinstance(full, numpy.ndarray) else full.get()


def _cells_of_bytes(full: Any, edge: int, cells: int) -> Any:
    """Of a power of 2 bits each along x."""
    if edge >= 8:
        full = full == 255
        return full if edge == 8 else _all_along(full, full.ndim - 1, edge // 8)
    masks = [((1 << edge) - 1) << first for first in range(0, 8, edge)]
    apart = numpy.empty_like(full, shape=(*full.shape, len(masks)), dtype=bool)
    for place, mask in enumerate(masks):
        apart[..., place] = (full & mask) == mask
    return apart.reshape(*full.shape[:-1], -1)[..., :cells]


def _all_along(full: Any, axis: int, edge: int) -> Any:
    at = (slice(None),) * axis
    cells = full[(*at, slice(0, None, edge))].copy()
    for i in range(1, edge):
        more = full[(*at, slice(i, None, edge))]
        cells[(*at, slice(0, more.shape[axis]))] &= more
    return cells


class Plan(NamedTuple):
    """What a graph does when it runs."""

    halos: numpy.ndarray  # of each chunk along each axis
    whole: bool  # they reach too far: one task does all

    def halo(self, place: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(int(h) for h in self.halos[place])


@dataclass(eq=False)
class MakePlan:
    metric: Metric
    cells: Chunks  # cells of each block along each axis
    voxels: Chunks  # of each cell along each axis
    chunks: Chunks  # those that sizes are computed of
    edge: int
    most: tuple[int, ...]  # the halo that the graph is made for, along each axis
    largest: float | None  # sizes end there
    always_whole: bool

    def __call__(self, blocks: Any) -> Plan:
        counts = tuple(len(along) for along in self.chunks)
        ndim = len(self.chunks)
        halos = numpy.zeros((*counts, ndim), "i8")
        if self.always_whole:
            return Plan(halos, True)
        bounds = self._bounds(self._grid(blocks))
        starts = [numpy.cumsum([0, *along]) for along in self.voxels]
        shape = [int(along[-1]) for along in starts]
        whole = False
        for place, box in boxes_of(self.chunks):
            bound = self._bound(bounds, starts, box, shape)
            halo = self.metric.reach(bound, ndim) if math.isfinite(bound) else tuple(shape)
            # Whole bytes along x, so that bits are cut and joined as they are.
            halo = tuple(-(-h // 8) * 8 if i == ndim - 1 else h for i, h in enumerate(halo))
            halo = tuple(h if i in self.metric.axes else 0 for i, h in enumerate(halo))
            # A halo past the ends of the image is none.
            whole = whole or any(
                min(h, max(a, n - b)) > most for h, (a, b), n, most in zip(halo, box, shape, self.most, strict=True)
            )
            halos[place] = halo
        return Plan(halos, whole)

    def _grid(self, blocks: Any) -> numpy.ndarray:
        full = numpy.empty(tuple(sum(along) for along in self.cells), bool)
        for block, (_, box) in zip(blocks, boxes_of(self.cells), strict=True):
            full[tuple(slice(a, b) for a, b in box)] = block
        return full

    def _bounds(self, full: numpy.ndarray) -> numpy.ndarray:
        """At least the largest distance to the background in each cell, as far as the metric counts."""
        metric, edge = self.metric, self.edge
        axes = len(metric.axes)
        if metric.kind == "city":
            return edge * _city_block(full, metric) + axes * (edge - 1)
        sides = metric.sides if metric.kind == "ball" else (1,) * full.ndim
        # Balls of the corners of cells lie around those of chess boards.
        cells = _native.distance(
            full, by_slices=axes < full.ndim, border="neutral" if metric.neutral else "background",
            spacing=tuple(float(s) for s in sides), unit="um", device="cpu", threads=1,
        )  # fmt: skip
        if metric.kind == "chess":
            return edge * cells + (edge - 1)
        # Sides of cells are told within a millionth, and their distances as f32.
        return edge * cells.astype("f8") * (1 + 3e-6) + (edge - 1) * math.hypot(*(sides[i] for i in metric.axes)) + 1e-3

    def _bound(self, bounds: numpy.ndarray, starts: list[numpy.ndarray], box: Box, shape: list[int]) -> float:
        """The bound of all that can reach into the box: that of the cells in it, of those so far around it, and so on."""
        largest = math.inf if self.largest is None else self.largest
        bound, last = 0.0, -1.0
        while last < bound < largest:
            last = bound
            around = grown(box, self.metric.samples(last + self.metric.slack, len(shape)), shape)
            cells = tuple(
                slice(int(numpy.searchsorted(start, a, "right")) - 1, int(numpy.searchsorted(start, b, "left")))
                for start, (a, b) in zip(starts, around, strict=True)
            )
            bound = float(bounds[cells].max())
        return min(bound, largest)


def _city_block(full: numpy.ndarray, metric: Metric) -> numpy.ndarray:
    """The distance of each cell: how many erosions leave it, which is quick where these are few."""
    left: Any = full
    counts = full.astype("i4")
    for _ in range(0 if looks_like_colour(full.shape) else _FEW_EROSIONS):
        left = _native.erode(left, "cross:1", border="neutral" if metric.neutral else "constant:0", device="cpu", threads=1)
        if not left.any():
            return counts
        counts += left
    return _far_city_block(full, metric)


def _far_city_block(full: numpy.ndarray, metric: Metric) -> numpy.ndarray:
    far = sum(full.shape) + 2
    distance = numpy.where(full, far, 0).astype("i4")
    for axis in metric.axes:
        n = full.shape[axis]
        index = numpy.arange(n, dtype="i4").reshape([-1 if i == axis else 1 for i in range(full.ndim)])
        forward = numpy.minimum.accumulate(distance - index, axis=axis) + index
        back = numpy.flip(numpy.minimum.accumulate(numpy.flip(distance + index, axis), axis=axis), axis) - index
        distance = numpy.minimum(forward, back)
        if not metric.neutral:
            distance = numpy.minimum(distance, numpy.minimum(index + 1, n - index))
    return numpy.where(distance >= far, numpy.inf, distance) if metric.neutral else distance


@dataclass(eq=False)
class CutBits:
    """What a chunk wants of a block, once its halo is known; None where that is nothing."""

    block: Box
    core: Box
    place: tuple[int, ...]
    shape: tuple[int, ...]

    def __call__(self, plan: Plan, bits: Bits) -> Bits | None:
        if plan.whole:
            return None
        piece = common(grown(self.core, plan.halo(self.place), self.shape), self.block)
        if any(a >= b for a, b in piece):
            return None
        return bits if piece == self.block else bits.cut(within(piece, self.block))


@dataclass(eq=False)
class PartOfBits:
    """The object in a chunk and as far around it as it looks."""

    blocks: list[Box]
    core: Box
    place: tuple[int, ...]
    shape: tuple[int, ...]

    def __call__(self, plan: Plan, pieces: Sequence[Bits | None]) -> tuple[Any, Box]:
        box = grown(self.core, plan.halo(self.place), self.shape)
        part: Any = None
        for bits, block in zip(pieces, self.blocks, strict=True):
            if bits is None:
                continue
            piece = common(block, box)
            array = bits.array()
            if part is None:
                part = array if piece == box else numpy.empty_like(array, shape=lengths(box))
            if piece != box:
                part[within(piece, box)] = array
        return part, box

    def packed(self, plan: Plan, pieces: Sequence[Bits | None]) -> tuple[Bits, Box]:
        """The same as bits, which are copied as bytes where all pieces start at one."""
        box = grown(self.core, plan.halo(self.place), self.shape)
        held = [(bits, common(block, box)) for bits, block in zip(pieces, self.blocks, strict=True) if bits is not None]
        first = box[-1][0]
        if any((a - first) % 8 for _, (*_, (a, _)) in held):
            return Bits(self(plan, pieces)[0]), box
        if len(held) == 1:
            return held[0][0], box
        *rows, columns = lengths(box)
        packed = numpy.empty_like(held[0][0].packed, shape=(*rows, -(-columns // 8)))
        for bits, piece in held:
            *inside, x = within(piece, box)
            packed[(*inside, slice(x.start // 8, -(-x.stop // 8)))] = bits.packed
        return Bits.of_packed(packed, columns), box


@dataclass(eq=False)
class IfWhole:
    """For the task that does all, if one has to."""

    def __call__(self, plan: Plan, bits: Bits) -> Bits | None:
        return bits if plan.whole else None


def pack(block: Any) -> Bits:
    """A block of an array of bool; some are packed already (threshold.py)."""
    return block if isinstance(block, Bits) else Bits(block)


def together(chunks: Chunks, axes: Sequence[int]) -> Chunks:
    """Thin chunks next to each other as one: every chunk has a halo."""
    joined = []
    for axis, along in enumerate(chunks):
        thick: list[int] = []
        for length in along:
            if thick and axis in axes and min(thick[-1], length) < _LEAST_CHUNK and thick[-1] + length <= 2 * _LEAST_CHUNK:
                thick[-1] += length
            else:
                thick.append(length)
        joined.append(tuple(thick))
    return tuple(joined)


class PlannedBits:
    """The tasks from the bits of an array to the parts that its chunks are computed from."""

    def __init__(
        self, bits: Any, metric: Metric, token: str, tasks: dict[Any, Any], largest: float | None, always_whole: bool
    ) -> None:
        self._array, self._metric, self._token, self._tasks = bits, metric, token, tasks
        self._grid = Grid(bits.chunks)
        self.chunks = together(bits.chunks, metric.axes)
        shape = bits.shape
        edge = cell_edge(shape, metric.axes)
        edges = tuple(edge if i in metric.axes else 1 for i in range(len(shape)))
        cells = tuple(tuple(-(-n // e) for n in along) for along, e in zip(bits.chunks, edges, strict=True))
        voxels = tuple(
            tuple(itertools.chain.from_iterable((min(e, n - i) for i in range(0, n, e)) for n in along))
            for along, e in zip(bits.chunks, edges, strict=True)
        )
        least = _LEAST_HALO
        if largest is not None:
            least = min(least, max(metric.reach(largest, len(shape))))
        most = [max(least, max(along)) if i in metric.axes else 0 for i, along in enumerate(self.chunks)]
        most[-1] = -(-most[-1] // 8) * 8  # as halos are
        self.most = tuple(most)
        self.plan = f"tamis-plan-{token}"
        full = []
        for place, _ in boxes_of(bits.chunks):
            tasks[self.packed(place)] = (pack, (bits.name, *place))
            key = (f"tamis-full-{token}", *place)
            tasks[key] = (FullCells(edges), self.packed(place))
            full.append(key)
        make = MakePlan(metric, cells, voxels, self.chunks, edge, self.most, largest, always_whole)
        tasks[self.plan] = (make, full)

    def packed(self, place: tuple[int, ...]) -> Any:
        return (f"tamis-packed-{self._token}", *place)

    def part(self, place: tuple[int, ...], core: Box) -> tuple[PartOfBits, list[Any]]:
        """What makes the part of plan and pieces, and the keys of the pieces."""
        shape = self._array.shape
        keys, blocks = [], []
        for at, block in self._grid.holding(grown(core, self.most, shape)):
            key = (f"tamis-bits-of-{self._token}", *place, *at)
            self._tasks[key] = (CutBits(block, core, place, shape), self.plan, self.packed(at))
            keys.append(key)
            blocks.append(block)
        return PartOfBits(blocks, core, place, shape), keys

    def all_bits(self) -> tuple[list[Any], list[Box]]:
        """Keys of all blocks, and their boxes; of None unless one task does all."""
        keys, boxes = [], []
        for place, box in boxes_of(self._array.chunks):
            key = (f"tamis-whole-{self._token}", *place)
            self._tasks[key] = (IfWhole(), self.plan, self.packed(place))
            keys.append(key)
            boxes.append(box)
        return keys, boxes
