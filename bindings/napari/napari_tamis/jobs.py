"""What a widget asks for, and the layers and plots that come of it."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from typing import Any

import numpy
import tamis
from napari.layers import Layer

from . import describe
from .images import METRES, Stack, is_in_parts, part_of_mask
from .work import Progress

# Local operations on Dask arrays stay lazy: each slice that is looked at is computed then. The others would be computed
# as a whole for every slice.
_STAY_LAZY = {*tamis._native._filters, "convert"}
_MEASURES = {"granulometry", "porosimetry", "orientation", "skew"}  # of one image: that which is shown
_AS_MASK = {"threshold", "size_map"}
_PREVIEW = {"tamis": {"preview": True}}
_FROM_BLACK = {"thickness", "distance"}  # pictures of lengths


@dataclass(frozen=True)
class Job:
    """An operation on layers."""

    name: str
    stacks: list[Stack]  # one for each image that the operation takes
    given: dict[str, Any]
    inside: Layer | str | None = None  # a mask, or "cylinder"
    steps: tuple[int, ...] = ()  # what the viewer shows


@dataclass
class Outcome:
    """Layers to add, and results that draw themselves."""

    layers: list[tuple[Any, dict[str, Any], str]] = field(default_factory=list)
    drawn: list[Any] = field(default_factory=list)
    said: str = ""


def run(job: Job, progress: Progress) -> Outcome:
    """Does it. Raises what tamis raises."""
    if job.stacks[0].is_colour and "channel_axis" not in describe.keywords(job.name):
        raise tamis.InputError(f"{job.stacks[0].layer.name}: a layer of colours; wanted grey values (split it: menu of the layer)")
    if job.name in _MEASURES:
        return _measured(job, progress)
    with _dask_progress(job, progress):
        result = job.stacks[0].each(lambda place: _call(job, place, progress))
    return Outcome(layers=[_layer(job, result)])


def has_preview(name: str) -> bool:
    """Filters say how far they look, so that one slice needs only its neighbours."""
    return name in tamis._native._filters


def is_preview(layer: Layer) -> bool:
    return layer.metadata.get("tamis") == _PREVIEW["tamis"]


def preview(job: Job, progress: Progress) -> Outcome:
    """What a filter makes of the slice that is shown, as it will be in the whole result."""
    stack = job.stacks[0]
    place = stack.shown(job.steps)
    images = [_in_memory(stack.image(place, calibrated=False)) for stack in job.stacks]
    keywords = _keywords(job, place)
    if len(stack.axes) == 2:
        result = getattr(tamis, job.name)(*images, **keywords, progress=progress)
    else:
        result = _middle(job, images, keywords, progress)
    samples, shown, _ = _map_layer(stack, place, numpy.asarray(result), "Preview", "gray")
    shown["metadata"] = _PREVIEW
    if len(stack.axes) == 3:
        shown["translate"] = stack.moved(shown.get("translate", stack.layer.translate), job.steps)
    if samples.dtype == bool:
        shown.pop("colormap")
        return Outcome(layers=[(samples, shown, "labels")])
    shown["rgb"] = stack.is_colour
    return Outcome(layers=[(samples, shown, "image")])


def _middle(job: Job, images: list[Any], keywords: dict[str, Any], progress: Progress) -> Any:
    """The slice that is shown of a volume, from those around it as far as the filter looks."""
    step = job.stacks[0].step(job.steps)
    shape = images[0].shape[:3]
    windows = {word: value for word, value in job.given.items() if word not in ("device", "memory")}
    reach = tamis._native._reach_of(job.name, images[0].dtype, shape, False, windows)[0]
    if reach is None:
        raise tamis.InputError(f"{job.name}: looks at the whole volume with these parameters; a preview needs y x as axes")
    first, end = max(0, step - reach), min(shape[0], step + reach + 1)
    if getattr(keywords.get("mask"), "ndim", 0) == 3:
        keywords["mask"] = keywords["mask"][first:end]
    result = getattr(tamis, job.name)(*(image[first:end] for image in images), **keywords, progress=progress)
    return result[step - first : step - first + 1]


def _keywords(job: Job, place: tuple[int, ...]) -> dict[str, Any]:
    keywords = dict(job.given)
    if job.stacks[0].is_colour:
        keywords["channel_axis"] = -1
    if job.inside is not None:
        word = "roi" if "roi" in describe.keywords(job.name) else "mask"
        keywords[word] = job.inside if isinstance(job.inside, str) else part_of_mask(job.inside, job.stacks[0], place)
    return keywords


def _call(job: Job, place: tuple[int, ...], progress: Progress) -> Any:
    images = [stack.image(place, "spacing" in describe.keywords(job.name)) for stack in job.stacks]
    keywords = _keywords(job, place)
    if _by_dask(job):
        lazy = getattr(_lazy(), job.name)(*images, **_with_spacing(job, keywords))
        return lazy if job.name in _STAY_LAZY else lazy.compute()
    return getattr(tamis, job.name)(*(_in_memory(image) for image in images), **keywords, progress=progress)


def _by_dask(job: Job) -> bool:
    return any(is_in_parts(stack.layer) for stack in job.stacks) and job.name in _lazy().__all__


def _lazy() -> Any:
    from tamis import dask  # not before there is an array of Dask

    return dask


def _with_spacing(job: Job, keywords: dict[str, Any]) -> dict[str, Any]:
    if "spacing" not in describe.keywords(job.name):
        return keywords
    spacing, unit = job.stacks[0].spacing()
    return keywords if spacing is None else {**keywords, "spacing": spacing, "unit": unit}


def _in_memory(image: Any) -> Any:
    return image if isinstance(image, numpy.ndarray) else numpy.asarray(image)


def _dask_progress(job: Job, progress: Progress) -> Any:
    """Counts the tasks of a graph that is computed here, and ends it where Cancel was pressed."""
    if not _by_dask(job):
        return nullcontext()
    from dask.callbacks import Callback

    def look(_key: Any, _result: Any, _graph: Any, state: Any, _worker: Any) -> None:
        left = sum(len(state[word]) for word in ("ready", "waiting", "running"))
        progress("chunks", len(state["finished"]), len(state["finished"]) + left)

    return Callback(posttask=look)


def _layer(job: Job, result: Any) -> tuple[Any, dict[str, Any], str]:
    stack = job.stacks[0]
    shown: dict[str, Any] = {"name": f"{describe.title(job.name)} of {stack.layer.name}", **_place_of(stack, result)}
    shown["metadata"] = {"tamis": {"operation": job.name, "version": tamis.__version__, **job.given}}
    samples = result if not isinstance(result, numpy.ndarray) else numpy.asarray(result)
    if job.name in _AS_MASK or samples.dtype == bool:
        return samples, shown, "labels"
    if job.name in _FROM_BLACK:
        return samples, {**shown, **_lengths(samples)}, "image"
    shown["rgb"] = stack.is_colour
    if not stack.is_colour and hasattr(stack.layer, "colormap") and job.name in tamis._native._filters:
        shown["colormap"] = stack.layer.colormap
    return samples, shown, "image"


def _lengths(samples: Any) -> dict[str, Any]:
    """From the first colour at 0, so that what is no object is dark."""
    highest = float(samples[numpy.isfinite(samples)].max(initial=0))
    return {"colormap": "inferno", "contrast_limits": (0, highest or 1)}


def _place_of(stack: Stack, result: Any) -> dict[str, Any]:
    """Where the result lies: over its source, with voxels of its own where they were made anew."""
    place = stack.place()
    spacing = getattr(result, "spacing", None)
    if spacing is not None and not stack.others:
        edges, unit = stack.spacing()
        ratio = numpy.divide(spacing, edges) * (METRES[result.unit] / METRES[unit])
        # The corner of the image stays, so the centre of the first voxel lies elsewhere.
        place["translate"] = stack.layer.translate + stack.layer._transforms["data2physical"].linear_matrix @ (ratio - 1) / 2
        place["scale"] = ratio * stack.layer.scale
    return place


def _measured(job: Job, progress: Progress) -> Outcome:
    stack = job.stacks[0]
    place = stack.shown(job.steps)
    if job.given.get("phase") == "both":
        phases = [_measured(replace(job, given={**job.given, "phase": phase}), progress) for phase in ("bright", "dark")]
        return Outcome(drawn=[outcome.drawn[0] for outcome in phases], said=phases[0].said)
    with _dask_progress(job, progress):
        found = _call(job, place, progress)
    outcome = Outcome(drawn=[found], said=repr(found).strip("<>").removeprefix("tamis."))
    maps = {
        tamis.Porosimetry: [("map", "Invasion", "inferno")],
        tamis.Orientation: [("orientation", "Angles", "hsv"), ("enhanced", "Lines", "gray"), ("contrast", "Contrast", "gray")],
    }
    for attribute, words, colours in maps.get(type(found), []):
        samples = getattr(found, attribute)
        if samples is not None:
            outcome.layers.append(_map_layer(stack, place, samples, words, colours))
    return outcome


def _map_layer(stack: Stack, place: tuple[int, ...], samples: Any, words: str, colours: str) -> tuple[Any, dict[str, Any], str]:
    """A layer that lies at the place that it was made of."""
    shown = {"name": f"{words} of {stack.layer.name}", "colormap": colours, **stack.place()}
    if words == "Angles":
        shown["contrast_limits"] = (0, 180)
    if stack.others:
        edges = [samples.shape[stack.axes.index(axis)] if axis in stack.axes else 1 for axis in range(stack.layer.ndim)]
        samples = samples.reshape(*edges, *samples.shape[len(stack.axes) :])
        at = dict(zip(stack.others, place, strict=True))
        scale = stack.layer.scale
        shown["translate"] = [t + at.get(axis, 0) * scale[axis] for axis, t in enumerate(stack.layer.translate)]
    return numpy.asarray(samples), shown, "image"
