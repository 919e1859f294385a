"""Thresholds of Dask arrays: the same number as that of the whole, for samples of up to 16 bits counted by chunks."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy
from dask.base import tokenize
from dask.graph_manipulation import clone

from .. import _native
from .._chunks import check_block
from .filters import calling
from .parts import Box, added_up, array_of, arrays, as_dask, boxes_of, delayed_of, in_one_task, lengths, meta_like
from .._native import InputError

METHODS = ("otsu", "li", "kapur", "minimum", "triangle", "isodata", "mean")


class Region(NamedTuple):
    """An image and what counts of it, both cropped."""

    image: Any
    domain: Any  # a Dask array of bool of the same chunks; None: all
    spacing: Any


def _slices_of(crop: Any, ndim: int) -> tuple[slice, ...]:
    """'x0:x1,y0:y1,z0:z1' or slices, as a slice for each axis."""
    if isinstance(crop, str):
        parts = [part.strip().partition(":") for part in crop.split(",")]
        crop = [slice(*(int(end) if end.strip() else None for end in (a, b))) for a, _, b in parts]
        return (*(slice(None),) * (ndim - len(crop)), *reversed(crop))
    crop = (crop,) if isinstance(crop, slice) else tuple(crop)
    return (*crop, *(slice(None),) * (ndim - len(crop)))


def region_of(arguments: dict[str, Any]) -> Region:
    """Takes image, roi and crop out of the arguments."""
    image, spacing = as_dask(arguments.pop("image"), "image")
    roi, crop = arguments.pop("roi", None), arguments.pop("crop", None)
    if image.ndim not in (2, 3):
        raise InputError(f"image: an array of shape {image.shape}; wanted axes (y, x) or (z, y, x): one channel or time")
    if image.ndim == 3 and image.shape[2] in (3, 4) and min(image.shape[:2]) >= 16 and image.dtype != bool:
        raise InputError(f"image: an array of shape {image.shape} looks like a colour image; wanted one channel, image[..., 0]")
    whole = image.shape
    slices: tuple[slice, ...] = ()
    if crop is not None and crop != "":
        # What is wrong with a crop is said by the library, of an image that is a single sample in memory.
        try:
            slices = _slices_of(crop, image.ndim)
            kept = [len(range(n)[s]) for s, n in zip(slices, whole, strict=True) if s.step in (None, 1)]
            fits = len(kept) == image.ndim and min(kept) > 0 and all((s.stop or 0) <= n for s, n in zip(slices, whole, strict=True))
        except (TypeError, ValueError, AttributeError):
            fits = False
        if not fits:
            _native.threshold(numpy.broadcast_to(numpy.zeros((), bool), whole), None, crop=crop)
            slices = tuple(slice(*s.indices(n)[:2]) for s, n in zip(slices, whole, strict=True))
        image = image[slices]
    return Region(image, _domain_of(roi, whole, slices, image), spacing)


def _domain_of(roi: Any, whole: tuple[int, ...], slices: tuple[slice, ...], image: Any) -> Any:
    if roi is None:
        return None
    if isinstance(roi, str):
        plane = numpy.ones(whole[-2:], "u1")
        mask: Any = as_dask(_native.threshold(plane, 0, roi=roi), "roi")[0]
    else:
        mask = as_dask(numpy.asarray(roi) if isinstance(roi, (list, tuple)) else roi, "roi")[0]
    if mask.ndim == 2 and image.ndim == 3:
        mask = mask[None]
    of_whole = mask.shape[-2:] == whole[-2:] and mask.shape[0] in (1, whole[0])
    if slices and of_whole:  # a mask of the whole image is cropped with it; one that was made for the crop is taken as it is
        own = list(slices[: mask.ndim])
        if mask.ndim == 3 and mask.shape[0] == 1:
            own[0] = slice(None)
        mask = mask[tuple(own)]
    if mask.ndim != image.ndim or any(m not in (n, 1) or (m != n and i > 0) for i, (m, n) in enumerate(zip(mask.shape, image.shape, strict=True))):
        raise InputError(f"roi: an array of shape {mask.shape}; wanted that of the image, {image.shape}, or one slice for all")
    if mask.shape != image.shape:
        mask = arrays.broadcast_to(mask, image.shape)
    return (mask != 0).rechunk(image.chunks)


def refuse_at_once(name: str, few: numpy.ndarray, *arguments: Any, **keywords: Any) -> None:
    """What the library refuses of a few samples it refuses of all; what it says of such an image means nothing."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        getattr(_native, name)(few, *arguments, **keywords)


def flat(block: Any) -> Any:
    """Two axes: three might look like an image in colour."""
    return block.reshape(-1, block.shape[-1])


