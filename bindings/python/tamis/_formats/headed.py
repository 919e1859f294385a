"""NRRD and MetaImage: a header of text, then samples, in the same file or in one beside it."""

from __future__ import annotations

import math
import os
import re
import zlib
from typing import Any, NamedTuple

import numpy

from .._calibrated import CalibratedArray, calibrated, in_millimetres, number_in, unit_of
from .follow import referred
from .._foreign import DEFLATE_RATIO, check_expansion, one_line, reading, shown
from .._native import InputError

_LONGEST_HEADER = 1 << 20

_NRRD_TYPES = {
    "u1": ("uint8", "uchar", "unsigned char", "uint8_t"),
    "i1": ("int8", "signed char", "int8_t"),
    "u2": ("uint16", "ushort", "unsigned short", "unsigned short int", "uint16_t"),
    "i2": ("int16", "short", "short int", "signed short", "signed short int", "int16_t"),
    "u4": ("uint32", "uint", "unsigned int", "uint32_t"),
    "i4": ("int32", "int", "signed int", "int32_t"),
    "u8": ("uint64", "ulonglong", "unsigned long long", "unsigned long long int", "uint64_t"),
    "i8": ("int64", "longlong", "long long", "long long int", "signed long long", "signed long long int", "int64_t"),
    "f4": ("float",),
    "f8": ("double",),
}
_NRRD = {word: code for code, words in _NRRD_TYPES.items() for word in words}
_OTHER_NAMES = {"datafile": "data file", "lineskip": "line skip", "byteskip": "byte skip"}
# Not MET_LONG: 4 bytes or 8, as the machine that wrote it had it.
_META = {
    "MET_UCHAR": "u1", "MET_CHAR": "i1", "MET_USHORT": "u2", "MET_SHORT": "i2", "MET_UINT": "u4", "MET_INT": "i4",
    "MET_ULONG_LONG": "u8", "MET_LONG_LONG": "i8", "MET_FLOAT": "f4", "MET_DOUBLE": "f8",
}  # fmt: skip


class _Place(NamedTuple):
    """Where the samples are, and what they are."""

    file: str
    offset: int
    packed: str  # "" or "gzip" or "zlib"
    dtype: numpy.dtype
    shape: tuple[int, ...]
    edges: list[float | None]  # x first, as the header has them
    unit: str


def read_nrrd(name: str, lazy: bool, follow: bool) -> numpy.ndarray:
    """.nrrd, or .nhdr with its samples in one file beside it."""
    with reading(name):
        fields, end = _nrrd_fields(name)
        return _samples(name, _nrrd_place(name, fields, end, follow), lazy)


def read_meta(name: str, lazy: bool, follow: bool) -> numpy.ndarray:
    """.mha, or .mhd with its samples in one file beside it."""
    with reading(name):
        fields, end = _meta_fields(name)
        return _samples(name, _meta_place(name, fields, end, follow), lazy)


def _lines(name: str) -> Any:
    """Each line of the header with the byte behind it."""
    with open(name, "rb") as file:
        end = 0
        while end < _LONGEST_HEADER and (line := file.readline(_LONGEST_HEADER)):
            end += len(line)
            yield line.decode("latin-1").strip(), end
    if end >= _LONGEST_HEADER:
        raise InputError(f"{shown(name)}: a header that does not end within {_LONGEST_HEADER} bytes")


def _add(name: str, fields: dict[str, str], key: str, value: str) -> None:
    if key in fields:
        raise InputError(f"{shown(name)}: the header has {shown(key)} twice; wanted it once")
    fields[key] = value


def _nrrd_fields(name: str) -> tuple[dict[str, str], int]:
    fields: dict[str, str] = {}
    end = 0
    for number, (line, end) in enumerate(_lines(name)):
        if number == 0:
            if not line.startswith("NRRD000"):
                raise InputError(f"{shown(name)}: no NRRD file by its first bytes")
        elif not line:
            break
        elif not line.startswith("#") and ":=" not in line:
            key, colon, value = line.partition(":")
            if not colon:
                raise InputError(f"{shown(name)}: the line {one_line(repr(line))} in its header; wanted 'field: value'")
            key = key.strip().lower()
            _add(name, fields, _OTHER_NAMES.get(key, key), value.strip())
    return fields, end


def _meta_fields(name: str) -> tuple[dict[str, str], int]:
    fields: dict[str, str] = {}
    for line, end in _lines(name):
        key, equals, value = line.partition("=")
        if not equals and line:
            raise InputError(f"{shown(name)}: the line {one_line(repr(line))} in its header; wanted 'key = value'")
        if equals:
            _add(name, fields, key.strip(), value.strip())
        if key.strip() == "ElementDataFile":
            return fields, end
    raise InputError(f"{shown(name)}: no MetaImage: its header ends without ElementDataFile")


