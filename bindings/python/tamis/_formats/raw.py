"""Raw files: samples without a header; shape and type are told, or said by the name, foam_600x600x250_u8.raw."""

from __future__ import annotations

import gzip
import math
import os
import re
import zlib
from typing import Any

import numpy

from .._foreign import DEFLATE_RATIO, check_expansion, one_line, reading, shown
from .._native import InputError

_TYPES = {
    "bool": "?", "u8": "u1", "u16": "u2", "i16": "i2", "f32": "f4", "i8": "i1", "u32": "u4", "i32": "i4", "u64": "u8",
    "i64": "i8", "f64": "f8", "uint8": "u1", "uint16": "u2", "int16": "i2", "float32": "f4", "int8": "i1",
    "uint32": "u4", "int32": "i4", "uint64": "u8", "int64": "i8", "float64": "f8", "8bit": "u1", "16bit": "u2",
}  # fmt: skip


def said_by(name: str) -> tuple[tuple[int, ...] | None, numpy.dtype | None]:
    """Shape and type as far as the name says them; the last word of a kind counts."""
    shape = dtype = None
    for word in re.split(r"[_\-. ]+", os.path.basename(name)):
        if re.fullmatch(r"\d+x\d+(x\d+)?", word):
            shape = tuple(int(edge) for edge in reversed(word.split("x")))
        if word in _TYPES:
            dtype = numpy.dtype(_TYPES[word])
    return shape, dtype


def shape_of(shape: Any) -> tuple[int, ...]:
    """ "600x600x250", x first, or the shape of an array."""
    try:
        edges = tuple(reversed(shape.split("x"))) if isinstance(shape, str) else tuple(shape)
        numbers = tuple(int(edge) for edge in edges)
    except (TypeError, ValueError, OverflowError):
        numbers = ()
    if len(numbers) not in (2, 3) or min(numbers) < 1:
        raise InputError(f"shape={one_line(repr(shape))}: wanted '600x600x250', x first, or (250, 600, 600)")
    return numbers


def dtype_of(dtype: Any) -> numpy.dtype:
    """ "u8" is eight bits here as everywhere in tamis; NumPy's own types are taken as they are."""
    try:
        samples = numpy.dtype(_TYPES.get(dtype, dtype) if isinstance(dtype, str) else dtype)
    except (TypeError, ValueError, SyntaxError, AttributeError):
        samples = numpy.dtype(object)
    if samples.kind not in "biufc":
        raise InputError(f"dtype={one_line(repr(dtype))}: wanted one of {', '.join(list(_TYPES)[1:11])}")
    return samples


def read_raw(name: str, shape: Any, dtype: Any, byte_order: str, lazy: bool) -> numpy.ndarray:
    """The samples; mapped with `lazy`, where they are not compressed."""
    said_shape, said_dtype = said_by(name)
    edges = said_shape if shape is None else shape_of(shape)
    samples = said_dtype if dtype is None else dtype_of(dtype)
    if edges is None or samples is None:
        raise InputError(f"{shown(name)}: wanted shape= and dtype=, or a name such as foam_600x600x250_u8.raw")
    if byte_order not in ("little", "big"):
        raise InputError(f"byte_order={byte_order!r}: wanted 'little' or 'big'")
    samples = samples.newbyteorder(">" if byte_order == "big" else "<")
    wanted = math.prod(edges) * samples.itemsize
    with reading(name):
        if name.lower().endswith(".gz"):
            array = numpy.frombuffer(_unzipped(name, wanted), samples).reshape(edges)
        else:
            _check_length(name, os.path.getsize(name), wanted)
            if lazy:
                return numpy.memmap(name, samples, "r", shape=edges)
            array = numpy.fromfile(name, samples).reshape(edges)
        return array.astype(samples.newbyteorder("="), copy=False)


def _unzipped(name: str, wanted: int) -> bytearray:
    check_expansion(name, wanted, os.path.getsize(name), DEFLATE_RATIO)
    try:
        with gzip.open(name) as file:
            content = bytearray(file.read(wanted + 1))  # one more: a file that goes on is not the one described
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise InputError(f"{shown(name)}: {one_line(error)}; wanted a whole gzip file") from error
    _check_length(name, len(content), wanted)
    return content


def _check_length(name: str, got: int, wanted: int) -> None:
    if got != wanted:
        words = f"{got} bytes" if got < wanted else f"more than {wanted} bytes"
        raise InputError(f"{shown(name)}: {words}; wanted {wanted} for this shape and type")


def check_name(path: str, array: numpy.ndarray) -> None:
    """A name that says another shape or type is refused: it would be believed."""
    shape, dtype = said_by(path)
    told = array.dtype.newbyteorder("=")
    if (shape is not None and shape != array.shape) or (dtype is not None and dtype != told):
        last = shown(os.path.basename(path))
        raise InputError(f"{last}: the name does not fit shape {array.shape} of {told.name}")


def write_raw(path: str, array: numpy.ndarray) -> None:
    """Little endian, x fastest."""
    numpy.ascontiguousarray(array, array.dtype.newbyteorder("<")).tofile(path)
