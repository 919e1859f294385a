"""Pictures as cameras, scanners and print shops leave them: half floats, 12 bits, four inks, turned, one kind a folder."""

import io
import struct
import zlib

import imagecodecs
import numpy
import pytest
import tifffile
import zarr
from PIL import Image, ImageOps
from tiff_by_hand import pack, page_tags, tiff_bytes

SPECIAL = [0.0, -0.0, 1.0, -2.5, 65504.0, 2.0**-24, 2.0**-14, -(2.0**-15), numpy.inf, -numpy.inf]


@pytest.fixture(scope="module")
def halves():
    """Every half float that there is, but for NaN with a payload of its own."""
    every = numpy.arange(65536, dtype=numpy.uint16).view(numpy.float16)
    return numpy.where(numpy.isnan(every), numpy.float16("nan"), every).reshape(4, 128, 128)


def same(found, halves):
    assert found.dtype == numpy.float32
    numpy.testing.assert_array_equal(found, halves.astype(numpy.float32))


@pytest.mark.parametrize("order", ["<f2", ">f2"])
def test_half_floats_of_numpy_are_f32(samples, tmp_path, halves, order):
    for array in (halves, halves[0], numpy.asfortranarray(halves)):
        numpy.save(tmp_path / "in.npy", array.astype(order))
        same(samples("in.npy"), array)


@pytest.mark.parametrize("form", [{}, {"compression": "zlib"}, {"compression": "zlib", "predictor": 3}, {"byteorder": ">"},
                                  {"tile": (32, 48)}, {"rowsperstrip": 3, "compression": "lzw"}])
def test_half_floats_of_tiff_are_f32(samples, tamis, tmp_path, halves, form):
    tifffile.imwrite(tmp_path / "in.tif", halves, photometric="minisblack", **form)
    same(samples("in.tif"), halves)
    assert "half floats" in tamis("info", "in.tif").stdout


@pytest.mark.parametrize("version", [2, 3])
def test_half_floats_of_zarr_are_f32(samples, tmp_path, halves, version):
    array = zarr.create_array(tmp_path / "in.zarr", shape=halves.shape, chunks=(2, 40, 128), dtype="f2", zarr_format=version)
    array[:] = halves
    same(samples("in.zarr"), halves)


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("fill", [*SPECIAL, 0.1, 70000.0, numpy.nan, 3e-8])
def test_chunks_of_half_floats_that_are_not_there_are_the_fill_value(samples, tmp_path, version, fill):
    with numpy.errstate(over="ignore"):
        array = zarr.create_array(tmp_path / "in.zarr", shape=(4, 6), chunks=(2, 6), dtype="f2", zarr_format=version,
                                  fill_value=numpy.float16(fill))
        array[:2] = 3
        same(samples("in.zarr"), numpy.concatenate([numpy.full((2, 6), 3), numpy.full((2, 6), fill)]).astype(numpy.float16))


def test_colours_of_half_floats_have_a_luma(samples, tmp_path):
    colours = numpy.random.default_rng(1).random((5, 6, 3)).astype(numpy.float16)
    tifffile.imwrite(tmp_path / "in.tif", colours, photometric="rgb")
    same(samples("in.tif", "--channel", 1), colours[..., 1])
    luma = colours.astype(float) @ [0.299, 0.587, 0.114]
    numpy.testing.assert_allclose(samples("in.tif", "--channel", "luma"), luma, rtol=1e-6)


@pytest.mark.parametrize("bits", range(9, 16))
@pytest.mark.parametrize("order", ["<", ">"])
def test_samples_of_9_to_15_bits_keep_their_values(samples, tmp_path, bits, order):
    array = numpy.random.default_rng(bits).integers(0, 2**bits, (7, 33)).astype(numpy.uint16)
    tags = page_tags(33, 7, bits)
    (tmp_path / "in.tif").write_bytes(tiff_bytes(tags, [pack(array, bits)], order=order))
    found = samples("in.tif")
    assert found.dtype == numpy.uint16
    numpy.testing.assert_array_equal(found, array)
    deflated = tiff_bytes(tags | {259: [8]}, [zlib.compress(pack(array, bits))], order=order)
    (tmp_path / "in.tif").write_bytes(deflated)
    numpy.testing.assert_array_equal(samples("in.tif"), array)
    (tmp_path / "in.tif").write_bytes(tiff_bytes(tags | {262: [0]}, [pack(array, bits)], order=order))
    numpy.testing.assert_array_equal(samples("in.tif"), 2**bits - 1 - array)


