"""Medical files as other programs write them: nibabel, SimpleITK and pydicom against the program."""

import gzip
import json
import struct

import nibabel
import numpy
import pydicom
import pytest
import SimpleITK
from pydicom.uid import ExplicitVRLittleEndian, MRImageStorage, RLELossless, generate_uid

SPACING = (0.7, 0.8, 2.5)  # x first
TYPES = ["uint8", "int8", "uint16", "int16", "uint32", "int32", "float32", "float64"]


@pytest.fixture
def has_gdcm(tamis, tmp_path):
    """Skips where the program was built without what decodes DICOM, which it says itself."""
    dicom(tmp_path / "probe.dcm", numpy.zeros((2, 2), "uint16"), compressed=True)
    told = tamis("info", "probe.dcm", check=False)
    (tmp_path / "probe.dcm").unlink()
    if "built without" in told.stderr:
        pytest.skip("built without GDCM")
    assert told.returncode == 0, told.stderr


@pytest.fixture
def read(tamis, tmp_path):
    """What the program makes of a file: the array. Nothing may be printed."""

    def run(name):
        result = tamis("convert", name, "out.npy", "--quiet")
        assert result.stderr == ""
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


@pytest.fixture
def refused(tamis):
    def run(name, *words):
        result = tamis("convert", name, "out.npy", "--quiet", check=False)
        assert result.returncode == 2, (result.returncode, result.stdout, result.stderr)
        assert result.stdout == "" and result.stderr.count("\n") == 1, result.stderr
        for word in words:
            assert word in result.stderr, result.stderr

    return run


def noise(shape=(5, 6, 7), dtype="int16"):
    random = numpy.random.default_rng(3)
    if numpy.dtype(dtype).kind == "f":
        return random.normal(0, 1e3, shape).astype(dtype)
    limits = numpy.iinfo(dtype)
    return random.integers(limits.min, limits.max, shape, dtype)


def write_itk(path, array, compressed=False):
    image = SimpleITK.GetImageFromArray(array)
    image.SetSpacing(SPACING[: array.ndim])
    image.SetOrigin((10, -20, 30)[: array.ndim])
    SimpleITK.WriteImage(image, str(path), compressed)


@pytest.mark.parametrize("compressed", [False, True])
@pytest.mark.parametrize("name", ["a.nrrd", "a.nhdr", "a.mha", "a.mhd", "a.nii", "a.nii.gz"])
def test_what_itk_writes_is_read(read, voxel_size, tmp_path, name, compressed):
    for dtype in TYPES:
        array = noise(dtype=dtype)
        write_itk(tmp_path / name, array, compressed)
        back = read(name)
        assert back.dtype == array.dtype
        numpy.testing.assert_array_equal(back, array)
    assert voxel_size(name) == "0.7 x 0.8 x 2.5 mm"
    flat = noise((6, 7))
    write_itk(tmp_path / name, flat, compressed)
    numpy.testing.assert_array_equal(read(name), flat)


@pytest.mark.parametrize("name", ["a.nrrd", "a.mha", "a.nii"])
def test_what_the_program_writes_is_read_by_itk(tamis, tmp_path, name):
    for dtype in TYPES:
        array = noise(dtype=dtype)
        numpy.save(tmp_path / "in.npy", array)
        tamis("convert", "in.npy", name, "--spacing", "0.7x0.8x2.5mm")
        image = SimpleITK.ReadImage(str(tmp_path / name))
        numpy.testing.assert_array_equal(SimpleITK.GetArrayFromImage(image), array)
        assert image.GetSpacing() == pytest.approx(SPACING)
    if name == "a.nii":
        nifti = nibabel.load(tmp_path / name)
        numpy.testing.assert_array_equal(numpy.asarray(nifti.dataobj).T, array)
        assert nifti.header.get_xyzt_units()[0] == "mm"


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("name", ["a.nii", "a.nii.gz"])
def test_what_nibabel_writes_is_read(read, voxel_size, tmp_path, name, order):
    array = noise(dtype="int16")
    header = nibabel.Nifti1Header(endianness=order)
    header.set_data_dtype("int16")
    image = nibabel.Nifti1Image(array.T, numpy.diag([*SPACING, 1]), header)
    image.header.set_xyzt_units("mm")
    nibabel.save(image, tmp_path / name)
    numpy.testing.assert_array_equal(read(name), array)
    assert voxel_size(name) == "0.7 x 0.8 x 2.5 mm"


