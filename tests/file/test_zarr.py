"""Zarr and OME-Zarr by the program: what zarr writes is read bit for bit, and zarr reads what the program writes."""

import itertools
import json

import numpy
import pytest
import tamis as python
import zarr
from numcodecs import LZ4, Blosc, GZip, Zlib, Zstd
from zarr.codecs import BloscCodec, BytesCodec, Crc32cCodec, GzipCodec, TransposeCodec, ZstdCodec

VOLUME = numpy.random.default_rng(11).integers(0, 40, (9, 24, 31))
TYPES = ["bool", "u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", "f4", "f8"]
OLD = [None, GZip(), Zlib(), Zstd(3), *(Blosc(name, 5, shuffle) for name, shuffle in (
    ("lz4", 1), ("lz4hc", 0), ("zstd", 2), ("zlib", 1), ("blosclz", 1)))]
NEW = [None, GzipCodec(), ZstdCodec(level=3, checksum=True), [ZstdCodec(), Crc32cCodec()], Crc32cCodec(),
       *(BloscCodec(cname=name, shuffle=shuffle) for name, shuffle in (
           ("lz4", "bitshuffle"), ("zstd", "shuffle"), ("zlib", "noshuffle"), ("blosclz", "shuffle")))]


def of(dtype, volume=VOLUME):
    return (volume * 7 - (0 if dtype in ("bool", "u1") else 5) if dtype != "bool" else volume % 2).astype(dtype)


def test_every_codec_order_and_separator_of_version_2(samples, tmp_path):
    choices = itertools.cycle([(".", "C", "<"), ("/", "F", ">"), ("/", "C", ">"), (".", "F", "<")])
    for compressor, dtype in zip([*OLD, None, Zstd()], TYPES, strict=True):
        separator, order, endian = next(choices)
        wanted = of(dtype)
        stored = wanted.astype(numpy.dtype(dtype).newbyteorder(endian))
        zarr.create_array(tmp_path / f"{dtype}.zarr", data=stored, chunks=(4, 24, 7), zarr_format=2, compressors=compressor,
                          order=order, chunk_key_encoding={"name": "v2", "separator": separator})
        got = samples(f"{dtype}.zarr")
        numpy.testing.assert_array_equal(got, wanted)
        assert got.dtype == wanted.dtype


def test_every_codec_of_version_3(samples, tmp_path):
    for compressors, dtype in zip([*NEW, None, ZstdCodec()], TYPES, strict=True):
        wanted = of(dtype)
        big = numpy.dtype(dtype).itemsize > 1 and compressors is not None
        zarr.create_array(tmp_path / f"{dtype}.zarr", data=wanted, chunks=(4, 24, 7), compressors=compressors,
                          filters=[TransposeCodec(order=(2, 0, 1))] if big else None,
                          serializer=BytesCodec(endian="big") if big else "auto",
                          chunk_key_encoding={"name": "default", "separator": "." if big else "/"})
        got = samples(f"{dtype}.zarr")
        numpy.testing.assert_array_equal(got, wanted)
        assert got.dtype == wanted.dtype


def test_shards_missing_chunks_and_nested_groups(samples, tamis, tmp_path):
    group = zarr.create_group(tmp_path / "a.zarr")
    wanted = of("u2")
    wanted[5:, :12] = 9
    for name, options in (("plain", {}), ("turned", {"filters": TransposeCodec(order=(2, 1, 0)), "compressors": [ZstdCodec(), Crc32cCodec()]}),
                          ("bare", {"compressors": None})):
        array = group.create_array(f"deep/{name}", shape=wanted.shape, dtype="u2", chunks=(2, 6, 5), shards=(4, 12, 20),
                                   fill_value=9, **options)
        array[...] = wanted
        numpy.testing.assert_array_equal(samples(f"a.zarr/deep/{name}"), wanted)
    assert "chunks of 5x6x2 in shards of 20x12x4, zstd" in tamis("info", "a.zarr/deep/plain").stdout
    plane = group.create_array("plane", shape=(30, 40), dtype="f4", chunks=(7, 40), fill_value=numpy.nan)
    plane[7:14] = 3
    numpy.testing.assert_array_equal(samples("a.zarr/plane"), plane[...])
    numpy.testing.assert_array_equal(samples("a.zarr/plane", "--crop", "3:40,5:20"), plane[5:20, 3:])


