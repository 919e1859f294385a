"""OME-Zarr images: read, written, and given to operations as they lie in their store."""

import json
import os

import numpy
import pytest
import tamis

zarr = pytest.importorskip("zarr", minversion="3")

VOLUME = (numpy.random.default_rng(7).random((9, 24, 31)) * 200).astype("u1")
EDGES = (2.0, 1.5, 0.5)
SPACE = [{"name": axis, "type": "space", "unit": "micrometer"} for axis in "zyx"]


def make(folder, samples, names="zyx", scale=None, version="0.5", levels=2, **beside):
    """An image as other programs write it, each level half of the one before."""
    units = {axis["name"]: axis for axis in SPACE}
    scale = list(scale or (*[1.0] * (len(names) - 3), *EDGES))
    datasets = []
    group = zarr.create_group(folder, zarr_format=2 if version == "0.4" else 3)
    for level in range(levels):
        step = tuple(slice(None, None, 2**level if name in "zyx" else 1) for name in names)
        group.create_array(str(level), data=samples[step], chunks=tuple(min(8, n) for n in samples[step].shape))
        larger = [edge * (2**level if name in "zyx" else 1) for edge, name in zip(scale, names, strict=True)]
        datasets.append({"path": str(level), "coordinateTransformations": [{"type": "scale", "scale": larger}]})
    image = {"axes": [units.get(name, {"name": name}) for name in names], "datasets": datasets, **beside}
    group.attrs.update({"multiscales": [{"version": "0.4", **image}]} if version == "0.4"
                       else {"ome": {"version": version, "multiscales": [image]}})
    return folder


@pytest.mark.parametrize("version", ["0.4", "0.5"])
def test_levels_are_read_with_the_size_of_their_voxels(tmp_path, version):
    path = make(tmp_path / "scan.zarr", VOLUME, version=version)
    for given, step in ((None, 1), (0, 1), (1, 2)):
        image = tamis.read(path, level=given)
        numpy.testing.assert_array_equal(image, VOLUME[::step, ::step, ::step])
        assert (image.spacing, image.unit) == (tuple(edge * step for edge in EDGES), "um")
    numpy.testing.assert_array_equal(tamis.read(path / "1"), VOLUME[::2, ::2, ::2])  # an array is one


@pytest.mark.parametrize("version", ["0.4", "0.5"])
def test_channel_and_time_are_chosen_as_in_other_files(tmp_path, version):
    several = numpy.stack([numpy.stack([VOLUME + 10 * t + c for c in range(3)]) for t in range(2)])
    path = make(tmp_path / "scan.zarr", several, "tczyx", version=version)
    for lazy in (False, True):
        image = tamis.read(path, time=1, channel=2, level=1, lazy=lazy)
        numpy.testing.assert_array_equal(image, (VOLUME + 12)[::2, ::2, ::2])
        assert image.spacing == (4.0, 3.0, 1.0)
    for keywords, words in (
        ({}, r"\(t, c, z, y, x\); wanted one channel and time: tamis.read\(path, time=0 ... 1\)"),
        ({"time": 0}, "channel=0 ... 2"), ({"time": 2, "channel": 0}, r"time=2; wanted 0 \.\.\. 1"),
        ({"time": 0, "channel": "red"}, r"channel='red'; wanted 0 \.\.\. 2"),
        ({"time": 0, "channel": 0, "level": 2}, r"level=2; wanted 0 \.\.\. 1"),
    ):
        with pytest.raises(tamis.InputError, match=words):
            tamis.read(path, **keywords)


def test_an_open_level_is_taken_by_operations_and_by_dask_with_its_voxels(tmp_path):
    dask = pytest.importorskip("tamis.dask")
    path = make(tmp_path / "scan.zarr", VOLUME[None], "czyx")
    level = tamis.read(path, lazy=True)
    assert level.spacing == EDGES and level.shape == VOLUME.shape
    numpy.testing.assert_array_equal(level[2:4, ..., 5], VOLUME[2:4, ..., 5])
    sizes = tamis.granulometry(level, 100)
    assert sizes == tamis.granulometry(VOLUME, 100, spacing="0.5x1.5x2um")
    assert dask.granulometry(level, 100).compute() == sizes
    assert tamis.granulometry(tamis.read(path), 100) == sizes
    numpy.testing.assert_array_equal(dask.open(level, "cube:3").compute(), tamis.open(VOLUME, "cube:3"))


@pytest.mark.parametrize("version", ["0.4", "0.5"])
@pytest.mark.parametrize("unit", ["nm", "um", "mm", "cm", "m"])
def test_what_is_written_is_read_back(tmp_path, version, unit):
    for image, edges in ((VOLUME, EDGES), (VOLUME[0] > 100, EDGES[1:])):
        path = tmp_path / "made.ome.zarr"
        tamis.write(path, image, spacing=edges, unit=unit, ome_zarr=version)
        read = tamis.read(path)
        numpy.testing.assert_array_equal(read, image)
        assert (read.dtype, read.spacing, read.unit) == (image.dtype, edges, unit)
    again = tmp_path / "again.zarr"
    tamis.write(again, read)  # an array that knows its voxels
    assert tamis.read(again).spacing == EDGES[1:]
    tamis.write(again, VOLUME)
    assert tamis.read(again).spacing is None