def _whole(name: str, fields: dict[str, str], key: str, missing: str | None = None) -> list[int]:
    words = fields.get(key, missing)
    if words is None or not re.fullmatch(r"[+-]?\d{1,18}(\s+[+-]?\d{1,18})*", words):
        raise InputError(f"{shown(name)}: {key}: {one_line(repr(words))} in its header; wanted whole numbers")
    return [int(word) for word in words.split()]


def _shape(name: str, fields: dict[str, str], dimension: str, sizes: str) -> tuple[int, ...]:
    """z first; axes of one sample beyond the third are none."""
    edges = _whole(name, fields, sizes)
    if _whole(name, fields, dimension) != [len(edges)]:
        raise InputError(f"{shown(name)}: {dimension} is {fields[dimension]}; wanted {len(edges)}, as {sizes} has")
    while len(edges) > 3 and edges[-1] == 1:
        edges.pop()
    if len(edges) not in (2, 3) or min(edges) < 1:
        raise InputError(f"{shown(name)}: {sizes} {fields[sizes]}; wanted two or three, 1 or more")
    return tuple(reversed(edges))


def _nrrd_place(name: str, fields: dict[str, str], end: int, follow: bool) -> _Place:
    kind = _NRRD.get(fields.get("type", "").lower())
    if kind is None:
        got = shown(fields.get("type", "none"))
        raise InputError(f"{shown(name)}: NRRD of type {got}; wanted integers of 1 to 8 bytes, float or double")
    for axis in fields.get("kinds", "").lower().split():
        if axis not in ("domain", "space", "time", "none", "???"):
            raise InputError(f"{shown(name)}: an axis of kind {shown(axis)}; wanted axes of space, one number a voxel")
    shape = _shape(name, fields, "dimension", "sizes")
    encoding, endian = fields.get("encoding", "").lower(), fields.get("endian", "").lower()
    if encoding not in ("raw", "gzip", "gz"):
        raise InputError(f"{shown(name)}: NRRD with encoding {shown(encoding) or 'none'}; wanted raw or gzip")
    if endian not in ("little", "big") and kind[1] != "1":
        raise InputError(f"{shown(name)}: NRRD with endian {shown(endian) or 'none'}; wanted little or big")
    for skip in ("line skip", "byte skip"):
        if _whole(name, fields, skip, "0") != [0]:
            raise InputError(f"{shown(name)}: NRRD with a {skip} of {shown(fields[skip])}; wanted none")
    file = _beside(name, fields.get("data file"), follow)
    dtype = numpy.dtype((">" if endian == "big" else "<") + kind)
    edges, unit = _nrrd_edges(fields, len(shape)), _nrrd_unit(fields)
    return _Place(file or name, 0 if file else end, "" if encoding == "raw" else "gzip", dtype, shape, edges, unit)


def _nrrd_edges(fields: dict[str, str], rank: int) -> list[float | None]:
    if "spacings" in fields:
        return [number_in(word) for word in fields["spacings"].split()[:rank]]
    edges: list[float | None] = []
    for vector in re.findall(r"\(([^)]*)\)", fields.get("space directions", ""))[:rank]:
        try:
            edges.append(number_in(math.hypot(*map(float, vector.split(",")))))
        except ValueError:
            edges.append(None)
    return edges


def _nrrd_unit(fields: dict[str, str]) -> str:
    """Of all axes: mm where the header has none, nothing where it is unknown or differs."""
    words = re.findall(r'"([^"]*)"', fields.get("space units") or fields.get("units", ""))
    units = {unit_of(word) for word in words if word not in ("", "???")}
    return "mm" if not units else units.pop() if len(units) == 1 else ""


