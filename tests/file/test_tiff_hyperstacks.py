"""Times and channels of OME-TIFF and ImageJ, against tifffile; headers that do not fit their files."""

import json

import numpy
import pytest
import tifffile
from tiff_by_hand import page_tags, tiff_bytes


@pytest.fixture(scope="module")
def hyperstack():
    """(time, z, channel, y, x)"""
    return numpy.random.default_rng(8).integers(0, 60000, (3, 4, 2, 6, 7)).astype(numpy.uint16)


def write_ome(path, array, axes, **options):
    """An OME-TIFF with its planes in the order of `axes`, slowest first."""
    names = "TZCYX"
    stored = array.transpose([names.index(axis) for axis in axes])
    tifffile.imwrite(path, stored, ome=True, photometric="minisblack", metadata={"axes": axes}, **options)


def check_hyperstack(samples, array):
    for time in range(array.shape[0]):
        for channel in range(array.shape[2]):
            got = samples("in.tif", "--time", time, "--channel", channel)
            assert numpy.array_equal(got, array[time, :, channel]), (time, channel)


@pytest.mark.parametrize("compression", [None, "zlib"])
@pytest.mark.parametrize("axes", ["TZCYX", "TCZYX", "ZTCYX", "CTZYX"])
def test_ome_times_and_channels(samples, refused, tmp_path, hyperstack, axes, compression):
    write_ome(tmp_path / "in.tif", hyperstack, axes, compression=compression)
    check_hyperstack(samples, hyperstack)
    refused("convert", "in.tif", "out.npy", "--channel", 0, words=["in.tif", "3 times", "--time 0..2"])
    refused("convert", "in.tif", "out.npy", "--time", 3, "--channel", 0, words=["time 3; wanted 0..2"])
    refused("granulometry", "in.tif", "--threshold", 9, "--time", 0, words=["in.tif", "--channel"])
    refused("convert", "in.tif", "out.npy", "--time", 0, "--channel", 2, words=["channel 2; wanted 0..1"])


def test_the_tiffdata_of_ome_say_where_the_planes_are(samples, tmp_path, hyperstack):
    times, slices, channels = hyperstack.shape[:3]
    places = numpy.random.default_rng(9).permutation(times * slices * channels)
    planes = hyperstack.reshape(-1, 6, 7)
    blocks = "".join(
        f'<TiffData IFD="{place}" FirstT="{t}" FirstZ="{z}" FirstC="{c}" PlaneCount="1"/>'
        for place, (t, z, c) in zip(places, numpy.ndindex(times, slices, channels)))
    xml = ('<?xml version="1.0"?><!-- <Pixels> --><ome:OME xmlns:ome="x"><ome:Image>'
           f'<ome:Pixels SizeX="7" SizeY="6" SizeZ="{slices}" SizeC="{channels}" SizeT="{times}" '
           f'DimensionOrder="XYCZT" Type="uint16">{blocks}</ome:Pixels></ome:Image>'
           '<StructuredAnnotations><Pixels SizeX="1"/></StructuredAnnotations></ome:OME>')
    shuffled = numpy.empty_like(planes)
    shuffled[places] = planes
    with tifffile.TiffWriter(tmp_path / "in.tif", ome=False) as file:
        for i, page in enumerate(shuffled):
            file.write(page, photometric="minisblack", metadata=None, description=xml if i == 0 else None)
    check_hyperstack(samples, hyperstack)


@pytest.mark.parametrize("imagej_of_one_page", [False, True])
def test_imagej_times_and_channels(samples, refused, tmp_path, hyperstack, imagej_of_one_page):
    tifffile.imwrite(tmp_path / "in.tif", hyperstack, imagej=True, metadata={"axes": "TZCYX"},
                     truncate=imagej_of_one_page)
    check_hyperstack(samples, hyperstack)
    refused("convert", "in.tif", "out.npy", words=["3 times", "--time 0..2"])
    colours = numpy.concatenate([hyperstack[:1], hyperstack[:1, :, :1]], axis=2)
    tifffile.imwrite(tmp_path / "in.tif", colours, imagej=True, metadata={"axes": "TZCYX", "mode": "composite"})
    r, g, b = (colours[0, :, c].astype(float) for c in range(3))
    luma = numpy.floor((299 * r + 587 * g + 114 * b) / 1000 + 0.5)
    assert numpy.array_equal(samples("in.tif", "--channel", "luma"), luma)


