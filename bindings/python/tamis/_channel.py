"""One channel or time of a file that holds several."""

from __future__ import annotations

import operator
from typing import Any

import numpy

from ._foreign import shown
from ._native import InputError


def index_of(name: str, keyword: str, value: Any, count: int, words: str = "") -> int:
    """A number below `count` from what the caller has said."""
    try:
        number = -1 if isinstance(value, bool) else operator.index(int(value) if isinstance(value, str) else value)
    except (TypeError, ValueError):
        number = -1
    if not 0 <= number < count:
        wanted = "0" if count == 1 else f"0 ... {count - 1}"
        raise InputError(f"{shown(name)}: {keyword}={value!r}; wanted {wanted}{words}")
    return number


def only_time(name: str, time: Any) -> None:
    """Of a file that holds one time."""
    if time is not None:
        index_of(name, "time", time, 1)


def take_channel(name: str, array: numpy.ndarray, channel: Any, colour: bool) -> numpy.ndarray:
    """A channel, or the luma, of samples whose last axis is that of the colours; of grey ones all."""
    if channel is None:
        return array
    count = array.shape[-1] if colour else 1
    if channel == "luma" and count != 2:
        return _luma(name, array) if colour and count > 2 else array[..., 0] if colour else array
    number = index_of(name, "channel", channel, count, "" if count == 2 else " or 'luma'")
    return array[..., number].copy() if colour else array


def _luma(name: str, array: numpy.ndarray) -> numpy.ndarray:
    """0.299 R + 0.587 G + 0.114 B as the program computes it; integers are rounded half away from zero."""
    if array.dtype.kind in "iu" and array.dtype.itemsize == 8:
        raise InputError(f"{shown(name)}: luma of {array.dtype} is not defined; wanted channel=0, 1 or 2")
    red, green, blue = (array[..., i].astype(numpy.float64) for i in range(3))
    # Thousandths first: they are exact, so a half is a half.
    luma = (299.0 * red + 587.0 * green + 114.0 * blue) / 1000.0
    if array.dtype.kind != "f":
        luma = numpy.trunc(luma + numpy.copysign(0.5, luma))
    return luma.astype(array.dtype)