@dataclass(eq=False)
class _Blocks:
    """What is done with every block of an image, and what lies in the region of it."""

    shape: tuple[int, ...]
    dtype: numpy.dtype
    box: Box

    def inside(self, block: Any, domain: Any) -> Any:
        check_block(block, self.shape, self.dtype, "image")
        return flat(block) if domain is None else block[domain].reshape(1, -1)


def counted(samples: Any) -> tuple[list[int], list[int]]:
    """Whole numbers that are there, and how often each is."""
    if samples.size == 0:
        return [], []
    on_cpu = isinstance(samples, numpy.ndarray)
    if not on_cpu or samples.dtype.itemsize > 2:
        library = numpy if on_cpu else sys.modules[type(samples).__module__.partition(".")[0]]  # CuPy
        values, counts = library.unique(samples, return_counts=True)
        return values.tolist(), counts.tolist()
    low, counts = _native._counts_of(samples, 1)
    there = counts.nonzero()[0]
    return (there + low).tolist(), counts[there].tolist()


class CountValues(_Blocks):
    def __call__(self, block: Any, domain: Any = None) -> _native._Tally:
        samples = self.inside(block, domain)
        samples = samples.view("u1") if samples.dtype == bool else samples
        return _native._tally_of_values(*counted(samples), _type_of(samples.dtype))


def _type_of(dtype: numpy.dtype) -> str:
    return "u8" if dtype == bool else f"{dtype.kind}{8 * dtype.itemsize}"


class FewValues(_Blocks):
    """The different values, up to three of them."""

    def __call__(self, block: Any, domain: Any = None) -> numpy.ndarray:
        samples = self.inside(block, domain)
        found: Any = samples.ravel()[:0]
        while samples.size and len(found) < 3:  # each time one more
            found = numpy.append(found, samples.ravel()[0]) if isinstance(found, numpy.ndarray) else _append(found, samples)
            samples = samples[(samples != found[-1]) & (samples == samples)].reshape(1, -1)
        return found if isinstance(found, numpy.ndarray) else found.get()


def _append(found: Any, samples: Any) -> Any:
    return sys.modules[type(samples).__module__.partition(".")[0]].append(found, samples.ravel()[:1])


def add_tallies(tallies: Sequence[_native._Tally]) -> _native._Tally:
    total = _native._Tally()
    for tally in tallies:
        total.add(tally)
    return total


def _join_values(values: Sequence[numpy.ndarray]) -> numpy.ndarray:
    return numpy.unique(numpy.concatenate(values))[:3]


@dataclass(eq=False)
class ValueOfTally:
    dtype: numpy.dtype
    method: str | None

    def __call__(self, tally: _native._Tally) -> float:
        return _native._threshold_of_tally(tally, _type_of(self.dtype), self.method)


@dataclass(eq=False)
class SmallerOfTwo:
    """The value that the larger of an image's two is above; what is wrong with others the library says."""

    def __call__(self, values: numpy.ndarray) -> float:
        if len(values) == 2:
            return float(values[0])
        _native.threshold(values.reshape(1, -1), None)
        return 0.0  # a mask that is the same everywhere


def add_value(method: str | None, region: Region, token: str, tasks: dict[Any, Any]) -> tuple[Any, list[Any]]:
    """Adds the tasks that find a threshold, and gives the key of the number and the arrays that they need. Samples are
    read for it and again for what it is used for: kept in between they would fill the memory of the workers."""
    image = clone(region.image, seed=f"tamis-{token}")
    sources = [image] if region.domain is None else [image, region.domain]
    name = f"tamis-value-{token}"
    dtype = numpy.dtype(image.dtype)

    def over_blocks(kind: Any, word: str) -> list[Any]:
        keys = []
        for place, box in boxes_of(image.chunks):
            key = (f"tamis-{word}-{token}", *place)
            tasks[key] = (kind(lengths(box), dtype, box), *((array.name, *place) for array in sources))
            keys.append(key)
        return keys

    if method is None:
        total = added_up(f"tamis-values-{token}", over_blocks(FewValues, "few"), _join_values, tasks)
        tasks[name] = (SmallerOfTwo(), total)
    else:
        total = added_up(f"tamis-counts-{token}", over_blocks(CountValues, "count"), add_tallies, tasks)
        tasks[name] = (ValueOfTally(dtype, method), total)
    return name, sources


def _wants_several_passes(image: Any) -> bool:
    """Which passes there are depends on what the ones before have found: one task makes them, with all samples."""
    return not (image.dtype.kind in "iub" and image.dtype.itemsize <= 2)