@pytest.mark.parametrize("version", [2, 3])
def test_an_image_is_read_as_python_reads_it(samples, refused, tamis, tmp_path, version):
    group = zarr.create_group(tmp_path / "scan.ome.zarr", zarr_format=version)
    several = numpy.stack([numpy.stack([VOLUME + 10 * t + c for c in range(3)]) for t in range(2)]).astype("u2")
    datasets = []
    for level in range(2):
        step = 2**level
        group.create_array(str(level), data=several[..., ::step, ::step, ::step], chunks=(1, 2, 4, 8, 8))
        scale = [1, 1, 2.0 * step, 0.75 * step, 0.5 * step]
        datasets.append({"path": str(level), "coordinateTransformations": [{"type": "scale", "scale": scale}]})
    axes = [{"name": "t"}, {"name": "c"}, *({"name": axis, "type": "space", "unit": "micrometer"} for axis in "zyx")]
    images = {"multiscales": [{"version": "0.4", "axes": axes, "datasets": datasets}]}
    group.attrs.update(images if version == 2 else {"ome": {"version": "0.5", **images}})
    for time, channel, level in ((0, 0, None), (1, 2, 1), (1, 1, 0)):
        wanted = python.read(tmp_path / "scan.ome.zarr", time=time, channel=channel, level=level)
        got = samples("scan.ome.zarr", "--time", time, "--channel", channel, *([] if level is None else ["--level", level]))
        numpy.testing.assert_array_equal(got, wanted)
        tamis("info", "scan.ome.zarr", "--time", time, "--channel", channel, "--level", level or 0, "--json", "a.json")
        told = json.loads((tmp_path / "a.json").read_text())["spacing"]
        assert ((told["z"], told["y"], told["x"]), told["unit"]) == (wanted.spacing, wanted.unit)
    sizes = ["--threshold", 100, "--time", 0, "--channel", 0, "-q", "--json", "/dev/stdout"]
    tamis("convert", "scan.ome.zarr", "same.tif", "--time", 0, "--channel", 0)
    one, other = (json.loads(tamis("granulometry", name, *flags).stdout) for name, flags in (
        ("scan.ome.zarr", sizes), ("same.tif", [*sizes[:2], *sizes[6:]])))
    assert one["volume"] == other["volume"] and one["width_z"] == other["width_z"]
    refused("granulometry", "scan.ome.zarr", "--threshold", 9, words=["2 times", "--time 0..1"])
    refused("granulometry", "scan.ome.zarr", "--threshold", 9, "--time", 0, words=["3 channels", "--channel"])
    refused("info", "scan.ome.zarr", "--level", 2, words=["level 2; wanted 0..1"])
    refused("info", "same.tif", "--level", 1, words=["level 1; wanted 0: only OME-Zarr"])


def test_what_is_written_is_read_by_zarr(tamis, tmp_path):
    for dtype in TYPES:
        wanted = of(dtype, numpy.resize(VOLUME, (35, 70, 300)))
        numpy.save(tmp_path / "a.npy", wanted)
        tamis("convert", "a.npy", "a.zarr", "--spacing", "0.5x0.75x2um")
        group = zarr.open_group(tmp_path / "a.zarr", mode="r")
        array = group["0"]
        numpy.testing.assert_array_equal(array[...], wanted)
        assert array.dtype == wanted.dtype and array.chunks == (16, 70, 256) and group.metadata.zarr_format == 2
        read = python.read(tmp_path / "a.zarr")
        numpy.testing.assert_array_equal(read, wanted)
        assert (read.spacing, read.unit) == ((2.0, 0.75, 0.5), "um")
    image = group.attrs["multiscales"][0]
    assert image["version"] == "0.4" and image["name"] == "a" and [axis["name"] for axis in image["axes"]] == list("zyx")
    tamis("convert", "a.npy", "a.zarr", "--as", "u8", "--window", "0:255")  # takes the place of the old one
    assert python.read(tmp_path / "a.zarr").spacing is None and sorted(path.name for path in tmp_path.iterdir()) == ["a.npy", "a.zarr"]


