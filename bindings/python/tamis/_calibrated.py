"""Arrays that know how large their voxels are."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy
import numpy.typing

from . import _native
from ._native import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    Edges = tuple[float | None, ...]  # along each axis; None along that of the channels


_MILLIMETRES = {"nm": 1e-6, "um": 1e-3, "mm": 1.0, "cm": 10.0, "m": 1e3, "A": 1e-7}


class Placement(NamedTuple):
    """Where an image lies, as NIfTI, NRRD, MetaImage, DICOM and OME-Zarr say it.

    Parameters
    ----------
    origin : (float, float, float)
        x, y and z of the centre of the first voxel, in the unit of the image.
    axes : three of (float, float, float)
        Where x, y and z of the image run, x first: unit vectors of the world, but where a file has shears.
    world : str
        'scanner', 'aligned', 'talairach' or 'mni': x to the left, y to the back, z to the head, as DICOM and ITK have it;
        'own' where a file does not say.

    Examples
    --------
    >>> import tamis
    >>> tamis.Placement((0.0, 0.0, 5.0)).world
    'own'
    """

    origin: tuple[float, float, float]
    axes: tuple[tuple[float, float, float], ...] = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    world: str = "own"

    def _shifted(self, axis: int, away: float) -> Placement:
        """With the first voxel so far away along an axis of the image, x first."""
        x, y, z = (at + away * component for at, component in zip(self.origin, self.axes[axis], strict=True))
        return self._replace(origin=(x, y, z))


Placement.__module__ = "tamis"


class CalibratedArray(numpy.ndarray):
    """A NumPy array that keeps the size of its voxels, as `read` gives it.

    It is an ndarray for everything that takes one. Slices keep the size, with a step a multiple of it, transposed arrays
    have it in their order, and what is computed sample by sample keeps it. Where the voxels lie (`placement`, `affine`) goes
    along. Any other array that is made of it knows no
    size: `spacing` is then None. Operations of tamis that have a `spacing` use that of the array where they are given
    none, and their results keep it. `numpy.asarray(image)` is the array without it.

    Parameters
    ----------
    array : array
        Its samples are shared, not copied.
    spacing : str, float or sequence, optional
        Edges of a voxel: '2.5um', '1x1x2um' (x first); or numbers in the order of the axes (z, y, x), with `unit`.
    unit : str
        'nm', 'um', 'mm', 'cm' or 'm', where `spacing` is a number.

    Raises
    ------
    InputError
        For a spacing that cannot be read, or has not a length for each axis.

    Examples
    --------
    >>> import numpy, tamis
    >>> scan = tamis.CalibratedArray(numpy.zeros((4, 6, 8), bool), spacing=(2, 1, 1), unit="um")
    >>> scan[1:, ::3].spacing, scan[0].spacing, scan.T.spacing, scan.unit
    ((2.0, 3.0, 1.0), (1.0, 1.0), (1.0, 1.0, 2.0), 'um')
    >>> scan.reshape(4, 48).spacing is None
    True
    """

    _edges: Edges | None
    _unit: str
    _placement: Placement | None
    _colours: bool = False  # the last axis holds them

    def __new__(cls, array: Any, spacing: Any = None, unit: str = "") -> CalibratedArray:
        view = numpy.asarray(array).view(cls)
        view._edges, view._unit, view._placement = None, "", None
        if spacing is not None or unit:
            if view.ndim not in (2, 3):
                raise InputError(f"array: got shape {view.shape}; wanted axes (y, x) or (z, y, x)")
            view._edges, view._unit = _native._spacing_of(spacing, unit, view.ndim)
            if not view._unit:
                raise InputError(f"spacing={spacing!r}: wanted a unit too: unit='um' (nm, um, mm, cm or m), or spacing='2.5um'")
        return view

    @property
    def spacing(self) -> tuple[float, ...] | None:
        """Edges of a voxel in the order of the axes, without that of channels; None where they are not known."""
        return None if self._edges is None else tuple(edge for edge in self._edges if edge is not None)

    @property
    def unit(self) -> str:
        """'um', 'mm' ...; '' where the size of a voxel is not known."""
        return self._unit

    @property
    def placement(self) -> Placement | None:
        """Where the first voxel lies and how the axes run; None where the file does not say it."""
        return self._placement

    @property
    def affine(self) -> numpy.typing.NDArray[numpy.float64] | None:
        """The placement as nibabel has it: a matrix of 4x4 that makes of (x, y, z, 1), counted in voxels, millimetres to the
        right, to the front and to the head: `nibabel.Nifti1Image(image.T, image.affine)`. None of other than three axes."""
        if self._placement is None or self._edges is None or self.ndim != 3 or None in self._edges:
            return None
        matrix = numpy.eye(4)
        for axis, edge in enumerate(reversed(self._edges)):
            matrix[:3, axis] = numpy.multiply(self._placement.axes[axis], float(edge or 0))
        matrix[:3, 3] = self._placement.origin
        matrix[:3] *= _MILLIMETRES.get(self._unit, 1.0)
        matrix[:2] *= -1.0
        return matrix + 0.0  # no -0

    def __array_finalize__(self, template: Any) -> None:
        """Called for every array that NumPy makes of this one: what has another shape may be anything, and so may a view
        of the same shape that goes through the samples another way."""
        same = isinstance(template, CalibratedArray) and template.shape == self.shape
        same = same and (self.base is None or template.strides == self.strides)
        self._take(template if same else None)

    def _take(self, other: CalibratedArray | None) -> None:
        """What an array of the same voxels knows of them."""
        self._edges, self._unit, self._placement = (None, "", None) if other is None else (other._edges, other._unit, other._placement)
        self._colours = other is not None and other._colours

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
        if array.ndim == 0 and (return_scalar or context is None):
            return array[()]
        made = array.view(type(self))
        if array is not self and made.shape == self.shape:
            made._take(self)
        return made

    def __getitem__(self, index: Any) -> Any:
        part = super().__getitem__(index)
        if isinstance(part, CalibratedArray):
            edges = None if self._edges is None else _edges_of_part(self._edges, index)
            part._edges, part._unit = edges, self._unit if edges is not None else ""
            part._colours = self._colours and part.ndim > 2 and part.shape[-1] == self.shape[-1]
            part._placement = None if edges is None or self._placement is None else _placement_of_part(self, index)
        return part

    def transpose(self, *axes: Any) -> Any:
        turned = super().transpose(*axes)
        order = axes[0] if len(axes) == 1 and not isinstance(axes[0], int) else axes
        order = range(self.ndim)[::-1] if order is None or len(order) == 0 else order
        return self._in_order(turned, order)

    def swapaxes(self, axis1: Any, axis2: Any) -> Any:
        order = list(range(self.ndim))
        order[axis1], order[axis2] = order[axis2], order[axis1]
        return self._in_order(super().swapaxes(axis1, axis2), order)

    @property
    def T(self) -> Any:  # noqa: N802
        return self.transpose()

    @property
    def mT(self) -> Any:  # noqa: N802
        return self.swapaxes(-1, -2)

    def _in_order(self, turned: Any, order: Iterable[int]) -> Any:
        if self._edges is not None:
            order = tuple(order)
            turned._edges, turned._unit, turned._placement = tuple(self._edges[axis] for axis in order), self._unit, None
            if self._placement is not None and self.ndim == len(self._edges) == 3:
                old = self._placement.axes[::-1]
                turned._placement = self._placement._replace(axes=tuple(old[axis] for axis in reversed(order)))
        return turned

    def __reduce__(self) -> Any:
        reduced: Any = super().__reduce__()
        return reduced[0], reduced[1], (reduced[2], self._edges, self._unit, self._placement, self._colours)

    def __setstate__(self, state: Any) -> None:
        inner, self._edges, self._unit, self._placement, self._colours = state
        super().__setstate__(inner)


# The package shows it as its own, for pickle too.
CalibratedArray.__module__ = "tamis"


def _edges_of_part(edges: Edges, index: Any) -> Edges | None:
    """Along the axes that an index leaves; None where it is none of whole numbers, slices and an ellipsis."""
    parts = _parts_of(index, len(edges))
    if parts is None:
        return None
    left: list[float | None] = []
    for edge, part in zip(edges, parts, strict=True):
        if isinstance(part, slice):
            left.append(None if edge is None else edge * abs(part.step or 1))
    return tuple(left)


def _parts_of(index: Any, axes: int) -> list[Any] | None:
    """What an index says of each axis; None where it says more than whole numbers and slices."""
    parts = list(index) if isinstance(index, tuple) else [index]
    if any(isinstance(part, bool) or not (isinstance(part, (slice, int, numpy.integer)) or part is Ellipsis) for part in parts):
        return None
    gap = next((i for i, part in enumerate(parts) if part is Ellipsis), len(parts))
    rest = parts[gap + 1 :]
    return [*parts[:gap], *[slice(None)] * (axes - gap - len(rest)), *rest]


def _placement_of_part(image: CalibratedArray, index: Any) -> Placement | None:
    """The first sample of a part lies elsewhere, and an axis that is gone through backwards runs the other way. Of a slice
    x and y are those of its volume; other images of two axes lie nowhere."""
    parts, edges, placement = _parts_of(index, image.ndim), image._edges, image._placement
    if parts is None or edges is None or placement is None or None in edges:
        return None
    if any(not isinstance(part, slice) for part in parts[-2:]):
        return None
    axes = list(placement.axes)
    for number, part in enumerate(parts):
        axis, edge = image.ndim - 1 - number, edges[number]
        inside = range(image.shape[number])[part]
        first = (inside[0] if len(inside) else 0) if isinstance(inside, range) else inside
        placement = placement._shifted(axis, first * float(edge or 0))
        if isinstance(inside, range) and inside.step < 0:
            x, y, z = axes[axis]
            axes[axis] = (0.0 - x, 0.0 - y, 0.0 - z)
    return placement._replace(axes=tuple(axes))


def calibrated(array: Any, edges: Sequence[float | None], unit: str, colours: bool = False) -> CalibratedArray:
    """What a file says, or nothing where any of it is no length: the samples are not in doubt.

    With `colours` the last axis is theirs and has no length.
    """
    view: CalibratedArray = numpy.asarray(array).view(CalibratedArray)
    view._colours = colours
    lengths = [float(edge) for edge in edges if edge is not None and math.isfinite(edge) and edge > 0]
    if unit and len(lengths) == len(edges) == view.ndim - colours:
        view._edges, view._unit = (*lengths, *[None] * colours), unit
    return view


def placed(array: Any, edges: Sequence[float | None], unit: str, placement: Any, colours: bool = False) -> CalibratedArray:
    """The same of what lies somewhere: `placement` is a Placement, its parts, or None."""
    view = calibrated(array, edges, unit, colours)
    if placement is not None and view._edges is not None:
        view._placement = Placement(*placement)
    return view


def known_to(image: Any) -> tuple[tuple[float, float, float], str, Placement | None] | None:
    """(z, y, x), the unit and the placement of an array, for the compiled part; None where they are not known."""
    spacing = image.spacing
    if spacing is None or len(spacing) != image.ndim or image.ndim not in (2, 3):
        return None
    return (*((1.0,) if len(spacing) == 2 else ()), *spacing), image.unit, image.placement


def like(array: Any, image: CalibratedArray) -> Any:
    """A result with the size that the voxels of its image have."""
    if (image._edges is None and not image._colours) or array.ndim != image.ndim:
        return array
    view = array.view(CalibratedArray)
    view._take(image)
    if view.shape != image.shape:
        view._placement = None
    return view


def computed_in(array: Any, spacing: Any, unit: str, out: Any) -> Any:
    """A result that was computed in a spacing of its own knows that one, and no more where its image lies: that was counted
    in the other. A caller's own `out` stays the array that it is."""
    edges, unit = _native._spacing_of(spacing, unit, array.ndim)
    if (array is out or not unit) and not isinstance(array, CalibratedArray):
        return array
    view = array if array is out else array.view(CalibratedArray)
    view._unit = unit
    view._edges, view._placement = edges if view._unit else None, None
    return view


_native._know_calibrated(CalibratedArray)
