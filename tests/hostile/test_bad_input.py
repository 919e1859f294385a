"""Bad input: exit code 2, one line on stderr that says what, got and wanted, and nothing written."""

import gzip
import os
import resource
import struct
import subprocess

import h5py
import numpy
import pytest
import tifffile

OUTPUTS = ["--csv", "out.csv", "--json", "out.json", "--map", "out.tif"]


def limit(kind, value):
    return lambda: resource.setrlimit(kind, (value, value))


def test_a_missing_file(refused):
    message = "tamis info: missing.tif: cannot read it: No such file or directory"
    refused("info", "missing.tif", words=[message])
    refused("granulometry", "missing.tif", "--threshold", "9", *OUTPUTS, words=["tamis granulometry: missing.tif: "])
    refused("convert", "missing.tif", "out.tif", words=["tamis convert: missing.tif: "])
    refused("threshold", "missing.tif", "out.tif", "--method", "otsu", words=["tamis threshold: missing.tif: "])


def test_a_folder_that_holds_no_slices(refused, tmp_path):
    (tmp_path / "folder").mkdir()
    refused("granulometry", "folder", "--threshold", "9", *OUTPUTS, words=["folder"])


def test_an_unknown_format(refused, tmp_path):
    (tmp_path / "notes.txt").write_text("hello")
    refused("granulometry", "notes.txt", "--threshold", "9", *OUTPUTS, words=["notes.txt"])


@pytest.mark.parametrize("keep", [0, 4, 100, 0.5, 0.95])
@pytest.mark.parametrize("compression", [None, "zlib"])
def test_a_truncated_tiff(refused, tmp_path, balls, keep, compression):
    tifffile.imwrite(tmp_path / "whole.tif", balls, photometric="minisblack", compression=compression)
    whole = (tmp_path / "whole.tif").read_bytes()
    (tmp_path / "cut.tif").write_bytes(whole[: keep if isinstance(keep, int) else int(keep * len(whole))])
    refused("granulometry", "cut.tif", "--threshold", "9", *OUTPUTS, words=["cut.tif"])
    refused("convert", "cut.tif", "out.raw", words=["cut.tif"])


def test_a_truncated_raw_file_says_got_and_wanted(refused, tmp_path):
    (tmp_path / "cut_10x10x10_u8.raw").write_bytes(bytes(999))
    refused("granulometry", "cut_10x10x10_u8.raw", "--threshold", "9", *OUTPUTS, words=["999", "1000"])


def test_a_raw_file_of_unknown_or_wrong_shape(refused, tmp_path):
    (tmp_path / "what.raw").write_bytes(bytes(1000))
    refused("granulometry", "what.raw", "--threshold", "9", *OUTPUTS, words=["--shape"])
    for shape, words in (("10x10x9", ["1000", "900"]), ("10x10x0", ["10x10x0"])):
        refused("granulometry", "what.raw", "--threshold", "9", "--shape", shape, "--dtype", "u8", words=words)


