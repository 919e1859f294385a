"""Structuring elements: texts that the shell, Python and ImageJ read alike."""

from __future__ import annotations

import numpy

from ._native import InputError


class Element(str):
    """A structuring element as its text, "cross:1"."""

    __slots__ = ()

    def __repr__(self) -> str:
        kind, _, size = self.partition(":")
        return f"tamis.{kind}({size})"


def cross(radius: int) -> Element:
    """|x| + |y| + |z| <= radius: a diamond in 2-D, an octahedron in 3-D.

    Examples
    --------
    >>> import tamis
    >>> tamis.cross(1) == "cross:1"
    True
    """
    return Element(f"cross:{_whole('radius', radius, 0)}")


def cube(edge: int) -> Element:
    """edge x edge x edge voxels."""
    return Element(f"cube:{_whole('edge', edge, 1)}")


def square(edge: int) -> Element:
    """edge x edge pixels; on a volume slice by slice."""
    return Element(f"square:{_whole('edge', edge, 1)}")


def _whole(name: str, value: int, lowest: int) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, numpy.integer)) or value < lowest:
        raise InputError(f"{name}={value!r}: wanted a whole number, {lowest} or more")
    return int(value)


def unit_element_spec(element: object, rank: int) -> str:
    """The text of an array that equals a unit element; `rank` is that of the image."""
    wanted = "wanted cross, cube or square, or an array that equals one of them: 3 samples along each axis"
    try:
        mask = numpy.asarray(element).astype(bool)
    except (TypeError, ValueError) as error:
        raise InputError(f"element={element!r}: {wanted}") from error
    got = f"element: an array of shape {mask.shape}"
    if mask.ndim == 3 and mask.shape[0] == 1:
        mask = mask[0]
    if mask.shape not in ((3, 3), (3, 3, 3)):
        raise InputError(f"{got}; {wanted}")
    distance = sum(numpy.abs(axis) for axis in numpy.ogrid[tuple(slice(-1, 2) for _ in mask.shape)])
    if mask.ndim == 3:
        if rank == 2:
            raise InputError(f"{got} on a 2-D image; wanted one of shape (3, 3)")
        if (mask == (distance <= 1)).all():
            return "cross"
        if mask.all():
            return "cube"
        if mask[1].all() and not mask[[0, 2]].any():
            return "square"
    elif mask.all():
        return "square"
    elif (mask == (distance <= 1)).all():
        if rank == 2:
            return "cross"
        raise InputError(f"{got}, a cross, on a volume; wanted shape (3, 3, 3): the cross slice by slice is not there")
    raise InputError(f"{got} that is no unit element; {wanted}")
