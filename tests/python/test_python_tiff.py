"""TIFF files with times, channels and colours, which Python reads as the program does, or refuses as it does."""

import logging
import re
import subprocess

import numpy
import pytest
import tamis

tifffile = pytest.importorskip("tifffile")

RANDOM = numpy.random.default_rng(5)
FIVE = RANDOM.integers(0, 60000, (3, 4, 2, 9, 11)).astype(numpy.uint16)  # T Z C Y X
GREY = RANDOM.integers(0, 255, (4, 9, 11)).astype(numpy.uint8)
RGB = RANDOM.integers(0, 255, (9, 11, 3)).astype(numpy.uint8)
PALETTE = RANDOM.integers(0, 65535, (3, 256)).astype(numpy.uint16)
RAMP = numpy.stack([numpy.arange(256, dtype=numpy.uint16)[::-1] * 257] * 3)

FILES = {
    "five.ome.tif": (FIVE, {"metadata": {"axes": "TZCYX"}}),
    "five_zip.ome.tif": (FIVE, {"metadata": {"axes": "TZCYX"}, "compression": "zlib"}),
    "five_big.ome.tif": (FIVE, {"metadata": {"axes": "TZCYX"}, "bigtiff": True}),
    "channels.ome.tif": (FIVE[0, 0], {"metadata": {"axes": "CYX"}}),
    "three_channels.ome.tif": (GREY[:3], {"metadata": {"axes": "CYX"}}),
    "times.ome.tif": (FIVE[:, 0, 0], {"metadata": {"axes": "TYX"}}),
    "volume.ome.tif": (GREY, {"metadata": {"axes": "ZYX"}}),
    "five_imagej.tif": (FIVE, {"imagej": True, "metadata": {"axes": "TZCYX"}}),
    "times_imagej.tif": (GREY, {"imagej": True, "metadata": {"axes": "TYX"}}),
    "slices_imagej.tif": (GREY, {"imagej": True, "metadata": {"axes": "ZYX"}}),
    "channels_imagej.tif": (GREY, {"imagej": True, "metadata": {"axes": "CYX"}}),
    "composite_imagej.tif": (GREY, {"imagej": True, "metadata": {"axes": "CYX", "mode": "composite"}}),
    "rgb.tif": (RGB, {"photometric": "rgb"}),
    "rgb_planes.tif": (numpy.moveaxis(RGB, -1, 0), {"photometric": "rgb", "planarconfig": "separate"}),
    "rgb_slices.tif": (numpy.stack([RGB, RGB[::-1]]), {"photometric": "rgb"}),
    "white_is_zero.tif": (GREY, {"photometric": "miniswhite"}),
    "white_is_zero_bits.tif": (GREY > 99, {"photometric": "miniswhite"}),
    "palette.tif": (GREY[0], {"photometric": "palette", "colormap": PALETTE}),
    "grey_palette.tif": (GREY[0], {"photometric": "palette", "colormap": RAMP}),
    "cmyk.tif": (numpy.zeros((9, 11, 4), numpy.uint8), {"photometric": "separated"}),
    "tiles.tif": (GREY, {"tile": (16, 16)}),
    "strips.tif": (FIVE[0, :, 0], {"rowsperstrip": 2, "predictor": True, "compression": "zlib"}),
    "plain.tif": (GREY, {"metadata": None}),
}
CHOICES = [{}, *({"time": time} for time in (0, 2, 3)), *({"channel": channel} for channel in (0, 1, 3, "luma")),
           {"time": 1, "channel": 1}, {"time": 2, "channel": 0}]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(name):
    samples, options = FILES[name]
    tifffile.imwrite(name, samples, **{"photometric": "minisblack", **options})


@pytest.mark.parametrize("name", FILES)
def test_python_reads_what_the_program_reads(folder, tamis_program, name):
    write(name)
    for chosen in CHOICES:
        told = [word for key, value in chosen.items() for word in (f"--{key}", str(value))]
        command = [tamis_program, "convert", name, "out.tif", "--quiet", *told]
        run = subprocess.run(command, capture_output=True, text=True)
        try:
            array = tamis.read(name, **chosen)
        except tamis.InputError as error:
            # `convert` makes colours of the channels; Python wants to be told which.
            assert run.returncode == 2 or "channels; wanted one" in str(error), (chosen, str(error))
            continue
        if run.returncode != 0 and array.shape[-1] in (3, 4) and "channel" not in chosen:
            continue  # colours, of which the program wants to be told which
        assert run.returncode == 0, (chosen, run.stderr)
        program = tifffile.imread("out.tif")
        if array.dtype == bool:
            array = array * numpy.uint8(255)
        numpy.testing.assert_array_equal(array, program, err_msg=str(chosen))