def test_version_0_5_is_read_by_zarr_and_by_tamis(tamis, samples, refused, tmp_path):
    for dtype in TYPES:
        wanted = of(dtype, numpy.resize(VOLUME, (35, 70, 300)))
        numpy.save(tmp_path / "a.npy", wanted)
        tamis("convert", "a.npy", "a.ome.zarr", "--spacing", "0.5x0.75x2um", "--ome-zarr", "0.5")
        group = zarr.open_group(tmp_path / "a.ome.zarr", mode="r", zarr_format=3)
        array = group["0"]
        numpy.testing.assert_array_equal(array[...], wanted)
        numpy.testing.assert_array_equal(samples("a.ome.zarr"), wanted)
        assert array.dtype == wanted.dtype and array.chunks == (16, 70, 256)
        assert array.metadata.dimension_names == ("z", "y", "x")
    ome = group.attrs["ome"]
    image = ome["multiscales"][0]
    assert ome["version"] == "0.5" and "version" not in image and image["name"] == "a"
    assert [(axis["name"], axis["unit"]) for axis in image["axes"]] == [(axis, "micrometer") for axis in "zyx"]
    assert image["datasets"][0]["coordinateTransformations"] == [{"type": "scale", "scale": [2.0, 0.75, 0.5]}]
    assert "OME-Zarr 0.5, level 0 of 1, Zarr 3" in tamis("info", "a.ome.zarr").stdout
    from PIL import Image

    colour = numpy.random.default_rng(5).integers(0, 255, (40, 1500, 3)).astype("u1")
    Image.fromarray(colour).save(tmp_path / "in.png")
    tamis("erode", "in.png", "colour.zarr", "--element", "rect:1x1", "--ome-zarr", "0.5")
    array = zarr.open_group(tmp_path / "colour.zarr", mode="r")["0"]
    numpy.testing.assert_array_equal(array[...], numpy.moveaxis(colour, -1, 0))
    assert array.metadata.dimension_names == ("c", "y", "x")
    refused("convert", "a.npy", "a.tif", "--ome-zarr", "0.5", words=["a.tif", "--ome-zarr", "TIFF", "wanted .zarr"])
    refused("convert", "a.npy", "b.zarr", "--ome-zarr", "0.6", words=["--ome-zarr 0.6", "0.4 or 0.5"])
    assert not (tmp_path / "b.zarr").exists()


def test_filters_go_from_store_to_store_in_slabs(tamis, samples, tmp_path):
    wanted = numpy.random.default_rng(5).integers(0, 255, (60, 90, 110)).astype("u1")
    zarr.create_array(tmp_path / "in.zarr", data=wanted, chunks=(7, 50, 64))
    tamis("open", "in.zarr", "slabs.zarr", "--element", "cube:3", "--memory", "1")
    numpy.testing.assert_array_equal(samples("slabs.zarr"), python.open(wanted, "cube:3"))
    colour = numpy.random.default_rng(5).integers(0, 255, (40, 50, 3)).astype("u1")
    from PIL import Image

    Image.fromarray(colour).save(tmp_path / "in.png")
    tamis("open", "in.png", "colour.zarr", "--element", "square:3")
    for channel in range(3):
        numpy.testing.assert_array_equal(samples("colour.zarr", "--channel", channel),
                                         python.open(numpy.ascontiguousarray(colour[..., channel]), "square:3"))


def test_no_store_goes_that_is_read_or_is_none(refused, tmp_path):
    group = zarr.create_group(tmp_path / "a.zarr")
    group.create_array("0", data=of("u1"))
    (tmp_path / "mine.zarr").mkdir()
    (tmp_path / "mine.zarr" / "thesis.txt").write_text("mine")
    (tmp_path / "link.zarr").symlink_to("a.zarr")
    for source, target in (("a.zarr/0", "a.zarr"), ("a.zarr/0", "link.zarr"), ("a.zarr/0/", "./a.zarr")):
        refused("convert", source, target, words=["would overwrite"])
    refused("convert", "a.zarr/0", "mine.zarr", words=["mine.zarr", "no Zarr store"])
    numpy.save(tmp_path / "a.zarr" / "inside.npy", of("u1"))
    refused("convert", "a.zarr/inside.npy", "a.zarr", words=["would overwrite", "inside.npy"])
    refused("convert", "a.zarr", "b.tif", words=["no OME-Zarr image", "a.zarr/NAME"])


def test_damaged_stores_are_refused_in_one_line(refused, tamis, tmp_path):
    for compressors in (ZstdCodec(), BloscCodec(cname="lz4"), GzipCodec()):
        array = zarr.create_array(tmp_path / "a.zarr", data=of("u2"), chunks=(4, 24, 31), compressors=compressors, overwrite=True)
        chunk = tmp_path / "a.zarr" / "c" / "1" / "0" / "0"
        whole = chunk.read_bytes()
        for damaged in (whole[:-1], whole[: len(whole) // 2], whole + b"x", b"", bytes(len(whole))):
            chunk.write_bytes(damaged)
            refused("info", "a.zarr", words=["a.zarr/c/1/0/0"])
        random = numpy.random.default_rng(1)
        for _ in range(5):
            bytes_ = bytearray(whole)
            for place in random.integers(0, len(whole), 3):
                bytes_[place] = random.integers(256)
            chunk.write_bytes(bytes_)
            assert tamis("info", "a.zarr", check=False).returncode in (0, 2)
    zarr.create_array(tmp_path / "b.zarr", data=of("u2"), zarr_format=2, compressors=LZ4(), filters=None)
    refused("info", "b.zarr", words=["compressed by lz4"])
    zarr.create_array(tmp_path / "c.zarr", data=of("c8"), compressors=None)
    refused("info", "c.zarr", words=["samples of complex64"])
    assert array.shape == VOLUME.shape
