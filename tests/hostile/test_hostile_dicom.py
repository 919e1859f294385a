"""DICOM files that contradict themselves, and what their values and voxel sizes mean."""

import struct

import imagecodecs
import numpy
import pydicom
import pytest
from pydicom.encaps import encapsulate
from pydicom.uid import (
    JPEG2000Lossless,
    JPEGBaseline8Bit,
    JPEGLosslessSV1,
    JPEGLSLossless,
    MRImageStorage,
    RLELossless,
    UltrasoundMultiFrameImageStorage,
    ExplicitVRLittleEndian,
    ImplicitVRLittleEndian,
    generate_uid,
)
from test_hostile_zarr import end_and_peak

CODED = {
    "JPEG": (JPEGLosslessSV1, lambda a: imagecodecs.ljpeg_encode(a)),
    "JPEG-LS": (JPEGLSLossless, lambda a: imagecodecs.jpegls_encode(a)),
    "JPEG 2000": (
        JPEG2000Lossless,
        lambda a: imagecodecs.jpeg2k_encode(a, codecformat="j2k", reversible=True, level=0),
    ),
}


@pytest.fixture(autouse=True)
def needs_gdcm(tamis, tmp_path):
    array = numpy.zeros((12, 20), "uint8")
    dicom(tmp_path / "probe.dcm", array, change=lambda data: data.compress(RLELossless))
    told = tamis("info", "probe.dcm", check=False)
    (tmp_path / "probe.dcm").unlink()
    if "built without" in told.stderr:
        pytest.skip("built without GDCM")
    assert told.returncode == 0, told.stderr


@pytest.fixture
def read(tamis, tmp_path):
    def run(name):
        assert tamis("convert", name, "out.npy", "--quiet").stderr == ""
        array = numpy.load(tmp_path / "out.npy")
        (tmp_path / "out.npy").unlink()
        return array

    return run


@pytest.fixture
def voxel_size(tamis):
    def run(name):
        told = [line for line in tamis("info", name).stdout.splitlines() if "voxel size" in line]
        return told[0].split("voxel size")[1].strip()

    return run


def dicom(path, array, *, frames=None, syntax=ExplicitVRLittleEndian, storage=MRImageStorage, change=None, bits=None):
    """A file whose elements say what `array` is; `frames` are its compressed frames, of whatever size."""
    data = pydicom.Dataset()
    data.file_meta = pydicom.dataset.FileMetaDataset()
    data.file_meta.TransferSyntaxUID = syntax
    data.file_meta.MediaStorageSOPClassUID = data.SOPClassUID = storage
    data.file_meta.MediaStorageSOPInstanceUID = data.SOPInstanceUID = generate_uid()
    data.SeriesInstanceUID, data.InstanceNumber, data.Modality = "1.2.3", 1, "MR"
    data.PixelSpacing = [0.8, 0.7]
    data.Rows, data.Columns = array.shape[-2:]
    if array.ndim == 3:
        data.NumberOfFrames = len(array)
    data.SamplesPerPixel, data.PhotometricInterpretation = 1, "MONOCHROME2"
    data.BitsAllocated = 8 * array.itemsize
    data.BitsStored = bits or data.BitsAllocated
    data.HighBit, data.PixelRepresentation = data.BitsStored - 1, int(array.dtype.kind == "i")
    data.PixelData = array.tobytes() + bytes(array.nbytes % 2)
    data["PixelData"].VR = "OW"
    if frames is not None:
        data.PixelData = encapsulate(frames)
        data["PixelData"].VR = "OB"
        data["PixelData"].is_undefined_length = True
    if change:
        change(data)
    data.save_as(path, enforce_file_format=True)


def noise(shape=(12, 20), dtype="uint16", high=None):
    limits = numpy.iinfo(dtype)
    return numpy.random.default_rng(5).integers(limits.min, high or limits.max, shape, dtype, endpoint=True)


@pytest.mark.parametrize("coding", CODED)
@pytest.mark.parametrize("dtype", ["uint8", "uint16"])
def test_compressed_frames_are_read(read, tmp_path, coding, dtype):
    syntax, encode = CODED[coding]
    for shape in ((12, 20), (3, 12, 20)):
        array = noise(shape, dtype)
        frames = [encode(frame) for frame in array.reshape(-1, 12, 20)]
        dicom(tmp_path / "a.dcm", array, frames=frames, syntax=syntax)
        numpy.testing.assert_array_equal(read("a.dcm"), array)


