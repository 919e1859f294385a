"""OME-Zarr images: read, written, and given to operations as they lie in their store."""

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
        ({}, "time"), ({"time": 2, "channel": 0}, "2"), ({"time": 0, "channel": "red"}, "red"),
        ({"time": 0, "channel": 0, "level": 2}, "level"),
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


@pytest.mark.parametrize("unit", ["nm", "um", "mm", "cm", "m"])
def test_what_is_written_is_read_back(tmp_path, unit):
    for image, edges in ((VOLUME, EDGES), (VOLUME[0] > 100, EDGES[1:])):
        path = tmp_path / "made.ome.zarr"
        tamis.write(path, image, spacing=edges, unit=unit)
        read = tamis.read(path)
        numpy.testing.assert_array_equal(read, image)
        assert (read.dtype, read.spacing, read.unit) == (image.dtype, edges, unit)
    again = tmp_path / "again.zarr"
    tamis.write(again, read)  # an array that knows its voxels
    assert tamis.read(again).spacing == EDGES[1:]
    tamis.write(again, VOLUME)
    assert tamis.read(again).spacing is None


def test_a_scale_beside_all_levels_is_multiplied(tmp_path):
    beside = {"coordinateTransformations": [{"type": "scale", "scale": [2, 2, 10]}]}
    assert tamis.read(make(tmp_path / "a.zarr", VOLUME, **beside)).spacing == (4.0, 3.0, 5.0)


def test_a_length_that_is_none_is_not_known(tmp_path):
    for number, edge in enumerate((0, -1)):
        assert tamis.read(make(tmp_path / f"{number}.zarr", VOLUME, scale=(1, edge, 1))).spacing is None


def test_what_is_no_image_is_refused_in_one_line(tmp_path):
    group = zarr.create_group(tmp_path / "group.zarr")
    group.create_array("mine", data=VOLUME)
    for attributes in ({}, {"ome": 3}, {"ome": {"plate": {}}}, {"ome": {"bioformats2raw.layout": 3}},
                       {"ome": {"multiscales": [{"datasets": [{"path": "none"}]}]}},
                       {"ome": {"multiscales": [{"datasets": [{"path": "../../x"}]}]}},
                       {"ome": {"multiscales": [{"axes": ["x", "y", "z"], "datasets": [{"path": "mine"}]}]}},
                       {"ome": {"multiscales": [{"axes": ["q", "y", "x"], "datasets": [{"path": "mine"}]}]}}):  # fmt: skip
        group.attrs.clear()
        group.attrs.update(attributes)
        for lazy in (False, True):
            with pytest.raises(tamis.InputError, match="group.zarr") as caught:
                tamis.read(tmp_path / "group.zarr", lazy=lazy)
            assert "\n" not in str(caught.value)
    numpy.testing.assert_array_equal(tamis.read(tmp_path / "group.zarr" / "mine"), VOLUME)