def test_the_files_are_as_the_versions_have_them(tmp_path):
    tamis.write(tmp_path / "old.zarr", VOLUME, spacing="2um", ome_zarr="0.4")
    attributes = json.loads((tmp_path / "old.zarr" / ".zattrs").read_text())
    image = attributes["multiscales"][0]
    assert image["version"] == "0.4" and image["axes"] == SPACE and image["name"] == "old"
    array = json.loads((tmp_path / "old.zarr" / "0" / ".zarray").read_text())
    assert array["dimension_separator"] == "/" and (tmp_path / "old.zarr" / "0" / "0" / "0" / "0").exists()
    tamis.write(tmp_path / "new.zarr", VOLUME, spacing="2um")
    node = json.loads((tmp_path / "new.zarr" / "zarr.json").read_text())
    ome = node["attributes"]["ome"]
    assert node["zarr_format"] == 3 and ome["version"] == "0.5" and ome["multiscales"][0]["axes"] == SPACE
    scale = [{"type": "scale", "scale": [2.0, 2.0, 2.0]}]
    assert ome["multiscales"][0]["datasets"] == [{"path": "0", "coordinateTransformations": scale}]
    array = json.loads((tmp_path / "new.zarr" / "0" / "zarr.json").read_text())
    assert array["dimension_names"] == ["z", "y", "x"]


@pytest.mark.parametrize("version", ["0.4", "0.5"])
def test_dask_arrays_are_written_chunk_by_chunk(tmp_path, version):
    arrays, dask = pytest.importorskip("dask.array"), pytest.importorskip("tamis.dask")
    lazy = arrays.from_array(VOLUME, chunks=((4, 5), (10, 14), 31))
    path = tmp_path / "opened.zarr"
    tamis.write(path, dask.open(lazy, "cube:3"), spacing=EDGES, unit="mm", ome_zarr=version)
    read = tamis.read(path)
    numpy.testing.assert_array_equal(read, tamis.open(VOLUME, "cube:3"))
    assert (read.spacing, read.unit) == (EDGES, "mm")
    assert tamis.read(path, lazy=True).chunks == (5, 14, 31)
    before = sorted(os.listdir(tmp_path))
    broken = lazy.map_blocks(lambda block: block.astype("f4") + 0.5, dtype="u1", meta=numpy.empty((0, 0, 0), "u1"))
    unknown = lazy[lazy[:, 0, 0] > 0]
    for image, words in ((broken, "a block came as .* float32"), (unknown, "an array of shape"), (lazy[None], "wanted numbers")):
        with pytest.raises(tamis.InputError, match=words):
            tamis.write(path, image)
        numpy.testing.assert_array_equal(tamis.read(path), read)
    assert sorted(os.listdir(tmp_path)) == before


def test_a_scale_beside_all_levels_is_multiplied(tmp_path):
    beside = {"coordinateTransformations": [{"type": "scale", "scale": [2, 2, 10]}]}
    assert tamis.read(make(tmp_path / "a.zarr", VOLUME, **beside)).spacing == (4.0, 3.0, 5.0)


def test_a_length_that_is_none_is_not_known(tmp_path):
    for number, edge in enumerate((0, -1)):
        assert tamis.read(make(tmp_path / f"{number}.zarr", VOLUME, scale=(1, edge, 1))).spacing is None


def test_what_is_no_image_is_refused_in_one_line(tmp_path):
    group = zarr.create_group(tmp_path / "group.zarr")
    group.create_array("mine", data=VOLUME)
    for attributes, words in (
        ({}, "no OME-Zarr image; wanted one of its arrays"), ({"ome": 3}, "no OME-Zarr image"),
        ({"ome": {"plate": {}}}, "a plate or well"), ({"ome": {"bioformats2raw.layout": 3}}, "wanted one of them"),
        ({"ome": {"multiscales": [{"datasets": [{"path": "none"}]}]}}, "description is damaged"),
        ({"ome": {"multiscales": [{"datasets": [{"path": "../../x"}]}]}}, "description is damaged"),
        ({"ome": {"multiscales": [{"axes": ["x", "y", "z"], "datasets": [{"path": "mine"}]}]}}, r"axes \(x, y, z\); wanted"),
        ({"ome": {"multiscales": [{"axes": ["q", "y", "x"], "datasets": [{"path": "mine"}]}]}}, "one sample along q"),
        ({"ome": {"multiscales": [{"axes": SPACE, "datasets": [{"path": "mine", "coordinateTransformations": [
            {"type": "scale", "scale": [1, 1]}]}]}]}}, "a scale that is none"),
    ):
        group.attrs.clear()
        group.attrs.update(attributes)
        for lazy in (False, True):
            with pytest.raises(tamis.InputError, match=words) as caught:
                tamis.read(tmp_path / "group.zarr", lazy=lazy)
            assert "\n" not in str(caught.value) and "group.zarr" in str(caught.value)
    numpy.testing.assert_array_equal(tamis.read(tmp_path / "group.zarr" / "mine"), VOLUME)
    tamis.write(tmp_path / "a.npy", VOLUME)
    for call, words in ((lambda: tamis.read(tmp_path / "a.npy", level=0), "level=0 is for OME-Zarr"),
                        (lambda: tamis.read(tmp_path / "group.zarr" / "mine", level=1), "level=1; wanted 0"),
                        (lambda: tamis.write(tmp_path / "b.npy", VOLUME, ome_zarr="0.4"), "ome_zarr='0.4' is for .zarr"),
                        (lambda: tamis.write(tmp_path / "b.zarr", VOLUME, ome_zarr="0.3"), "wanted '0.4' or '0.5'")):
        with pytest.raises(tamis.InputError, match=words):
            call()
    assert not (tmp_path / "b.zarr").exists()
