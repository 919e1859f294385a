"""DICOM that is deflated, has a table of values (Modality LUT), or was taken with a tilted gantry, against pydicom."""

import re
import zlib

import numpy
import pydicom
import pytest
from pydicom.pixels import apply_modality_lut
from pydicom.uid import DeflatedExplicitVRLittleEndian, ExplicitVRLittleEndian, ImplicitVRLittleEndian
from test_medical_files import dicom, frames, noise, read, voxel_size  # noqa: F401  fixtures too

DEFLATED = DeflatedExplicitVRLittleEndian


def change(path, *changes, syntax=None):
    data = pydicom.dcmread(path)
    for each in changes:
        each(data)
    if syntax:
        data.file_meta.TransferSyntaxUID = syntax
    data.save_as(path, enforce_file_format=True)


def parts(path):
    """The bytes before what is deflated, and what is in it."""
    whole = path.read_bytes()
    group_length = int.from_bytes(whole[140:144], "little")
    start = 144 + group_length
    return whole[:start], zlib.decompress(whole[start:], -zlib.MAX_WBITS)


def deflate(content, level=9):
    coder = zlib.compressobj(level, wbits=-zlib.MAX_WBITS)
    return coder.compress(content) + coder.flush()


def deflated(path, array):
    dicom(path, array)
    change(path, syntax=DEFLATED)
    return parts(path)


@pytest.mark.parametrize("dtype", ["uint8", "int16", "uint16", "uint32"])
def test_deflated_files_are_read(read, voxel_size, tmp_path, dtype):
    array = noise((6, 8), dtype)
    deflated(tmp_path / "a.dcm", array)
    numpy.testing.assert_array_equal(read("a.dcm"), array)
    assert voxel_size("a.dcm") == "0.7 x 0.8 mm"


def test_a_deflated_series_and_deflated_frames_are_volumes(read, tmp_path):
    volume = noise((4, 6, 8), "int16")
    (tmp_path / "series").mkdir()
    for z in range(4):
        dicom(tmp_path / "series" / f"{3 - z}.dcm", volume[z], position=(0, 0, 2 * z), slope=1 + z, intercept=-3)
        if z != 2:
            change(tmp_path / "series" / f"{3 - z}.dcm", syntax=DEFLATED)
    numpy.testing.assert_array_equal(read("series"), numpy.stack([volume[z] * (1.0 + z) - 3 for z in range(4)]))
    frames(tmp_path / "a.dcm", volume, [6, 0, 9, 3], change=lambda data: setattr(data.file_meta, "TransferSyntaxUID", DEFLATED))
    numpy.testing.assert_array_equal(read("a.dcm"), volume[[1, 3, 0, 2]])


@pytest.mark.whole
def test_a_large_deflated_file_is_read(read, tmp_path):
    array = noise((3000, 5000), "uint16") & 15
    deflated(tmp_path / "a.dcm", array)
    numpy.testing.assert_array_equal(read("a.dcm"), array)


def test_elements_behind_the_pixels_and_zeros_behind_the_stream_are_passed_over(read, tmp_path):
    array = noise((6, 8), "int16")
    head, content = deflated(tmp_path / "a.dcm", array)
    padding = b"\xfc\xff\xfc\xffOB\0\0\x0a\0\0\0" + bytes(10)
    for more, behind in ((padding, b""), (b"", b"\0"), (bytes(7), bytes(512))):
        (tmp_path / "a.dcm").write_bytes(head + deflate(content + more) + behind)
        numpy.testing.assert_array_equal(read("a.dcm"), array)


def test_damaged_deflated_files_are_refused(refused, tmp_path):
    head, content = deflated(tmp_path / "a.dcm", noise((6, 8), "int16"))
    stream = deflate(content)
    for damaged, words in (
        (stream[:-20], ["truncated", "within the compressed samples"]),
        (stream[:10] + b"\xff" * 60, ["compressed samples"]),
        (stream + b"\1", ["got 1 bytes behind its deflate stream"]),
        (stream + stream, ["behind its deflate stream"]),
        (deflate(content[:-20]), ["truncated DICOM file"]),
        (deflate(content + bytes(3) + b"\1"), ["DICOM file"]),
        (b"", ["truncated"]),
        (b"\0", ["truncated"]),
        (deflate(content[:-96]), ["DICOM file"]),
    ):
        (tmp_path / "a.dcm").write_bytes(head + damaged)
        refused("convert", "a.dcm", "out.npy", words=["a.dcm", *words])