@pytest.mark.parametrize("coding", CODED)
@pytest.mark.parametrize("shape", [(6, 20), (12, 10), (20, 12), (24, 20), (12, 40), (1, 1), (12, 19), (11, 20)])
@pytest.mark.sampled(2)
def test_a_frame_of_another_size_is_refused(refused, tmp_path, coding, shape):
    syntax, encode = CODED[coding]
    size = f"{shape[1]}x{shape[0]}"
    dicom(tmp_path / "a.dcm", noise(), frames=[encode(noise(shape))], syntax=syntax)
    refused("convert", "a.dcm", "out.npy", words=["a.dcm", f"got a {coding} frame of {size}", "wanted 20x12"])
    frames = [encode(noise()), encode(noise(shape))]
    dicom(tmp_path / "a.dcm", noise((2, 12, 20)), frames=frames, syntax=syntax)
    refused("convert", "a.dcm", "out.npy", words=["a.dcm", f"got a {coding} frame of {size}", "wanted 20x12"])


@pytest.mark.parametrize("coding", CODED)
@pytest.mark.parametrize("said, stored", [("uint16", "uint8"), ("uint8", "uint16"), ("uint32", "uint16")])
def test_a_frame_of_another_type_is_refused(refused, tmp_path, coding, said, stored):
    syntax, encode = CODED[coding]
    dicom(tmp_path / "a.dcm", noise(dtype=said), frames=[encode(noise(dtype=stored))], syntax=syntax)
    refused("convert", "a.dcm", "out.npy", words=[f"got a {coding} frame of 20x12", "bits", "wanted 20x12"])


def test_a_frame_in_colour_is_refused(refused, tmp_path):
    colours = noise((12, 20, 3), "uint8")
    for coding, syntax, frame in (
        ("JPEG", JPEGBaseline8Bit, imagecodecs.jpeg8_encode(colours)),
        ("JPEG-LS", JPEGLSLossless, imagecodecs.jpegls_encode(colours)),
        ("JPEG 2000", JPEG2000Lossless, imagecodecs.jpeg2k_encode(colours, codecformat="j2k", reversible=True, level=0)),
    ):
        dicom(tmp_path / "a.dcm", noise(dtype="uint8"), frames=[frame], syntax=syntax)
        refused("convert", "a.dcm", "out.npy", words=[coding, "3 samples a pixel", "1 sample a pixel"])


@pytest.mark.parametrize("coding", CODED)
@pytest.mark.parametrize("count", [1, 2, 4])
def test_another_number_of_frames_is_refused(refused, tmp_path, coding, count):
    syntax, encode = CODED[coding]
    dicom(tmp_path / "a.dcm", noise((3, 12, 20)), frames=[encode(noise())] * count, syntax=syntax)
    refused("convert", "a.dcm", "out.npy", words=[f"got {count} {coding} frames", "wanted 3"])


