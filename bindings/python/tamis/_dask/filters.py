"""Filters on Dask arrays: each chunk from a part of the image, with as many samples around it as the filter looks at."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy
from dask.base import tokenize

from .. import _native
from .parts import Assembly, Box, Source, array_of, as_dask, boxes_of, grown, meta_like, within, words
from .._native import InputError, ResourceError

_RESULTS = {"u8": "uint8", "u16": "uint16", "i16": "int16", "f32": "float32"}
_NEW_VALUES = {of["name"] for of in _native.operations()["operations"] if of["gives_new_values"]}


def calling(name: str, box: Box, arguments: dict[str, Any]) -> Any:
    """An operation on a part; its errors say on which."""
    try:
        return getattr(_native, name)(**arguments)
    except (InputError, ResourceError) as error:
        raise type(error)(f"{error} (in the part [{words(box)}])") from error


def given(name: str, args: tuple[Any, ...], keywords: dict[str, Any]) -> dict[str, Any]:
    """The arguments by their names. A wrong name or number of them is refused by the operation itself."""
    eager = getattr(_native, name)
    try:
        arguments = dict(inspect.signature(eager).bind(*args, **keywords).arguments)
    except TypeError:
        eager(*(numpy.zeros((1, 1), "u1") for _ in args), **keywords)
        raise
    for word, cure in (("out", "the result's to_zarr or store"), ("progress", "dask.diagnostics.ProgressBar")):
        if arguments.pop(word, None) is not None:
            raise InputError(f"{word}: of arrays in memory only; wanted {cure}")
    return arguments


def looks_like_colour(shape: tuple[int, ...]) -> bool:
    return len(shape) == 3 and shape[2] in (3, 4) and min(shape[:2]) >= 16


@dataclass(eq=False)
class FilterPart:
    """A chunk of the result."""

    name: str
    keywords: dict[str, Any]
    images: dict[str, Assembly]
    core: tuple[slice, ...]
    box: Box

    def __call__(self, *pieces: Any) -> Any:
        parts = {name: put(own) for (name, put), own in zip(self.images.items(), pieces, strict=True)}
        result = calling(self.name, self.box, {**parts, **self.keywords})
        return result if result.shape == tuple(s.stop - s.start for s in self.core) else result[self.core].copy()


def _result_type(name: str, array: Any, as_type: Any) -> numpy.dtype:
    if as_type is not None:
        word = as_type if isinstance(as_type, str) else numpy.dtype(as_type).name
        return numpy.dtype(_RESULTS.get(word, word))
    dtype = numpy.dtype(array.dtype).newbyteorder("=")
    taken_as_floats = dtype != bool and dtype.name not in _RESULTS.values()
    new = dtype == numpy.float64 or (taken_as_floats and name in _NEW_VALUES)
    return numpy.dtype("float32") if new else dtype


def _refuse_early(name: str, images: dict[str, Any], keywords: dict[str, Any]) -> None:
    """What the operation refuses is refused at once: it is called with a few samples."""
    few = {what: numpy.zeros(tuple(min(n, 4) for n in array.shape), array.dtype) for what, array in images.items()}
    getattr(_native, name)(**few, **keywords)
    for what, array in images.items():
        if keywords.get("channel_axis") is None and array.dtype != bool and looks_like_colour(array.shape):
            zeros = numpy.broadcast_to(numpy.zeros((), array.dtype), array.shape)  # a single sample in memory
            getattr(_native, name)(**{**few, what: zeros}, **keywords)


def halo_of(name: str, array: Any, dtype: numpy.dtype, keywords: dict[str, Any]) -> tuple[int | None, ...]:
    """How far the filter looks along each axis of the array; None along those that it needs whole."""
    channel_axis, batch = keywords.get("channel_axis"), bool(keywords.get("batch"))
    shape = list(array.shape)
    if channel_axis is not None:
        del shape[channel_axis]
    own = {word: value for word, value in keywords.items() if word not in ("channel_axis", "batch", "as_type")}
    halo = list(_native._reach_of(name, dtype.name, shape, batch, own))
    if channel_axis is not None:
        halo.insert(channel_axis % array.ndim, 0)
    return tuple(halo)


def _not_thin(box: Box, shape: tuple[int, ...], channel_axis: int | None) -> Box:
    """A part of a volume that is 3 or 4 samples wide would look like an image in colour: it gets more."""
    x = len(shape) - 1
    if channel_axis is not None and channel_axis % len(shape) == x:
        x -= 1
    a, b = box[x]
    if b - a not in (3, 4):
        return box
    return (*box[:x], (max(0, a - 2), min(shape[x], b + 2)), *box[x + 1 :])


def filtered(name: str, arguments: dict[str, Any]) -> Any:
    """The Dask array of a filter."""
    if "mask" not in _native._filters[name] and arguments.pop("mask", None) is not None:
        raise InputError("mask: of arrays in memory only; wanted none, or one task, dask.delayed(tamis.median)(image, mask=mask)")
    images = {what: as_dask(arguments.pop(what), what)[0] for what in _native._filters[name]}
    _refuse_early(name, images, arguments)
    last = list(images.values())[-1]
    for what, array in images.items():
        if array.shape != last.shape:
            raise InputError(f"{what}: an array of shape {array.shape}, {list(images)[-1]} has {last.shape}; wanted one shape")
    dtype = _result_type(name, last, arguments.get("as_type"))
    halo = halo_of(name, last, dtype, arguments)
    # Along an axis that it needs whole there is one chunk, computed once, and not one for each chunk of the image.
    chunks = tuple((n,) if h is None else along for n, h, along in zip(last.shape, halo, last.chunks, strict=True))
    reach = tuple(0 if h is None else h for h in halo)
    if None not in halo:
        arguments.setdefault("threads", 1)  # Dask runs as many tasks at a time as there are cores
    token = tokenize(name, *(array.name for array in images.values()), arguments)
    sources = {what: Source(array, what, token) for what, array in images.items()}
    result = f"tamis-{name}-{token}"
    tasks: dict[Any, Any] = {}
    for place, core in boxes_of(chunks):
        box = _not_thin(grown(core, reach, last.shape), last.shape, arguments.get("channel_axis"))
        parts = {what: source.part(box, tasks) for what, source in sources.items()}
        task = FilterPart(name, arguments, {what: put for what, (_, put) in parts.items()}, within(core, box), box)
        tasks[(result, *place)] = (task, *(keys for keys, _ in parts.values()))
    array = array_of(result, tasks, list(images.values()), chunks, meta_like(last, dtype))
    return array if chunks == last.chunks else array.rechunk(last.chunks)


def lazy(name: str, body: Callable[[dict[str, Any]], Any], returns: str) -> Callable[..., Any]:
    """A function with the name, the signature and the text of an operation."""
    eager = getattr(_native, name)

    def function(*args: Any, **keywords: Any) -> Any:
        return body(given(name, args, keywords))

    signature = inspect.signature(eager)
    kept = [parameter for word, parameter in signature.parameters.items() if word not in ("out", "progress")]
    function.__name__ = function.__qualname__ = name
    function.__module__ = "tamis.dask"
    function.__signature__ = signature.replace(parameters=kept)  # type: ignore[attr-defined]
    function.__doc__ = f"`tamis.{name}` of a Dask, Zarr or HDF5 array, by chunks; gives {returns}.\n\n{eager.__doc__}"
    return function
