"""TIFF as the installed program reads it, against tifffile and against files put together by hand."""

import struct
import zlib

import imagecodecs
import numpy
import pytest
import tifffile
from tiff_by_hand import pack, page_tags, tiff_bytes


def grey(indices, bits):
    """Indices of 1, 2 or 4 bits as tamis delivers them."""
    return indices.astype(bool) if bits == 1 else (indices * (255 // (2**bits - 1))).astype(numpy.uint8)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("bits", [1, 2, 4])
@pytest.mark.parametrize("tile_width, tile_height", [(16, 16), (1, 3), (3, 4), (5, 7), (12, 2), (17, 3), (20, 5)])
def test_tiles_of_small_samples_need_not_end_on_a_byte(samples, tmp_path, bits, tile_width, tile_height):
    random = numpy.random.default_rng(bits)
    for width in (1, 7, 8, 17, 20, 33, 40):
        height = 1 + width % 9
        indices = random.integers(0, 2**bits, (height, width))
        across, down = -(-width // tile_width), -(-height // tile_height)
        padded = numpy.zeros((down * tile_height, across * tile_width), int)
        padded[:height, :width] = indices
        tiles = [pack(padded[y:y + tile_height, x:x + tile_width], bits)
                 for y in range(0, len(padded), tile_height) for x in range(0, padded.shape[1], tile_width)]
        tags = page_tags(width, height, bits, t322=[tile_width], t323=[tile_height])
        (tmp_path / "in.tif").write_bytes(tiff_bytes(tags, tiles, tiled=True))
        assert numpy.array_equal(samples("in.tif"), grey(indices, bits)), width
        if width in (20, 33):
            tags[259] = [8]
            tiles = [imagecodecs.zlib_encode(tile) for tile in tiles]
            (tmp_path / "in.tif").write_bytes(tiff_bytes(tags, tiles, tiled=True))
            assert numpy.array_equal(samples("in.tif"), grey(indices, bits)), width


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("big", [False, True])
def test_strips_and_tiles_in_both_byte_orders_and_sizes_of_offset(samples, tmp_path, order, big):
    random = numpy.random.default_rng(1)
    for dtype, kind in (("u1", 1), ("u2", 1), ("u4", 1), ("i1", 2), ("i2", 2), ("i4", 2), ("f4", 3), ("f8", 3)):
        array = random.integers(0, 100, (7, 11)).astype(dtype)
        tags = page_tags(11, 7, 8 * array.itemsize, t339=[kind])
        filed = array.astype(order + dtype)
        strips = [filed[y:y + 3].tobytes() for y in (0, 3, 6)]
        for parts in (strips, [strips[0] + b"gap", *strips[1:]]):
            content = tiff_bytes(tags | {278: [3]}, parts, order=order, big=big)
            (tmp_path / "in.tif").write_bytes(content)
            assert numpy.array_equal(samples("in.tif"), array), dtype
        padded = numpy.zeros((8, 16), order + dtype)
        padded[:7, :11] = filed
        tiles = [numpy.ascontiguousarray(padded[y:y + 4, x:x + 8]).tobytes() for y in (0, 4) for x in (0, 8)]
        content = tiff_bytes(tags | {322: [8], 323: [4]}, tiles, True, order, big)
        (tmp_path / "in.tif").write_bytes(content)
        assert numpy.array_equal(samples("in.tif"), array), dtype


@pytest.mark.sampled(3)
@pytest.mark.parametrize("planar", ["contig", "separate"])
@pytest.mark.parametrize("tile", [None, (16, 32)])
@pytest.mark.parametrize("compression", [None, "zlib", "lzw", "packbits", "zstd"])
@pytest.mark.parametrize("byteorder", ["<", ">"])
def test_colour_in_one_plane_or_three(samples, tmp_path, planar, tile, compression, byteorder):
    array = numpy.random.default_rng(2).integers(0, 60000, (37, 50, 3)).astype(numpy.uint16)
    stored = array if planar == "contig" else numpy.ascontiguousarray(array.transpose(2, 0, 1))
    tifffile.imwrite(tmp_path / "in.tif", stored, photometric="rgb", planarconfig=planar, tile=tile, byteorder=byteorder,
                     compression=compression, rowsperstrip=None if tile else 8,
                     predictor=compression in ("zlib", "lzw", "zstd"))
    for channel in range(3):
        assert numpy.array_equal(samples("in.tif", "--channel", channel), array[..., channel])


@pytest.mark.parametrize("bits", [1, 2, 4, 8])
def test_fill_order_palette_and_white_is_zero(samples, tmp_path, bits):
    random = numpy.random.default_rng(bits)
    indices = random.integers(0, 2**bits, (9, 13))
    packed = pack(indices, bits)
    turned = imagecodecs.bitorder_decode(packed)
    (tmp_path / "in.tif").write_bytes(tiff_bytes(page_tags(13, 9, bits, t266=[2]), [turned]))
    assert numpy.array_equal(samples("in.tif"), grey(indices, bits))
    (tmp_path / "in.tif").write_bytes(tiff_bytes(page_tags(13, 9, bits, t262=[0]), [packed]))
    white = grey(indices, bits)
    assert numpy.array_equal(samples("in.tif"), ~white if bits == 1 else 255 - white)
    colours = random.integers(0, 65536, (3, 2**bits))
    content = tiff_bytes(page_tags(13, 9, bits, t262=[3], t320=colours.ravel().tolist()), [packed])
    (tmp_path / "in.tif").write_bytes(content)
    for channel in range(3):
        assert numpy.array_equal(samples("in.tif", "--channel", channel), colours[channel][indices] >> 8)


def test_the_numbers_of_a_tag_may_have_any_whole_type(samples, tmp_path):
    array = numpy.arange(35, dtype=numpy.uint8).reshape(5, 7)
    for kind in (1, 3, 4, 16):
        strips = [array[:2].tobytes(), array[2:4].tobytes(), array[4:].tobytes()]
        tags = {number: (kind, [value]) for number, value in ((256, 7), (257, 5), (258, 8), (259, 1), (262, 1), (278, 2))}
        tags |= {279: (kind, [14, 14, 7]), 273: (kind, [16, 30, 44])}
        content = tiff_bytes(tags, strips, big=True)
        (tmp_path / "in.tif").write_bytes(content)
        assert numpy.array_equal(samples("in.tif"), array), kind


def test_a_strip_without_a_length_is_as_long_as_it_has_to_be(samples, tmp_path):
    array = numpy.arange(35, dtype=numpy.uint8).reshape(5, 7)
    tags = page_tags(7, 5, 8)
    content = tiff_bytes(tags, [array.tobytes()])
    lengths = content.index(struct.pack("<HH", 279, 4))
    (tmp_path / "in.tif").write_bytes(content[:lengths] + struct.pack("<HH", 60000, 4) + content[lengths + 4:])
    assert numpy.array_equal(samples("in.tif"), array)


def test_a_strip_shorter_than_its_rows_is_refused(refused, tmp_path):
    tags = page_tags(8, 6, 8)
    (tmp_path / "short.tif").write_bytes(tiff_bytes(tags, [bytes(47)]))
    refused("convert", "short.tif", "out.npy", words=["page 1", "strip 0 has 47 bytes, wanted 48"])
    (tmp_path / "short.tif").write_bytes(tiff_bytes(tags | {278: [2]}, [bytes(16), bytes(15), bytes(16)]))
    refused("convert", "short.tif", "out.npy", words=["strip 1 has 15 bytes, wanted 16"])
    (tmp_path / "short.tif").write_bytes(tiff_bytes(tags | {322: [16], 323: [16]}, [bytes(255)], tiled=True))
    refused("convert", "short.tif", "out.npy", words=["tile 0 has 255 bytes, wanted 256"])
    (tmp_path / "short.tif").write_bytes(tiff_bytes(tags | {278: [2]}, [bytes(16), bytes(16)]))
    refused("convert", "short.tif", "out.npy", words=["got 2 offsets and 2 lengths of strips, wanted 3"])


def test_a_strip_that_a_sparse_file_leaves_out_is_refused(refused, tmp_path):
    content = tiff_bytes(page_tags(8, 6, 8, t273=(4, [0])), [bytes(48)])
    (tmp_path / "sparse.tif").write_bytes(content)
    refused("convert", "sparse.tif", "out.npy", words=["strip 0 is missing", "offset is 0"])


def differences(array):
    """Horizontal differencing, as predictor 2 wants it."""
    before = numpy.zeros_like(array)
    before[..., 1:, :] = array[..., :-1, :]
    return (array - before).astype(array.dtype)


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("dtype", ["u1", "u2", "u4", "u8"])
@pytest.mark.parametrize("channels", [1, 3])
def test_packbits_with_a_predictor(samples, tmp_path, order, dtype, channels):
    array = numpy.random.default_rng(3).integers(0, 256, (6, 10, channels)).astype(dtype)
    filed = differences(array).astype(order + dtype)
    tags = page_tags(10, 6, 8 * array.itemsize, t259=[32773], t317=[2], t277=[channels])
    tags |= {258: [8 * array.itemsize] * channels, 262: [1 if channels == 1 else 2]}
    strips = [imagecodecs.packbits_encode(filed[y:y + 4].tobytes()) for y in (0, 4)]
    (tmp_path / "in.tif").write_bytes(tiff_bytes(tags | {278: [4]}, strips, order=order))
    for channel in range(channels):
        assert numpy.array_equal(samples("in.tif", "--channel", channel), array[..., channel])
    tile = numpy.zeros((16, 16, channels), order + dtype)
    tile[:6, :10] = array
    tile = differences(tile)
    content = tiff_bytes(tags | {322: [16], 323: [16]}, [imagecodecs.packbits_encode(tile.tobytes())], True, order)
    (tmp_path / "in.tif").write_bytes(content)
    for channel in range(channels):
        assert numpy.array_equal(samples("in.tif", "--channel", channel), array[..., channel])


@pytest.mark.parametrize("dtype", ["u1", "u2", "u4"])
def test_lerc_with_a_predictor(samples, tmp_path, dtype):
    array = numpy.random.default_rng(4).integers(0, 250, (16, 24)).astype(dtype)
    tifffile.imwrite(tmp_path / "in.tif", array, compression="lerc", photometric="minisblack")
    assert numpy.array_equal(samples("in.tif"), array)
    code = imagecodecs.lerc_encode(differences(array[..., None])[..., 0])
    tags = page_tags(24, 16, 8 * array.itemsize, t259=[34887], t50674=(4, [4, 0]))
    (tmp_path / "in.tif").write_bytes(tiff_bytes(tags | {317: [2]}, [code]))
    assert numpy.array_equal(samples("in.tif"), array)


def test_predictors_that_nobody_can_undo_are_refused(refused, tmp_path):
    array = numpy.zeros((4, 8), "<f4")
    tags = page_tags(8, 4, 32, t339=[3])
    packed = imagecodecs.packbits_encode(array.tobytes())
    (tmp_path / "in.tif").write_bytes(tiff_bytes(tags | {259: [32773], 317: [3]}, [packed]))
    refused("convert", "in.tif", "out.npy", words=["predictor 3 with PackBits"])
    (tmp_path / "in.tif").write_bytes(tiff_bytes(tags | {317: [2]}, [array.tobytes()]))
    refused("convert", "in.tif", "out.npy", words=["predictor 2 without compression"])


@pytest.mark.parametrize("predictor", [False, True])
@pytest.mark.parametrize("compression", ["zlib", "lzw", "zstd", "lzma"])
@pytest.mark.parametrize("dtype", ["u1", "u2", "u4", "i2", "f4"])
def test_codecs_with_predictors_of_libtiff(samples, tmp_path, predictor, compression, dtype):
    array = numpy.random.default_rng(5).integers(0, 100, (3, 21, 40)).astype(dtype)
    tifffile.imwrite(tmp_path / "in.tif", array, compression=compression, predictor=predictor, photometric="minisblack")
    assert numpy.array_equal(samples("in.tif"), array)


def test_pages_with_and_without_compression_are_one_stack(samples, tmp_path):
    array = numpy.random.default_rng(6).integers(0, 100, (3, 21, 40)).astype(numpy.uint16)
    with tifffile.TiffWriter(tmp_path / "in.tif") as file:
        for page, compression in zip(array, (None, "zlib", "lzw")):
            file.write(page, compression=compression, photometric="minisblack", metadata=None)
    assert numpy.array_equal(samples("in.tif"), array)


def test_directories_that_share_bytes_end_soon(refused, tmp_path):
    # 15,000 directories of 30,000 tags each that lie one into the other, all thumbnails: half a megabyte, walked for
    # minutes.
    entries = 30000
    content = bytearray(struct.pack("<2sHI", b"II", 42, 8))
    content += bytes(12 * entries + 200000)
    struct.pack_into("<HHII", content, 10 + 12 * 20000, 254, 4, 1, 1)
    for i in range(15000):
        at = 8 + 12 * i
        struct.pack_into("<H", content, at, entries)
        struct.pack_into("<I", content, at + 2 + 12 * entries, at + 12)
    (tmp_path / "in.tif").write_bytes(content)
    refused("info", "in.tif", words=["share bytes"], timeout=60)


def test_strange_bits_are_refused(refused, tmp_path):
    for tags, words in (
            (page_tags(8, 6, 8) | {258: [8, 16], 277: [2]}, ["8 for one sample", "16"]),
            (page_tags(8, 6, 17), ["17 bits"]),
            (page_tags(8, 6, 8, t266=[3]), ["fill order 3"]),
            (page_tags(8, 6, 8, t284=[3]), ["planar configuration 3"]),
            (page_tags(8, 6, 8, t262=[3]), ["palette"]),
            (page_tags(8, 6, 8, t32997=[2]), ["depth"]),
            (page_tags(0, 6, 8), ["tag 256 is 0"]),
            (page_tags(8, 6, 8, t278=[0]), ["tag 278 is 0"]),
            (page_tags(8, 6, 8, t256="8"), ["tag 256", "type 2"]),
            (page_tags(8, 6, 8, t259=[65000]), ["compression 65000"]),
            (page_tags(8, 6, 8, t322=[2**15], t323=[2**15]), ["wanted"])):
        (tmp_path / "in.tif").write_bytes(tiff_bytes(tags, [bytes(100)], tiled=322 in tags))
        refused("convert", "in.tif", "out.npy", words=["in.tif", "page 1", *words])


@pytest.mark.parametrize("predictor", [1, 2])
@pytest.mark.parametrize("level", [0, 1, 9])  # 0: one stored block, which does not fit and was left out as a whole
def test_a_deflated_strip_that_holds_more_than_the_page_is_read_to_its_last_sample(tamis, tmp_path, level, predictor):
    image = numpy.arange(7 * 8, dtype=numpy.uint8).reshape(7, 8) % 5
    rows = numpy.concatenate([image, image[:3] + 9])  # as writers do whose last strip is as high as the others
    if predictor == 2:
        rows = numpy.diff(rows, axis=1, prepend=numpy.uint8(0)).astype(numpy.uint8)
    tags = page_tags(8, 7, 8, t259=[8], t278=[7], t317=[predictor])
    (tmp_path / "in.tif").write_bytes(tiff_bytes(tags, [zlib.compress(rows.tobytes(), level)]))
    tamis("convert", "in.tif", "out.npy")
    assert numpy.array_equal(numpy.load(tmp_path / "out.npy"), image)


@pytest.mark.parametrize("option", ["--map", "--map-width", "--map-radius"])
def test_a_size_map_says_how_viewers_should_show_it(tamis, tmp_path, option):
    volume = numpy.zeros((7, 30, 40), numpy.uint8)
    volume[1:6, 3:18, 5:25] = 255
    numpy.save(tmp_path / "a.npy", volume)
    element = "ball" if option == "--map-radius" else "cross"
    tamis("granulometry", "a.npy", "--element", element, option, "map.tif")
    tamis("granulometry", "a.npy", "--element", element, option, "map.npy")
    with tifffile.TiffFile(tmp_path / "map.tif") as file:
        samples = file.asarray()
        shown = file.imagej_metadata
        colours = file.pages[0].tags[320].value
        grey = file.pages[0].photometric
        others = [page.tags.get(320) for page in file.pages[1:]]
    assert numpy.array_equal(samples, numpy.load(tmp_path / "map.npy"))
    assert (shown["min"], shown["max"]) == (0, samples.max())
    assert shown["slices"] == 7
    assert grey == tifffile.PHOTOMETRIC.MINISBLACK and others == 6 * [None]
    red, green, blue = numpy.reshape(colours, (3, 256))
    assert (red[0], green[0], blue[0]) == (0, 0, 0)  # the background
    assert (red[255], green[255], blue[255]) == (253 * 257, 231 * 257, 37 * 257)
    tamis("convert", "map.tif", "again.npy")
    assert numpy.array_equal(numpy.load(tmp_path / "again.npy"), samples)
    assert numpy.array_equal(tifffile.memmap(tmp_path / "map.tif"), samples)
