#!/usr/bin/env python3
"""Gives hidden names of tamis and CUDA's calls in an object file their usual visibility: a shared library of it exports them.

The compiler has hidden them, and no tool of binutils takes that back: it is two bits of each symbol's entry. Code stays
as it is, so a library of it must bind its own names itself (-Bsymbolic, or --dynamic-list). Other names stay hidden: some
of CUDA's headers are unique in a process, and code that takes such a name for a hidden one cannot be linked."""

import struct
import sys

SYMTAB = 2
HIDDEN = 2
SECTION = struct.Struct("<IIQQQQIIQQ")
SYMBOL = struct.Struct("<IBBHQQ")


def show(data):
    if data[:6] != b"\x7fELF\x02\x01":
        raise SystemExit("not a 64-bit little-endian ELF file")
    (sections,) = struct.unpack_from("<Q", data, 0x28)
    _, count = struct.unpack_from("<HH", data, 0x3A)
    if count == 0:  # more than 16 bits can tell
        (count,) = struct.unpack_from("<Q", data, sections + 0x20)
    for section in range(count):
        _, kind, _, _, offset, size, names, first_global, _, _ = SECTION.unpack_from(data, sections + section * SECTION.size)
        if kind != SYMTAB:
            continue
        texts = SECTION.unpack_from(data, sections + names * SECTION.size)[4]
        for symbol in range(offset + first_global * SYMBOL.size, offset + size, SYMBOL.size):
            if data[symbol + 5] & 3 != HIDDEN:
                continue
            name = texts + SYMBOL.unpack_from(data, symbol)[0]
            text = data[name : data.index(0, name)]
            if b"tamis" in text or text.startswith((b"cuda", b"__cuda")):
                data[symbol + 5] &= ~3


with open(sys.argv[1], "r+b") as file:
    contents = bytearray(file.read())
    show(contents)
    file.seek(0)
    file.write(contents)