@pytest.mark.parametrize("name", ["a.nii", "a.nii.gz"])
@pytest.mark.parametrize("slope, intercept", [(0.25, 0), (2, -1000), (1, 5), (-3, 0.5)])
def test_nifti_slopes_are_honoured(read, tmp_path, name, slope, intercept):
    array = noise(dtype="int16")
    image = nibabel.Nifti1Image(array.T, numpy.eye(4))
    image.header.set_slope_inter(slope, intercept)
    nibabel.save(image, tmp_path / name)
    # nibabel stores what gives the array back; the samples are then near it, and its own reading is the judge.
    wanted = nibabel.load(tmp_path / name).get_fdata().T
    back = read(name)
    assert back.dtype == numpy.float32
    numpy.testing.assert_allclose(back, wanted, rtol=1e-6, atol=1e-3)


def test_a_slope_of_0_is_none(read, tmp_path):
    array = noise(dtype="int16")
    nibabel.save(nibabel.Nifti1Image(array.T, numpy.eye(4)), tmp_path / "a.nii")
    whole = bytearray((tmp_path / "a.nii").read_bytes())
    whole[112:120] = struct.pack("<ff", 0, 7)
    (tmp_path / "a.nii").write_bytes(whole)
    back = read("a.nii")
    assert back.dtype == array.dtype
    numpy.testing.assert_array_equal(back, array)


def test_a_sheared_place_in_space_does_not_matter(read, voxel_size, tmp_path):
    array = noise()
    affine = numpy.diag([2, 2, 3, 1.0])
    affine[0, 2] = 0.5
    image = nibabel.Nifti1Image(array.T, affine)
    image.header.set_sform(affine, 1)
    image.header.set_qform(None, 0)
    image.header.set_xyzt_units("mm")
    nibabel.save(image, tmp_path / "a.nii")
    numpy.testing.assert_array_equal(read("a.nii"), array)
    edges = nibabel.load(tmp_path / "a.nii").header.get_zooms()
    assert voxel_size("a.nii") == f"{edges[0]:g} x {edges[1]:g} x {edges[2]:g} mm"


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("name", ["a.nii", "a.nii.gz", "a.hdr"])
@pytest.mark.parametrize("dtype", ["int16", "float64", "uint8"])
def test_nifti_of_both_versions_alone_and_in_pairs_is_read(read, voxel_size, tmp_path, name, order, dtype):
    array = noise(dtype=dtype)
    for version in (1, 2):
        kind = (nibabel.Nifti1Pair if version == 1 else nibabel.Nifti2Pair) if name == "a.hdr" else (
            nibabel.Nifti1Image if version == 1 else nibabel.Nifti2Image)
        header = kind.header_class(endianness=order)
        header.set_data_dtype(dtype)
        image = kind(array.T, numpy.diag([*SPACING, 1]), header)
        image.header.set_xyzt_units("mm")
        nibabel.save(image, tmp_path / name)
        numpy.testing.assert_array_equal(read(name), array)
        assert voxel_size(name) == "0.7 x 0.8 x 2.5 mm"
        if name == "a.hdr":
            numpy.testing.assert_array_equal(read("a.img"), array)


@pytest.mark.parametrize("name", ["a.nii", "a.nii.gz"])
def test_of_several_volumes_one_is_read(tamis, read, refused, tmp_path, name):
    array = noise((7, 6, 5, 1))
    nibabel.save(nibabel.Nifti1Image(array, numpy.eye(4)), tmp_path / name)
    numpy.testing.assert_array_equal(read(name), array[..., 0].T)
    array = noise((7, 6, 5, 3))
    nibabel.save(nibabel.Nifti1Image(array, numpy.eye(4)), tmp_path / name)
    refused(name, "has 3 times", "choose it with --time 0..2")
    for time in (1, 2, 0):
        tamis("convert", name, "out.npy", "--time", time)
        numpy.testing.assert_array_equal(numpy.load(tmp_path / "out.npy"), array[..., time].T)
    nibabel.save(nibabel.Nifti1Image(noise((7, 6, 5, 2, 3)), numpy.eye(4)), tmp_path / name)
    refused(name, "5 dimensions (7x6x5x2x3)", "wanted 2 or 3")


