"""Layers as the images that tamis takes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy
import tamis
from napari.layers import Image, Labels, Layer

# As pint calls them, and tamis.
_UNITS = {"nanometer": "nm", "micrometer": "um", "millimeter": "mm", "centimeter": "cm", "meter": "m"}
METRES = {"nm": 1e-9, "um": 1e-6, "mm": 1e-3, "cm": 1e-2, "m": 1.0}
# What a layer that lies over another has from it.
_PLACE = ("scale", "translate", "rotate", "shear", "affine", "units", "axis_labels")


def holds_an_image(layer: Layer) -> bool:
    return isinstance(layer, (Image, Labels))


def level(layer: Layer) -> Any:
    """The samples of a layer, of those with several levels the finest; Zarr as Dask. Labels are masks: what has any label
    is object."""
    samples = layer.data[0] if layer.multiscale else layer.data
    if not isinstance(samples, numpy.ndarray) and hasattr(samples, "chunks") and not _is_dask(samples):
        import dask.array

        samples = dask.array.from_array(samples)
    if not _is_dask(samples):
        samples = numpy.asarray(samples)
    return samples != 0 if isinstance(layer, Labels) else samples


def _is_dask(samples: Any) -> bool:
    return type(samples).__module__.startswith("dask.")


def is_in_parts(layer: Layer) -> bool:
    """Whether the samples are an array of Dask or Zarr, of which not all need be in memory."""
    samples = layer.data[0] if layer.multiscale else layer.data
    return _is_dask(samples) or (not isinstance(samples, numpy.ndarray) and hasattr(samples, "chunks"))


def ways(layer: Layer) -> list[tuple[str, tuple[int, ...]]]:
    """What may be one image of a layer, and its axes: the last two, and before them any other or none."""
    labels = [_label(str(label)) for label in layer.axis_labels]
    last = (layer.ndim - 2, layer.ndim - 1)
    pairs = [(earlier, *last) for earlier in reversed(range(last[0]))]
    return [(" ".join(labels[axis] for axis in axes), axes) for axes in [*pairs, last]]


def _label(label: str) -> str:
    """The name of an axis; napari counts those without one from the last, which is -1."""
    if not label.lstrip("-").isdigit():
        return label
    return {"-1": "x", "-2": "y", "-3": "z"}.get(label, f"axis {label}")


@dataclass(frozen=True)
class Stack:
    """A layer as images of two or three axes, one at each place along its other axes."""

    layer: Layer
    axes: tuple[int, ...]

    @property
    def others(self) -> tuple[int, ...]:
        return tuple(axis for axis in range(self.layer.ndim) if axis not in self.axes)

    @property
    def is_colour(self) -> bool:
        return bool(getattr(self.layer, "rgb", False))

    def samples(self) -> Any:
        """All of them, the axes of an image last, and those of colours after these."""
        moved = level(self.layer)
        order = [*self.others, *self.axes, *range(self.layer.ndim, moved.ndim)]
        return moved.transpose(order)

    def places(self) -> list[tuple[int, ...]]:
        shape = level(self.layer).shape
        return list(numpy.ndindex(*(shape[axis] for axis in self.others)))

    def shown(self, steps: tuple[int, ...]) -> tuple[int, ...]:
        """The place that a viewer shows, whose axes may be more than those of the layer."""
        return tuple(steps[axis - self.layer.ndim] for axis in self.others)

    def step(self, steps: tuple[int, ...]) -> int:
        """Along the first axis of a volume."""
        return steps[self.axes[0] - self.layer.ndim]

    def moved(self, translate: Any, steps: tuple[int, ...]) -> list[float]:
        """To the slice of a volume that is shown."""
        at = [float(t) for t in translate]
        at[self.axes[0]] += self.step(steps) * float(self.layer.scale[self.axes[0]])
        return at

    def image(self, place: tuple[int, ...], calibrated: bool) -> Any:
        """One image; on demand with the size of its voxels, where the layer knows it."""
        part = self.samples()[place]
        if _is_dask(part) or not calibrated or self.spacing()[0] is None:
            return part
        return tamis.CalibratedArray(part, *self.spacing())

    def spacing(self) -> tuple[tuple[float, ...] | None, str]:
        """Edges of a voxel along the axes of an image, and their unit; None and "" where the layer says nothing."""
        edges = [abs(float(self.layer.scale[axis])) for axis in self.axes]
        units = [self.layer.units[axis] for axis in self.axes]
        if all(str(unit) == "pixel" for unit in units):
            if all(edge == edges[0] for edge in edges):
                return None, ""
            words = ", ".join(f"{edge:g}" for edge in edges)
            raise tamis.InputError(f"{self.layer.name}: a scale of {words} without units; wanted them too: layer.units = 'um'")
        unit = str(units[-1]) if str(units[-1]) in _UNITS else "micrometer"
        try:
            return tuple(float((edge * of).to(unit).magnitude) for edge, of in zip(edges, units, strict=True)), _UNITS[unit]
        except Exception:  # pint has many, not all of them its own
            words = ", ".join(str(of) for of in units)
            raise tamis.InputError(f"{self.layer.name}: units {words}; wanted lengths for all axes of an image, or none") from None

    def place(self) -> dict[str, Any]:
        """Where a layer lies whose samples are over those of this one."""
        state = self.layer.as_layer_data_tuple()[1]
        return {word: state[word] for word in _PLACE if word in state}

    def each(self, call: Callable[[tuple[int, ...]], Any]) -> Any:
        """What a call makes of the image at each place, an array, put together as the layer is."""
        parts = [call(place) for place in self.places()]
        if len({part.shape for part in parts}) > 1:
            raise tamis.InputError(f"{self.layer.name}: results differ in shape from image to image; wanted one image")
        if not self.others:
            return parts[0]
        return self._together(parts)

    def _together(self, parts: list[Any]) -> Any:
        if _is_dask(parts[0]):
            import dask.array as library
        else:
            library = numpy
            parts = [numpy.asarray(part) for part in parts]
        shape = level(self.layer).shape
        whole = library.stack(parts).reshape((*(shape[axis] for axis in self.others), *parts[0].shape))
        now = [*self.others, *self.axes]
        order = [now.index(axis) for axis in range(len(now))]
        return whole.transpose([*order, *range(len(now), whole.ndim)])


def part_of_mask(layer: Layer, stack: Stack, place: tuple[int, ...]) -> Any:
    """What lies inside, for one image of a stack: of a mask as large as the layer, or as one of its images."""
    samples = level(layer) != 0
    if samples.ndim == stack.layer.ndim:
        samples = samples.transpose([*stack.others, *stack.axes])[place]
    return numpy.asarray(samples)