def test_tiles_of_12_bits_are_put_together(samples, tmp_path):
    array = numpy.random.default_rng(12).integers(0, 4096, (32, 48)).astype(numpy.uint16)
    tiles = [pack(array[y:y + 16, x:x + 16], 12) for y in (0, 16) for x in (0, 16, 32)]
    (tmp_path / "in.tif").write_bytes(tiff_bytes(page_tags(48, 32, 12, t322=[16], t323=[16]), tiles, tiled=True))
    numpy.testing.assert_array_equal(samples("in.tif"), array)
    numpy.testing.assert_array_equal(tifffile.imread(tmp_path / "in.tif"), array)


def test_jpegs_of_four_inks_become_colours(samples, tamis, tmp_path):
    inks = numpy.random.default_rng(2).integers(0, 256, (16, 24, 4)).astype(numpy.uint8).repeat(8, 0).repeat(8, 1)
    Image.fromarray(inks, "CMYK").save(tmp_path / "in.jpg", quality=98)
    wanted = numpy.asarray(Image.open(tmp_path / "in.jpg").convert("RGB")).astype(int)
    found = numpy.stack([samples("in.jpg", "--channel", c) for c in range(3)], -1).astype(int)
    assert abs(found - wanted).max() <= 1  # Pillow rounds twice
    plain = imagecodecs.jpeg8_encode(inks, colorspace="CMYK", outcolorspace="CMYK")
    (tmp_path / "plain.jpg").write_bytes(plain)
    assert "channels    3" in tamis("info", "plain.jpg").stdout


def turned(path, picture, orientation, form):
    exif = Image.Exif()
    exif[274] = orientation
    if form == "TIFF":
        tifffile.imwrite(path, picture, photometric="rgb" if picture.ndim == 3 else "minisblack",
                         extratags=[(274, 3, 1, orientation, True)])
    else:
        Image.fromarray(picture).save(path, form, exif=exif, **({"quality": 100, "subsampling": 0} if form == "JPEG" else {}))


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("name, form", [("in.jpg", "JPEG"), ("in.png", "PNG"), ("in.tif", "TIFF")])
@pytest.mark.sampled(2)
def test_pictures_are_turned_upright_when_asked(samples, tamis, tmp_path, orientation, name, form):
    picture = numpy.random.default_rng(3).integers(0, 256, (9, 14)).astype(numpy.uint8)
    turned(tmp_path / name, picture, orientation, form)
    stored = samples(name)
    assert stored.shape == (9, 14)
    turned(tmp_path / "peer.png", stored, orientation, "PNG")  # of TIFF Pillow turns some, but not their shape
    with Image.open(tmp_path / "peer.png") as opened:
        wanted = numpy.asarray(ImageOps.exif_transpose(opened))
    numpy.testing.assert_array_equal(samples(name, "--upright"), wanted)
    text = tamis("info", name).stdout
    assert ("EXIF orientation" in text) == (orientation != 1)
    assert ("turned by 90 degrees clockwise" in text) == (orientation == 6)
    assert "orientation" not in tamis("info", name, "--upright").stdout


def test_colours_are_turned_and_voxels_with_them(samples, tamis, tmp_path):
    colours = numpy.random.default_rng(4).integers(0, 256, (5, 8, 3)).astype(numpy.uint8)
    tifffile.imwrite(tmp_path / "in.tif", colours, photometric="rgb", resolution=(100, 50), resolutionunit="CENTIMETER",
                     extratags=[(274, 3, 1, 6, True)])
    numpy.testing.assert_array_equal(samples("in.tif", "--upright", "--channel", 2), numpy.rot90(colours[..., 2], -1))
    assert "100 x 200 µm" in tamis("info", "in.tif").stdout
    assert "200 x 100 µm" in tamis("info", "in.tif", "--upright").stdout
    assert "7 x 3 µm" in tamis("info", "in.tif", "--upright", "--spacing", "7x3um").stdout