@pytest.mark.parametrize("name", ["a.nrrd", "a.mha", "a.nii"])
def test_colour_and_vectors_are_refused(refused, tmp_path, name):
    for kind in (numpy.uint8, numpy.float32):
        image = SimpleITK.GetImageFromArray(noise((5, 6, 7, 3), kind), isVector=True)
        SimpleITK.WriteImage(image, str(tmp_path / name))
        refused(name, name, "one number a voxel" if name != "a.nii" else "wanted")


def test_every_truncation_of_a_gzip_is_refused(refused, tmp_path):
    nibabel.save(nibabel.Nifti1Image(noise((5, 4, 3)).T, numpy.eye(4)), tmp_path / "a.nii.gz")
    whole = (tmp_path / "a.nii.gz").read_bytes()
    for length in range(0, len(whole), 7):
        (tmp_path / "a.nii.gz").write_bytes(whole[:length])
        refused("a.nii.gz", "a.nii.gz")
    short = gzip.decompress(whole)[:-2]
    (tmp_path / "a.nii.gz").write_bytes(gzip.compress(short))
    refused("a.nii.gz", f"got {len(short)} bytes after decompression", f"wanted {len(short) + 2}")


def dicom(path, array, *, position=(0, 0, 0), series="1.2.3", number=1, slope=None, intercept=0, compressed=False,
          bits=None):
    data = pydicom.Dataset()
    data.file_meta = pydicom.dataset.FileMetaDataset()
    data.file_meta.TransferSyntaxUID = ExplicitVRLittleEndian
    data.file_meta.MediaStorageSOPClassUID = data.SOPClassUID = MRImageStorage
    data.file_meta.MediaStorageSOPInstanceUID = data.SOPInstanceUID = generate_uid()
    data.SeriesInstanceUID, data.InstanceNumber, data.Modality = series, number, "MR"
    data.ImagePositionPatient, data.ImageOrientationPatient = list(position), [1, 0, 0, 0, 1, 0]
    data.PixelSpacing = [0.8, 0.7]  # between rows, between columns
    data.Rows, data.Columns = array.shape
    data.SamplesPerPixel, data.PhotometricInterpretation = 1, "MONOCHROME2"
    data.BitsAllocated = 8 * array.itemsize
    data.BitsStored = bits or data.BitsAllocated
    data.HighBit, data.PixelRepresentation = data.BitsStored - 1, int(array.dtype.kind == "i")
    if slope is not None:
        data.RescaleSlope, data.RescaleIntercept = slope, intercept
    data.PixelData = array.tobytes()
    data["PixelData"].VR = "OW"
    if compressed:
        data.compress(RLELossless)
    data.save_as(path, enforce_file_format=True)


@pytest.mark.parametrize("compressed", [False, True])
@pytest.mark.parametrize("dtype", ["uint8", "uint16", "int16"])
def test_a_dicom_series_is_a_volume(has_gdcm, read, voxel_size, tmp_path, dtype, compressed):
    volume = noise((5, 6, 8), dtype)
    (tmp_path / "series").mkdir()
    for z in numpy.random.default_rng(1).permutation(5):
        dicom(tmp_path / "series" / f"IM{z * 3 % 5}", volume[z], position=(1, 2, 2.5 * z - 4), number=int(z) + 1,
              compressed=compressed)
    numpy.testing.assert_array_equal(read("series"), volume)
    assert voxel_size("series") == "0.7 x 0.8 x 2.5 mm"
    if compressed:
        return  # the GDCM in SimpleITK 2.5 refuses what pydicom compresses; Debian's reads it
    reader = SimpleITK.ImageSeriesReader()
    reader.SetFileNames(reader.GetGDCMSeriesFileNames(str(tmp_path / "series")))
    image = reader.Execute()
    numpy.testing.assert_array_equal(SimpleITK.GetArrayFromImage(image), volume)
    assert image.GetSpacing() == pytest.approx(SPACING)


@pytest.mark.parametrize("slope, intercept", [(1, -1024), (0.5, 3), (2, 0)])
def test_the_slope_of_dicom_is_honoured(read, tmp_path, slope, intercept):
    plane = noise((6, 8), "uint16")
    dicom(tmp_path / "a.dcm", plane, slope=slope, intercept=intercept)
    back = read("a.dcm")
    assert back.dtype == numpy.float32  # 16 bits and -1024 are more than i16 holds
    numpy.testing.assert_array_equal(back, plane.astype(float) * slope + intercept)
    twelve = noise((6, 8), "int16") >> 4
    dicom(tmp_path / "a.dcm", twelve, slope=slope, intercept=intercept, bits=12)
    back = read("a.dcm")
    assert back.dtype == (numpy.float32 if slope == 0.5 else numpy.int16)
    numpy.testing.assert_array_equal(back, twelve * float(slope) + intercept)


