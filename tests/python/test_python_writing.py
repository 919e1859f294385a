"""tamis.write: what a format cannot hold is refused, and a file appears whole or not at all."""

import os
import signal
import stat
import subprocess
import sys
import time

import numpy
import pytest
import tamis

for library in ("tifffile", "h5py", "zarr", "nibabel", "imageio"):
    pytest.importorskip(library)

VOLUME = (numpy.random.default_rng(1).random((4, 9, 11)) * 200).astype(numpy.uint8)
EVERY = ["a.npy", "a_11x9x4_u8.raw", "a.tif", "a.h5", "a.zarr", "a.nii", "a.nii.gz"]
PICTURES = ["a.png", "a.pgm", "a.bmp", "a.gif", "a.jpg"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def image_for(name):
    return VOLUME[0] if name in PICTURES else VOLUME


@pytest.mark.parametrize(("name", "image", "words"), [
    ("a.png", VOLUME, "holds one slice, got 4; wanted .tif"),
    ("a.pgm", VOLUME, "holds one slice"),
    ("a.gif", VOLUME, "holds one slice"),
    ("a.png", VOLUME[0].astype(numpy.float32), "float32 in a .png file; wanted uint8, uint16"),
    ("a.png", VOLUME[0].astype(numpy.int16), "int16"),
    ("a.bmp", VOLUME[0].astype(numpy.uint16), "uint16 in a .bmp file; wanted uint8"),
    ("a.jpg", VOLUME[0].astype(numpy.uint16), "wanted uint8"),
    ("a.pbm", VOLUME[0], "uint8 in a .pbm file; wanted bool"),
    ("a.ppm", VOLUME[0], "wanted grey images as .pgm"),
    ("a.nii", VOLUME.astype(numpy.float16), "float16"),
    ("a.nii", numpy.zeros((40_000, 2), numpy.uint8), "cannot write a.nii: shape .* does not fit"),
    ("a.tif", VOLUME.astype(numpy.longdouble), "float128"),
    ("a.npy", VOLUME.astype(complex), "complex128; wanted numbers"),
    ("a.npy", VOLUME.astype("datetime64[s]"), "wanted numbers"),
    ("a.npy", numpy.ma.masked_less(VOLUME, 9), r"masked array.*image\.filled\(value\)"),
    ("a.npy", [[1, 2], [3]], "no array that NumPy can take"),
    ("a.npy", None, "object"),
    ("a.h5:/", VOLUME, "cannot write a.h5:/"),
    ("a\0b.npy", VOLUME, r"cannot write a\\x00b.npy"),
    ("a\nb.xyz", VOLUME, r"a\\nb.xyz: the ending is not known"),
    (3, VOLUME, "path=3: wanted the name of a file"),
])
def test_what_a_format_cannot_hold_is_refused_in_words(folder, name, image, words):
    with pytest.raises(tamis.InputError, match=words) as caught:
        tamis.write(name, image)
    assert "\n" not in str(caught.value)
    assert os.listdir(folder) == []


def test_a_masked_dask_array_is_refused_too(folder):
    dask_array = pytest.importorskip("dask.array")
    with pytest.raises(tamis.InputError, match="masked array"):
        tamis.write("a.npy", dask_array.ma.masked_less(dask_array.from_array(VOLUME), 9))
    tamis.write("a.npy", dask_array.from_array(VOLUME))
    numpy.testing.assert_array_equal(tamis.read("a.npy"), VOLUME)


@pytest.mark.parametrize("dtype", ["u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8", "f4", "f8", ">u2", ">f4", "?"])
@pytest.mark.parametrize("name", ["a.npy", "a.tif", "a.ome.tif", "a.h5", "a.zarr", "a.nii", "a.nii.gz"])
def test_every_type_comes_back(folder, name, dtype):
    if name == "a.ome.tif" and dtype in ("u8", "i8"):
        pytest.skip("OME has no integers of 64 bits")
    image = (VOLUME // 100).astype(dtype)[:, ::2, ::-1]
    tamis.write(name, image)
    read = tamis.read(name)
    if dtype == "?" and name not in ("a.npy", "a.h5", "a.zarr"):
        image = image * numpy.uint8(255)
    numpy.testing.assert_array_equal(read, image)
    assert read.dtype.newbyteorder("=") == image.dtype.newbyteorder("=")


def test_pictures_of_one_slice_come_back(folder):
    for name, dtypes in (("a.png", ("?", "u1", "u2")), ("a.pgm", ("u1", "u2")), ("a.pnm", ("?", "u1", "u2")),
                         ("a.pbm", "?"), ("a.bmp", ("u1",))):
        for dtype in dtypes:
            image = (VOLUME[:1] // 100 if dtype == "?" else VOLUME[:1]).astype(dtype)
            tamis.write(name, image)
            read = tamis.read(name)
            wanted = image[0] * numpy.uint8(255) if dtype == "?" and read.dtype != bool else image[0]
            numpy.testing.assert_array_equal(read, wanted)
            assert read.dtype == wanted.dtype


def test_an_error_while_writing_leaves_the_old_files(folder):
    """A limit on the length of files is met as a full disk is."""
    names = ["a.raw" if name.endswith(".raw") else name for name in EVERY + PICTURES]
    told = {"a.raw": {"shape": VOLUME.shape, "dtype": "u8"}}
    for name in names:
        tamis.write(name, image_for(name))
    before = {name: tamis.read(name, **told.get(name, {})) for name in names}
    code = """if True:
        import resource, sys, numpy, tamis
        resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
        for name in sys.argv[1:]:
            edges = (300, 400) if name[-3:] in ("png", "pgm", "bmp", "gif", "jpg") else (9, 300, 400)
            try:
                tamis.write(name, numpy.random.default_rng(1).integers(0, 255, edges, "u1"))
            except tamis.ResourceError as error:
                print(error)
    """
    done = subprocess.run([sys.executable, "-c", code, *names], capture_output=True, text=True)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == len(names)
    for name, line in zip(names, lines, strict=True):
        assert line.startswith(f"cannot write {name}: ")
        numpy.testing.assert_array_equal(tamis.read(name, **told.get(name, {})), before[name])
    assert sorted(os.listdir(folder)) == sorted(names)


@pytest.mark.parametrize("name", EVERY + PICTURES)
def test_ctrl_c_while_writing_leaves_the_old_file_and_nothing_beside_it(folder, name, monkeypatch):
    from tamis import _whole

    image = image_for(name)
    tamis.write(name, image)
    before = tamis.read(name)
    for step in ("_to_disk", "_put"):
        with monkeypatch.context() as patched:
            patched.setattr(_whole, step, lambda *_: os.kill(os.getpid(), signal.SIGINT) or time.sleep(1))
            with pytest.raises(KeyboardInterrupt):
                tamis.write(name, image[..., ::-1])
        numpy.testing.assert_array_equal(tamis.read(name), before)
        assert os.listdir(folder) == [name]


def test_what_a_killed_run_has_left_goes_with_the_next_one(folder):
    code = """if True:
        import os, signal, numpy, tamis
        from tamis import _whole
        _whole._put = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
        tamis.write("a.npy", numpy.eye(3))
    """
    for _ in range(2):
        assert subprocess.run([sys.executable, "-c", code]).returncode == -signal.SIGKILL
        assert len(os.listdir(folder)) == 1
    tamis.write("a.npy", VOLUME)
    assert os.listdir(folder) == ["a.npy"]


def test_two_writers_of_one_file_do_not_disturb_each_other(folder, monkeypatch):
    from tamis import _whole

    put = _whole._put

    def second_comes_first(part, target):
        monkeypatch.setattr(_whole, "_put", put)
        tamis.write("a.npy", VOLUME[0])
        put(part, target)

    monkeypatch.setattr(_whole, "_put", second_comes_first)
    tamis.write("a.npy", VOLUME)
    numpy.testing.assert_array_equal(tamis.read("a.npy"), VOLUME)
    assert os.listdir(folder) == ["a.npy"]


def test_a_link_stays_and_its_target_is_written(folder):
    os.mkdir("away")
    for there in (False, True):
        if not there:
            os.symlink("away/b.npy", "a.npy")
        tamis.write("a.npy", VOLUME)
        assert os.path.islink("a.npy") and not os.path.islink("away/b.npy")
    assert sorted(os.listdir("away")) == ["b.npy"] and sorted(os.listdir(folder)) == ["a.npy", "away"]
    os.symlink("c.npy", "c.npy")
    with pytest.raises(tamis.ResourceError, match="cannot write c.npy: Too many levels"):
        tamis.write("c.npy", VOLUME)


def test_what_is_no_file_is_not_replaced(folder):
    os.mkfifo("a.raw")
    os.mkdir("b.npy")
    os.mkdir("c.zarr")
    (folder / "c.zarr" / "mine.txt").write_text("not a Zarr store")
    (folder / "d.zarr").write_text("a file")
    for name in ("a.raw", "b.npy", "c.zarr", "d.zarr"):
        with pytest.raises((tamis.InputError, tamis.ResourceError), match=name):
            tamis.write(name, VOLUME)
    assert stat.S_ISFIFO(os.stat("a.raw").st_mode) and (folder / "c.zarr" / "mine.txt").exists()
    assert sorted(os.listdir(folder)) == ["a.raw", "b.npy", "c.zarr", "d.zarr"]


def test_a_file_keeps_its_mode(folder):
    tamis.write("a.npy", VOLUME)
    os.chmod("a.npy", 0o640)
    tamis.write("a.npy", VOLUME)
    assert stat.S_IMODE(os.stat("a.npy").st_mode) == 0o640


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everything")
def test_a_file_that_may_not_be_written_stays(folder):
    tamis.write("a.npy", VOLUME)
    os.chmod("a.npy", 0o444)
    with pytest.raises(tamis.ResourceError, match="Permission denied"):
        tamis.write("a.npy", VOLUME[0])
    numpy.testing.assert_array_equal(tamis.read("a.npy"), VOLUME)
