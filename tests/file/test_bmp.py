"""BMP as Pillow writes it and as put together by hand."""

import struct

import numpy
import pytest
from PIL import Image

RANDOM = numpy.random.default_rng(6)


def by_hand(rows, bits, width, height, palette=b"", compression=0, info=40):
    body = b"".join(row + b"\0" * (-len(row) % 4) for row in rows)
    if info == 12:
        head = struct.pack("<IHHHH", 12, width, height, 1, bits)
    else:
        head = struct.pack("<IiiHHIIiiII", info, width, height, 1, bits, compression, len(body), 0, 0, 0, 0) + bytes(info - 40)
    start = 14 + len(head) + len(palette)
    return b"BM" + struct.pack("<IHHI", start + len(body), 0, 0, start) + head + palette + body


@pytest.mark.parametrize("width", [1, 2, 3, 4, 33])
def test_what_pillow_writes_is_read(samples, tmp_path, width):
    grey = RANDOM.integers(0, 256, (9, width)).astype("u1")
    Image.fromarray(grey).save(tmp_path / "grey.bmp")
    numpy.testing.assert_array_equal(samples("grey.bmp"), grey)
    Image.fromarray(grey > 99).save(tmp_path / "bits.bmp")
    got = samples("bits.bmp")
    assert got.dtype == bool
    numpy.testing.assert_array_equal(got, grey > 99)
    for channels in (3, 4):
        colour = RANDOM.integers(0, 256, (9, width, channels)).astype("u1")
        Image.fromarray(colour).save(tmp_path / "colour.bmp")
        for channel in range(3):
            numpy.testing.assert_array_equal(samples("colour.bmp", "--channel", channel), colour[..., channel])
    index = Image.fromarray(grey % 5, mode="P")
    index.putpalette([9, 8, 7, 1, 2, 3, 4, 4, 4, 200, 100, 0, 5, 6, 7])
    index.save(tmp_path / "palette.bmp")
    wanted = numpy.asarray(Image.open(tmp_path / "palette.bmp").convert("RGB"))
    for channel in range(3):
        numpy.testing.assert_array_equal(samples("palette.bmp", "--channel", channel), wanted[..., channel])


def test_rows_from_the_top_and_the_first_version(samples, tmp_path):
    grey = RANDOM.integers(0, 256, (4, 5)).astype("u1")
    ramp = b"".join(bytes([i, i, i, 0]) for i in range(256))
    (tmp_path / "top.bmp").write_bytes(by_hand([row.tobytes() for row in grey], 8, 5, -4, ramp))
    numpy.testing.assert_array_equal(samples("top.bmp"), grey)
    old = b"".join(bytes([255 - i] * 3) for i in range(256))
    (tmp_path / "old.bmp").write_bytes(by_hand([row.tobytes() for row in grey[::-1]], 8, 5, 4, old, info=12))
    numpy.testing.assert_array_equal(samples("old.bmp"), 255 - grey)
    (tmp_path / "white.bmp").write_bytes(by_hand([b"\xa0"], 1, 3, 1, b"\xff\xff\xff\0\0\0\0\0"))
    assert samples("white.bmp").tolist() == [[False, True, False]]


def test_a_folder_of_slices(samples, refused, tmp_path):
    (tmp_path / "slices").mkdir()
    volume = RANDOM.integers(0, 256, (12, 6, 7)).astype("u1")
    for z, grey in enumerate(volume):
        Image.fromarray(grey).save(tmp_path / "slices" / f"rec{z}.bmp")
    numpy.testing.assert_array_equal(samples("slices"), volume)
    refused("convert", "slices", "out.bmp", words=["BMP is only read"])


def test_what_is_not_read_is_told(refused, tmp_path):
    row = [b"\x01\x02\x03\x04"]
    grey = bytes(1024)
    for compression, words in ((1, "run lengths"), (2, "run lengths"), (3, "bit fields"), (4, "JPEG"), (9, "unknown")):
        (tmp_path / "a.bmp").write_bytes(by_hand(row, 8, 4, 1, grey, compression))
        refused("info", "a.bmp", words=["a.bmp", "compressed", words])
    for bits in (0, 2, 4, 16, 64):
        (tmp_path / "a.bmp").write_bytes(by_hand(row, bits, 2, 1))
        refused("info", "a.bmp", words=[f"{bits} bits", "1, 8, 24 or 32"])
    whole = by_hand(row, 8, 4, 1, grey)
    for length in (*range(1, 60), 400, len(whole) - 1):
        (tmp_path / "a.bmp").write_bytes(whole[:length])
        refused("info", "a.bmp", words=["a.bmp"])
    (tmp_path / "a.bmp").write_bytes(by_hand(row, 8, 4, 1, grey[:8]))
    refused("info", "a.bmp", words=["palette"])
    for width, height in ((0, 1), (-4, 1), (4, 0), (2**31 - 1, 2**31 - 1), (4, -(2**31))):
        (tmp_path / "a.bmp").write_bytes(by_hand(row, 8, width, height, grey))
        refused("info", "a.bmp", words=["BMP"])
