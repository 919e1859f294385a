"""TIFF files put together by hand: what tifffile would not write."""

import struct

import numpy


def pack(rows, bits):
    """Rows of samples below 2**bits, each row padded to whole bytes, the first sample in the highest bits."""
    rows = numpy.atleast_2d(rows)
    ones = (rows[..., None] >> numpy.arange(bits - 1, -1, -1)) & 1
    return numpy.packbits(ones.reshape(len(rows), -1).astype(numpy.uint8), axis=1).tobytes()


def tiff_bytes(tags, segments, tiled=False, order="<", big=False):
    """A TIFF of one page: `tags` maps numbers to a list of shorts, to (type, list of numbers) or to text."""
    word = "Q" if big else "I"
    data = struct.pack(order + ("2sHHHQ" if big else "2sHI"), b"II" if order == "<" else b"MM",
                       *((43, 8, 0) if big else (42,)), 0)
    offsets = []
    for segment in segments:
        offsets.append(len(data))
        data += segment
    tags = dict(tags)
    long = 16 if big else 4
    tags.setdefault(324 if tiled else 273, (long, offsets))
    tags.setdefault(325 if tiled else 279, (long, [len(segment) for segment in segments]))
    entries = []
    for number, value in sorted(tags.items()):
        if isinstance(value, str):
            value = value.encode() + b"\0"
            entries.append((number, 2, len(value), value))
        else:
            kind, values = value if isinstance(value, tuple) else (3, value)
            entries.append((number, kind, len(values),
                            struct.pack(f"{order}{len(values)}{ {1: 'B', 3: 'H', 4: 'I', 16: 'Q'}[kind] }", *values)))
    at = len(data)
    room = struct.calcsize(word)
    behind = at + (8 if big else 2) + len(entries) * (4 + 2 * room) + room
    table = struct.pack(order + ("Q" if big else "H"), len(entries))
    values = b""
    for number, kind, count, value in entries:
        table += struct.pack(f"{order}HH{word}", number, kind, count)
        if len(value) <= room:
            table += value.ljust(room, b"\0")
        else:
            table += struct.pack(order + word, behind + len(values))
            values += value
    table += struct.pack(order + word, 0)
    start = 8 if big else 4
    return data[:start] + struct.pack(order + word, at) + data[start + room:] + table + values


def page_tags(width, height, bits, **more):
    tags = {256: [width], 257: [height], 258: [bits], 259: [1], 262: [1]}
    return tags | {int(number.removeprefix("t")): value for number, value in more.items()}
