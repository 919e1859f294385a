"""tamis.read, open_file and info: files for Python, read by the library as the program reads them."""

import gzip
import inspect
import json
import multiprocessing
import os
import pickle
import subprocess
import sys
import threading

import numpy
import pytest
import tamis

VOLUME = (numpy.random.default_rng(1).random((7, 24, 31)) * 200).astype("u1")
COLOURS = numpy.random.default_rng(2).integers(0, 255, (20, 30, 3), "u1")
INDICES = [numpy.s_[...], numpy.s_[3], numpy.s_[-1], numpy.s_[2:5], numpy.s_[::2], numpy.s_[::-1], numpy.s_[5:1:-2], numpy.s_[1:6:2, 3:9],
           numpy.s_[:, 4], numpy.s_[:, :, ::3], numpy.s_[6:0:-3, ::-1, 5], numpy.s_[2, 3, 4], numpy.s_[..., 0], numpy.s_[1, ..., 2:4],
           numpy.s_[4:4], numpy.s_[4:4, 2], numpy.s_[[0, 3]], numpy.s_[numpy.int64(2)], numpy.s_[None], ()]  # fmt: skip


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", ["a.npy", "a.tif", "a.zarr", "a.h5", "a.nrrd", "a_31x24x7_u8.raw.gz"])
def test_an_open_file_is_indexed_as_its_array(folder, name):
    tamis.write(name, VOLUME)
    file = tamis.open_file(name)
    assert (file.shape, file.dtype, file.ndim, file.size, file.nbytes, len(file)) == (VOLUME.shape, "u1", 3, 5208, 5208, 7)
    for index in INDICES:
        numpy.testing.assert_array_equal(file[index], VOLUME[index], err_msg=str(index))
    with pytest.raises(IndexError):
        file[7]
    numpy.testing.assert_array_equal(numpy.asarray(file), VOLUME)
    assert name in repr(file) and "(7, 24, 31)" in repr(file)


def test_slices_of_a_large_region_come_in_pieces(folder, monkeypatch):
    tamis.write("a.npy", VOLUME)
    file = tamis.open_file("a.npy")
    file.chunks = (2, *VOLUME.shape[1:])
    for index in INDICES:
        numpy.testing.assert_array_equal(file[index], VOLUME[index])


def test_an_open_file_knows_its_voxels(folder):
    tamis.write("a.tif", VOLUME, spacing=(3, 2, 1), unit="um")
    file = tamis.read("a.tif", lazy=True)
    assert (file.spacing, file.unit) == ((3.0, 2.0, 1.0), "um")
    assert file[:, ::2].spacing == (3.0, 4.0, 1.0) and file[0].spacing == (2.0, 1.0)
    assert file[1:6:2, 3:9].spacing == (6.0, 2.0, 1.0)
    assert tamis.granulometry(file, 100) == tamis.granulometry(tamis.read("a.tif"), 100)
    opened = tamis.open(file, "cube:3")
    numpy.testing.assert_array_equal(opened, tamis.open(VOLUME, "cube:3"))
    assert opened.spacing == file.spacing
    assert tamis.read("a.tif", spacing="5mm").spacing == (5, 5, 5)


def test_colours_are_the_last_axis(folder):
    tamis.write("a.png", COLOURS, channel_axis=-1)
    tamis.write("a.tif", numpy.moveaxis(COLOURS, -1, 0), channel_axis=0)
    for name in ("a.png", "a.tif"):
        file = tamis.open_file(name)
        assert file.shape == COLOURS.shape
        for index in (numpy.s_[...], numpy.s_[3:5], numpy.s_[..., 1], numpy.s_[2, 3]):
            numpy.testing.assert_array_equal(file[index], COLOURS[index])
        numpy.testing.assert_array_equal(tamis.read(name, channel=2), COLOURS[..., 2])
        assert tamis.info(name)["channels"] == 3
        with pytest.raises(tamis.InputError, match="looks like a colour image"):
            tamis.median(file)
        with pytest.raises(tamis.InputError, match=r"3 channels; wanted one of them: tamis\.open_file\(path, channel=0\)"):
            tamis.granulometry(file, 100)
        numpy.testing.assert_array_equal(tamis.median(file, channel_axis=-1), tamis.median(COLOURS, channel_axis=-1))


def test_info_says_what_a_file_holds(folder):
    tamis.write("a.mha", VOLUME[0], spacing="2um")
    told = tamis.info("a.mha")
    assert told == {"path": "a.mha", "format": told["format"], "shape": (24, 31), "dtype": "uint8", "channels": 1,
                    "spacing": (0.002, 0.002), "unit": "mm", "placement": None, "files": ["a.mha"]}  # fmt: skip
    assert "MetaImage" in told["format"]


