"""The size of voxels, from a file through arrays and operations to a file."""

import copy
import pickle
import subprocess

import numpy
import pytest
import tamis

EDGES, UNIT = (3.0, 2.0, 1.5), "um"
KEEPING = ["kept.tif", "kept.ome.tif", "kept.h5", "kept.nii", "kept.nii.gz", "kept.nrrd", "kept.mha"]
NEEDED = {".tif": "tifffile", ".h5": "h5py", ".nii": "nibabel", ".gz": "nibabel"}


def library_of(name):
    library = NEEDED.get(name[name.rindex("."):])
    if library:
        pytest.importorskip(library)


@pytest.fixture
def scan():
    samples = numpy.random.default_rng(3).integers(0, 200, (5, 6, 7)).astype(numpy.uint8)
    return tamis.CalibratedArray(samples, EDGES, UNIT)


def in_um(image):
    factor = {"um": 1.0, "mm": 1e3}[image.unit]
    return tuple(factor * edge for edge in image.spacing)


def told_by(program, *arguments):
    return subprocess.run([program, *arguments], capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("name", KEEPING)
@pytest.mark.parametrize("rank", [2, 3])
def test_a_file_keeps_the_size_of_voxels(name, rank, scan, tmp_path, monkeypatch):
    library_of(name)
    monkeypatch.chdir(tmp_path)
    image = scan if rank == 3 else scan[0]
    tamis.write(name, image)
    read = tamis.read(name)
    numpy.testing.assert_array_equal(read, image)
    assert in_um(read) == pytest.approx(EDGES[-rank:], rel=1e-6)
    assert tamis.granulometry(read, 100).spacing[-rank:] == read.spacing


@pytest.mark.parametrize("name", KEEPING)
def test_the_program_reads_the_same_size(name, scan, tmp_path, monkeypatch, tamis_program):
    library_of(name)
    monkeypatch.chdir(tmp_path)
    tamis.write(name, scan)
    told = told_by(tamis_program, "info", name)
    assert "1.5 x 2 x 3 µm" in told or "0.0015 x 0.002 x 0.003 mm" in told


@pytest.mark.parametrize("name", ["made.tif", "made.h5", "made.nii", "made.nrrd", "made.mha"])
def test_what_the_program_writes_is_read_with_its_size(name, scan, tmp_path, monkeypatch, tamis_program):
    library_of(name)
    monkeypatch.chdir(tmp_path)
    tamis.write("scan_7x6x5_u8.raw", scan)
    told_by(tamis_program, "convert", "scan_7x6x5_u8.raw", name, "--as", "u16", "--spacing", "1.5x2x3um")
    read = tamis.read(name)
    numpy.testing.assert_array_equal(read, scan)
    assert read.dtype == numpy.uint16
    assert in_um(read) == pytest.approx(EDGES, rel=1e-6)


@pytest.mark.parametrize("name", ["plain.tif", "plain.ome.tif", "plain.h5", "plain.nii", "plain.nrrd", "plain.mha", "plain.npy",
                                  "plain_7x6x5_u8.raw"])
def test_no_size_is_made_up(name, scan, tmp_path, monkeypatch):
    library_of(name) if not name.endswith("npy") else None
    monkeypatch.chdir(tmp_path)
    tamis.write(name, numpy.asarray(scan))
    read = tamis.read(name)
    assert isinstance(read, tamis.CalibratedArray)
    assert (read.spacing, read.unit) == (None, "")


def test_a_spacing_can_be_given_to_write(scan, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    plain = numpy.asarray(scan)
    for spacing, unit in (("1.5x2x3um", ""), (EDGES, "um"), ([0.003, 0.002, 0.0015], "mm")):
        tamis.write("told.nrrd", plain, spacing=spacing, unit=unit)
        assert in_um(tamis.read("told.nrrd")) == pytest.approx(EDGES)
    tamis.write("told.nrrd", scan, spacing="1um")
    assert in_um(tamis.read("told.nrrd")) == pytest.approx((1, 1, 1))
    tamis.write("told.npy", scan)  # which has no room for it
    for name, given, words in (("told.npy", {"spacing": "1um"}, "told.npy: a .npy file holds no size of voxels; wanted .tif"),
                               ("told.nrrd", {"spacing": 3}, "wanted a unit too"),
                               ("told.nrrd", {"spacing": (1, 2), "unit": "um"}, "one for each of the 3 axes"),
                               ("told.nrrd", {"unit": "um"}, "without spacing")):
        with pytest.raises(tamis.InputError, match=words):
            tamis.write(name, scan, **given)


def test_an_array_knows_its_size_where_it_cannot_be_mistaken(scan):
    assert (scan.spacing, scan.unit) == (EDGES, UNIT)
    same = [scan + 1, scan > 3, -scan.astype(float), numpy.sqrt(scan), scan.copy(), scan[:], scan[...], scan[::-1], scan[1:3],
            copy.deepcopy(scan), pickle.loads(pickle.dumps(scan)), numpy.flip(scan), scan[:, 1:-1, 2:], scan.clip(1, 3),
            numpy.zeros_like(scan), scan.astype(numpy.float32), scan.view(numpy.int8)]
    for array in same:
        assert (array.spacing, array.unit) == (EDGES, UNIT)
    assert scan[2].spacing == scan[-1, ...].spacing == (2.0, 1.5)
    assert scan[:, 2].spacing == (3.0, 1.5)
    assert scan[..., 2].spacing == (3.0, 2.0)
    assert scan[::2, ::-3, numpy.int64(1):].spacing == (6.0, 6.0, 1.5)
    assert scan.T.spacing == scan.transpose().spacing == scan.transpose(None).spacing == EDGES[::-1]
    assert scan.transpose(1, 2, 0).spacing == scan.transpose((1, 2, 0)).spacing == (2.0, 1.5, 3.0)
    assert numpy.moveaxis(scan, 0, -1).spacing == (2.0, 1.5, 3.0)
    assert scan.swapaxes(0, -1).spacing == numpy.swapaxes(scan, 0, 2).spacing == EDGES[::-1]
    square = tamis.CalibratedArray(numpy.zeros((4, 4)), (1, 2), "mm")
    assert square.T.spacing == square.mT.spacing == numpy.rot90(square).spacing == (2.0, 1.0)
    assert numpy.lib.stride_tricks.as_strided(square, (4, 4), (8, 32), subok=True).spacing is None


def test_an_array_knows_no_size_where_it_could_be_wrong(scan):
    lost = [scan.reshape(5, 42), scan.ravel(), scan[None], scan[[0, 1]], scan[scan > 3], scan.sum(0), scan.max(axis=1),
            numpy.repeat(scan, 2, axis=0), numpy.concatenate([scan, scan]), scan[numpy.arange(5)], scan[:, [1, 0, 2, 3, 4, 5]]]
    for array in lost:
        assert getattr(array, "spacing", None) is None
        assert getattr(array, "unit", "") == ""
    assert type(scan.sum()) is numpy.uint64 and type(scan[0, 0, 0]) is numpy.uint8 and type(scan.mean()) is numpy.float64
    assert type(numpy.asarray(scan)) is numpy.ndarray


def test_operations_use_the_size_and_their_results_keep_it(scan):
    plain = numpy.asarray(scan)
    told = {"spacing": EDGES, "unit": UNIT}
    assert tamis.granulometry(scan, 100) == tamis.granulometry(plain, 100, **told)
    isotropic = tamis.CalibratedArray(plain, 2.5, "um")
    numpy.testing.assert_array_equal(tamis.size_map(isotropic, 100, widths=True),
                                     tamis.size_map(plain, 100, widths=True, spacing="2.5um"))
    numpy.testing.assert_array_equal(tamis.distance(scan, 100, device="cpu"), tamis.distance(plain, 100, device="cpu", **told))
    assert tamis.granulometry(scan, 100, spacing="7mm").spacing == (7, 7, 7)  # what is said counts
    assert tamis.granulometry(numpy.asarray(scan), 100).unit == ""
    for result in (tamis.median(scan), tamis.erode(scan), tamis.threshold(scan, 100), tamis.convert(scan, "f32"),
                   tamis.size_map(scan, 100), tamis.distance(scan, 100), tamis.open(scan, "disk:1", batch=True)):
        assert (result.spacing, result.unit) == (EDGES, UNIT)
    assert type(tamis.median(plain)) is numpy.ndarray
    assert type(tamis.erode(scan, out=numpy.empty_like(plain))) is numpy.ndarray
    assert tamis.convert(scan, "f32", crop="1:5,0:4,2:3").spacing == EDGES


def test_colours_have_no_length(tmp_path, monkeypatch):
    tifffile = pytest.importorskip("tifffile")
    monkeypatch.chdir(tmp_path)
    colours = numpy.random.default_rng(1).integers(0, 255, (20, 30, 3)).astype(numpy.uint8)
    tifffile.imwrite("rgb.tif", colours, photometric="rgb", resolution=(1e4 / 1.5, 1e4 / 2), resolutionunit="CENTIMETER")
    image = tamis.read("rgb.tif")
    assert (image.spacing, image.unit) == ((2.0, 1.5), "um")
    assert image[..., 0].spacing == image[:, ::1, 2].spacing == tamis.read("rgb.tif", channel=1).spacing == (2.0, 1.5)
    assert image[:, 4].spacing == (2.0,)
    assert tamis.median(image, channel_axis=-1).spacing == (2.0, 1.5)
    tifffile.imwrite("paper.tif", colours[..., 0], resolution=(300, 300), resolutionunit="INCH")
    assert tamis.read("paper.tif").spacing is None  # dots per inch describe paper


@pytest.mark.parametrize(("unit", "wanted"), [("micron", "um"), ("\\u00B5m", "um"), ("nm", "nm"), ("pixel", ""), ("inch", "")])
def test_imagej_says_lengths_in_many_ways(unit, wanted, tmp_path, monkeypatch):
    tifffile = pytest.importorskip("tifffile")
    monkeypatch.chdir(tmp_path)
    tifffile.imwrite("j.tif", numpy.zeros((3, 4, 5), "u1"), imagej=True, resolution=(0.5, 0.25),
                     metadata={"axes": "ZYX", "spacing": 3.5, "unit": unit})
    image = tamis.read("j.tif")
    assert (image.spacing, image.unit) == (((3.5, 4.0, 2.0), wanted) if wanted else (None, ""))


def test_a_series_of_dicom_knows_the_distance_of_its_slices(tmp_path):
    pydicom = pytest.importorskip("pydicom")
    data = pydicom.dcmread(pydicom.data.get_testdata_file("CT_small.dcm"))
    pixel = tuple(float(edge) for edge in data.PixelSpacing)
    x, y, z = (float(at) for at in data.ImagePositionPatient)
    for i in range(3):
        data.ImagePositionPatient = [x, y, z + 1.25 * i]
        data.save_as(tmp_path / f"slice{i}.dcm")
    volume = tamis.read(tmp_path)
    assert volume.spacing == pytest.approx((1.25, *pixel)) and volume.unit == "mm"
    assert tamis.read(tmp_path / "slice0.dcm").spacing == pytest.approx(pixel)
    data.ImagePositionPatient = [x, y, z + 9]
    data.save_as(tmp_path / "slice3.dcm")
    assert tamis.read(tmp_path).spacing is None  # uneven


@pytest.mark.parametrize(("spacing", "unit", "words"), [
    (3, "", "wanted a unit too"), ((1, 2), "um", "one for each of the 3 axes"), ("2.5", "", "spacing='2.5'"),
    ((1, 2, -3), "um", "spacing"), (None, "um", "without spacing"),
])
def test_a_wrong_size_is_refused(spacing, unit, words):
    with pytest.raises(tamis.InputError, match=words):
        tamis.CalibratedArray(numpy.zeros((3, 4, 5)), spacing, unit)
    with pytest.raises(tamis.InputError, match="got shape"):
        tamis.CalibratedArray(numpy.zeros(5), "2um")


@pytest.mark.parametrize("ending", [".nrrd", ".nhdr", ".mha", ".mhd"])
@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("dtype", ["u1", "i2", "f4", "f8"])
def test_files_of_simpleitk(ending, packed, dtype, tmp_path):
    itk = pytest.importorskip("SimpleITK")
    samples = (numpy.arange(4 * 5 * 6).reshape(4, 5, 6) % 99).astype(dtype)
    image = itk.GetImageFromArray(samples)
    image.SetSpacing((1.5, 2.0, 3.0))
    itk.WriteImage(image, str(tmp_path / f"itk{ending}"), packed)
    read = tamis.read(tmp_path / f"itk{ending}")
    numpy.testing.assert_array_equal(read, samples)
    assert read.dtype == numpy.dtype(dtype)
    assert (read.spacing, read.unit) == ((3.0, 2.0, 1.5), "mm")
    if not packed:
        lazy = tamis.read(tmp_path / f"itk{ending}", lazy=True)
        numpy.testing.assert_array_equal(lazy, samples)
        assert isinstance(lazy, numpy.memmap)


@pytest.mark.parametrize("name", ["ours.nrrd", "ours.mha"])
@pytest.mark.parametrize("dtype", ["u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", "f4", "f8"])
def test_simpleitk_reads_what_is_written(name, dtype, tmp_path):
    itk = pytest.importorskip("SimpleITK")
    samples = (numpy.arange(4 * 5 * 6).reshape(4, 5, 6) % 99).astype(dtype)
    tamis.write(tmp_path / name, samples, spacing=EDGES, unit="mm")
    image = itk.ReadImage(str(tmp_path / name))
    numpy.testing.assert_array_equal(itk.GetArrayFromImage(image), samples)
    assert image.GetSpacing() == pytest.approx(EDGES[::-1])


NRRD = b"NRRD0004\ntype: uint8\ndimension: 2\nsizes: 3 2\nencoding: raw\n"
META = b"ObjectType = Image\nNDims = 2\nDimSize = 3 2\nElementType = MET_UCHAR\n"


@pytest.mark.parametrize(("name", "content", "words"), [
    ("a.nrrd", b"NRRX", "no NRRD file"),
    ("a.nrrd", b"", "in its header; wanted whole numbers|NRRD of type none"),
    ("a.nrrd", NRRD + b"\n12345", "asks for 6 bytes of samples, the file has only 5"),
    ("a.nrrd", NRRD.replace(b"uint8", b"block") + b"\n123456", "type block"),
    ("a.nrrd", NRRD.replace(b"sizes: 3 2", b"sizes: 3 2 1") + b"\n123456", "dimension is 2; wanted 3"),
    ("a.nrrd", NRRD.replace(b"3 2", b"3 -2") + b"\n123456", "1 or more"),
    ("a.nrrd", NRRD.replace(b"3 2", b"999999999 999999999") + b"\n123456", "the file has only"),
    ("a.nrrd", NRRD.replace(b"raw", b"bzip2") + b"\n123456", "encoding bzip2; wanted raw or gzip"),
    ("a.nrrd", NRRD.replace(b"raw", b"gzip") + b"\n123456", "a.nrrd: .*header"),
    ("a.nrrd", NRRD + b"type: int8\n\n123456", "type twice"),
    ("a.nrrd", NRRD + b"kinds: domain vector\n\n123456", "kind vector"),
    ("a.nrrd", NRRD + b"nonsense\n\n123456", "wanted 'field: value'"),
    ("a.nrrd", NRRD.replace(b"uint8", b"int16") + b"\n123456123456", "endian none; wanted little or big"),
    ("a.nhdr", NRRD + b"data file: /etc/passwd\n\n", "outside its folder; wanted follow=True"),
    ("a.nhdr", NRRD + b"data file: gone.raw\n\n", "which is not there"),
    ("a.nhdr", NRRD + b"data file: LIST\n\n", "wanted the name of one file"),
    ("a.mha", META, "without ElementDataFile"),
    ("a.mha", META + b"ElementDataFile = LOCAL\n12345", "the file has only 5"),
    ("a.mha", META + b"CompressedData = True\nElementDataFile = LOCAL\n12345", "a.mha: .*"),
    ("a.mha", META.replace(b"MET_UCHAR", b"MET_LONG") + b"ElementDataFile = LOCAL\n123456", "ElementType MET_LONG"),
    ("a.mha", META + b"ElementNumberOfChannels = 3\nElementDataFile = LOCAL\n123456", "3 channels; wanted one number a voxel"),
    ("a.mha", META + b"BinaryData = False\nElementDataFile = LOCAL\n123456", "samples as text"),
    ("a.mhd", META + b"ElementDataFile = ../../../etc/passwd\n", "outside its folder|which is not there"),
    ("a.mhd", META + b"ElementDataFile = slice%03d.raw 1 3 1\n", "wanted the name of one file"),
    ("a.mha", b"\xff" * 100, "in its header; wanted 'key = value'"),
    ("a.pfm", b"PF\n3 2\n-1\n", "no grey .pfm file"),
    ("a.pfm", b"Pf\n3 2\n-1\n1234", "the file has only"),
])
def test_damaged_headers_are_refused_in_one_line(name, content, words, tmp_path):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(tamis.InputError, match=words) as caught:
        tamis.read(tmp_path / name)
    assert "\n" not in str(caught.value) and name in str(caught.value)


def test_samples_beside_a_header_and_what_may_follow(tmp_path):
    inside, outside = tmp_path / "in", tmp_path / "out"
    inside.mkdir(), outside.mkdir()
    (outside / "s.raw").write_bytes(b"123456")
    (inside / "a.nhdr").write_bytes(NRRD + b"data file: ../out/s.raw\n\n")
    with pytest.raises(tamis.InputError, match="outside its folder"):
        tamis.read(inside / "a.nhdr")
    assert tamis.read(inside / "a.nhdr", follow=True).tobytes() == b"123456"
    (inside / "space.nrrd").write_bytes(NRRD + b'space directions: (0.5,0) (0,-2)\nspace units: "um" "um"\n\n123456')
    assert (tamis.read(inside / "space.nrrd").spacing, tamis.read(inside / "space.nrrd").unit) == ((2.0, 0.5), "um")
    (inside / "nan.nrrd").write_bytes(NRRD + b"spacings: nan 1\n\n123456")
    assert tamis.read(inside / "nan.nrrd").spacing is None


def test_floats_of_pfm_are_read_from_their_last_row(tmp_path):
    samples = numpy.arange(6, dtype=numpy.float32).reshape(2, 3) / 3
    for scale, order in ((b"-1", "<f4"), (b"2.5", ">f4")):
        (tmp_path / "a.pfm").write_bytes(b"Pf\n3 2\n" + scale + b"\n" + samples[::-1].astype(order).tobytes())
        numpy.testing.assert_array_equal(tamis.read(tmp_path / "a.pfm"), samples)