def test_a_bomb_is_refused_before_it_is_in_memory(refused, tmp_path):
    head, content = deflated(tmp_path / "a.dcm", noise((6, 8), "int16"))
    gibibyte = 1 << 30

    def bomb(before, size=gibibyte, behind=b""):
        # Pieces that know nothing of each other, so that the zeros are compressed once and written many times.
        def piece(content, end=zlib.Z_FULL_FLUSH):
            coder = zlib.compressobj(9, wbits=-zlib.MAX_WBITS)
            return coder.compress(content) + coder.flush(end)

        zeros = piece(bytes(1 << 24)) * (size >> 24)
        (tmp_path / "a.dcm").write_bytes(head + piece(before) + zeros + piece(behind, zlib.Z_FINISH))

    def element(tag, length):
        return tag + b"OB\0\0" + length.to_bytes(4, "little")

    pixels = content.index(b"\xe0\x7f\x10\x00OW")
    for before in (
        content[:pixels] + element(b"\x09\0\1\x10", gibibyte),  # in an element that does not matter
        content[:pixels] + element(b"\xe0\x7f\x10\x00", gibibyte),  # in more samples than there are pixels
        content,  # behind the pixels
    ):
        bomb(before)
        assert (tmp_path / "a.dcm").stat().st_size < 2 << 20
        refused("info", "a.dcm", "--memory", "500M", words=["a deflated DICOM file with more than", "wanted no more than pixel data and 64 MiB"])


def table(entries, bits):
    return (numpy.arange(entries) * 7 + 3) % (1 << bits)


def lut(data, entries, first=0, bits=16, kind="US", packed=False):
    item = pydicom.Dataset()
    item.add_new(0x00283002, kind, [entries % 65536, first, bits])
    item.ModalityLUTType = "US"
    item.add_new(0x00283006, "OW", table(entries, bits).astype("u1" if packed else "<u2").tobytes())
    item.LUTData += bytes(len(item.LUTData) % 2)
    data.ModalityLUTSequence = [item]


@pytest.mark.parametrize("syntax", [ExplicitVRLittleEndian, ImplicitVRLittleEndian, DEFLATED])
@pytest.mark.parametrize("dtype", ["uint8", "uint16", "int16"])
@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("entries, first, bits", [(256, 0, 16), (40, 100, 12), (65536, 0, 16), (101, 20, 8), (2, 0, 8)])
@pytest.mark.sampled(3)
def test_a_table_of_values_is_applied(read, tmp_path, dtype, entries, first, bits, packed, syntax):
    packed = packed and bits == 8
    array = noise((12, 20), dtype)
    array[0] = numpy.arange(20) + first
    kind = "SS" if dtype == "int16" else "US"
    first = first if dtype != "int16" else -first
    dicom(tmp_path / "a.dcm", array)
    change(tmp_path / "a.dcm", lambda data: lut(data, entries, first, bits, kind, packed), syntax=syntax)
    back = read("a.dcm")
    assert back.dtype == (numpy.uint8 if bits == 8 else numpy.uint16)
    numpy.testing.assert_array_equal(back, table(entries, bits)[numpy.clip(array.astype(int) - first, 0, entries - 1)])
    if bits == 16 and kind == "US":  # pydicom takes the other numbers of bits and the sign for others
        data = pydicom.dcmread(tmp_path / "a.dcm")
        numpy.testing.assert_array_equal(back, apply_modality_lut(data.pixel_array, data))


