"""OME-Zarr images, versions 0.1 to 0.5: which array of a group is a level, what its axes are, how large its voxels."""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy

from ._calibrated import unit_of
from ._channel import index_of
from ._native import InputError

_AXES = "tczyx"  # before version 0.3 an image does not say them
_DAMAGED = (AttributeError, IndexError, KeyError, TypeError, ValueError)
_UNIT_NAMES = {"nm": "nanometer", "um": "micrometer", "mm": "millimeter", "cm": "centimeter", "m": "meter", "A": "angstrom"}


class Level:
    """A level of an OME-Zarr image that stays in its store: the axes of space of one channel and time.

    It is indexed as an array is, by numbers and slices, and gives NumPy arrays.
    """

    def __init__(self, array: Any, taken: dict[int, int], spacing: tuple[float, ...] | None, unit: str) -> None:
        self._array = array
        self._taken = taken  # axis: index, of channel and time
        self._kept = [i for i in range(array.ndim) if i not in taken]
        self.shape: tuple[int, ...] = tuple(array.shape[i] for i in self._kept)
        self.ndim = len(self.shape)
        self.dtype: numpy.dtype[Any] = numpy.dtype(array.dtype)
        chunks = getattr(array, "shards", None) or array.chunks
        self.chunks = tuple(chunks[i] for i in self._kept)
        self.spacing = spacing
        self.unit = unit

    @property
    def nbytes(self) -> int:
        return int(math.prod(self.shape) * self.dtype.itemsize)

    @property
    def spacing_text(self) -> str | None:
        """As `spacing` takes it, x first: "1x1x2um"."""
        return None if self.spacing is None else "x".join(map(repr, reversed(self.spacing))) + self.unit

    def __repr__(self) -> str:
        size = "" if self.spacing is None else f", voxels of {self.spacing} {self.unit}"
        return f"<level of an OME-Zarr image: {self.shape} of {self.dtype}{size}>"

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, part: Any) -> Any:
        parts = list(part) if isinstance(part, tuple) else [part]
        if Ellipsis in parts:
            at = parts.index(Ellipsis)
            parts[at : at + 1] = [slice(None)] * (self.ndim - len(parts) + 1)
        whole: list[Any] = [self._taken.get(i, slice(None)) for i in range(self._array.ndim)]
        for axis, index in zip(self._kept, parts, strict=False):
            whole[axis] = index
        return self._array[tuple(whole)]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> numpy.ndarray:
        return numpy.asarray(self[...], dtype)


def is_group(array: Any) -> bool:
    """Asked of every array, so it does not import zarr."""
    zarr = sys.modules.get("zarr")
    return zarr is not None and isinstance(array, zarr.Group)


def level_of(group: Any, what: str, level: Any = 0, time: Any = None, channel: Any = None) -> Level:
    """A level of an image, 0 the finest. Refuses groups that are none, in one line."""
    scales = _scales_of(group, what)
    try:
        described = scales["datasets"]
        axes = [axis if isinstance(axis, dict) else {"name": axis} for axis in scales.get("axes", _AXES)]
        names = [str(axis["name"]) for axis in axes]
        number = index_of(what, "level", level, len(described))
        array = group[described[number]["path"]]
        shape = array.shape
    except InputError:
        raise
    except _DAMAGED as error:
        raise InputError(f"{what}: an OME-Zarr image whose description is damaged; wanted axes and datasets") from error
    names, axes = names[-len(shape) :], axes[-len(shape) :]
    space = [i for i, name in enumerate(names) if name in ("z", "y", "x")]
    if len(names) != len(shape) or [names[i] for i in space] not in (["z", "y", "x"], ["y", "x"]):
        got = f"an OME-Zarr image of shape {shape} with axes ({', '.join(names)})"
        raise InputError(f"{what}: {got}; wanted (y, x) or (z, y, x), with channel and time before or after")
    asked = {"t": ("time", time), "c": ("channel", channel)}
    for name, (word, value) in asked.items():
        if name not in names and value is not None:
            index_of(what, word, value, 1)
    taken = {
        i: _one_of(what, shape, names, i, *asked.get(name, (name, None)))
        for i, name in enumerate(names)
        if i not in space
    }
    try:
        spacing, unit = _voxel_of(scales, described[number], axes, space)
    except _DAMAGED as error:
        words = f"{what}: an OME-Zarr image with a scale that is none"
        raise InputError(f"{words}; wanted a length for each axis") from error
    return Level(array, taken, spacing, unit)


def _scales_of(group: Any, what: str) -> dict[str, Any]:
    attributes = dict(group.attrs)
    try:
        attributes = attributes.get("ome", attributes)
        scales = attributes["multiscales"][0]
        if scales["datasets"]:
            return dict(scales)
    except _DAMAGED:
        pass
    if isinstance(attributes, dict) and ("plate" in attributes or "well" in attributes):
        raise InputError(f"{what}: a plate or well of several OME-Zarr images; wanted one of them, its folder")
    if isinstance(attributes, dict) and "bioformats2raw.layout" in attributes:
        raise InputError(f"{what}: a collection of OME-Zarr images; wanted one of them, its folder 0, 1 ...")
    raise InputError(f"{what}: a Zarr group that is no OME-Zarr image; wanted one of its arrays, {what}['name']")


def _one_of(what: str, shape: Any, names: list[str], axis: int, word: str, value: Any) -> int:
    """Which index of an axis that is not of space."""
    if value is None and shape[axis] > 1:
        got = f"an OME-Zarr image of shape {shape} ({', '.join(names)})"
        if word not in ("time", "channel"):
            raise InputError(f"{what}: {got}; wanted one sample along {word}")
        raise InputError(f"{what}: {got}; wanted one channel and time: tamis.read(path, {word}=0 ... {shape[axis] - 1})")
    return index_of(what, word, 0 if value is None else value, shape[axis])


def _voxel_of(
    scales: dict[str, Any], dataset: dict[str, Any], axes: list[dict[str, Any]], space: list[int]
) -> tuple[tuple[float, ...] | None, str]:
    """Edges along the axes of space and their unit; None where the file does not say the unit or a length, above 0.

    What stands beside all levels (a scale in time, often) comes after that of the level.
    """
    steps = [*dataset.get("coordinateTransformations", ()), *scales.get("coordinateTransformations", ())]
    factors = [step["scale"] for step in steps if step["type"] == "scale"]
    if not factors:
        return None, ""
    edges = [math.prod(float(factor[i - len(axes)]) for factor in factors) for i in space]
    if any(len(factor) < len(axes) for factor in factors):
        raise ValueError(factors)
    units = {unit_of(axes[i].get("unit", "")) for i in space}
    known = all(math.isfinite(e) and e > 0 for e in edges) and len(units) == 1 and "" not in units
    return (tuple(edges), units.pop()) if known else (None, "")


def description(name: str, rank: int, spacing: tuple[float, ...] | None, unit: str, version: str) -> dict[str, Any]:
    """The attributes of a group whose array "0" is an image."""
    axes: list[dict[str, str]] = [{"name": axis, "type": "space"} for axis in "zyx"[-rank:]]
    if spacing is not None:
        axes = [{**axis, "unit": _UNIT_NAMES[unit]} for axis in axes]
    scale = [{"type": "scale", "scale": list(spacing or (1.0,) * rank)}]
    image: dict[str, Any] = {
        "name": name, "axes": axes, "datasets": [{"path": "0", "coordinateTransformations": scale}],
    }  # fmt: skip
    if version == "0.4":
        return {"multiscales": [{"version": "0.4", **image}]}
    return {"ome": {"version": version, "multiscales": [image]}}
