"""tamis.write: what a format cannot hold is refused, and a file appears whole or not at all."""

import inspect
import json
import os
import signal
import stat
import subprocess
import sys
import threading
import time

import numpy
import pytest
import tamis

VOLUME = (numpy.random.default_rng(1).random((4, 9, 11)) * 200).astype(numpy.uint8)
EVERY = ["a.npy", "a_11x9x4_u8.raw", "a.tif", "a.h5", "a.zarr", "a.nii", "a.nii.gz", "a.nrrd", "a.mha"]
PICTURES = ["a.png", "a.pgm"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def image_for(name):
    return VOLUME[0] if name in PICTURES else VOLUME


@pytest.mark.parametrize(("name", "image", "words"), [
    ("a.png", VOLUME, "holds one slice, got 4; wanted .tif"),
    ("a.pgm", VOLUME, "holds one slice"),
    ("a.png", VOLUME[0].astype(numpy.float32), "f32"),
    ("a.png", VOLUME[0].astype(numpy.int16), "i16"),
    ("a.pbm", VOLUME[0], "u8"),
    ("a.bmp", VOLUME[0], "unknown format to write|only read"),
    ("a.jpg", VOLUME[0], "only read"),
    ("a.nii", numpy.zeros((40_000, 2), numpy.uint8), "a.nii"),
    ("a.tif", VOLUME.astype(numpy.longdouble), "float128; wanted numbers"),
    ("a.npy", VOLUME.astype(complex), "complex128; wanted numbers"),
    ("a.npy", VOLUME.astype("datetime64[s]"), "wanted numbers"),
    ("a.npy", numpy.ma.masked_less(VOLUME, 9), r"masked array.*image\.filled\(value\)"),
    ("a.npy", [[1, 2], [3]], "no array that NumPy can take"),
    ("a.npy", None, "object"),
    ("a.npy", numpy.ones(3), "wanted numbers"),
    ("a.npy", numpy.ones((0, 3)), "wanted numbers"),
    ("a.h5:/", VOLUME, "a.h5"),
    ("a\0b.npy", VOLUME, r"a\\x00b.npy: a zero character"),
    ("a\nb.xyz", VOLUME, r"a\\nb.xyz: unknown format to write"),
    ("a_9x9_u8.raw", VOLUME, "9x9"),
    (3, VOLUME, "path=3: wanted the name of a file"),
])  # fmt: skip
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


@pytest.mark.parametrize("dtype", ["u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8", "f2", "f4", "f8", ">u2", ">f4", "?"])
@pytest.mark.parametrize("name", ["a.npy", "a.tif", "a.h5:/x/y", "a.zarr", "a.nii", "a.nii.gz"])
def test_every_view_of_every_type_comes_back(folder, name, dtype):
    image = (VOLUME // 100).astype(dtype)[:, ::2, ::-1]
    tamis.write(name, image)
    read = tamis.read(name)
    if dtype == "?" and name not in ("a.npy", "a.zarr"):
        image = image * numpy.uint8(255)
    numpy.testing.assert_array_equal(read, image)
    assert read.dtype == (numpy.float32 if dtype == "f2" else image.dtype.newbyteorder("="))


def test_pictures_of_one_slice_come_back(folder):
    for name, dtypes in (("a.png", ("?", "u1", "u2")), ("a.pgm", ("u1", "u2")), ("a.pnm", ("?", "u1", "u2")), ("a.pbm", "?"), ("a.pfm", ("f4",))):
        for dtype in dtypes:
            image = (VOLUME[:1] // 100 if dtype == "?" else VOLUME[:1]).astype(dtype)
            tamis.write(name, image)
            read = tamis.read(name)
            wanted = image[0] * numpy.uint8(255) if dtype == "?" and read.dtype != bool else image[0]
            assert read.dtype == wanted.dtype
            numpy.testing.assert_array_equal(read, wanted)


def test_thin_volumes_and_colours_are_told_apart_by_the_caller(folder):
    volume = numpy.random.default_rng(1).integers(0, 255, (20, 30, 3), "u1")
    tamis.write("a.tif", volume)
    assert tamis.read("a.tif").shape == (20, 30, 3) and tamis.info("a.tif")["channels"] == 1
    tamis.write("a.tif", volume, channel_axis=-1)
    assert tamis.read("a.tif").shape == (20, 30, 3) and tamis.info("a.tif")["channels"] == 3
    tamis.write("b.tif", numpy.stack([volume, volume]))
    assert tamis.info("b.tif")["shape"] == (2, 20, 30, 3)
    numpy.testing.assert_array_equal(tamis.read("b.tif")[1], volume)
    for image, axis in ((volume, 3), (volume[0], 0), (volume, -4)):
        with pytest.raises(tamis.InputError, match="axis of channels"):
            tamis.write("c.tif", image, channel_axis=axis)


def test_the_options_are_those_of_the_program(tamis_program):
    told = json.loads(subprocess.run([tamis_program, "operations", "--json"], capture_output=True, check=True).stdout)
    own = set(inspect.signature(tamis.write).parameters) - {"path", "image", "spacing", "unit", "channel_axis"}
    assert own == {parameter["name"] for parameter in told["writing"]}


def test_files_are_compressed_and_of_the_version_that_is_asked_for(folder):
    tifffile, zarr = pytest.importorskip("tifffile"), pytest.importorskip("zarr", minversion="3")
    image = numpy.zeros((5, 300, 400), "u2")
    for compress in ("deflate", "zstd"):
        tamis.write("a.tif", image, compress=compress, spacing="2um")
        assert os.path.getsize("a.tif") < image.nbytes / 20
        numpy.testing.assert_array_equal(tifffile.imread("a.tif"), image)
        assert tamis.read("a.tif").spacing == (2.0, 2.0, 2.0)
    for version, form in (("0.4", 2), ("0.5", 3)):
        tamis.write("a.zarr", VOLUME, ome_zarr=version, spacing="2um")
        assert zarr.open_group("a.zarr", mode="r").metadata.zarr_format == form
        numpy.testing.assert_array_equal(zarr.open_array("a.zarr/0", mode="r")[:], VOLUME)
        assert tamis.read("a.zarr").spacing == (2.0, 2.0, 2.0)
    for name, options in (("a.npy", {"compress": "deflate"}), ("a.tif", {"compress": "lzw"}), ("a.tif", {"ome_zarr": "0.4"}), ("b.zarr", {"ome_zarr": "0.3"})):
        with pytest.raises(tamis.InputError):
            tamis.write(name, VOLUME, **options)


def test_what_is_open_is_written(folder):
    tamis.write("a.tif", VOLUME, spacing="2um")
    tamis.write("b.nrrd", tamis.open_file("a.tif"))
    read = tamis.read("b.nrrd")
    numpy.testing.assert_array_equal(read, VOLUME)
    assert (read.spacing, read.unit) == ((0.002,) * 3, "mm")


def test_dask_arrays_are_written_row_of_chunks_by_row_of_chunks(folder):
    arrays, dask = pytest.importorskip("dask.array"), pytest.importorskip("tamis.dask")
    lazy = arrays.from_array(VOLUME, chunks=((1, 3), (4, 5), 11))
    for name in ("a.zarr", "a.tif", "a.h5"):
        tamis.write(name, dask.open(lazy, "cube:3"), spacing=(3, 2, 1), unit="um")
        read = tamis.read(name)
        numpy.testing.assert_array_equal(read, tamis.open(VOLUME, "cube:3"))
        assert (read.spacing, read.unit) == ((3.0, 2.0, 1.0), "um")
        before = sorted(os.listdir(folder))
        broken = lazy.map_blocks(lambda block: block.astype("f4") + 0.5, dtype="u1", meta=numpy.empty((0, 0, 0), "u1"))
        unknown = lazy[lazy[:, 0, 0] > 0]
        for image, words in ((broken, "a block came as .* float32"), (unknown, "an array of shape|unknown shape")):
            with pytest.raises(tamis.InputError, match=words):
                tamis.write(name, image)
            numpy.testing.assert_array_equal(tamis.read(name), read)
        assert sorted(os.listdir(folder)) == before


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
            edges = (300, 400) if name[-3:] in ("png", "pgm") else (9, 300, 400)
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
        assert name in line
        numpy.testing.assert_array_equal(tamis.read(name, **told.get(name, {})), before[name])
    assert sorted(os.listdir(folder)) == sorted(names)


@pytest.mark.parametrize("name", EVERY)
def test_ctrl_c_while_writing_leaves_the_old_file_and_nothing_beside_it(folder, name):
    arrays = pytest.importorskip("dask.array")
    tamis.write(name, VOLUME)
    before = tamis.read(name)

    def slow(block):
        time.sleep(0.3)
        return block

    lazy = arrays.from_array(VOLUME[:, ::-1], chunks=(1, 9, 11)).map_blocks(slow, dtype="u1", meta=numpy.empty((0, 0, 0), "u1"))
    threading.Timer(0.4, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        tamis.write(name, lazy)
    numpy.testing.assert_array_equal(tamis.read(name), before)
    assert os.listdir(folder) == [name]


def test_what_a_killed_run_has_left_goes_with_the_next_one(folder):
    code = """if True:
        import os, signal, numpy, tamis
        import dask.array as arrays
        end = lambda block: os.kill(os.getpid(), signal.SIGKILL)
        tamis.write("a.npy", arrays.zeros((3, 9, 9)).map_blocks(end, dtype="f8", meta=numpy.empty((0, 0, 0))))
    """
    for _ in range(2):
        assert subprocess.run([sys.executable, "-c", code]).returncode == -signal.SIGKILL
        assert len(os.listdir(folder)) <= 1
    tamis.write("a.npy", VOLUME)
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
    with pytest.raises(tamis.ResourceError, match="c.npy: Too many levels"):
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
