"""Size distributions, size maps, thickness and distances of Dask arrays."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy
from dask.base import tokenize

from .. import _native
from .bits import Bits, Metric, PartOfBits, Plan, PlannedBits
from .filters import calling, filtered
from .packed import PackedThreshold
from .parts import Box, added_up, array_of, boxes_of, delayed_of, in_one_task, lengths, meta_like, within
from .threshold import Region, add_tallies, bits_of, counted, flat, refuse_at_once, region_of
from .._elements import unit_element_spec
from .._native import InputError, Sizes

_UNITS = {"cross:1": "cross", "cube:3": "cube", "square:3": "square", "disk:1": "disk", "ball:1": "ball"}
_EXACT_IN_F32 = 1 << 22  # squares below are those of their roots as f32, rounded
_KINDS = {"cross": "city", "cube": "chess", "square": "chess", "ball": "ball", "disk": "ball"}


def _edges(spacing: tuple[float, ...]) -> tuple[float, float, float]:
    """Of images too, which have no z."""
    return (1.0 if len(spacing) == 2 else spacing[0], spacing[-2], spacing[-1])


class Question:
    """What is asked of an object: the element, the size of its voxels, and the keywords of calls on its parts."""

    def __init__(self, name: str, arguments: dict[str, Any], region: Region) -> None:
        self.name = name
        ndim = region.image.ndim
        self.spacing, self.unit = self._spacing(arguments, region)
        self.threshold = arguments.pop("threshold", None)
        self.phase = arguments.pop("phase", "bright")
        self.border = arguments.get("border", "background")
        self.listed = arguments.get("sizes")
        self.max_size = arguments.get("max_size")
        self.element = self._element(arguments, ndim)
        self.keywords = arguments
        few = numpy.zeros((1,) * ndim, region.image.dtype if arguments.get("grey") else bool)
        refuse_at_once(name, few, **arguments)
        planar = self.element in ("square", "disk") or ndim == 2
        self.rank = 2 if planar else 3
        self.axes = (ndim - 2, ndim - 1) if planar else (0, 1, 2)

    def _spacing(self, arguments: dict[str, Any], region: Region) -> tuple[tuple[float, ...], str]:
        given, unit = arguments.pop("spacing", None), arguments.pop("unit", "")
        if given is None and region.spacing is not None:
            given, unit = region.spacing
        found = None if given is None else _native._spacing_of(given, unit, region.image.ndim)
        if found is None:
            return (1.0,) * region.image.ndim, ""
        arguments["spacing"], arguments["unit"] = found
        if not found[1]:
            del arguments["unit"]
        return found

    def _element(self, arguments: dict[str, Any], ndim: int) -> str:
        if self.name == "distance":
            return "disk" if arguments.get("by_slices") or ndim == 2 else "ball"
        element = arguments.get("element", "ball" if self.name == "thickness" else "cross")
        text = element if isinstance(element, str) else unit_element_spec(element, ndim)
        text = _UNITS.get(text, text)
        return "disk" if text == "ball" and ndim == 2 else text

    @property
    def by_parts(self) -> bool:
        return self.element in _KINDS and not self.keywords.get("grey")

    def metric(self, ndim: int) -> Metric:
        sides: tuple[int, ...] = (1,) * ndim
        if _KINDS[self.element] == "ball":
            sides = self.sides()[0][-ndim:]
        return Metric(_KINDS[self.element], self.axes, sides, self.border == "neutral")

    def sides(self) -> tuple[tuple[int, ...], float]:
        """Those of a voxel as whole numbers, and what 1 is."""
        z, y, x = _edges(self.spacing)
        *whole, unit = _native._sides_of(z, y, x, self.rank)
        return tuple(int(side) for side in whole), float(unit)

    def largest(self) -> float | None:
        """The distance from which on all are alike."""
        if self.name == "distance":
            return None
        if self.listed is not None and _KINDS[self.element] == "ball":
            return float(max(numpy.atleast_1d(self.listed))) * self.least_side()
        # A ball that is larger than max_size need not hold a smaller one where it covers a voxel.
        return None if self.max_size is None or _KINDS[self.element] == "ball" else float(self.max_size)

    def least_side(self) -> int:
        return min(self.sides()[0][-self.rank :])


@dataclass(eq=False)
class MapOfPart:
    """A map of what lies in a chunk."""

    name: str
    keywords: dict[str, Any]
    put: PartOfBits
    dtype: numpy.dtype | None = None
    element: str | None = None  # whose sizes the CPU can tell from bits

    def __call__(self, plan: Plan, pieces: Sequence[Any], whole: Any = None) -> Any:
        if plan.whole:
            return whole
        if self.on_cpu and self.name == "size_map":
            return self.from_bits("_size_map_in", plan, pieces).astype(self.dtype or "u1", copy=False)
        part, box = self.put(plan, pieces)
        inside = within(self.put.core, box)
        if not part[inside].any():
            dtype = self.dtype or numpy.dtype("f4" if self.name == "thickness" else "u1")
            return numpy.zeros_like(part, shape=lengths(self.put.core), dtype=dtype)
        found = calling(self.name, box, {"image": part, **self.keywords})[inside]
        return found.copy() if self.dtype is None else found.astype(self.dtype)

    @property
    def on_cpu(self) -> bool:
        device = self.keywords.get("device", "auto")
        return self.element is not None and (device == "cpu" or (device == "auto" and not _has_gpu()))

    def from_bits(self, name: str, plan: Plan, pieces: Sequence[Any]) -> Any:
        """What a call on packed bits says of the chunk, without arrays of bool and maps of what lies around it."""
        part, box = self.put.packed(plan, pieces)
        inside = within(self.put.core, box)
        ends = ([s.start for s in inside], [s.stop for s in inside])
        rows = numpy.ascontiguousarray(flat(part.packed))
        threads, max_size = self.keywords["threads"], self.keywords.get("max_size")
        return getattr(_native, name)(rows, part.shape, *ends, self.element, max_size, threads)

    def squares(self, plan: Plan, pieces: Sequence[Any]) -> Any:
        """Those of a map of radii, by the CPU."""
        part, box = self.put.packed(plan, pieces)
        inside = within(self.put.core, box)
        rows = flat(part.packed)
        rows = rows.get() if hasattr(rows, "get") else numpy.ascontiguousarray(rows)
        words = self.keywords
        sizes = None if words.get("sizes") is None else [int(n) for n in numpy.atleast_1d(words["sizes"])]
        convention = ("tamis", "porespy", "fiji").index(words.get("convention", "tamis"))
        return _native._squares_in(
            rows, part.shape, [s.start for s in inside], [s.stop for s in inside], words["element"] == "disk",
            words.get("border") == "neutral", convention, sizes, _edges(words.get("spacing", (1.0,) * 3)), words["threads"],
        )  # fmt: skip


@functools.cache
def _has_gpu() -> bool:
    return any(device["device"] != "cpu" and device["usable"] for device in _native.devices())


@dataclass(eq=False)
class TallyOfPart:
    find: MapOfPart
    balls: tuple[Any, ...] | None  # whether they are disks, edges of a voxel, the last size, listed ones
    unit: float  # of balls: the length whose square is 1

    def __call__(self, plan: Plan, pieces: Sequence[Any]) -> _native._Tally:
        if plan.whole:
            return _native._Tally()
        if self.find.on_cpu:  # counts as the openings find them, which a map takes longer to say
            removed = self.find.from_bits("_removed_in", plan, pieces)
            return _native._tally_of_sizes(range(len(removed)), removed.tolist())
        found = flat(self.find(plan, pieces))
        if self.balls is None:
            return _native._tally_of_sizes(*counted(found))
        squares = numpy.rint((found.astype("f8") / self.unit) ** 2)
        if int(squares.max()) >= _EXACT_IN_F32:
            exact = flat(self.find.squares(plan, pieces))
            squares = numpy.where(squares == 0, exact.dtype.type(0), exact)  # no listed ball covers those
        narrow = int(squares.max()) < 1 << 16
        return _native._tally_of_squares(*counted(squares.astype("u2" if narrow else "i8")), *self.balls)


@dataclass(eq=False)
class Census:
    """The voxels of the object in a block, and those of them at the border of what counts."""

    box: Box
    shape: tuple[int, ...]
    axes: tuple[int, ...]

    def __call__(self, bits: Any, plan: Plan, layer: Any = None) -> _native._Tally:
        if plan.whole:
            return _native._Tally()
        voxels = bits.count()
        if layer is not None:
            return _native._tally_of_census(voxels, int((bits.array() & layer).sum()))
        *rows, x = (
            slice(max(a, 1) - a, min(b, n - 1) - a) if i in self.axes else slice(0, b - a)
            for i, ((a, b), n) in enumerate(zip(self.box, self.shape, strict=True))
        )
        if any(along.start >= along.stop for along in (*rows, x)):
            return _native._tally_of_census(voxels, voxels)
        cut = {*range(x.start), *range(x.stop, bits.columns)}
        inner = bits.count(tuple(rows)) - sum(bits.column(at, tuple(rows)) for at in cut)
        return _native._tally_of_census(voxels, voxels - inner)


@dataclass(eq=False)
class WholeObject:
    """All of it in one task, where its sizes reach too far for chunks."""

    name: str
    keywords: dict[str, Any]
    boxes: list[Box]
    shape: tuple[int, ...]

    def __call__(self, plan: Plan, blocks: Sequence[Any], domain: Sequence[Any] | None = None) -> Any:
        if not plan.whole:
            return None
        arguments = {"image": self._joined(blocks), **self.keywords}
        arguments["threads"] = self.keywords.get("own_threads") or 0
        arguments.pop("own_threads", None)
        if domain is not None:
            arguments["roi"] = self._joined(domain)
        return getattr(_native, self.name)(**arguments)

    def _joined(self, blocks: Sequence[Any]) -> Any:
        whole: Any = None
        for bits, box in zip(blocks, self.boxes, strict=True):
            block = bits.array()
            whole = numpy.empty_like(block, shape=self.shape) if whole is None else whole
            whole[tuple(slice(a, b) for a, b in box)] = block
        return whole


@dataclass(eq=False)
class TakeCore:
    """Its share of what one task has computed."""

    core: Box
    dtype: numpy.dtype | None

    def __call__(self, plan: Plan, whole: Any) -> Any:
        if not plan.whole:
            return None
        piece = whole[tuple(slice(a, b) for a, b in self.core)]
        return piece.copy() if self.dtype is None else piece.astype(self.dtype)


@dataclass(eq=False)
class MakeSizes:
    """The distribution, as the library makes it of its counts."""

    element: str
    border: str
    rank: int
    spacing: tuple[float, ...]
    unit: str
    max_size: int | None
    listed: list[int] | None

    def __call__(self, plan: Plan, whole: Sizes | None, tally: _native._Tally, census: _native._Tally) -> Sizes:
        if whole is not None:
            return whole
        all_of_it = add_tallies([tally, census])
        return _native._sizes_of_tally(
            all_of_it, self.element, self.border, self.rank, _edges(self.spacing), self.unit, self.max_size, self.listed
        )


class Asked:
    """The graph of a question, up to the parts of its chunks."""

    def __init__(self, name: str, arguments: dict[str, Any]) -> None:
        self.region = region = region_of(arguments)
        self.ndim = region.image.ndim
        self.threads = arguments.pop("threads", None)
        self.question = Question(name, arguments, region)

    def build(self) -> None:
        question, region = self.question, self.region
        keywords = {word: value for word, value in question.keywords.items() if word in ("device", "simd")}
        keywords["threads"] = self.threads or 1
        self.bits = bits_of(region, question.threshold, question.phase, keywords, PackedThreshold)
        domain = region.domain
        self.token = tokenize(question.name, self.bits.name, getattr(domain, "name", None), question.keywords, question.spacing)
        self.tasks: dict[Any, Any] = {}
        # Distances along the paths inside a domain are not bounded by cells.
        winding = question.border == "neutral" and domain is not None
        metric = question.metric(self.ndim)
        self.planned = PlannedBits(self.bits, metric, self.token, self.tasks, question.largest(), winding)
        self.sources = [self.bits] if domain is None else [self.bits, domain]
        self.keywords = {**question.keywords, "threads": self.threads or 1}

    def element_of_bits(self) -> str | None:
        """The element, where calls on packed bits in the memory of the CPU tell its sizes."""
        words = self.question.keywords
        plain = not {"memory", "widths"} & {word for word, value in words.items() if value} and self.question.border == "background"
        told = plain and self.question.element in ("cross", "cube", "square")
        return self.question.element if told and isinstance(self.region.image._meta, numpy.ndarray) else None

    def whole(self, name: str, keywords: dict[str, Any]) -> Any:
        """The key of what one task makes of all, or of None."""
        keys, boxes = self.planned.all_bits()
        key = f"tamis-of-whole-{self.token}"
        own = {**keywords, "own_threads": self.threads}
        task: tuple[Any, ...] = (WholeObject(name, own, boxes, self.bits.shape), self.planned.plan, keys)
        if self.region.domain is not None:
            task = (*task, self._whole_domain())
        self.tasks[key] = task
        return key

    def _whole_domain(self) -> list[Any]:
        keys = []
        for place, _ in boxes_of(self.bits.chunks):
            key = (f"tamis-domain-{self.token}", *place)
            self.tasks[key] = (_domain_if_whole, self.planned.plan, (self.region.domain.name, *place))
            keys.append(key)
        return keys


def _domain_if_whole(plan: Plan, block: Any) -> Any:
    return Bits(block) if plan.whole else None


def _one_task(name: str, asked: Asked) -> Any:
    question, region = asked.question, asked.region
    arguments = {**question.keywords, "threshold": question.threshold, "phase": question.phase}
    if asked.threads is not None:
        arguments["threads"] = asked.threads
    return in_one_task(_call_whole, pure=True)(name, region.image, region.domain, arguments)


def _call_whole(name: str, image: Any, domain: Any, arguments: dict[str, Any]) -> Any:
    return getattr(_native, name)(image, roi=domain, **arguments)


def _outer_layer(domain: Any, axes: Sequence[int]) -> Any:
    """Voxels of the domain with a neighbour outside, as Dask arrays of bool."""
    element = numpy.zeros((3,) * domain.ndim, bool)
    for axis in range(domain.ndim):
        if axis in axes:
            element[(1,) * axis + (slice(None),) + (1,) * (domain.ndim - axis - 1)] = True
        else:
            element[(1,) * domain.ndim] = True
    return domain & ~filtered("erode", {"image": domain, "element": element, "border": "constant:0"})


def granulometry_delayed(arguments: dict[str, Any]) -> Any:
    asked = Asked("granulometry", arguments)
    question = asked.question
    if not question.by_parts:
        return _one_task("granulometry", asked)
    asked.build()
    tasks, planned = asked.tasks, asked.planned
    balls = question.element in ("ball", "disk")
    keywords = {word: value for word, value in asked.keywords.items() if word not in ("grey", "max_size" if balls else "")}
    find = "thickness" if balls else "size_map"
    listed = None if question.listed is None else [int(n) for n in numpy.atleast_1d(question.listed)]
    of_balls, unit = None, 1.0
    if balls:
        unit = question.sides()[1]
        of_balls = (question.rank == 2, _edges(question.spacing), question.max_size, listed)
        keywords = {word: value for word, value in keywords.items() if word != "widths"}
        keywords.update(measure="radius", element=question.element)
    told_by_bits = asked.element_of_bits()
    tallies = []
    for place, core in boxes_of(planned.chunks):
        put, pieces = planned.part(place, core)
        key = (f"tamis-tally-{asked.token}", *place)
        tally_of = TallyOfPart(MapOfPart(find, keywords, put, None, told_by_bits), of_balls, unit)
        tasks[key] = (tally_of, planned.plan, pieces)
        tallies.append(key)
    sources = list(asked.sources)
    layer = None if asked.region.domain is None else _outer_layer(asked.region.domain, question.axes)
    census = []
    for place, box in boxes_of(asked.bits.chunks):
        key = (f"tamis-census-{asked.token}", *place)
        more = () if layer is None else ((layer.name, *place),)
        tasks[key] = (Census(box, asked.bits.shape, question.axes), planned.packed(place), planned.plan, *more)
        census.append(key)
    if layer is not None:
        sources.append(layer)
    whole_keywords = {word: value for word, value in asked.keywords.items() if word != "threads"}
    whole = asked.whole("granulometry", whole_keywords)
    make = MakeSizes(
        question.element, question.border, question.rank, question.spacing, question.unit, question.max_size, listed
    )
    name = f"tamis-granulometry-{asked.token}"
    tally = added_up(f"tamis-tallies-{asked.token}", tallies, add_tallies, tasks)
    voxels = added_up(f"tamis-censuses-{asked.token}", census, add_tallies, tasks)
    tasks[name] = (make, planned.plan, whole, tally, voxels)
    return delayed_of(name, tasks, sources)


def _map_array(name: str, asked: Asked, dtype: Any) -> Any:
    if not asked.question.by_parts:
        raise InputError(f"element={asked.question.element!r}: no {name} by chunks")
    asked.build()
    tasks, planned = asked.tasks, asked.planned
    keywords = asked.keywords
    whole = asked.whole(name, {word: value for word, value in keywords.items() if word != "threads"})
    told_by_bits = asked.element_of_bits()
    result = f"tamis-{name}-{asked.token}"
    for place, core in boxes_of(planned.chunks):
        put, pieces = planned.part(place, core)
        own = (f"tamis-own-{asked.token}", *place)
        tasks[own] = (TakeCore(core, dtype), planned.plan, whole)
        tasks[(result, *place)] = (MapOfPart(name, keywords, put, dtype, told_by_bits), planned.plan, pieces, own)
    array = array_of(result, tasks, asked.sources, planned.chunks, meta_like(asked.region.image, dtype))
    return array if planned.chunks == asked.bits.chunks else array.rechunk(asked.bits.chunks)


def _type_of_sizes(question: Question, shape: Sequence[int]) -> numpy.dtype:
    """The type that holds every size that there can be: that of the result has to be known before."""
    axes = [shape[i] for i in question.axes]
    if question.listed is not None:
        most = int(max(numpy.atleast_1d(question.listed)))
    elif question.border == "neutral":
        most = sum(axes) + 1
    else:
        most = (min(axes) + 1) // 2 * (1 if question.element not in ("ball", "disk") else _longest_side(question)) + 1
    if question.max_size is not None:
        most = min(most, question.max_size + 1)
    return numpy.dtype("u1" if most <= 255 else "u2" if most <= 65535 else "u4")


def _longest_side(question: Question) -> int:
    """In shortest sides, rounded up."""
    return -(-max(question.sides()[0][-question.rank :]) // question.least_side())


def size_map_array(arguments: dict[str, Any]) -> Any:
    asked = Asked("size_map", arguments)
    widths = bool(asked.question.keywords.get("widths"))
    dtype = numpy.dtype("f4") if widths else _type_of_sizes(asked.question, asked.region.image.shape)
    return _map_array("size_map", asked, dtype)


def distance_array(arguments: dict[str, Any]) -> Any:
    if arguments.get("squared"):
        raise InputError("squared=True: not by chunks, which cannot tell the type of the result; wanted squared=False")
    return _map_array("distance", Asked("distance", arguments), numpy.dtype("f4"))


def thickness_array(arguments: dict[str, Any]) -> Any:
    figures = arguments.pop("return_figures", False)
    sizes = {word: value for word, value in arguments.items() if word != "measure"}
    sizes.setdefault("element", "ball")
    found = _map_array("thickness", Asked("thickness", arguments), numpy.dtype("f4"))
    return (found, granulometry_delayed(sizes).thickness) if figures else found