def test_colour_pages_in_a_hyperstack_count_all_their_channels(samples, tmp_path):
    array = numpy.random.default_rng(10).integers(0, 256, (2, 3, 5, 6, 3)).astype(numpy.uint8)
    tifffile.imwrite(tmp_path / "in.tif", array, imagej=True, metadata={"axes": "TZYXS"}, photometric="rgb")
    for time in range(2):
        for channel in range(3):
            assert numpy.array_equal(samples("in.tif", "--time", time, "--channel", channel), array[time, ..., channel])


def test_info_says_how_many_times_and_channels(tamis, tmp_path, hyperstack):
    write_ome(tmp_path / "in.tif", hyperstack, "TZCYX")
    text = tamis("info", "in.tif").stdout
    assert "4 slice(s), 2 channel(s), 3 time(s)" in text and "this is time 0" in text
    text = tamis("info", "in.tif", "--time", 2, "--channel", 1, "--json", "info.json").stdout
    assert "this is time 2" in text
    told = json.loads((tmp_path / "info.json").read_text())
    assert told["maximum"] == hyperstack[2, :, 1].max() and told["shape"] == "7x6x4"


def ome_file(tmp_path, xml, pages=4):
    with tifffile.TiffWriter(tmp_path / "in.tif", ome=False) as file:
        for i in range(pages):
            file.write(numpy.full((6, 7), i, numpy.uint8), photometric="minisblack", metadata=None,
                       description=xml if i == 0 else None)


PIXELS = 'SizeX="7" SizeY="6" SizeZ="2" SizeC="2" SizeT="1" DimensionOrder="XYZCT" Type="uint8"'


def pixels(old, new):
    return f"<OME><Pixels {PIXELS.replace(old, new)}/></OME>"


@pytest.mark.parametrize("xml, words", [
    (f"<OME><Image><Pixels {PIXELS}><TiffData/></Pixels></Image>", ["damaged XML"]),
    (pixels('uint8', 'uint16'), ["says uint16", "u8"]),
    (pixels('SizeX="7"', 'SizeX="8"'), ["says 8x6", "7x6"]),
    (pixels('SizeT="1"', 'SizeT="2"'), ["2 times", "4 pages"]),
    (pixels('SizeT="1"', 'SizeT="many"'), ["SizeT", "whole number"]),
    (pixels('SizeT="1"', 'SizeT="99999999999999999999"'), ["SizeT"]),
    (pixels('XYZCT', 'XYZZT'), ["DimensionOrder"]),
    (f"<OME><Pixels {PIXELS}><TiffData IFD=\"3\" PlaneCount=\"2\"/></Pixels></OME>", ["page 5", "4 pages"]),
    (f"<OME><Pixels {PIXELS}><TiffData PlaneCount=\"3\"/></Pixels></OME>", ["planes without a page"]),
    (f"<OME><Pixels {PIXELS}><TiffData FirstZ=\"2\"/></Pixels></OME>", ["plane z 2"]),
    (f"<OME><Pixels {PIXELS}><TiffData/><TiffData IFD=\"2\"/></Pixels></OME>", ["two pages"]),
    (f"<OME><Pixels {PIXELS}/><Pixels {PIXELS}/></OME>", ["several images"]),
    ('<OME><BinaryOnly MetadataFile="set.companion.ome" UUID="urn:uuid:1"/></OME>', ["set.companion.ome"]),
    (f'<OME UUID="urn:uuid:1"><Pixels {PIXELS}><TiffData PlaneCount="2"><UUID FileName="in.tif">urn:uuid:1</UUID>'
     f'</TiffData><TiffData PlaneCount="2" FirstC="1"><UUID FileName="b.ome.tif">urn:uuid:2</UUID></TiffData></Pixels>'
     '</OME>', ["b.ome.tif", "another file"])])
def test_ome_headers_that_do_not_fit_the_file_are_refused(refused, tmp_path, xml, words):
    ome_file(tmp_path, xml)
    refused("convert", "in.tif", "out.npy", words=["in.tif", *words])