def value_delayed(arguments: dict[str, Any]) -> Any:
    region = region_of({**arguments})
    method = arguments.get("method", "otsu")
    if method not in METHODS:
        _native.threshold_value(numpy.arange(6, dtype="u1").reshape(2, 3), method)  # says what it takes
    if _wants_several_passes(region.image):
        return in_one_task(_value_of_whole, pure=True)(region.image, region.domain, method)
    token = tokenize("threshold_value", region.image.name, getattr(region.domain, "name", None), method)
    tasks: dict[Any, Any] = {}
    name, sources = add_value(method, region, token, tasks)
    return delayed_of(name, tasks, sources)


def _value_of_whole(image: Any, domain: Any, method: Any) -> float:
    return float(_native.threshold_value(image, method, roi=domain))


@dataclass(eq=False)
class ThresholdBlock:
    """Bits of a block: above a number or within a band, and inside the domain."""

    shape: tuple[int, ...]
    dtype: numpy.dtype
    box: Box
    phase: str
    keywords: dict[str, Any] = field(default_factory=dict)

    def __call__(self, value: Any, block: Any, domain: Any = None) -> Any:
        check_block(block, self.shape, self.dtype, "image")
        samples = flat(block)
        arguments = {"image": samples, "threshold": value, "phase": self.phase, **self.keywords}
        bits = calling("threshold", self.box, arguments).reshape(self.shape)
        return bits if domain is None else bits & domain


@dataclass(eq=False)
class Same:
    """A value of the caller's as the result of a task: a tuple of numbers would be taken for a key."""

    value: Any

    def __call__(self) -> Any:
        return self.value


def bits_of(
    region: Region, threshold: Any, phase: Any, keywords: dict[str, Any], kind: type[ThresholdBlock] = ThresholdBlock
) -> Any:
    """The object as a Dask array of bool, or of what `kind` makes of its blocks."""
    image = region.image
    domain = region.domain
    token = tokenize(kind.__name__, image.name, getattr(domain, "name", None), threshold, phase)
    tasks: dict[Any, Any] = {}
    sources = [image] if domain is None else [image, domain]
    name = f"tamis-bits-{token}"
    method = threshold if isinstance(threshold, str) and threshold in METHODS else None
    value: Any
    if method is not None and _wants_several_passes(image):
        whole = in_one_task(_value_of_whole, pure=True)(clone(image, seed=f"tamis-{token}"), domain, method)
        value, more = whole.key, [whole]
    elif method is not None or (threshold is None and image.dtype != bool):
        value, more = add_value(method, region, token, tasks)
    else:
        value, more = f"tamis-value-{token}", []
        tasks[value] = (Same(0 if threshold is None else threshold),)
        few = numpy.arange(2, dtype="u1").reshape(1, 2)
        refuse_at_once("threshold", few, 0 if threshold is None else threshold, phase=phase)
    for place, box in boxes_of(image.chunks):
        task = kind(lengths(box), numpy.dtype(image.dtype), box, phase, keywords)
        tasks[(name, *place)] = (task, value, *((array.name, *place) for array in sources))
    return array_of(name, tasks, [*sources, *more], image.chunks, meta_like(image, bool))


def thresholded(arguments: dict[str, Any]) -> Any:
    region = region_of(arguments)
    keywords = {word: value for word, value in arguments.items() if word not in ("threshold", "phase")}
    keywords.setdefault("threads", 1)
    return bits_of(region, arguments.get("threshold", "otsu"), arguments.get("phase", "bright"), keywords)


@dataclass(eq=False)
class ConvertBlock:
    shape: tuple[int, ...]
    from_type: numpy.dtype
    box: Box
    keywords: dict[str, Any]

    def __call__(self, block: Any) -> Any:
        check_block(block, self.shape, self.from_type, "image")
        return calling("convert", self.box, {"image": flat(block), **self.keywords}).reshape(self.shape)


def converted(arguments: dict[str, Any]) -> Any:
    region = region_of(arguments)
    image = region.image
    few = numpy.full((1, 2), 2, image.dtype)
    dtype = _native.convert(few, **arguments).dtype
    if image.dtype.kind == "f" and dtype.kind != "f" and arguments.get("window") is None:
        raise InputError(
            f"convert to {arguments['dtype']}: chunks cannot tell whether all of an image of floats lies between 0 and 1; "
            f"wanted window=(low, high)"
        )
    arguments.setdefault("threads", 1)
    name = f"tamis-convert-{tokenize(image.name, arguments)}"
    tasks = {
        (name, *place): (ConvertBlock(lengths(box), numpy.dtype(image.dtype), box, arguments), (image.name, *place))
        for place, box in boxes_of(image.chunks)
    }
    return array_of(name, tasks, [image], image.chunks, meta_like(image, dtype))