@pytest.mark.parametrize("name", ["five.ome.tif", "five_zip.ome.tif", "five_imagej.tif"])
def test_a_time_and_a_channel_are_those_that_were_written(folder, name):
    write(name)
    for time in range(3):
        for channel in range(2):
            numpy.testing.assert_array_equal(tamis.read(name, time=time, channel=channel), FIVE[time, :, channel])
    for chosen, words in (({}, "3 times; wanted one: time=0 ... 2"), ({"time": 1}, "2 channels; wanted one: channel=0"),
                          ({"time": 3, "channel": 0}, "time=3; wanted 0 ... 2"),
                          ({"time": 0, "channel": -1}, "channel=-1; wanted 0 ... 1"),
                          ({"time": "a"}, "time='a'; wanted"), ({"time": True}, "time=True")):
        with pytest.raises(tamis.InputError, match=words):
            tamis.read(name, **chosen)


def test_what_has_one_time_and_one_channel_is_asked_for_no_other(folder):
    for name in ("a.npy", "a.tif", "a.png", "a.h5", "a.nii", "a_11x9_u8.raw"):
        tamis.write(name, GREY[0])
        numpy.testing.assert_array_equal(tamis.read(name, time=0, channel=0), GREY[0])
        for wrong in ({"time": 1}, {"channel": 1}):
            with pytest.raises(tamis.InputError, match="=1; wanted 0"):
                tamis.read(name, **wrong)


def test_a_channel_of_a_picture(folder):
    imageio = pytest.importorskip("imageio.v3")
    imageio.imwrite("a.png", RGB)
    numpy.testing.assert_array_equal(tamis.read("a.png"), RGB)
    numpy.testing.assert_array_equal(tamis.read("a.png", channel=2), RGB[..., 2])
    with pytest.raises(tamis.InputError, match="channel=3; wanted 0 ... 2 or 'luma'"):
        tamis.read("a.png", channel=3)


def test_an_ome_tiff_that_was_renamed_is_still_whole(folder):
    write("volume.ome.tif")
    with tifffile.TiffFile("volume.ome.tif") as file:
        text = file.ome_metadata
    planes = '<TiffData IFD="0" PlaneCount="4"><UUID FileName="old.ome.tif">urn:uuid:1</UUID></TiffData>'
    text = text.replace('<TiffData IFD="0" PlaneCount="4"/>', planes)
    text = text.replace('<TiffData IFD="0" PlaneCount="4"></TiffData>', planes)
    for description in (re.sub(r' UUID="[^"]*"', "", text), re.sub(r' UUID="[^"]*"', ' UUID="urn:uuid:1"', text)):
        assert "old.ome.tif" in description
        tifffile.imwrite("new.tif", GREY, description=description.encode(), metadata=None, photometric="minisblack")
        numpy.testing.assert_array_equal(tamis.read("new.tif"), GREY)


def test_several_images_are_not_taken_for_one(folder):
    with tifffile.TiffWriter("a.tif") as file:
        file.write(GREY[0])
        file.write(GREY[1, :5])
    with pytest.raises(tamis.InputError, match="2 images"):
        tamis.read("a.tif")
    with tifffile.TiffWriter("a.tif") as file:
        file.write(GREY[0])
        file.write(GREY[1, :5], subfiletype=1)  # a thumbnail
    numpy.testing.assert_array_equal(tamis.read("a.tif"), GREY[0])


@pytest.mark.parametrize("level", [logging.NOTSET, logging.CRITICAL])
def test_pages_that_the_description_has_and_the_file_has_not_are_missed(folder, level):
    """tifffile logs it and goes on with zeros, also where nobody reads its log."""
    tifffile.imwrite("a.ome.tif", GREY, metadata={"axes": "ZYX"}, photometric="minisblack")
    with tifffile.TiffFile("a.ome.tif") as file:
        text = file.ome_metadata
    more = text.replace('SizeZ="4"', 'SizeZ="6"')
    tifffile.imwrite("a.ome.tif", GREY, description=more.encode(), metadata=None, photometric="minisblack")
    logger = logging.getLogger("tifffile")
    before = logger.level
    logger.setLevel(level)
    try:
        with pytest.raises(tamis.InputError, match=r"a\.ome\.tif"):
            tamis.read("a.ome.tif")
        assert logger.level == level
    finally:
        logger.setLevel(before)


def test_a_strip_that_is_shorter_than_its_rows_is_refused(folder):
    tifffile.imwrite("a.tif", GREY[0], rowsperstrip=3, metadata=None)
    with tifffile.TiffFile("a.tif", mode="r+") as file:
        counts = file.pages[0].tags["StripByteCounts"]
        counts.overwrite([33, 20, 33])
    with pytest.raises(tamis.InputError, match="a strip or tile of 20 bytes; wanted 33"):
        tamis.read("a.tif")


def test_an_imagej_header_that_claims_an_image_too_many_is_refused(folder):
    tifffile.imwrite("a.tif", GREY, imagej=True, photometric="minisblack", metadata={"axes": "ZYX"})
    content = (folder / "a.tif").read_bytes()
    assert b"images=4\nslices=4" in content
    for words in (b"images=5\nslices=5", b"images=3\nslices=4", b"images=4\nslices=3", b"images=4\nslices=5"):
        (folder / "a.tif").write_bytes(content.replace(b"images=4\nslices=4", words))
        with pytest.raises(tamis.InputError, match="as its ImageJ header says"):
            tamis.read("a.tif")