def test_an_ome_file_that_was_renamed_is_still_itself(samples, tmp_path):
    for root in ('<OME UUID="urn:uuid:1">', "<OME>"):
        ome_file(tmp_path, f'{root}<Pixels {PIXELS}><TiffData><UUID FileName="old.ome.tif">urn:uuid:1</UUID></TiffData>'
                           "</Pixels></OME>")
        assert samples("in.tif", "--channel", 1)[:, 0, 0].tolist() == [2, 3]


@pytest.mark.parametrize("claimed", [2, 3, 5, 7, 2**40])
def test_an_imagej_header_of_another_number_of_images_is_refused(refused, tmp_path, claimed):
    page = numpy.zeros((6, 7), numpy.uint8)
    with tifffile.TiffWriter(tmp_path / "in.tif") as file:
        for i in range(4):
            file.write(page, photometric="minisblack", metadata=None,
                       description=f"ImageJ=1.54f\nimages={claimed}\nslices={claimed}\n" if i == 0 else None)
    refused("convert", "in.tif", "out.npy", words=["got 4 pages", f"wanted {claimed}", "ImageJ"])


def test_an_imagej_header_may_not_count_what_is_no_samples(refused, tmp_path):
    header = "ImageJ=1.54f\nimages=2\nslices=2\n"
    (tmp_path / "in.tif").write_bytes(tiff_bytes(page_tags(8, 6, 8, t270=header), [bytes(48)]))
    refused("convert", "in.tif", "out.npy", words=["1 image", "wanted 2"])


def test_an_imagej_header_that_contradicts_itself_is_refused(refused, tmp_path):
    page = numpy.zeros((6, 7), numpy.uint8)
    with tifffile.TiffWriter(tmp_path / "in.tif") as file:
        for i in range(6):
            file.write(page, photometric="minisblack", metadata=None,
                       description="ImageJ=1.54f\nimages=6\nchannels=2\nslices=2\nframes=1\n" if i == 0 else None)
    refused("convert", "in.tif", "out.npy", words=["got 6 images", "2 channels x 2 slices x 1 frames"])


def test_a_time_of_what_has_only_one_is_refused(refused, tamis, tmp_path, volume, balls):
    source = volume("in.tif", balls)
    tamis("convert", source, "out.tif", "--time", 0)
    refused("convert", source, "other.tif", "--time", 1, words=["time 1; wanted 0"])
    numpy.save(tmp_path / "in.npy", balls)
    refused("convert", "in.npy", "other.tif", "--time", 1, words=["time 1; wanted 0"])


def test_ome_stacks_written_slice_by_slice_are_volumes(samples, refused, tmp_path):
    volume = numpy.random.default_rng(6).integers(0, 65536, (5, 6, 7)).astype(numpy.uint16)
    with tifffile.TiffWriter(tmp_path / "in.ome.tif") as file:
        for slice_ in volume:
            file.write(slice_, contiguous=False, photometric="minisblack")
    numpy.testing.assert_array_equal(samples("in.ome.tif"), volume)
    with tifffile.TiffWriter(tmp_path / "odd.ome.tif") as file:
        for slice_ in (volume[0], volume[1, :4]):
            file.write(slice_, contiguous=False, photometric="minisblack")
    refused("info", "odd.ome.tif", words=["odd.ome.tif", "page 2: got 7x4 u16, wanted 7x6"])
    with tifffile.TiffWriter(tmp_path / "deep.ome.tif") as file:
        for part in (volume[:2], volume[2:4]):
            file.write(part, contiguous=False, photometric="minisblack", metadata={"axes": "ZYX"})
    refused("info", "deep.ome.tif", words=["deep.ome.tif", "several images"])


def test_colour_stacks_of_ome_written_slice_by_slice(samples, tmp_path):
    volume = numpy.random.default_rng(7).integers(0, 256, (3, 6, 7, 3)).astype(numpy.uint8)
    with tifffile.TiffWriter(tmp_path / "in.ome.tif") as file:
        for slice_ in volume:
            file.write(slice_, contiguous=False, photometric="rgb")
    numpy.testing.assert_array_equal(samples("in.ome.tif", "--channel", 1), volume[..., 1])
