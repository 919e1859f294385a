"""Pictures whose ink lies in alpha alone, and those in which alpha says nothing, against Pillow and tifffile."""

import numpy
import pytest
import tifffile
from PIL import Image

import tamis as package


@pytest.fixture
def read(tamis, tmp_path):
    """The array, the same from the program and from Python."""

    def run(name, *flags, **options):
        assert tamis("convert", name, "out.npy", "--quiet", *flags).stderr == ""
        array = numpy.load(tmp_path / "out.npy")
        again = numpy.asarray(package.read(tmp_path / name, **options))
        numpy.testing.assert_array_equal(array, again)
        assert array.dtype == again.dtype
        return array

    return run


def noise(dtype="uint8"):
    return numpy.random.default_rng(4).integers(0, numpy.iinfo(dtype).max, (9, 14), dtype, endpoint=True)


def png(path, array):
    if array.dtype == numpy.uint8:
        return Image.fromarray(array).save(path)
    import imagecodecs  # Pillow has no 16 bits with alpha

    path.write_bytes(imagecodecs.png_encode(array))


def tiff(path, array, alpha="unassalpha", **options):
    tifffile.imwrite(path, array, photometric="rgb" if array.shape[-1] == 4 else "minisblack", planarconfig="contig",
                     extrasamples=[alpha], **options)


def separate(path, array):
    tifffile.imwrite(path, numpy.moveaxis(array, -1, 0), photometric="rgb" if array.shape[-1] == 4 else "minisblack",
                     planarconfig="separate", extrasamples=["unassalpha"])


WRITERS = {
    "a.png": png,
    "a.tif": tiff,
    "packed.tif": lambda path, array: tiff(path, array, compression="zlib"),
    "premultiplied.tif": lambda path, array: tiff(path, array, "assocalpha"),
    "planes.tif": separate,
}


def with_alpha(colour, alpha, colours):
    return numpy.stack([numpy.full_like(alpha, colour)] * colours + [alpha], axis=-1)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize("colours", [1, 3])
@pytest.mark.parametrize("dtype", ["uint8", "uint16"])
def test_ink_in_alpha_is_a_grey_page(tamis, read, tmp_path, name, colours, dtype):
    ink = noise(dtype)
    full = numpy.iinfo(dtype).max
    WRITERS[name](tmp_path / name, with_alpha(0, ink, colours))
    numpy.testing.assert_array_equal(read(name), full - ink)
    numpy.testing.assert_array_equal(read(name, "--channel", "luma", channel="luma"), full - ink)
    numpy.testing.assert_array_equal(read(name, "--channel", colours, channel=colours), ink)
    assert "ink in alpha" in tamis("info", name).stdout
    WRITERS[name](tmp_path / name, with_alpha(full, ink, colours))
    numpy.testing.assert_array_equal(read(name), ink)
    assert "white ink in alpha" in tamis("info", name).stdout
    tamis("threshold", name, "out.tif", "--method", "otsu", "--quiet")  # what measures takes it


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize("dtype", ["uint8", "uint16"])
def test_alpha_that_is_opaque_everywhere_goes(read, tmp_path, name, dtype):
    for colours in (1, 3):
        grey = noise(dtype)
        array = with_alpha(0, numpy.full_like(grey, numpy.iinfo(dtype).max), colours)
        WRITERS[name](tmp_path / name, array)
        numpy.testing.assert_array_equal(read(name, "--channel", 0, channel=0), 0 * grey)
        array[..., 0] = grey
        WRITERS[name](tmp_path / name, array)
        if colours == 1:
            numpy.testing.assert_array_equal(read(name), grey)
        else:
            numpy.testing.assert_array_equal(package.read(tmp_path / name), array[..., :3])


@pytest.mark.parametrize("name", WRITERS)
def test_alpha_beside_colours_stays(refused, tmp_path, name):
    array = with_alpha(0, noise(), 3)
    array[3, 4, 1] = 1
    WRITERS[name](tmp_path / name, array)
    numpy.testing.assert_array_equal(package.read(tmp_path / name), array)
    refused("threshold", name, "out.tif", "--method", "otsu", words=["4 channels", "--channel 0 .. 3"])


def test_a_palette_of_black_inks_is_a_grey_page(read, tmp_path):
    indices = numpy.random.default_rng(4).integers(0, 4, (9, 14), dtype="uint8")
    image = Image.fromarray(indices, "P")
    image.putpalette([0, 0, 0] * 4)
    image.save(tmp_path / "a.png", transparency=bytes([0, 90, 255]))
    numpy.testing.assert_array_equal(read("a.png"), numpy.array([255, 165, 0, 0], "uint8")[indices])
    image.putpalette([0, 0, 0] * 3 + [9, 9, 9])
    image.save(tmp_path / "a.png", transparency=bytes([0, 90, 255]))
    numpy.testing.assert_array_equal(read("a.png"), numpy.array([0, 0, 0, 9], "uint8")[indices])


def test_stacks_and_unnamed_samples_stay_as_they_are(tamis, tmp_path):
    array = with_alpha(0, noise(), 3)
    tifffile.imwrite(tmp_path / "a.tif", array, photometric="rgb", extrasamples=["unspecified"])
    numpy.testing.assert_array_equal(package.read(tmp_path / "a.tif"), array)
    tifffile.imwrite(tmp_path / "b.tif", numpy.stack([array, array]), photometric="rgb", extrasamples=["unassalpha"])
    numpy.testing.assert_array_equal(package.read(tmp_path / "b.tif"), numpy.stack([array, array]))