def test_the_options_are_those_of_the_program(tamis_program):
    told = json.loads(subprocess.run([tamis_program, "operations", "--json"], capture_output=True, check=True).stdout)
    wanted = {parameter["name"] for parameter in told["reading"]}
    assert set(inspect.signature(tamis.open_file).parameters) == {"path", *wanted}


def test_raw_files_are_told_what_they_are(folder):
    image = VOLUME.astype("u2") * 100
    image.tofile("scan_31x24x7_uint16.raw")
    image.astype(">u2").tofile("scan.raw")
    with gzip.open("scan_31x24x7_u16.raw.gz", "wb") as file:
        file.write(image.tobytes())
    for path, told in (("scan_31x24x7_uint16.raw", {}), ("scan_31x24x7_u16.raw.gz", {}),
                       ("scan.raw", {"shape": "31x24x7", "dtype": "u16", "byte_order": "big"}),
                       ("scan.raw", {"shape": [7, 24, 31], "dtype": numpy.uint16, "byte_order": "big"}),
                       ("scan.raw", {"shape": (7, 24, 31), "dtype": numpy.dtype("u2"), "byte_order": "big"})):
        numpy.testing.assert_array_equal(tamis.read(path, **told), image)


def test_a_folder_of_slices_is_a_volume_in_the_order_of_the_numbers(folder):
    os.mkdir("slices")
    for z, one in enumerate(numpy.concatenate([VOLUME, VOLUME])):
        tamis.write(f"slices/s{z}.png", one)
    numpy.testing.assert_array_equal(tamis.read("slices"), numpy.concatenate([VOLUME, VOLUME]))
    tamis.write("slices/mask.tif", VOLUME[0])
    with pytest.raises(tamis.InputError, match="mask.tif"):
        tamis.read("slices")
    numpy.testing.assert_array_equal(tamis.read("slices", only="*.png")[7:], VOLUME)


@pytest.mark.parametrize(("content", "name", "words"), [
    (None, "missing.tif", "No such file"), (None, "missing.h5:/a", "No such file"), (b"abc", "a.xyz", "unknown format"),
    (b"abc", "a.raw", "a.raw"), (b"abc", "a_2x2_u8.raw", "a_2x2_u8.raw"), (b"abcde", "a_2x2_u8.raw", "a_2x2_u8.raw"),
    (b"abc", "a_2x2_u8.raw.gz", "gzip"), (b"abc", "a.npy", "a.npy"), (b"abc", "a.tif", "a.tif"), (b"abc", "a.h5", "a.h5"),
    (b"", "a.png", "a.png"), (b"abc", "a\nb.npy", r"a\\nb.npy"), (None, "a\0b.npy", r"a\\x00b.npy: a zero character"),
])  # fmt: skip
def test_a_bad_file_is_named_with_what_is_wrong(folder, content, name, words):
    if content is not None:
        (folder / name).write_bytes(content)
    for call in (tamis.read, tamis.open_file, tamis.info):
        with pytest.raises(tamis.InputError, match=words) as caught:
            call(name)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("options", "words"), [
    ({"shape": 3}, "shape"), ({"shape": (3, "a")}, "shape"), ({"dtype": "u7"}, "u7"), ({"dtype": object}, "object"),
    ({"byte_order": "middle"}, "middle"), ({"channel": 4}, "4"), ({"channel": "red"}, "red"), ({"time": -1}, "time=-1"),
    ({"level": 2}, "level 2"), ({"spacing": "2"}, "spacing='2': wanted a unit too"),
])  # fmt: skip
def test_wrong_options_are_refused(folder, options, words):
    tamis.write("a.npy", VOLUME)
    with pytest.raises((tamis.InputError, TypeError), match=words) as caught:
        tamis.read("a.npy", **options)
    assert "\n" not in str(caught.value)
    with pytest.raises(TypeError, match="unexpected keyword argument 'chanel'"):
        tamis.read("a.npy", chanel=1)


def test_a_file_of_several_data_sets_is_answered_with_their_names(folder):
    import h5py

    with h5py.File("a.h5", "w") as file:
        file["x/one"], file["two"] = VOLUME, VOLUME
    with pytest.raises(tamis.InputError, match="/two.*/x/one|/x/one.*/two"):
        tamis.read("a.h5")
    assert tamis.read("a.h5:/two").shape == VOLUME.shape


def test_a_missing_file_is_what_python_calls_it(tmp_path):
    for name in ("none.tif", "none.h5", "none.npy", "none.zarr"):
        with pytest.raises(FileNotFoundError, match=f"{name}: cannot read it: No such file") as caught:
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