def _meta_place(name: str, fields: dict[str, str], end: int, follow: bool) -> _Place:
    kind = _META.get(fields.get("ElementType", ""))
    if kind is None:
        got = shown(fields.get("ElementType", "none"))
        raise InputError(f"{shown(name)}: ElementType {got}; wanted MET_UCHAR, MET_SHORT ... or MET_DOUBLE")

    def said(key: str) -> bool:
        return fields.get(key, "")[:1] in ("T", "t", "1")

    if _whole(name, fields, "ElementNumberOfChannels", "1") != [1]:
        raise InputError(f"{shown(name)}: {fields['ElementNumberOfChannels']} channels; wanted one number a voxel")
    if fields.get("BinaryData") and not said("BinaryData"):
        raise InputError(f"{shown(name)}: samples as text; wanted BinaryData = True")
    for key, neutral in (("ElementToIntensityFunctionSlope", "1"), ("ElementToIntensityFunctionOffset", "0")):
        if not re.fullmatch(rf"{neutral}(\.0*)?", fields.get(key) or neutral):
            raise InputError(f"{shown(name)}: {key} = {shown(fields[key])}; wanted {neutral} or none")
    if _whole(name, fields, "HeaderSize", "0") != [0]:
        raise InputError(f"{shown(name)}: HeaderSize = {shown(fields['HeaderSize'])}; wanted none")
    shape = _shape(name, fields, "NDims", "DimSize")
    data = fields["ElementDataFile"]
    file = None if data in ("LOCAL", "Local", "local") else _beside(name, data, follow)
    big = said("BinaryDataByteOrderMSB") or said("ElementByteOrderMSB")
    words = (fields.get("ElementSpacing") or fields.get("ElementSize", "")).split()[: len(shape)]
    unit = unit_of(fields["DistanceUnits"]) if fields.get("DistanceUnits") else "mm"
    return _Place(file or name, 0 if file else end, "zlib" if said("CompressedData") else "",
                  numpy.dtype((">" if big else "<") + kind), shape, [number_in(word) for word in words], unit)  # fmt: skip


def _beside(name: str, data: str | None, follow: bool) -> str | None:
    """The other file that has the samples."""
    if data is None:
        return None
    if data == "" or data.startswith("LIST") or "%" in data:
        raise InputError(f"{shown(name)}: its samples in {shown(data) or 'no file'}; wanted the name of one file")
    return referred(name, data, "samples", follow)


def _samples(name: str, place: _Place, lazy: bool) -> numpy.ndarray:
    wanted, there = math.prod(place.shape) * place.dtype.itemsize, os.path.getsize(place.file) - place.offset
    check_expansion(name, wanted, there, DEFLATE_RATIO if place.packed else 1)
    array: numpy.ndarray
    if place.packed:
        array = numpy.frombuffer(_inflated(name, place, wanted), place.dtype).reshape(place.shape)
    elif lazy:
        return numpy.memmap(place.file, place.dtype, "r", place.offset, place.shape)
    else:
        array = numpy.fromfile(place.file, place.dtype, math.prod(place.shape), offset=place.offset).reshape(place.shape)
    return calibrated(array.astype(place.dtype.newbyteorder("="), copy=False), place.edges[::-1], place.unit)


def _inflated(name: str, place: _Place, wanted: int) -> bytearray:
    with open(place.file, "rb") as file:
        file.seek(place.offset)
        packed = file.read()
    inflater = zlib.decompressobj(zlib.MAX_WBITS | (16 if place.packed == "gzip" else 0))
    content = bytearray(inflater.decompress(packed, wanted + 1))  # one more: what goes on is not what is described
    if len(content) != wanted:
        words = "more than" if len(content) > wanted else "only"
        raise InputError(f"{shown(name)}: {words} {min(len(content), wanted)} bytes of samples; wanted {wanted}")
    return content


def write_nrrd(path: str, array: numpy.ndarray) -> None:
    """Raw samples in the same file."""
    sizes, lengths = array.shape[::-1], _lengths(array)
    kind = _NRRD_TYPES[array.dtype.newbyteorder("=").str[1:]][0]
    head = f"NRRD0004\ntype: {kind}\ndimension: {array.ndim}\nsizes: {' '.join(map(str, sizes))}\n"
    head += "endian: little\nencoding: raw\n"
    if lengths:
        head += f"spacings: {' '.join(map(repr, lengths))}\nunits:" + ' "mm"' * array.ndim + "\n"
    _write(path, head + "\n", array)


def write_meta(path: str, array: numpy.ndarray) -> None:
    """Raw samples in the same file."""
    lengths = _lengths(array)
    kind = next(word for word, code in _META.items() if code == array.dtype.newbyteorder("=").str[1:])
    head = f"ObjectType = Image\nNDims = {array.ndim}\nBinaryData = True\nBinaryDataByteOrderMSB = False\n"
    head += f"CompressedData = False\nDimSize = {' '.join(map(str, array.shape[::-1]))}\n"
    if lengths:
        head += f"ElementSpacing = {' '.join(map(repr, lengths))}\n"
    _write(path, head + f"ElementType = {kind}\nElementDataFile = LOCAL\n", array)


def _lengths(array: numpy.ndarray) -> list[float]:
    """x first, in mm; nothing where they are not known."""
    if not isinstance(array, CalibratedArray) or array.spacing is None:
        return []
    return in_millimetres(array.spacing, array.unit)[::-1]


def _write(path: str, head: str, array: numpy.ndarray) -> None:
    with open(path, "wb") as file:
        file.write(head.encode("ascii"))
        numpy.ascontiguousarray(array, array.dtype.newbyteorder("<")).tofile(file)
