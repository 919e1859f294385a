"""PNG that tamis decodes itself is what libpng makes of it, and all else goes to libpng."""

import struct
import zlib

import numpy
import pytest
from PIL import Image

RANDOM = numpy.random.default_rng(12)


def chunk(name, data):
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def filtered(array, filters):
    """Rows of samples, each filtered as its number says."""
    rows = array.astype(array.dtype.newbyteorder(">")).reshape(len(array), -1).view("u1").astype(int)
    step = array.dtype.itemsize * (3 if array.ndim == 3 else 1)
    above = numpy.zeros_like(rows[0])
    out = b""
    for number, row in zip(filters, rows, strict=True):
        left = numpy.concatenate([numpy.zeros(step, int), row[:-step]])[: len(row)]
        corner = numpy.concatenate([numpy.zeros(step, int), above[:-step]])[: len(row)]
        a, b, c = abs(above - corner), abs(left - corner), abs(left + above - 2 * corner)
        guess = numpy.where((a <= b) & (a <= c), left, numpy.where(b <= c, above, corner))
        taken = [0 * row, left, above, (left + above) // 2, guess][number]
        out += bytes([number]) + ((row - taken) % 256).astype("u1").tobytes()
        above = row
    return out


def png(array, filters, pieces=1, before=b"", after=b"", window=15, wide=None):
    header = struct.pack(">IIBBBBB", array.shape[1], array.shape[0], 8 * array.dtype.itemsize, 2 if array.ndim == 3 else 0, 0, 0, 0)
    packer = zlib.compressobj(6, zlib.DEFLATED, window)
    stream = packer.compress(filtered(array, filters)) + packer.flush()
    edges = [len(stream) * i // pieces for i in range(pieces + 1)]
    parts = b"".join(chunk(b"IDAT", stream[a:b]) for a, b in zip(edges, edges[1:], strict=False))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + before + parts + after + chunk(b"IEND", b"")


def read(samples, name, array):
    if array.ndim == 2:
        return samples(name)
    return numpy.stack([samples(name, "--channel", channel) for channel in range(3)], -1)


@pytest.mark.parametrize("dtype", ["u1", "u2"])
@pytest.mark.parametrize("channels", [1, 3])
def test_every_filter(samples, tmp_path, dtype, channels):
    for width in (1, 2, 5, 67):
        shape = (25, width) + ((3,) if channels == 3 else ())
        array = RANDOM.integers(0, numpy.iinfo(dtype).max, shape, endpoint=True).astype(dtype)
        array[10:] //= 50
        (tmp_path / "in.png").write_bytes(png(array, [i % 5 for i in range(25)], pieces=3, window=9 if width < 5 else 15))
        got = read(samples, "in.png", array)
        assert got.dtype == dtype
        numpy.testing.assert_array_equal(got, array)


def test_what_pillow_writes(samples, tmp_path):
    y, x = numpy.mgrid[:300, :400]
    for array in ((x * y // 200).astype("u1"), (x * y).astype("u2"), numpy.stack([x, y, x ^ y], -1).astype("u1")):
        Image.fromarray(array).save(tmp_path / "in.png", dpi=(300, 300), pnginfo=None)
        numpy.testing.assert_array_equal(read(samples, "in.png", array), array)


def test_remarks_are_passed_over_and_all_else_is_read_by_libpng(samples, tamis, tmp_path):
    array = RANDOM.integers(0, 256, (20, 30)).astype("u1")
    filters = [4] * 20
    remarks = chunk(b"gAMA", struct.pack(">I", 45455)) + chunk(b"tEXt", b"Title\0a") + chunk(b"pHYs", bytes(9))
    for before, after in ((remarks, chunk(b"tIME", bytes(7))), (chunk(b"prVt", b"x"), b""), (chunk(b"sTER", b"\0"), b"")):
        (tmp_path / "in.png").write_bytes(png(array, filters, 1, before, after) + b"behind")
        numpy.testing.assert_array_equal(samples("in.png"), array)
    turned = chunk(b"eXIf", b"II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0")
    (tmp_path / "in.png").write_bytes(png(array, filters, 1, turned))
    assert "EXIF orientation 6" in tamis("info", "in.png").stdout
    numpy.testing.assert_array_equal(samples("in.png", "--upright"), numpy.rot90(array, -1))
    (tmp_path / "in.png").write_bytes(png(array, filters, 1, chunk(b"tRNS", b"\0\7")))
    tamis("info", "in.png")


def test_damage_is_told_as_libpng_tells_it(refused, tamis, tmp_path):
    array = (numpy.add.outer(numpy.arange(40), numpy.arange(50)) % 256).astype("u1")
    whole = png(array, [i % 5 for i in range(40)], 2)
    for length in range(8, len(whole), 13):
        (tmp_path / "in.png").write_bytes(whole[:length])
        refused("info", "in.png", words=["in.png"])
    for place in range(8, len(whole), 3):
        damaged = bytearray(whole)
        damaged[place] ^= 0x55
        (tmp_path / "in.png").write_bytes(damaged)
        assert tamis("info", "in.png", check=False).returncode in (0, 2)
    bad = [5] + [0] * 39
    rows = b"".join(bytes([f]) + row.tobytes() for f, row in zip(bad, array, strict=True))
    (tmp_path / "in.png").write_bytes(whole[:33] + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))
    refused("info", "in.png", words=["in.png", "corrupt or truncated PNG", "filter"])
    (tmp_path / "in.png").write_bytes(whole[:33] + chunk(b"IDAT", zlib.compress(rows[:-1])) + chunk(b"IEND", b""))
    refused("info", "in.png", words=["in.png", "corrupt or truncated PNG"])