def test_a_pipe_is_refused_and_not_waited_for(tmp_path):
    for name in ("a.tif", "a.h5", "a.npy", "a_2x2_u8.raw", "a.nii.gz", "a.dcm"):
        os.mkfifo(tmp_path / name)
        with pytest.raises(tamis.InputError, match=name):
            tamis.read(tmp_path / name)


def test_names_that_are_no_utf8_are_names(folder):
    name = os.fsdecode(b"\xff\xfe.npy")
    tamis.write(name, VOLUME)
    numpy.testing.assert_array_equal(tamis.read(name), VOLUME)
    assert tamis.info(name)["files"] == [name]
    numpy.testing.assert_array_equal(tamis.read(os.fsencode(name)), VOLUME)


def test_threads_and_processes_share_a_file(folder):
    import h5py

    with h5py.File("a.h5", "w") as file:  # one that a process decodes
        file.create_dataset("a", data=VOLUME, chunks=(2, 8, 8), compression="gzip", fletcher32=True)
    file, wrong = tamis.open_file("a.h5"), []

    def work():
        for z in range(len(VOLUME)):
            if (file[z] != VOLUME[z]).any():
                wrong.append(z)

    threads = [threading.Thread(target=work) for _ in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert not wrong
    again = pickle.loads(pickle.dumps(file))
    numpy.testing.assert_array_equal(again, VOLUME)
    with multiprocessing.get_context("fork").Pool(2) as pool:
        for z, one in enumerate(pool.map(file.__getitem__, range(len(VOLUME)))):
            numpy.testing.assert_array_equal(one, VOLUME[z])
    numpy.testing.assert_array_equal(file, VOLUME)


def test_a_closed_file_is_opened_again(folder):
    tamis.write("a.tif", VOLUME)
    with tamis.open_file("a.tif") as file:
        numpy.testing.assert_array_equal(file[1], VOLUME[1])
    numpy.testing.assert_array_equal(file[2], VOLUME[2])
    file.close()
    os.remove("a.tif")
    with pytest.raises(FileNotFoundError):
        file[3]


def test_dask_reads_a_file_by_its_layers(folder):
    arrays, dask = pytest.importorskip("dask.array"), pytest.importorskip("tamis.dask")
    tamis.write("a.zarr", numpy.repeat(VOLUME, 6, axis=0), spacing="2um")
    file = tamis.open_file("a.zarr")
    whole = tamis.read("a.zarr")
    assert file._opened().layer == 16
    file.chunks = (16, *file.shape[1:])
    assert dask.granulometry(file, 100).compute() == tamis.granulometry(whole, 100)
    numpy.testing.assert_array_equal(dask.open(file, "cube:3").compute(), tamis.open(whole, "cube:3"))
    lazy = arrays.from_array(file, chunks=file.chunks)
    numpy.testing.assert_array_equal(lazy[3:20, 2].compute(scheduler="processes"), whole[3:20, 2])
    name = lazy.name
    tamis.write("a.zarr", VOLUME)
    assert arrays.from_array(tamis.open_file("a.zarr"), chunks=-1).name != name


def test_a_zarr_group_that_is_handed_over_is_answered_with_what_to_hand_over(folder):
    zarr = pytest.importorskip("zarr", minversion="3")
    tamis.write("a.zarr", VOLUME)
    group = zarr.open("a.zarr", mode="r")
    with pytest.raises(tamis.InputError, match=r"a Zarr group; wanted one of its arrays, image\['name'\], or tamis.open_file"):
        tamis.median(group)
    numpy.testing.assert_array_equal(tamis.median(group["0"]), tamis.median(VOLUME))


@pytest.mark.whole
def test_ctrl_c_ends_reading(folder):
    """A long file of zeros within gzip."""
    with gzip.open("a_2000x2000x500_u8.raw.gz", "wb", 1) as file:
        for _ in range(500):
            file.write(bytes(4_000_000))
    code = """if True:
        import os, signal, sys, threading, time, tamis
        threading.Timer(0.3, lambda: (globals().update(asked=time.monotonic()), os.kill(os.getpid(), signal.SIGINT))).start()
        try:
            while True:
                tamis.read(sys.argv[1])
        except KeyboardInterrupt:
            print(time.monotonic() - asked)
    """
    done = subprocess.run([sys.executable, "-c", code, "a_2000x2000x500_u8.raw.gz"], capture_output=True, text=True, timeout=60)
    assert done.stderr == "" and float(done.stdout) < 1.5
