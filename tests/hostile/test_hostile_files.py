"""Files made to harm: what they may not read, how soon they are given up, what the program says of them."""

import os
import signal
import struct
import subprocess
import time
import zlib

import numpy
import pytest

NRRD = "NRRD0004\ntype: short\ndimension: 3\nsizes: 5 4 3\nendian: little\nencoding: raw\nspacings: 1 2 3\n"
META = "ObjectType = Image\nNDims = 3\nDimSize = 5 4 3\nElementType = MET_SHORT\nElementSpacing = 1 2 3\n"


def members(count, size=1 << 24):
    """A gzip stream of count members of zeros each: gigabytes in a small file."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    return (packer.compress(bytes(size)) + packer.flush()) * count


def nifti_header(edge):
    header = bytearray(352)
    struct.pack_into("<i", header, 0, 348)
    struct.pack_into("<4h", header, 40, 3, edge, edge, edge)
    struct.pack_into("<2h", header, 70, 2, 8)
    struct.pack_into("<4f", header, 76, 1, 1, 1, 1)
    struct.pack_into("<f", header, 108, 352)
    header[344:348] = b"n+1\0"
    return bytes(header)


def gzip(data):
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    return packer.compress(data) + packer.flush()


def test_samples_counted_from_the_end_of_a_short_file(refused, tmp_path):
    (tmp_path / "short.raw").write_bytes(bytes(119))
    (tmp_path / "a.nhdr").write_text(NRRD + "byte skip: -1\ndata file: short.raw\n")
    (tmp_path / "a.mhd").write_text(META + "HeaderSize = -1\nElementDataFile = short.raw\n")
    for header in ("a.nhdr", "a.mhd"):
        refused("convert", header, "out.tif", words=["short.raw", "got 119 bytes", "wanted 120"])


@pytest.mark.parametrize("header", ["a.nhdr", "a.mhd"])
def test_the_samples_of_a_header_lie_in_its_folder_or_the_user_says_follow(tamis, refused, tmp_path, header):
    folder = tmp_path / "theirs"
    (folder / "below").mkdir(parents=True)
    (tmp_path / "secret").write_bytes(bytes(range(120)))
    (folder / "below" / "near").write_bytes(bytes(120))
    (folder / "link").symlink_to("../secret")
    os.mkfifo(folder / "fifo")

    def put(name):
        text = NRRD + f"data file: {name}\n" if header == "a.nhdr" else META + f"ElementDataFile = {name}\n"
        (folder / header).write_text(text)

    for name in ("../secret", "link", str(tmp_path / "secret"), "below/../../secret"):
        put(name)
        refused("convert", f"theirs/{header}", "out.npy", words=[header, name, "outside its folder", "--follow"])
        tamis("convert", f"theirs/{header}", "out.npy", "--follow")
        assert numpy.load(tmp_path / "out.npy").tobytes() == bytes(range(120))
        (tmp_path / "out.npy").unlink()
        numpy.save(tmp_path / "image.npy", numpy.zeros((3, 4, 5), numpy.uint8))
        granulometry = ["granulometry", "image.npy", "--threshold", "1", "--csv", "out.csv"]
        refused(*granulometry, "--roi", f"theirs/{header}", words=["--follow"])
        erosion = ["erode", "image.npy", "out.npy", "--element", f"file:theirs/{header}"]
        refused(*erosion, words=["--element", "--follow"])
        tamis(*erosion, "--follow")
        (tmp_path / "out.npy").unlink()
        refused("element", f"file:theirs/{header}", words=["--follow"])
        tamis("element", f"file:theirs/{header}", "--follow")
    put("below/near")
    tamis("info", f"theirs/{header}")
    put("fifo")
    refused("info", f"theirs/{header}", words=["fifo", "no regular file"])
    refused("info", f"theirs/{header}", "--follow", words=["fifo", "not a regular file"])


@pytest.mark.parametrize("size", ["0", "nan", "inf", "-1"])
def test_voxel_sizes_that_are_no_lengths_are_not_known(tamis, tmp_path, size):
    header = bytearray(nifti_header(4))
    struct.pack_into("<f", header, 84, float(size))
    header[123] = 2  # mm
    (tmp_path / "a.nii").write_bytes(bytes(header) + bytes(64))
    (tmp_path / "a.nrrd").write_bytes((NRRD.replace("1 2 3", f"1 {size} 3") + "\n").encode() + bytes(120))
    (tmp_path / "a.mha").write_bytes(
        (META.replace("1 2 3", f"1 {size} 3") + "ElementDataFile = LOCAL\n").encode() + bytes(120)
    )
    for name in ("a.nii", "a.nrrd", "a.mha"):
        line = next(line for line in tamis("info", name).stdout.splitlines() if "voxel size" in line)
        assert "not known" in line, (name, line)


@pytest.mark.parametrize("spacing", ["0um", "nanum", "infum", "-1um", "1x0x1um", "1e400um"])
def test_a_voxel_size_of_the_command_line_is_a_length(refused, tmp_path, spacing):
    (tmp_path / "a_4x4x4_u8.raw").write_bytes(bytes(64))
    refused("info", "a_4x4x4_u8.raw", "--spacing", spacing, words=["--spacing"])


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("name", ["a.nii.gz", "a_4096x4096x4096_u8.raw.gz"])
def test_opening_a_long_stream_can_be_stopped(tamis_program, tmp_path, name, stop):
    (tmp_path / name).write_bytes((gzip(nifti_header(4096)) if name == "a.nii.gz" else b"") + members(4096))
    numpy.save(tmp_path / "small.npy", numpy.zeros((3, 3), numpy.uint8))
    for command in (
        ["info", name],
        ["convert", name, "out.tif"],
        ["granulometry", "small.npy", "--threshold", "1", "--csv", "out.csv", "--roi", name],
        ["erode", "small.npy", "out.tif", "--element", f"file:{name}"],
    ):
        process = subprocess.Popen(
            [tamis_program, *command], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        time.sleep(0.5)
        assert process.poll() is None, (command, process.communicate())
        process.send_signal(stop)
        start = time.monotonic()
        _, err = process.communicate(timeout=30)
        assert time.monotonic() - start < 1, command
        assert err == f"tamis {command[0]}: interrupted\n"
        assert not list(tmp_path.glob("*out*"))


@pytest.mark.parametrize(
    "name",
    "a.nii a.nii.gz a.nrrd a.nhdr a.mha a.mhd a.dcm a.tif a.png a.jpg a.pgm a.npy a.h5 a_3x3_u8.raw a_3x3_u8.raw.gz "
    "a".split(),
)
def test_a_pipe_is_no_image_and_is_not_waited_for(refused, tmp_path, name):
    os.mkfifo(tmp_path / name)
    refused("info", name, words=[name, "not a regular file"], timeout=10)
    numpy.save(tmp_path / "image.npy", numpy.zeros((3, 3), numpy.uint8))
    if name == "a":
        return
    refused("granulometry", "image.npy", "--threshold", "1", "--csv", "out.csv", "--roi", name, words=[name], timeout=10)
    refused("erode", "image.npy", "out.tif", "--element", f"file:{name}", words=[name], timeout=10)


@pytest.mark.parametrize(
    "name, says",
    [
        ("a" * 150 + "_9x9x9_u8.raw", "9x9x9"),
        ("9x9x9_u8_" + "a" * 150 + ".raw", "9x9x9"),
        ("5x4x3_u16_" + "a" * 150 + ".raw.gz", "u16"),
        ("9x9x9_" + "a b" * 40 + "_u8.raw", "9x9x9"),
    ],
)
def test_a_long_name_of_a_raw_file_tells_the_truth(tamis, refused, tmp_path, name, says):
    numpy.save(tmp_path / "a.npy", numpy.zeros((3, 4, 5), numpy.uint8))
    refused("convert", "a.npy", name, words=[f"the name says {says}", "got 5x4x3 u8", "a name that is true"])
    tamis("convert", "a.npy", name.replace("9x9x9", "5x4x3").replace("u16", "u8"))


def test_a_pipe_in_a_folder_of_slices_is_not_waited_for(tamis, tmp_path):
    folder = tmp_path / "slices"
    folder.mkdir()
    os.mkfifo(folder / "a.png")
    os.mkfifo(folder / "b")
    told = tamis("info", "slices", check=False, timeout=10)
    assert told.returncode == 2 and told.stderr.count("\n") == 1


@pytest.mark.parametrize("kind", [b"zTXt", b"iCCP", b"iTXt"])
def test_what_beside_the_samples_of_a_picture_inflates_to_gigabytes_is_passed_over(tamis, tmp_path, kind):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = {b"zTXt": b"k\0\0", b"iCCP": b"k\0\0", b"iTXt": b"k\0\1\0\0\0"}[kind]
    long = chunk(kind, head + zlib.compress(bytes(7 << 20))) * 500
    grey = chunk(b"IHDR", struct.pack(">IIBBBBB", 2, 2, 8, 0, 0, 0, 0))
    rows = chunk(b"IDAT", zlib.compress(b"\0\1\2\0\3\4"))
    (tmp_path / "a.png").write_bytes(b"\x89PNG\r\n\x1a\n" + grey + long + rows + long + chunk(b"IEND", b""))
    tamis("convert", "a.png", "out.npy", "--quiet", timeout=3)  # it was half a minute
    numpy.testing.assert_array_equal(numpy.load(tmp_path / "out.npy"), [[1, 2], [3, 4]])
