"""Structuring elements by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy

from ._native import Element, InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing


def element(spec: str | Element | numpy.typing.ArrayLike, origin: Sequence[int] | None = None) -> Element:
    """A structuring element from its text, or from a mask.

    Parameters
    ----------
    spec : str, Element or array
        A text as the program takes it, 'disk:4.5', 'reflect(line:21@30)+square:2'; or a mask of two or three axes: what
        is not 0 is in.
    origin : tuple of int, optional
        Of a mask: the index of its origin, (y, x) or (z, y, x); it may lie outside. Otherwise n // 2 along each axis.

    Returns
    -------
    Element

    Raises
    ------
    InputError
        For a text that cannot be read, and for a mask without a True.

    Examples
    --------
    >>> import tamis
    >>> corner = tamis.element([[1, 1], [1, 0]], origin=(0, 0))
    >>> corner.offsets().tolist()
    [[0, 0], [0, 1], [1, 0]]
    >>> (corner + "rect:2x1").reflected().mask().astype(int)
    array([[0, 1, 1],
           [1, 1, 1]])
    >>> tamis.element("cross:1").mask(rank=3).sum()
    np.int64(7)
    """
    return Element(spec, origin)


def square(edge: int) -> Element:
    """edge x edge pixels; on a volume slice by slice. The origin of an even edge is at index edge / 2.

    Examples
    --------
    >>> import tamis
    >>> tamis.square(2).offsets().tolist()
    [[-1, -1], [-1, 0], [0, -1], [0, 0]]
    """
    return Element(f"square:{_whole('edge', edge, 1)}")


def rect(width: int, height: int) -> Element:
    """width x height pixels; on a volume slice by slice.

    Examples
    --------
    >>> import tamis
    >>> tamis.rect(7, 3).mask().shape
    (3, 7)
    """
    return Element(f"rect:{_whole('width', width, 1)}x{_whole('height', height, 1)}")


def cube(edge: int) -> Element:
    """edge x edge x edge voxels.

    Examples
    --------
    >>> import tamis
    >>> tamis.cube(3).rank
    3
    """
    return Element(f"cube:{_whole('edge', edge, 1)}")


def box(width: int, height: int, depth: int) -> Element:
    """width x height x depth voxels.

    Examples
    --------
    >>> import tamis
    >>> tamis.box(5, 4, 3).mask().shape
    (3, 4, 5)
    """
    edges = (_whole("width", width, 1), _whole("height", height, 1), _whole("depth", depth, 1))
    return Element("box:" + "x".join(map(str, edges)))


def cross(radius: int) -> Element:
    """|x| + |y| + |z| <= radius: a diamond in 2-D, an octahedron in 3-D.

    Examples
    --------
    >>> import tamis
    >>> tamis.cross(1)
    tamis.element('cross:1')
    >>> tamis.cross(1).mask().astype(int)
    array([[0, 1, 0],
           [1, 1, 1],
           [0, 1, 0]])
    """
    return Element(f"cross:{_whole('radius', radius, 0)}")


def disk(radius: float) -> Element:
    """x^2 + y^2 <= radius^2; on a volume slice by slice.

    Examples
    --------
    >>> import tamis
    >>> len(tamis.disk(1.5).offsets())
    9
    """
    return Element(f"disk:{_number('radius', radius)}")


def ball(radius: float) -> Element:
    """x^2 + y^2 + z^2 <= radius^2.

    Examples
    --------
    >>> import tamis
    >>> tamis.ball(4).mask().shape
    (9, 9, 9)
    """
    return Element(f"ball:{_number('radius', radius)}")


def circle(radius: float) -> Element:
    """A ring: disk(radius) without disk(radius - 1); on a volume slice by slice.

    Examples
    --------
    >>> import tamis
    >>> tamis.circle(1).mask().astype(int)
    array([[0, 1, 0],
           [1, 0, 1],
           [0, 1, 0]])
    """
    return Element(f"circle:{_number('radius', radius)}")


def octagon(radius: int) -> Element:
    """|x|, |y| <= radius and |x| + |y| <= floor(4 radius / 3); on a volume slice by slice.

    Examples
    --------
    >>> import tamis
    >>> tamis.octagon(2).mask().astype(int)
    array([[0, 0, 1, 0, 0],
           [0, 1, 1, 1, 0],
           [1, 1, 1, 1, 1],
           [0, 1, 1, 1, 0],
           [0, 0, 1, 0, 0]])
    """
    return Element(f"octagon:{_whole('radius', radius, 0)}")


def hexagon(radius: float) -> Element:
    """|y| <= radius sqrt(3) / 2 and |x| + |y| / sqrt(3) <= radius; on a volume slice by slice.

    Examples
    --------
    >>> import tamis
    >>> tamis.hexagon(3).mask().shape
    (5, 7)
    """
    return Element(f"hexagon:{_number('radius', radius)}")


def line(length: float, azimuth: float, elevation: float | None = None) -> Element:
    """A digital segment (MATLAB's rule), at `azimuth` degrees counter-clockwise as the picture is seen.

    With `elevation`, in degrees towards larger z, it lies in space; otherwise it acts on volumes slice by slice.

    Examples
    --------
    >>> import tamis
    >>> tamis.line(5, 90).offsets().tolist()
    [[-2, 0], [-1, 0], [0, 0], [1, 0], [2, 0]]
    >>> len(tamis.line(41, 45).offsets())
    29
    """
    text = f"line:{_number('length', length)}@{_number('azimuth', azimuth)}"
    return Element(text if elevation is None else f"{text},{_number('elevation', elevation)}")


def _whole(name: str, value: int, lowest: int) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, numpy.integer)) or value < lowest:
        raise InputError(f"{name}={value!r}: wanted a whole number, {lowest} or more")
    return int(value)


def _number(name: str, value: float) -> str:
    """As short as it can be, and the same number when it is read again."""
    numbers = (int, float, numpy.integer, numpy.floating)
    if isinstance(value, bool) or not isinstance(value, numbers) or not numpy.isfinite(value):
        raise InputError(f"{name}={value!r}: wanted a finite number")
    return repr(float(value)).removesuffix(".0")


def unit_element_spec(element: Any, rank: int) -> str:
    """The text of a unit element that is given as an Element or an array; `rank` is that of the image."""
    wanted = "wanted cross, cube or square, or an array that equals one of them: 3 samples along each axis"
    if isinstance(element, Element):
        named = next((name for name in ("cross:1", "cube:3", "square:3") if element == Element(name)), None)
        if named is not None:
            return named
        if set(element.origin()) != {1}:
            raise InputError(f"element={element!r}: {wanted}")
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
