"""MRC as mrcfile writes it, as IMOD does, and damaged."""

import struct

import mrcfile
import numpy
import pytest

VOLUME = numpy.random.default_rng(8).integers(-100, 100, (4, 7, 11))


def header(shape, mode, order="<", **fields):
    """1024 bytes put together by hand: x, y and z are the first axes."""
    z, y, x = shape
    raw = bytearray(1024)
    stamp = bytes([0x44, 0x44, 0, 0] if order == "<" else [0x11, 0x11, 0, 0])
    values = {0: (x, y, z, mode), 28: (x, y, z), 64: (1, 2, 3), 92: (0,), **fields.pop("at", {})}
    for at, numbers in values.items():
        struct.pack_into(f"{order}{len(numbers)}i", raw, at, *numbers)
    struct.pack_into(f"{order}3f", raw, 40, *fields.pop("cell", (x, y, z)))
    raw[208:216] = fields.pop("name", b"MAP " + stamp)
    return bytes(raw)


@pytest.mark.parametrize("dtype", ["i1", "i2", "u2", "f4", "f2"])
@pytest.mark.parametrize("order", ["<", ">"])
def test_what_mrcfile_writes_is_read(samples, tamis, tmp_path, dtype, order):
    wanted = (VOLUME + (200 if dtype == "u2" else 0)).astype(dtype)
    with mrcfile.new(tmp_path / "a.mrc") as file:
        file.set_data(wanted.astype(numpy.dtype(dtype).newbyteorder(order)))
        file.voxel_size = (1.35, 2.5, 4.0)
        file.set_extended_header(numpy.frombuffer(b"more" * 33, "V4"))
    for name in ("a.mrc", "a.map", "a.rec", "a.mrcs", "a"):
        (tmp_path / "a.mrc").rename(tmp_path / name)
        got = samples(name)
        assert got.dtype == ("f4" if dtype == "f2" else dtype)
        numpy.testing.assert_array_equal(got, wanted.astype(got.dtype))
        (tmp_path / name).rename(tmp_path / "a.mrc")
    told = tamis("info", "a.mrc").stdout
    assert "MRC" in told and "1.35 x 2.5 x 4 A" in told


def test_one_section_is_an_image(samples, tmp_path):
    with mrcfile.new(tmp_path / "a.mrc") as file:
        file.set_data(VOLUME[0].astype("f4"))
    numpy.testing.assert_array_equal(samples("a.mrc"), VOLUME[0])
    assert samples("a.mrc").shape == (7, 11)


def test_the_stamp_of_imod_says_whether_bytes_have_a_sign(samples, tmp_path):
    wanted = VOLUME.astype("i1")
    for flags, dtype in ((0, "u1"), (1, "i1"), (2, "u1")):
        raw = header(VOLUME.shape, 0, at={152: (1146047817, flags)})
        (tmp_path / "a.rec").write_bytes(raw + wanted.tobytes())
        got = samples("a.rec")
        assert got.dtype == dtype
        numpy.testing.assert_array_equal(got, wanted.view(dtype))


def test_columns_along_other_axes_have_their_size(samples, tamis, tmp_path):
    raw = header(VOLUME.shape, 1, at={28: (4, 11, 7), 64: (2, 3, 1)}, cell=(4.0, 22.0, 21.0))
    (tmp_path / "a.map").write_bytes(raw + VOLUME.astype("<i2").tobytes())
    numpy.testing.assert_array_equal(samples("a.map"), VOLUME)
    told = tamis("info", "a.map").stdout
    assert "columns along y, rows along z" in told and "2 x 3 x 1 A" in told


def test_files_without_stamps_are_read_by_their_numbers(samples, tamis, tmp_path):
    for order in "<>":
        raw = header(VOLUME.shape, 1, order, name=bytes(8), cell=(0, 0, 0))
        (tmp_path / "a.rec").write_bytes(raw + VOLUME.astype(order + "i2").tobytes())
        numpy.testing.assert_array_equal(samples("a.rec"), VOLUME)
        assert "not known" in tamis("info", "a.rec").stdout


def test_what_is_no_mrc_or_not_whole_is_refused(refused, tmp_path):
    whole = header(VOLUME.shape, 1) + VOLUME.astype("<i2").tobytes()
    for damaged in (whole[:-1], whole + b"x"):
        (tmp_path / "a.mrc").write_bytes(damaged)
        refused("info", "a.mrc", words=["a.mrc", f"got {len(damaged)} bytes, wanted {len(whole)}"])
    for damaged in (whole[:1000], b"x" * 2000, bytes(2000), header((4, 7, 0), 1), header(VOLUME.shape, 1, at={64: (1, 2, 2)}),
                    header(VOLUME.shape, 1, at={92: (-1,)})):
        (tmp_path / "a.mrc").write_bytes(damaged)
        refused("info", "a.mrc", words=["wanted MRC"])
    for mode, word in ((3, "complex"), (4, "complex"), (16, "colours"), (101, "4 bits"), (7, "mode 7")):
        (tmp_path / "a.mrc").write_bytes(header(VOLUME.shape, mode) + bytes(5000))
        refused("info", "a.mrc", words=["mode", word, "wanted 0, 1, 2, 6 or 12"])
    (tmp_path / "a.mrc").write_bytes(header((1 << 24, 1 << 24, 1 << 24), 2))
    refused("info", "a.mrc", words=["a.mrc"])