def test_files_of_the_field_are_what_pydicom_says_or_refused(has_gdcm, tamis, tmp_path):
    """Files that have been trouble to programs. Wrong samples are the one answer that is not allowed."""
    folder = pydicom.data.data_manager.DATA_ROOT
    checked = 0
    for path in sorted((pydicom.data.data_manager.Path(folder) / "test_files").glob("*.dcm")):
        result = tamis("convert", path, "out.npy", "--quiet", check=False)
        assert result.returncode in (0, 2), (path, result.stderr)
        assert result.stderr.count("\n") == (result.returncode != 0), (path, result.stderr)
        if result.returncode != 0:
            continue
        try:
            data = pydicom.dcmread(path)
            wanted = data.pixel_array * float(data.get("RescaleSlope", 1)) + float(data.get("RescaleIntercept", 0))
        except (RuntimeError, NotImplementedError):  # codecs that pydicom has not got
            continue
        if data.BitsAllocated == 1:
            wanted = wanted * 255  # bits come as 0 and 255
        back = numpy.load(tmp_path / "out.npy")
        if back.dtype == numpy.float32:
            wanted = wanted.astype(numpy.float32)
        numpy.testing.assert_array_equal(back, wanted, err_msg=str(path))
        checked += 1
    assert checked >= 10


def frames(path, array, places, slopes=None, thickness=2.5, change=None):
    """An enhanced file: each frame has its own place and slope."""
    groups = []
    for z, place in enumerate(places):
        group = pydicom.Dataset()
        group.PlanePositionSequence = [pydicom.Dataset()]
        group.PlanePositionSequence[0].ImagePositionPatient = [1, 2, place]
        if slopes:
            scale = pydicom.Dataset()
            scale.RescaleSlope, scale.RescaleIntercept, scale.RescaleType = slopes[z]
            group.PixelValueTransformationSequence = [scale]
        groups.append(group)
    shared = pydicom.Dataset()
    shared.PlaneOrientationSequence = [pydicom.Dataset()]
    shared.PlaneOrientationSequence[0].ImageOrientationPatient = [1, 0, 0, 0, 1, 0]
    measures = pydicom.Dataset()
    measures.PixelSpacing, measures.SliceThickness = [0.8, 0.7], thickness
    shared.PixelMeasuresSequence = [measures]
    dicom(path, array[0])
    data = pydicom.dcmread(path)
    for name in ("PixelSpacing", "ImagePositionPatient", "ImageOrientationPatient"):
        delattr(data, name)
    data.NumberOfFrames = len(array)
    data.SharedFunctionalGroupsSequence, data.PerFrameFunctionalGroupsSequence = [shared], groups
    data.PixelData = array.tobytes()
    if change:
        change(data)
    data.save_as(path, enforce_file_format=True)


@pytest.mark.parametrize("compressed", [False, True])
def test_each_frame_has_its_own_place_and_slope(has_gdcm, read, voxel_size, tmp_path, compressed):
    array = noise((4, 6, 8), "uint16")
    compress = (lambda data: data.compress(RLELossless)) if compressed else None
    slopes = [(1, 0, "US"), (2, -1, "US"), (0.5, 3, "US"), (1, 7, "US")]
    frames(tmp_path / "a.dcm", array, [6, 0, 9, 3], slopes, change=compress)
    wanted = numpy.stack([array[z] * float(slopes[z][0]) + slopes[z][1] for z in (1, 3, 0, 2)])
    back = read("a.dcm")
    assert back.dtype == numpy.float32
    numpy.testing.assert_array_equal(back, wanted)
    assert voxel_size("a.dcm") == "0.7 x 0.8 x 3 mm"
    frames(tmp_path / "a.dcm", array, [0, 3, 6, 9], change=compress)
    back = read("a.dcm")
    assert back.dtype == array.dtype
    numpy.testing.assert_array_equal(back, array)