def test_deskew_turns_a_page_upright_first(tamis, tmp_path):
    page = numpy.full((200, 300), 255, numpy.uint8)
    page[20:180:12, 20:280] = 0
    lying = numpy.rot90(page)
    turned(tmp_path / "in.tif", lying, 6, "TIFF")
    tamis("deskew", "in.tif", "out.tif", "--quiet")
    numpy.testing.assert_array_equal(tifffile.imread(tmp_path / "out.tif"), page)


@pytest.mark.parametrize("exif", [b"", b"II", b"II*\0\xff\xff\xff\xff", b"MM\0*\0\0\0\x08\xff\xff" + b"\x01\x12" * 9,
                                  b"II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x63\0\0\0", b"XX" * 20])
def test_damaged_exif_says_nothing(samples, tmp_path, exif):
    picture = numpy.arange(48, dtype=numpy.uint8).reshape(6, 8)
    jpeg = io.BytesIO()
    Image.fromarray(picture).save(jpeg, "JPEG")
    segment = b"Exif\0\0" + exif
    content = jpeg.getvalue()
    (tmp_path / "in.jpg").write_bytes(content[:2] + b"\xff\xe1" + struct.pack(">H", len(segment) + 2) + segment + content[2:])
    plain = samples("in.jpg")
    numpy.testing.assert_array_equal(samples("in.jpg", "--upright"), plain)


@pytest.fixture
def folder(tmp_path):
    volume = numpy.random.default_rng(5).integers(0, 65536, (4, 6, 7)).astype(numpy.uint16)
    (tmp_path / "scan").mkdir()
    for z, slice_ in enumerate(volume):
        tifffile.imwrite(tmp_path / "scan" / f"s{z}.tif", slice_)
    return volume


def test_a_picture_among_slices_is_refused_by_name(samples, refused, tmp_path, folder):
    Image.fromarray(folder[0]).save(tmp_path / "scan" / "mask.png")
    refused("info", "scan", words=["mask.png", "a PNG file among 4 TIFF", "--only '*.tif'"])
    numpy.testing.assert_array_equal(samples("scan", "--only", "*.tif"), folder)
    numpy.testing.assert_array_equal(samples("scan", "--only", "*.png"), folder[:1])
    numpy.testing.assert_array_equal(samples("scan", "--only", "s[12].*"), folder[1:3])
    refused("info", "scan", "--only", "*.jpg", words=["scan", "match *.jpg"])


def test_files_that_are_no_pictures_may_lie_among_slices(samples, tmp_path, folder):
    for name in ("notes.txt", "scan.log", "s0.tif.bak", ".hidden.png"):
        (tmp_path / "scan" / name).write_text("x")
    numpy.testing.assert_array_equal(samples("scan"), folder)


def test_units_of_ome_that_differ_by_axis_become_micrometres(tamis, tmp_path):
    xml = ('<?xml version="1.0"?><OME xmlns="http://www.openmicroscopy.org/Schemas/OME/2016-06"><Image ID="Image:0">'
           '<Pixels ID="Pixels:0" DimensionOrder="XYZCT" Type="uint8" SizeX="5" SizeY="4" SizeZ="3" SizeC="1" SizeT="1" '
           'PhysicalSizeX="500" PhysicalSizeXUnit="nm" PhysicalSizeY="0.25" PhysicalSizeZ="0.0015" PhysicalSizeZUnit="mm">'
           '<TiffData/></Pixels></Image></OME>')
    tifffile.imwrite(tmp_path / "in.ome.tif", numpy.zeros((3, 4, 5), numpy.uint8), description=xml, metadata=None,
                     photometric="minisblack")
    assert "0.5 x 0.25 x 1.5 µm" in tamis("info", "in.ome.tif").stdout