def test_a_table_counts_before_a_slope_and_among_files_that_have_none(read, tmp_path):
    volume = noise((3, 6, 8), "uint8")
    (tmp_path / "series").mkdir()
    for z in range(3):
        dicom(tmp_path / "series" / f"{z}.dcm", volume[z], position=(0, 0, z), slope=2, intercept=-5)
    change(tmp_path / "series" / "1.dcm", lambda data: lut(data, 256, 0, 16))
    wanted = volume * 2.0 - 5
    wanted[1] = volume[1] * 7.0 + 3
    back = read("series")
    assert back.dtype == numpy.float32
    numpy.testing.assert_array_equal(back, wanted)


def test_tables_of_wrong_lengths_are_refused(refused, tmp_path):
    def item(data):
        return data.ModalityLUTSequence[0]

    def twice(data):
        data.ModalityLUTSequence.append(pydicom.Dataset())
        data.ModalityLUTSequence[1].add_new(0x00283006, "OW", bytes(512))

    for damage, words in (
        (lambda data: setattr(item(data), "LUTData", bytes(510)), ["510 bytes for 256 values of 16 bits"]),
        (lambda data: setattr(item(data), "LUTData", bytes(1024)), ["1024 bytes for 256 values"]),
        (lambda data: setattr(item(data), "LUTData", b""), ["0 bytes for 256 values"]),
        (lambda data: setattr(item(data), "LUTDescriptor", [0, 0, 16]), ["512 bytes for 65536 values"]),
        (lambda data: setattr(item(data), "LUTDescriptor", [256, 0, 0]), ["256 values of 0 bits"]),
        (lambda data: setattr(item(data), "LUTDescriptor", [256, 0, 40]), ["256 values of 40 bits"]),
        (lambda data: setattr(item(data), "LUTDescriptor", [256, 0, 8]), ["in a Modality LUT, wanted values of 8 bits"]),
        (lambda data: setattr(item(data), "LUTDescriptor", [256, 0, 9]), ["in a Modality LUT, wanted values of 9 bits"]),
        (lambda data: setattr(item(data), "LUTDescriptor", [256, 0]), ["a descriptor of 4 bytes, wanted 6"]),
        (lambda data: delattr(item(data), "LUTDescriptor"), ["a descriptor of 0 bytes"]),
        (twice, ["00283006 twice"]),
    ):
        dicom(tmp_path / "a.dcm", noise((6, 8), "uint8"))
        change(tmp_path / "a.dcm", lambda data: lut(data, 256, 0, 16), damage)
        refused("convert", "a.dcm", "out.npy", words=["a.dcm", *words])


def described(tamis, name):
    return re.search(r"format +(.*)", tamis("info", name).stdout)[1]


def test_a_tilted_gantry_is_told(tamis, tmp_path):
    (tmp_path / "series").mkdir()
    tilt = numpy.deg2rad(12.5)
    for z in range(4):
        path = tmp_path / "series" / f"{z}.dcm"
        dicom(path, noise((6, 8)), position=(0, 2 * z * numpy.tan(tilt), 2 * z))
        change(path, lambda data: setattr(data, "GantryDetectorTilt", "12.5"))
    sheared = "DICOM, series of 4 slices, gantry tilt 12.5 degrees, slices shifted along each other by 12.5 degrees (sheared)"
    assert described(tamis, "series") == sheared
    for z in range(4):
        change(tmp_path / "series" / f"{z}.dcm", lambda data: delattr(data, "GantryDetectorTilt"))
    assert described(tamis, "series") == sheared.replace(", gantry tilt 12.5 degrees", "")
    for z in range(4):
        dicom(tmp_path / "series" / f"{z}.dcm", noise((6, 8)), position=(0, 0, 2 * z))
        change(tmp_path / "series" / f"{z}.dcm", lambda data: setattr(data, "GantryDetectorTilt", "-3"))
    assert described(tamis, "series") == "DICOM, series of 4 slices, gantry tilt -3 degrees"
    for tilt, told in (("0", ""), ("", ""), ("1\\2", ""), ("0.01", ""), ("7", ", gantry tilt 7 degrees")):
        dicom(tmp_path / "a.dcm", noise((6, 8)))
        change(tmp_path / "a.dcm", lambda data: data.add_new(0x00181120, "DS", tilt))
        assert described(tamis, "a.dcm") == "DICOM, one slice" + told
