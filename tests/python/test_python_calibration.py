"""The size of voxels, from a file through arrays and operations to a file."""

import copy
import pickle
import subprocess

import numpy
import pytest
import tamis

EDGES, UNIT = (3.0, 2.0, 1.5), "um"
KEEPING = ["kept.tif", "kept.h5", "kept.zarr", "kept.nii", "kept.nii.gz", "kept.nrrd", "kept.mha"]


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
    monkeypatch.chdir(tmp_path)
    image = scan if rank == 3 else scan[0]
    tamis.write(name, image)
    read = tamis.read(name)
    numpy.testing.assert_array_equal(read, image)
    assert in_um(read) == pytest.approx(EDGES[-rank:], rel=1e-6)
    assert tamis.granulometry(read, 100).spacing[-rank:] == read.spacing


@pytest.mark.parametrize("name", KEEPING)
def test_the_program_reads_the_same_size(name, scan, tmp_path, monkeypatch, tamis_program):
    monkeypatch.chdir(tmp_path)
    tamis.write(name, scan)
    told = told_by(tamis_program, "info", name)
    assert "1.5 x 2 x 3 µm" in told or "0.0015 x 0.002 x 0.003 mm" in told


@pytest.mark.parametrize("name", ["made.tif", "made.h5", "made.nii", "made.nrrd", "made.mha"])
def test_what_the_program_writes_is_read_with_its_size(name, scan, tmp_path, monkeypatch, tamis_program):
    monkeypatch.chdir(tmp_path)
    tamis.write("scan_7x6x5_u8.raw", scan)
    told_by(tamis_program, "convert", "scan_7x6x5_u8.raw", name, "--as", "u16", "--spacing", "1.5x2x3um")
    read = tamis.read(name)
    numpy.testing.assert_array_equal(read, scan)
    assert read.dtype == numpy.uint16
    assert in_um(read) == pytest.approx(EDGES, rel=1e-6)


@pytest.mark.parametrize("name", ["plain.tif", "plain.h5", "plain.nii", "plain.nrrd", "plain.mha", "plain.npy",
                                  "plain_7x6x5_u8.raw"])
def test_no_size_is_made_up(name, scan, tmp_path, monkeypatch):
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
    for name, given, words in (("told.npy", {"spacing": "1um"}, "told.npy: this format holds no size of voxels; wanted .tif"),
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
    with pytest.raises(tamis.InputError, match="slice"):  # a gap
        tamis.read(tmp_path)


@pytest.mark.parametrize(("spacing", "unit", "words"), [
    (3, "", "wanted a unit too"), ((1, 2), "um", "one for each of the 3 axes"), ("2.5", "", "spacing='2.5'"),
    ((1, 2, -3), "um", "spacing"), (None, "um", "without spacing"),
])
def test_a_wrong_size_is_refused(spacing, unit, words):
    with pytest.raises(tamis.InputError, match=words):
        tamis.CalibratedArray(numpy.zeros((3, 4, 5)), spacing, unit)
    with pytest.raises(tamis.InputError, match="got shape"):
        tamis.CalibratedArray(numpy.zeros(5), "2um")