def test_a_truncated_gzip(refused, tmp_path):
    random = numpy.random.default_rng(1).integers(0, 255, 8000, numpy.uint8).tobytes()
    whole = gzip.compress(random)
    (tmp_path / "cut_20x20x20_u8.raw.gz").write_bytes(whole[: len(whole) // 2])
    refused("granulometry", "cut_20x20x20_u8.raw.gz", "--threshold", "9", *OUTPUTS, words=["cut_20x20x20_u8.raw.gz"])
    (tmp_path / "short_20x20x20_u8.raw.gz").write_bytes(gzip.compress(random[:7000]))
    refused("granulometry", "short_20x20x20_u8.raw.gz", "--threshold", "9", *OUTPUTS, words=["short_20x20x20_u8"])


def test_hdf5_truncated_or_without_the_dataset(refused, tmp_path, balls):
    with h5py.File(tmp_path / "whole.h5", "w") as file:
        file.create_dataset("scan", data=balls, chunks=(4, 10, 10), compression="gzip")
    whole = (tmp_path / "whole.h5").read_bytes()
    (tmp_path / "cut.h5").write_bytes(whole[: len(whole) // 2])
    refused("granulometry", "cut.h5:/scan", "--threshold", "9", *OUTPUTS, words=["cut.h5"])
    refused("granulometry", "whole.h5:/other", "--threshold", "9", *OUTPUTS, words=["whole.h5", "scan"])


def test_zero_sizes(refused, tmp_path):
    (tmp_path / "empty.raw").write_bytes(b"")
    refused("granulometry", "empty.raw", "--threshold", "9", "--shape", "1x1x1", "--dtype", "u8", words=["empty.raw"])
    (tmp_path / "empty.tif").write_bytes(b"")
    refused("granulometry", "empty.tif", "--threshold", "9", words=["empty.tif"])
    numpy.save(tmp_path / "empty.npy", numpy.zeros((0, 5, 5), numpy.uint8))
    refused("granulometry", "empty.npy", "--threshold", "9", words=["empty.npy"])


def test_colour_wants_a_channel(refused, volume):
    source = volume("colour.tif", numpy.zeros((5, 6, 3), numpy.uint8), photometric="rgb")
    refused("granulometry", source, "--threshold", "9", *OUTPUTS, words=["colour.tif", "--channel"])
    refused("granulometry", source, "--threshold", "9", "--channel", "7", words=["7"])


@pytest.mark.parametrize("flags", [["--threshold", "0"], ["--threshold", "otsu"], ["--threshold", "0:9"], []])
def test_nan_is_refused(refused, volume, flags):
    array = numpy.zeros((4, 5, 6), numpy.float32)
    array[2, 2, 2] = numpy.nan
    refused("granulometry", volume("nan.tif", array), *flags, *OUTPUTS, words=["nan.tif", "NaN"])


@pytest.mark.parametrize("method", ["otsu", "li", "kapur", "minimum", "triangle", "isodata"])
def test_a_constant_image_has_no_automatic_threshold(refused, volume, method):
    source = volume("flat.tif", numpy.full((4, 5, 6), 7, numpy.uint8))
    refused("granulometry", source, "--threshold", method, *OUTPUTS, words=["flat.tif"])


def test_without_a_threshold_a_file_has_two_values(refused, volume, balls):
    refused("granulometry", volume("grey.tif", balls), *OUTPUTS, words=["grey.tif", "--threshold"])
    refused("granulometry", volume("flat.tif", numpy.full((4, 5), 7, numpy.uint8)), *OUTPUTS, words=["flat.tif"])


@pytest.mark.parametrize("flags, words", [
    (["--element", "blob"], ["--element blob", "cross, cube, square, disk, ball, line@A, or octagon with --grey"]),
    (["--threshold", "abc"], ["--threshold abc", "otsu, li, kapur, minimum, triangle, isodata, mean"]),
    (["--threshold", "9:3"], ["--threshold 9:3", "LO below HI"]),
    (["--threshold", "nan"], ["--threshold nan"]),
    (["--phase", "grey"], ["bright, dark or both"]),
    (["--border", "open"], ["background or neutral"]),
    (["--algorithm", "paper"], ["tamis-papers boulos granulometry"]),
    (["--max-size", "-3"], ["--max-size -3", "from 0 to 65534"]),
    (["--max-size", "2.5"], ["--max-size 2.5"]),
    (["--spacing", "2.5furlong"], ["--spacing 2.5furlong", "wanted a length", "or a ratio"]),
    (["--spacing", "-1um"], ["--spacing -1um"]),
    (["--spacing", "2miles"], ["--spacing 2miles", "nm, um, mm, cm or m"]),
    (["--crop", "5:3,0:4"], ["--crop 5:3,0:4"]),
    (["--crop", "0:99,0:4"], ["--crop", "37x30x24"]),
    (["--roi", "cone"], ["--roi cone", "cylinder"]),
    (["--roi", "missing.tif"], ["missing.tif"]),
    (["--device", "gpu"], ["--device gpu", "auto, cpu, cuda, cuda:N, cuda:N,M or cuda:all"]),
    (["--device", "cuda:"], ["--device cuda:", "cuda:N"]),
    (["--device", "cuda:-1"], ["--device cuda:-1", "cuda:N"]),
    (["--device", "cuda:1x"], ["--device cuda:1x", "cuda:N"]),
    (["--device", "cuda:0,0"], ["--device cuda:0,0", "cuda:N,M"]),
    (["--device", "cuda:0,"], ["--device cuda:0,", "cuda:N,M"]),
    (["--device", "cuda:98,99"], ["device cuda:98: ", "wanted"]),
    (["--device", "cuda:99"], ["device cuda:99: ", "wanted"]),
    (["--device-memory", "lots"], ["--device-memory lots", "4G"]),
    (["--device-memory", "-1"], ["--device-memory -1"]),
    (["--threads", "0"], ["--threads 0"]),
    (["--memory", "lots"], ["--memory lots", "4G"]),
    (["--simd", "mmx"], ["best, avx512, avx2 or portable"]),
    (["--dtype", "u12"], ["--dtype u12", "u16"]),
    (["--shape", "5"], ["--shape 5"]),
    (["--plot", "out.pdf"], ["--plot out.pdf", ".svg"]),
    (["--picture", "out.jpg"], ["--picture out.jpg", ".png"]),
    (["--csv", ""], ["--csv"]),
    (["--blob"], ["--blob"]),
    (["--csv"], ["--csv"]),
])
def test_an_option_that_cannot_be_says_what_is_valid(refused, volume, balls, flags, words):
    refused("granulometry", volume("balls.tif", balls), *flags, words=words)


def test_a_gpu_that_is_not_there_is_refused_before_anything_is_read(refused):
    refused("granulometry", "missing.tif", "--device", "cuda:99", words=["device cuda:99: "])
    refused("threshold", "missing.tif", "out.tif", "--value", "9", "--device", "cuda:99", words=["device cuda:99: "])


def test_phantoms_have_no_device_to_choose(refused):
    refused("phantom", "foam", "out.raw", "--size", "9", "--device", "cuda", words=["--device"])


def test_an_unknown_command_lists_the_valid_ones(refused):
    refused("sieve", words=["sieve", "granulometry, ", "erode, dilate, open, close", "devices, doctor, bench or operations"])


def test_threshold_wants_one_way_to_choose(refused, volume, balls):
    source = volume("balls.tif", balls)
    refused("threshold", source, "out.tif", words=["--method, --value and --band"])
    refused("threshold", source, "out.tif", "--method", "otsu", "--value", "3", words=["--value"])
    refused("threshold", source, "out.tif", "--method", "best", words=["otsu"])


def test_a_map_in_a_format_that_cannot_hold_it(refused, volume, balls):
    source = volume("balls.tif", balls)
    refused("granulometry", source, "--threshold", "9", "--map", "map.png", words=["map.png"])
    refused("granulometry", source, "--threshold", "9", "--map", "map.xyz", words=["map.xyz"])
    refused("granulometry", source, "--threshold", "9", "--map-width", "map.tif", "--spacing", "1x1x2um",
            words=["anisotropic"])


@pytest.mark.parametrize("target", ["missing/out.csv", "/proc/out.csv", "folder", "balls.tif/out.csv"])
def test_a_target_that_cannot_be_written(refused, volume, balls, tmp_path, target):
    (tmp_path / "folder").mkdir()
    source = volume("balls.tif", balls)
    refused("granulometry", source, "--threshold", "9", "--json", "out.json", "--csv", target, words=[target])
    refused("convert", source, target.replace(".csv", ".tif"), words=["tamis convert: "])


def test_a_full_device(refused, volume, balls):
    source = volume("balls.tif", balls)
    refused("granulometry", source, "--threshold", "9", "--csv", "/dev/full", "--json", "out.json", words=["/dev/full"])


def test_standard_output_that_is_full(tamis_program, volume, balls, tmp_path):
    volume("balls.tif", balls)
    with open("/dev/full", "w") as full:
        result = subprocess.run([tamis_program, "granulometry", "balls.tif", "--threshold", "9"], cwd=tmp_path,
                                stdout=full, stderr=subprocess.PIPE, text=True)
    assert result.returncode == 2 and "standard output" in result.stderr


@pytest.mark.parametrize("flags", [["--map", "map.tif"], ["--map", "map.npy"], ["--map", "map.raw"],
                                   ["--map", "map.h5:/map"], ["--map-width", "map.tif"]])
def test_a_full_disk_leaves_nothing(refused, tmp_path, flags):
    # Noise: a map that compression does not make small.
    noise = numpy.random.default_rng(2).integers(0, 99, (60, 64, 64), numpy.uint8)
    tifffile.imwrite(tmp_path / "in.tif", noise, photometric="minisblack")
    refused("granulometry", "in.tif", "--threshold", "9", "--csv", "out.csv", *flags, words=["map."],
            preexec_fn=limit(resource.RLIMIT_FSIZE, 20_000))


def test_a_full_disk_stops_every_command(refused, tmp_path):
    tifffile.imwrite(tmp_path / "in.tif", numpy.tile(numpy.arange(64, dtype=numpy.uint8), (40, 64, 1)))
    full = {"preexec_fn": limit(resource.RLIMIT_FSIZE, 50_000)}
    refused("convert", "in.tif", "out.tif", words=["out.tif"], **full)
    refused("threshold", "in.tif", "out.npy", "--value", "9", words=["out.npy"], **full)
    refused("phantom", "foam", "out.raw", "--size", "64", "--max-radius", "9", words=["out.raw"], **full)


def test_an_output_never_overwrites_an_input(refused, volume, balls, tmp_path):
    source = volume("balls.tif", balls)
    os.link(tmp_path / source, tmp_path / "same.tif")
    mask = volume("mask.tif", numpy.ones(balls.shape, numpy.uint8))
    for target in (source, "./" + source, "same.tif"):
        refused("granulometry", source, "--threshold", "9", "--map", target, words=["overwrite"])
        refused("convert", source, target, words=["overwrite"])
    refused("granulometry", source, "--threshold", "9", "--roi", mask, "--map", mask, words=["overwrite"])


def test_an_output_never_overwrites_a_slice(refused, balls, tmp_path):
    (tmp_path / "slices").mkdir()
    for z, plane in enumerate(balls):
        tifffile.imwrite(tmp_path / "slices" / f"{z:03}.tif", plane, photometric="minisblack")
    refused("convert", "slices", "slices/003.tif", words=["overwrite"])


def test_two_outputs_need_two_names(refused, volume, balls):
    source = volume("balls.tif", balls)
    refused("granulometry", source, "--threshold", "9", "--csv", "out", "--json", "./out", words=["--csv"])


def absurd_tiff():
    """A page of 2^31-1 by 2^31-1 samples in a file of some hundred bytes."""
    entries = [(256, 4, 1, 2**31 - 1), (257, 4, 1, 2**31 - 1), (258, 3, 1, 8), (259, 3, 1, 1), (262, 3, 1, 1),
               (273, 4, 1, 8), (277, 3, 1, 1), (278, 4, 1, 2**31 - 1), (279, 4, 1, 100)]
    body = b"".join(struct.pack("<HHII", *entry) for entry in entries)
    return b"II*\0" + struct.pack("<I", 8) + struct.pack("<H", len(entries)) + body + bytes(104)


def absurd_npy():
    header = b"{'descr': '|u1', 'fortran_order': False, 'shape': (4000000, 4000000, 4000000), }"
    header += b" " * (117 - len(header)) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + bytes(10)


@pytest.mark.parametrize("name, content", [
    ("absurd.tif", absurd_tiff()),
    ("absurd.npy", absurd_npy()),
    ("absurd.pgm", b"P5 2000000000 2000000000 255\n" + bytes(10)),
    ("absurd_2000000000x2000000000x2000000000_u8.raw", bytes(10)),
    ("absurd_90000x90000x9000_u8.raw.gz", gzip.compress(bytes(10))),
])
def test_absurd_sizes_in_a_header_are_refused_without_memory(refused, tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    refused("granulometry", name, "--threshold", "9", *OUTPUTS, words=[name],
            preexec_fn=limit(resource.RLIMIT_AS, 1 << 30))


def test_without_gnuplot_the_package_is_named(refused, volume, balls, tmp_path):
    source = volume("balls.tif", balls)
    for flags in (["--plot", "out.svg"], ["--picture", "out.png"]):
        refused("granulometry", source, "--threshold", "9", *flags, words=["gnuplot-nox"],
                env={**os.environ, "PATH": "/nowhere"})


def test_phantoms_that_cannot_be(refused):
    refused("phantom", "sponge", "out.raw", words=["tamis phantom"])
    refused("phantom", "foam", "out.raw", "--size", "0", words=["--size 0"])
    refused("phantom", "foam", "out.raw", "--fraction", "2", words=["--fraction 2"])
    refused("phantom", "foam", "out.raw", "--size", "20", "--min-radius", "9", "--max-radius", "3", words=["radii"])
    refused("phantom", "foam", "out.xyz", words=["out.xyz"])
