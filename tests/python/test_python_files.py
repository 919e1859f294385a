"""tamis.read and tamis.write: round trips, the program's files, what is wrong with a file."""

import gzip
import os
import pickle
import subprocess

import numpy
import pytest
import tamis

pytest.importorskip("h5py")
pytest.importorskip("zarr")

TYPES = ["uint8", "uint16", "int16", "float32"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def samples(dtype, shape=(4, 5, 6)):
    return (numpy.random.default_rng(1).random(shape) * 200).astype(dtype)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", ["a.npy", "a.raw", "a.tif", "a.h5:/x/y", "a.zarr", "a.nii", "a.nii.gz"])
def test_what_is_written_is_read_back(folder, name, dtype):
    if ".nii" in name:
        pytest.importorskip("nibabel")
    for shape in ((4, 5, 6), (5, 6)):
        image = samples(dtype, shape)
        tamis.write(name, image)
        told = {"shape": shape, "dtype": dtype} if name == "a.raw" else {}
        read = tamis.read(name, **told)
        numpy.testing.assert_array_equal(read, image)
        assert read.dtype == image.dtype
        numpy.testing.assert_array_equal(tamis.threshold(tamis.read(name, lazy=True, **told), 100), image > 100)
    assert not [left for left in os.listdir(folder) if left.startswith(".tamis")]


@pytest.mark.parametrize("name", ["a.png", "a.pgm"])
def test_pictures_are_written_and_read(folder, name):
    image = samples("uint8", (5, 6))
    tamis.write(name, image)
    numpy.testing.assert_array_equal(tamis.read(name), image)


def test_bool_is_kept_or_becomes_black_and_white(folder):
    image = samples("uint8") > 100
    for name in ("a.npy", "a.h5", "a.zarr"):
        tamis.write(name, image)
        assert tamis.read(name).dtype == bool
    for name in ("a.tif", "a_6x5x4_u8.raw"):
        tamis.write(name, image)
        numpy.testing.assert_array_equal(tamis.read(name), image * numpy.uint8(255))


def test_a_raw_file_says_what_it_is_in_its_name(folder):
    image = samples("uint16")
    image.tofile("scan_6x5x4_uint16.raw")
    image.astype(">u2").tofile("scan.raw")
    with gzip.open("scan_6x5x4_u16.raw.gz", "wb") as file:
        file.write(image.tobytes())
    for path, told in (("scan_6x5x4_uint16.raw", {}), ("scan_6x5x4_u16.raw.gz", {}),
                       ("scan.raw", {"shape": "6x5x4", "dtype": "u16", "byte_order": "big"}),
                       ("scan.raw", {"shape": (4, 5, 6), "dtype": numpy.uint16, "byte_order": "big"})):
        for lazy in (False, True):
            numpy.testing.assert_array_equal(tamis.read(path, lazy=lazy, **told), image)


def test_a_folder_of_slices_is_a_volume_in_the_order_of_the_numbers(folder):
    volume = samples("uint8", (12, 5, 6))
    os.mkdir("slices")
    for z, one in enumerate(volume):
        tamis.write(f"slices/s{z}.png", one)
    numpy.testing.assert_array_equal(tamis.read("slices"), volume)
    tamis.write("slices/s99.png", volume[0, :2])
    with pytest.raises(tamis.InputError, match=r"s99\.png: \(2, 6\) uint8; wanted \(5, 6\)"):
        tamis.read("slices")


def test_the_program_reads_what_python_writes_and_the_reverse(folder, tamis_program):
    foam = tamis.phantom("foam", (30, 40, 50), max_radius=7)
    for name in ("a.npy", "a.tif", "a_50x40x30_u8.raw", "a.h5:/foam"):
        tamis.write(name, foam)
        subprocess.run([tamis_program, "granulometry", name, "--csv", "a.csv", "--quiet"], check=True)
        volumes = numpy.genfromtxt("a.csv", delimiter=",", names=True, dtype=None)["volume"]
        numpy.testing.assert_array_equal(tamis.granulometry(foam).curve, volumes)
        back = f"b{name[1:]}"
        subprocess.run([tamis_program, "convert", name, back, "--quiet"], check=True)
        numpy.testing.assert_array_equal(tamis.read(back) > 0, foam)


def test_medical_files(folder):
    pydicom = pytest.importorskip("pydicom")
    path = pydicom.data.get_testdata_file("CT_small.dcm")
    image = tamis.read(path)
    assert image.shape == (128, 128)
    assert tamis.threshold(image, "otsu").any()


@pytest.mark.parametrize(("make", "name", "words"), [
    (None, "missing.tif", "there is no such file"),
    (None, "missing.h5:/a", "there is no such file"),
    (b"abc", "a.xyz", "not a kind of file"),
    (b"abc", "a.raw", "wanted shape= and dtype="),
    (b"abc", "a_2x2_u8.raw", "3 bytes; wanted 4"),
    (b"abcde", "a_2x2_u8.raw", "more than 4 bytes"),
    (b"abc", "a_2x2_u8.raw.gz", "wanted a whole gzip file"),
    (b"abc", "a.npy", "a.npy"),
    (b"abc", "a.tif", "a.tif"),
    (b"abc", "a.h5", "a.h5"),
])
def test_a_bad_file_is_named_with_what_is_wrong(folder, make, name, words):
    if make is not None:
        (folder / name).write_bytes(make)
    with pytest.raises(tamis.InputError, match=words) as caught:
        tamis.read(name)
    assert "\n" not in str(caught.value)


def test_a_file_of_several_data_sets_is_answered_with_their_names(folder):
    import h5py

    with h5py.File("a.h5", "w") as file:
        file["x/one"], file["two"] = samples("uint8"), samples("uint8")
    with pytest.raises(tamis.InputError, match="/two, /x/one"):
        tamis.read("a.h5")
    assert tamis.read("a.h5:/two").shape == (4, 5, 6)


def test_nothing_half_written_is_left(folder):
    tamis.write("a.npy", samples("uint8"))
    kept = (folder / "a.npy").read_bytes()
    for bad in (numpy.array([[object()]]), numpy.ones(3), numpy.ones((0, 3)), numpy.ones((2, 2), complex)):
        with pytest.raises(tamis.InputError, match="wanted numbers"):
            tamis.write("a.npy", bad)
    with pytest.raises(tamis.InputError, match="float64 in a .png file; wanted uint8, uint16"):
        tamis.write("a.png", numpy.ones((3, 4)))
    for name in ("a.xyz", "a_9x9_u8.raw"):
        with pytest.raises(tamis.InputError):
            tamis.write(name, samples("uint8"))
    with pytest.raises(tamis.ResourceError):
        tamis.write("missing/a.npy", samples("uint8"))
    assert os.listdir(folder) == ["a.npy"]
    assert (folder / "a.npy").read_bytes() == kept


def test_a_missing_library_is_named(folder, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "tifffile", None)
    (folder / "a.tif").write_bytes(b"II*\0")
    with pytest.raises(tamis.ResourceError, match=r"needs tifffile: pip install 'tamis\[io\]'"):
        tamis.read("a.tif")


def test_a_missing_file_is_what_python_calls_it(tmp_path):
    for name in ("none.tif", "none.h5", "none.npy", "none.zarr"):
        with pytest.raises(FileNotFoundError, match=f"{name}: there is no such file") as caught:
            tamis.read(tmp_path / name)
        error = caught.value
        assert isinstance(error, tamis.InputError) and isinstance(error, tamis.MissingFileError)
        assert (error.errno, error.filename) == (2, str(tmp_path / name))
        assert str(pickle.loads(pickle.dumps(error))) == str(error)
    with pytest.raises(FileNotFoundError):
        tamis.element(f"file:{tmp_path / 'none.png'}")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_what_python_calls_it(tmp_path):
    numpy.save(tmp_path / "a.npy", numpy.zeros((2, 2)))
    (tmp_path / "a.npy").chmod(0)
    with pytest.raises(PermissionError) as caught:
        tamis.read(tmp_path / "a.npy")
    assert isinstance(caught.value, tamis.InputError)