def test_frames_that_are_no_even_volume_are_refused_with_their_distances(tamis, refused, tmp_path):
    array = noise((3, 6, 8), "uint16")
    frames(tmp_path / "a.dcm", array, [0, 2, 6])
    refused("a.dcm", "2 to 4 mm apart", "is a slice missing?")
    tamis("convert", "a.dcm", "out.npy", "--spacing", "1x1x2mm")
    (tmp_path / "out.npy").unlink()
    frames(tmp_path / "a.dcm", array, [0, 4, 4])
    refused("a.dcm", "several slices at one position (4 mm along their normal, up to 4 mm between others")

    def turn(data):
        turned = pydicom.Dataset()
        turned.ImageOrientationPatient = [0, 1, 0, 0, 0, 1]
        data.PerFrameFunctionalGroupsSequence[1].PlaneOrientationSequence = [turned]

    frames(tmp_path / "a.dcm", array, [0, 2, 4], change=turn)
    refused("a.dcm", "orientation 0\\1\\0\\0\\0\\1", "wanted 1\\0\\0\\0\\1\\0")


def test_frames_of_several_files_are_one_volume(read, tmp_path):
    array = noise((5, 6, 8), "int16")
    (tmp_path / "series").mkdir()
    frames(tmp_path / "series" / "b.dcm", array[[0, 4, 2]], [0, 4, 2])
    frames(tmp_path / "series" / "a.dcm", array[[3, 1]], [3, 1])
    numpy.testing.assert_array_equal(read("series"), array)


def test_frames_of_a_dose_lie_at_their_offsets(read, voxel_size, refused, tmp_path):
    array = noise((3, 6, 8), "uint16")

    def dose(offsets):
        def change(data):
            del data.SharedFunctionalGroupsSequence, data.PerFrameFunctionalGroupsSequence
            data.PixelSpacing, data.GridFrameOffsetVector = [0.8, 0.7], offsets
            data.ImagePositionPatient, data.ImageOrientationPatient = [1, 2, 3], [1, 0, 0, 0, 1, 0]

        return change

    frames(tmp_path / "a.dcm", array, [0, 0, 0], change=dose([0, -5, -10]))
    numpy.testing.assert_array_equal(read("a.dcm"), array[::-1])
    assert voxel_size("a.dcm") == "0.7 x 0.8 x 5 mm"
    frames(tmp_path / "a.dcm", array, [0, 0, 0], change=dose([0, 5, 15]))
    refused("a.dcm", "5 to 10 mm apart")


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_floats_of_dicom_are_read(read, tmp_path, dtype):
    array = noise((6, 8), dtype)
    dicom(tmp_path / "a.dcm", array.astype("uint8"))
    data = pydicom.dcmread(tmp_path / "a.dcm")
    del data.PixelData, data.BitsStored, data.HighBit, data.PixelRepresentation
    data.BitsAllocated = 8 * array.itemsize
    setattr(data, "FloatPixelData" if dtype == "float32" else "DoubleFloatPixelData", array.tobytes())
    data.save_as(tmp_path / "a.dcm", enforce_file_format=True)
    back = read("a.dcm")
    assert back.dtype == array.dtype
    numpy.testing.assert_array_equal(back, array)


def test_a_series_with_a_missing_slice_can_be_forced(tamis, refused, tmp_path):
    (tmp_path / "series").mkdir()
    for z in (0, 1, 3):
        dicom(tmp_path / "series" / f"{z}.dcm", noise((6, 8)), position=(0, 0, 2 * z), number=z)
    refused("series", "2 to 4 mm apart", "is a slice missing?")
    tamis("convert", "series", "out.npy", "--spacing", "1x1x2mm")


def test_granulometry_takes_spacing_from_the_file(tamis, tmp_path, balls):
    image = SimpleITK.GetImageFromArray(balls)
    image.SetSpacing((0.5, 0.5, 0.5))
    for name in ("a.nii.gz", "a.nrrd", "a.mha"):
        SimpleITK.WriteImage(image, str(tmp_path / name), True)
        tamis("granulometry", name, "--threshold", "110", "--json", "out.json")
        told = json.loads((tmp_path / "out.json").read_text())
        assert "mm" in json.dumps(told)


def test_a_real_head_is_read(read, data):
    path = data / "mri" / "ch2.nii.gz"
    numpy.testing.assert_array_equal(read(path), numpy.asarray(nibabel.load(path).dataobj).T)