@pytest.mark.parametrize("coding", CODED)
def test_a_frame_cut_anywhere_is_refused(tamis, tmp_path, coding):
    syntax, encode = CODED[coding]
    array = noise()
    whole = encode(array)
    for length in [*range(2, 60, 6), len(whole) // 2]:
        dicom(tmp_path / "a.dcm", array, frames=[whole[:length]], syntax=syntax)
        told = tamis("convert", "a.dcm", "out.npy", "--quiet", check=False)
        if coding == "JPEG 2000" and told.returncode == 0:
            continue  # what is there of it is a coarser image: the codec's right
        assert told.returncode == 2 and told.stderr.count("\n") == 1, (length, told)
        assert not (tmp_path / "out.npy").exists()


@pytest.mark.parametrize(
    "damage, words",
    [
        (lambda f: b"\1" + f[1:], "planes"),
        (lambda f: b"\3" + f[1:], "planes"),
        (lambda f: b"\xff\xff\xff\xff" + f[4:], "planes"),
        (lambda f: f[:4] + b"\0\0\0\0" + f[8:], "plane at byte 0"),
        (lambda f: f[:4] + b"\xff\xff\xff\xff" + f[8:], "RLE plane of"),
        (lambda f: f[: len(f) // 2], "RLE plane of"),
        (lambda f: f[:30], "planes"),
        (lambda f: f[:64] + b"\x80" * (len(f) - 64), "RLE plane of 0 samples"),
    ],
)
def test_a_damaged_rle_frame_is_refused(refused, tmp_path, damage, words):
    array = noise()
    dicom(tmp_path / "a.dcm", array, change=lambda data: data.compress(RLELossless))
    data = pydicom.dcmread(tmp_path / "a.dcm")
    frame = next(pydicom.encaps.generate_frames(data.PixelData, number_of_frames=1))
    dicom(tmp_path / "a.dcm", array, frames=[damage(frame)], syntax=RLELossless)
    refused("convert", "a.dcm", "out.npy", words=["corrupt RLE frame", words])


def test_plain_pixel_data_under_a_compressed_syntax_and_the_reverse_are_refused(refused, tmp_path):
    dicom(tmp_path / "a.dcm", noise(), frames=[bytes(480)], syntax=RLELossless)
    raw = (tmp_path / "a.dcm").read_bytes()
    (tmp_path / "a.dcm").write_bytes(raw.replace(b"1.2.840.10008.1.2.5\0", b"1.2.840.10008.1.2.1\0"))
    refused("info", "a.dcm", words=["encapsulated", "wanted them plain"])
    dicom(tmp_path / "a.dcm", noise())
    raw = (tmp_path / "a.dcm").read_bytes()
    (tmp_path / "a.dcm").write_bytes(raw.replace(b"1.2.840.10008.1.2.1\0", b"1.2.840.10008.1.2.5\0"))
    refused("info", "a.dcm", words=["plain pixel data", "wanted them encapsulated"])
    dicom(tmp_path / "a.dcm", noise(), syntax=ImplicitVRLittleEndian)
    raw = (tmp_path / "a.dcm").read_bytes()
    (tmp_path / "a.dcm").write_bytes(raw.replace(b"1.2.840.10008.1.2\0", b"1.2.840.10008.1.9\0"))
    refused("info", "a.dcm", words=["transfer syntax 1.2.840.10008.1.9", "wanted an uncompressed one"])


@pytest.mark.parametrize("dtype, bits", [("uint8", 8), ("uint16", 16), ("uint16", 12), ("int16", 16), ("int16", 12)])
@pytest.mark.parametrize("slope", [None, (1, -1024), (0.5, 3)])
@pytest.mark.parametrize("syntax", [ExplicitVRLittleEndian, ImplicitVRLittleEndian, RLELossless])
@pytest.mark.sampled(3)
def test_the_values_of_monochrome1_are_those_in_the_file(read, tmp_path, dtype, bits, slope, syntax):
    def change(data):
        data.PhotometricInterpretation = "MONOCHROME1"
        if slope:
            data.RescaleSlope, data.RescaleIntercept = slope
        if syntax == RLELossless:
            data.compress(RLELossless)

    array = noise(dtype=dtype, high=(1 << (bits - int(dtype[0] == "i"))) - 1)
    if dtype[0] == "i" and bits == 12:
        array = numpy.clip(array, -2048, 2047)
    plain = syntax if syntax != RLELossless else ExplicitVRLittleEndian
    dicom(tmp_path / "a.dcm", array, change=change, bits=bits, syntax=plain)
    wanted = array if slope is None else array * float(slope[0]) + slope[1]
    numpy.testing.assert_array_equal(read("a.dcm"), wanted)


def test_a_series_in_monochrome1_is_not_inverted(read, tmp_path):
    volume = noise((3, 12, 20))
    (tmp_path / "series").mkdir()
    for z in range(3):
        def change(data, z=z):
            data.PhotometricInterpretation = "MONOCHROME1"
            data.ImagePositionPatient, data.ImageOrientationPatient = [0, 0, 2 * z], [1, 0, 0, 0, 1, 0]

        dicom(tmp_path / "series" / f"{z}.dcm", volume[z], change=change)
    numpy.testing.assert_array_equal(read("series"), volume)


@pytest.mark.parametrize("shape", [(8, 8), (3, 5), (1, 1), (7, 13), (3, 3, 5)])
@pytest.mark.parametrize("photometric", ["MONOCHROME1", "MONOCHROME2"])
def test_bits_are_read_to_the_last(read, tmp_path, shape, photometric):
    bits = numpy.random.default_rng(2).integers(0, 2, shape).astype(bool)

    def change(data):
        data.BitsAllocated = data.BitsStored = 1
        data.HighBit = 0
        data.PhotometricInterpretation = photometric
        packed = numpy.packbits(bits.ravel(), bitorder="little").tobytes()
        data.PixelData = packed + bytes(len(packed) % 2)

    dicom(tmp_path / "a.dcm", bits.astype("uint8"), change=change)
    numpy.testing.assert_array_equal(read("a.dcm"), bits * 255)


@pytest.mark.parametrize("spacing", ["0\\0.7", "0.8\\0", "0\\0", "nan\\0.7", "0.8\\inf", "1e999\\1", "-1\\0.7", "", "1", "x"])
def test_pixel_sizes_that_are_no_lengths_are_not_known(tamis, voxel_size, tmp_path, spacing):
    dicom(tmp_path / "a.dcm", noise())
    raw = (tmp_path / "a.dcm").read_bytes()
    old = b"\x28\x00\x30\x00DS\x08\x000.8\\0.7 "
    assert old in raw
    value = spacing.encode() + b" " * (len(spacing) % 2)
    (tmp_path / "a.dcm").write_bytes(raw.replace(old, b"\x28\x00\x30\x00DS" + bytes([len(value), 0]) + value))
    assert voxel_size("a.dcm") == "not known"


def test_the_size_of_an_ultrasound_pixel_is_that_of_its_regions(voxel_size, tmp_path):
    def regions(*edges, unit=3):
        def change(data):
            del data.PixelSpacing
            data.SequenceOfUltrasoundRegions = []
            for y, x in edges:
                region = pydicom.Dataset()
                region.PhysicalUnitsXDirection = region.PhysicalUnitsYDirection = unit
                region.PhysicalDeltaX, region.PhysicalDeltaY = x, y
                data.SequenceOfUltrasoundRegions.append(region)

        return change

    for change, said in ((regions((0.02, 0.01)), "0.1 x 0.2 mm"), (regions((0.02, 0.01), (0.02, 0.01)), "0.1 x 0.2 mm"),
                         (regions((0.02, 0.01), (0.02, 0.02)), "not known"), (regions((0, 0.01)), "not known"),
                         (regions((0.02, 0.01), unit=4), "not known")):  # fmt: skip
        dicom(tmp_path / "a.dcm", noise(), change=change)
        assert voxel_size("a.dcm") == said


def test_a_pixel_size_of_one_counts_where_the_file_says_so(voxel_size, tmp_path):
    dicom(tmp_path / "a.dcm", noise(), change=lambda data: setattr(data, "PixelSpacing", [1, 1]))
    assert voxel_size("a.dcm") == "1 mm"
    dicom(tmp_path / "a.dcm", noise(), change=lambda data: delattr(data, "PixelSpacing"))
    assert voxel_size("a.dcm") == "not known"


def test_the_distance_of_frames_is_none_of_the_time_between_them(voxel_size, tmp_path):
    def cine(data):
        data.FrameIncrementPointer = 0x00181063
        data.FrameTime = 40

    array = noise((3, 12, 20))
    dicom(tmp_path / "a.dcm", array, change=cine)
    assert voxel_size("a.dcm") == "not known"
    dicom(tmp_path / "a.dcm", array, storage=UltrasoundMultiFrameImageStorage, change=cine)
    assert voxel_size("a.dcm") == "not known"
    dicom(tmp_path / "a.dcm", array, change=lambda data: setattr(data, "SpacingBetweenSlices", 3))
    assert voxel_size("a.dcm") == "0.7 x 0.8 x 3 mm"


def test_groups_of_elements_that_are_not_those_of_the_frames_are_refused(refused, tmp_path):
    def groups(count, twice=False):
        def change(data):
            group = pydicom.Dataset()
            group.PlanePositionSequence = [pydicom.Dataset() for _ in range(1 + twice)]
            for place in group.PlanePositionSequence:
                place.ImagePositionPatient = [0, 0, 1]
            data.PerFrameFunctionalGroupsSequence = [group] * count

        return change

    for count in (1, 2, 4, 100):
        dicom(tmp_path / "a.dcm", noise((3, 12, 20)), change=groups(count))
        refused("info", "a.dcm", words=["groups of elements for", "wanted 3"])
    dicom(tmp_path / "a.dcm", noise((3, 12, 20)), change=groups(3, twice=True))
    refused("info", "a.dcm", words=["00200032 twice"])


def test_colours_of_a_palette_are_refused(refused, tmp_path):
    dicom(tmp_path / "a.dcm", noise(), change=lambda data: setattr(data, "PhotometricInterpretation", "PALETTE COLOR"))
    refused("info", "a.dcm", words=["PALETTE COLOR", "wanted grey"])


@pytest.mark.parametrize("name", ["Rows", "Columns", "BitsAllocated", "SamplesPerPixel"])
def test_an_element_that_is_there_twice_is_refused(refused, tmp_path, name):
    dicom(tmp_path / "a.dcm", noise())
    raw = (tmp_path / "a.dcm").read_bytes()
    tag = pydicom.datadict.tag_for_keyword(name)
    start = raw.index(bytes([tag >> 16 & 255, tag >> 24, tag & 255, tag >> 8 & 255]) + b"US\2\0")
    (tmp_path / "a.dcm").write_bytes(raw[: start + 10] + raw[start : start + 10] + raw[start + 10 :])
    refused("info", "a.dcm", words=[f"{tag:08x} twice", "wanted it once"])


@pytest.mark.parametrize("undefined", [False, True])
def test_sequences_within_each_other_are_read_to_a_depth(tamis, refused, tmp_path, undefined):
    """GDCM takes twice the time for each further one."""

    def nested(depth):
        def change(data):
            inner = pydicom.Dataset()
            inner.PatientComments = "deep"
            for _ in range(depth):
                outer = pydicom.Dataset()
                outer.PixelMeasuresSequence = [inner]
                outer["PixelMeasuresSequence"].is_undefined_length = undefined
                inner = outer
            data.SharedFunctionalGroupsSequence = [inner]
            data["SharedFunctionalGroupsSequence"].is_undefined_length = undefined

        return change

    dicom(tmp_path / "a.dcm", noise(), change=nested(14))
    tamis("info", "a.dcm", timeout=20)
    for depth in (30, 200):
        dicom(tmp_path / "a.dcm", noise(), change=nested(depth))
        refused("info", "a.dcm", words=["more than 16 sequences within each other"], timeout=20)


def raw(tag, vr, length, value=b""):
    """An element whose length may be any, explicit little endian; without a type implicit."""
    head = struct.pack("<HH", tag >> 16, tag & 0xFFFF)
    return head + (vr + struct.pack("<HI", 0, length) if vr else struct.pack("<I", length)) + value


@pytest.mark.parametrize("syntax", [ExplicitVRLittleEndian, ImplicitVRLittleEndian, RLELossless])
@pytest.mark.parametrize("place", ["behind", "in a sequence", "in an unknown sequence", "in a turned sequence"])
def test_a_length_that_nothing_holds_takes_no_memory(tamis_program, tmp_path, syntax, place):
    """GDCM takes as much as an element says. What our own checks cannot tell ends at the limit of the process."""
    vr = None if syntax == ImplicitVRLittleEndian else b"OB"
    huge = raw(0x7FE11010, vr, 0xB0000000)
    array = noise((12, 20), "uint8")
    if syntax == RLELossless:
        dicom(tmp_path / "a.dcm", array, change=lambda data: data.compress(RLELossless))
    else:
        dicom(tmp_path / "a.dcm", array, syntax=syntax)
    item = raw(0xFFFEE000, None, len(huge), huge)
    if place == "in an unknown sequence":
        item = raw(0xFFFEE000, None, 8, raw(0x00080100, None, 0xB0000000))
    if place == "in a turned sequence":  # Philips had such
        item = struct.pack(">HHI", 0xFFFE, 0xE000, 8) + struct.pack(">HHI", 0x0008, 0x0100, 0xB0000000)
    kind = b"SQ" if place == "in a sequence" else b"UN"
    more = huge if place == "behind" else raw(0x00411010, vr and kind, len(item), item)
    whole = (tmp_path / "a.dcm").read_bytes()
    at = whole.index(b"\xe0\x7f\x10\x00") if place != "behind" else len(whole)
    (tmp_path / "a.dcm").write_bytes(whole[:at] + more + whole[at:])
    command = [tamis_program, "convert", "a.dcm", "out.npy", "--quiet", "--memory", "64M"]
    code, peak = end_and_peak(tmp_path, *command)
    assert peak < 256 << 20  # it was 2.9 GB
    if place in ("behind", "in a sequence"):
        assert code == 2
    elif code == 0:  # GDCM did not look into it
        numpy.testing.assert_array_equal(numpy.load(tmp_path / "out.npy"), array)


@pytest.mark.parametrize("syntax", [ExplicitVRLittleEndian, ImplicitVRLittleEndian, RLELossless])
def test_what_files_have_behind_their_pixels_is_passed_over(read, tmp_path, syntax):
    array = noise((12, 20), "uint8")
    vr = None if syntax == ImplicitVRLittleEndian else b"OB"
    for more in (raw(0xFFFCFFFC, vr, 126, bytes(126)), bytes(200), raw(0x7FE11010, vr, 4, b"abcd")):
        if syntax == RLELossless:
            dicom(tmp_path / "a.dcm", array, change=lambda data: data.compress(RLELossless))
        else:
            dicom(tmp_path / "a.dcm", array, syntax=syntax)
        with open(tmp_path / "a.dcm", "ab") as file:
            file.write(more)
        numpy.testing.assert_array_equal(read("a.dcm"), array)
