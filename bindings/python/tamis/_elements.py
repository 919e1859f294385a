"""Structuring elements by name."""

from __future__ import annotations

import inspect
import re
import textwrap
from typing import TYPE_CHECKING, Any

import numpy

from ._native import Element, InputError, element_shapes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

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


def _constructor(shape: dict[str, Any]) -> Callable[..., Element]:
    """The function that makes a shape of its sizes: disk(4.5) for "disk:4.5"."""
    parameters = [
        inspect.Parameter(
            size["name"],
            inspect.Parameter.POSITIONAL_OR_KEYWORD,
            default=inspect.Parameter.empty if size["required"] else None,
            annotation="int" if size["whole"] else "float" if size["required"] else "float | None",
        )
        for size in shape["sizes"]
    ]
    signature = inspect.Signature(parameters, return_annotation="Element")

    def make(*args: float, **keywords: float) -> Element:
        given = signature.bind(*args, **keywords).arguments
        text = "".join(
            size["before"] + _size_text(size, given[size["name"]])
            for size in shape["sizes"]
            if given.get(size["name"]) is not None or size["required"]
        )
        return Element(shape["name"] + text)

    make.__name__ = make.__qualname__ = shape["name"]
    make.__doc__ = _doc(shape)
    make.__signature__ = signature
    return make


def _doc(shape: dict[str, Any]) -> str:
    text, spec = shape["text"], shape["example"]
    call = f"tamis.{shape['name']}({', '.join(re.findall('[0-9.]+', spec))})"
    if text.startswith("a "):
        text = "A" + text[1:]
    flat = shape["rank"] == 2 and all(size["required"] for size in shape["sizes"])
    first = f"{text}.{' On a volume slice by slice.' if flat else ''}"
    lines = [
        *textwrap.wrap(first, 112),
        "",
        "Parameters",
        "----------",
    ]
    for size in shape["sizes"]:
        kind = "int" if size["whole"] else "float"
        lines += [f"{size['name']} : {kind}{'' if size['required'] else ', optional'}",
                  f"    {size['letter']} above: {size['lowest']} to {size['highest']}."]
    lines += ["", "Returns", "-------", "Element", "", "Raises", "------", "InputError", "    For a size out of its range.",
              "", "Examples", "--------", ">>> import tamis", f">>> {call}", f"tamis.element('{spec}')"]
    return "\n".join(lines) + "\n"


def _size_text(size: dict[str, Any], value: float) -> str:
    if size["whole"]:
        return str(_whole(size["name"], value, size["lowest"]))
    return _number(size["name"], value)


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


# One function for each shape that the library can name.
_shapes = {shape["name"]: _constructor(shape) for shape in element_shapes()}
globals().update(_shapes)
__all__ = ["element", *_shapes]
