"""tamis.dask: chunks of every kind give what the whole gives, bit for bit, and only when they are asked for."""

import contextlib
import inspect

import dask
import dask.array as da
import numpy
import pytest
import tamis
import tamis.dask
import zarr
from tamis import _native
from test_morphology import noise

SHAPE = (11, 23, 37)
CHUNKS = {
    "single slices": (1, 23, 37),
    "pairs": (2, 23, 37),
    "sevens": (7, 23, 37),
    "uneven": ((1, 6, 4), (20, 2, 1), (3, 33, 1)),
    "columns": (11, 5, 9),
    "thin everywhere": (4, 6, 12),
}
TYPES = ["bool", "uint8", "uint16", "int16", "float32"]
BORDERS = ["neutral", "reflect", "nearest", "constant:1"]
FILTERS = {
    "erode": [{"element": "cube:3"}, {"element": "line:9@30"}, {"element": tamis.disk(3)}],
    "dilate": [{"element": [[0, 1, 1]], "iterations": 3}, {"element": "ball:2"}],
    "open": [{"element": "ball:2"}, {"element": "square:7"}, {"element": "cross:1", "iterations": 2},
             {"element": "square:5", "by_reconstruction": True}, {"element": "line:7@40", "lines": "traced"}],
    "close": [{"element": "disk:4"}, {"element": "box:3x5x7"}, {"element": "cube:3", "by_reconstruction": True}],
    "gradient": [{"element": "cube:3"}, {"element": "disk:2", "kind": "inner"}],
    "tophat": [{"element": "ball:2"}],
    "bothat": [{"element": "square:9"}],
    "hitmiss": [{"hit": "rect:2x1", "miss": tamis.element([[1]], origin=(0, -1))}],
    "asf": [{"element": "disk:2"}, {"element": "cross:2", "order": "co"}],
    "median": [{"size": 3}, {"size": (5, 1, 3), "percentile": 20}],
    "smooth": [{"size": 9}],
    "remove_outliers": [{"size": 3, "threshold": 1}],
}  # fmt: skip


@pytest.fixture(autouse=True, scope="module")
def _two_threads():
    with dask.config.set(scheduler="threads", num_workers=2):
        yield


def sample(shape, dtype, seed=1):
    return noise(shape, bool if dtype == "bool" else getattr(numpy, dtype), seed)


def same(lazy, whole):
    computed = lazy.compute()
    assert computed.dtype == lazy.dtype == whole.dtype
    numpy.testing.assert_array_equal(computed, whole)


def blobs(shape, seed=1):
    rng = numpy.random.default_rng(seed)
    return tamis.median(rng.integers(0, 256, shape, "u1"), size=5) > 127


def test_every_filter_is_split_here():
    assert set(FILTERS) | {"reconstruct"} == set(_native._filters)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("chunks", CHUNKS)
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", FILTERS)
def test_filters_of_chunks_are_those_of_the_whole(name, dtype, chunks):
    whole = sample(SHAPE, dtype)
    image = da.from_array(whole, chunks=CHUNKS[chunks])
    borders = BORDERS if "border" in inspect.signature(getattr(tamis, name)).parameters else [None]
    number = list(CHUNKS).index(chunks) + TYPES.index(dtype)
    for i, keywords in enumerate(FILTERS[name]):
        border = borders[(number + i) % len(borders)]  # all of them in the course of the tests
        own = keywords if border is None else {**keywords, "border": border}
        try:
            expected = getattr(tamis, name)(whole, **own)
        except tamis.InputError:  # no neutral border for medians
            with pytest.raises(tamis.InputError):
                getattr(tamis.dask, name)(image, **own)
            continue
        result = getattr(tamis.dask, name)(image, **own)
        assert result.chunks == image.chunks
        same(result, expected)


@pytest.mark.parametrize("chunks", [(1, 53), (40, 2), (7, 7), ((39, 1), (50, 3)), ((2, 38), (53,))])
def test_images_of_two_axes(chunks):
    whole = sample((40, 53), "uint8")
    image = da.from_array(whole, chunks=chunks)
    same(tamis.dask.open(image, "disk:5"), tamis.open(whole, "disk:5"))
    same(tamis.dask.median(image, 7, border="nearest"), tamis.median(whole, 7, border="nearest"))
    same(tamis.dask.close(image, "line:31@20", border="reflect"), tamis.close(whole, "line:31@20", border="reflect"))
    assert tamis.dask.granulometry(image, 128).compute() == tamis.granulometry(whole, 128)


def test_batches_channels_and_two_images():
    whole = sample((6, 30, 41), "uint8")
    image = da.from_array(whole, chunks=(4, 7, 41))
    same(tamis.dask.median(image, 5, batch=True), tamis.median(whole, 5, batch=True))
    same(tamis.dask.reconstruct(image // 2, image, batch=True), tamis.reconstruct(whole // 2, whole, batch=True))
    same(tamis.dask.reconstruct(image // 2, image), tamis.reconstruct(whole // 2, whole))
    colour = sample((30, 41, 3), "uint8")
    picture = da.from_array(colour, chunks=(11, 41, 2))
    same(tamis.dask.open(picture, "disk:3", channel_axis=-1), tamis.open(colour, "disk:3", channel_axis=-1))
    same(tamis.dask.erode(image, "cube:3", as_type="f32"), tamis.erode(whole, "cube:3", as_type="f32"))


@pytest.mark.parametrize("dtype", ["int8", "uint32", "int32", "uint64", "int64", "float64", ">i4"])
def test_every_type_gives_what_the_whole_gives(dtype):
    whole = (sample((12, 30, 41), "uint8") % 100).astype(dtype)
    image = da.from_array(whole, chunks=(5, 13, 41))
    for name in tamis._native._filters:
        images = (image // 2, image) if name == "reconstruct" else (image,)
        found = getattr(tamis.dask, name)(*images)
        wanted = getattr(tamis, name)(*(array.compute() for array in images))
        assert found.dtype == found.compute().dtype == wanted.dtype
        same(found, wanted)
    whole[11, 29, 40] = 2**24 + 1 if whole.dtype.itemsize > 1 else 1
    with pytest.raises(tamis.InputError, match="border constant:0.5") if whole.dtype.kind != "f" else contextlib.nullcontext():
        tamis.dask.erode(da.from_array(whole, chunks=(5, 13, 41)), border="constant:0.5")
    if whole.dtype.kind in "iu" and whole.dtype.itemsize > 1:
        with pytest.raises(tamis.InputError, match=r"samples that f32 cannot hold, 16777217 at .* \(in the part "):
            tamis.dask.median(da.from_array(whole, chunks=(5, 13, 41))).compute()


def test_a_part_as_thin_as_a_picture_in_colour_is_none():
    whole = sample((20, 30, 40), "uint8")
    image = da.from_array(whole, chunks=(20, 30, 3))
    same(tamis.dask.erode(image, "line:3@0"), tamis.erode(whole, "line:3@0"))
    same(tamis.dask.threshold(image), tamis.threshold(whole))
    same(tamis.dask.convert(image, "f32"), tamis.convert(whole, "f32"))


OBJECTS = [
    {}, {"element": "cube"}, {"element": "square", "max_size": 3}, {"element": "ball"}, {"element": "ball", "max_size": 2},
    {"element": "ball", "sizes": [2, 3, 60]}, {"element": "ball", "convention": "fiji"}, {"max_size": 0}, {"max_size": 2},
    {"element": "ball", "convention": "porespy"}, {"element": "disk", "spacing": (2.5, 2, 1), "unit": "um"},
    {"element": "ball", "spacing": (2.5, 1, 1), "unit": "um"}, {"element": "ball", "spacing": (2.5, 0.6836, 0.6836), "unit": "um"},
    {"element": "disk", "spacing": (9, 1.0007, 1), "unit": "um"}, {"roi": "cylinder"},
    {"element": "ball", "spacing": (1.7320508, 1.41421356, 1), "unit": "um", "sizes": [2, 3], "border": "neutral"}, {"border": "neutral"},
    {"border": "neutral", "element": "ball"}, {"border": "neutral", "max_size": 2}, {"border": "neutral", "roi": "cylinder"},
    {"crop": "5:41,3:30,2:29"}, {"crop": numpy.s_[3:25], "roi": "cylinder", "phase": "dark"}, {"element": tamis.cube(3)},
]  # fmt: skip


@pytest.mark.sampled(3)
@pytest.mark.parametrize("chunks", [(1, 32, 45), (13, 32, 45), (30, 7, 20), ((20, 3, 7), (30, 2), (44, 1))])
@pytest.mark.parametrize("keywords", OBJECTS, ids=str)
def test_sizes_are_those_of_the_whole(keywords, chunks, monkeypatch):
    from tamis._dask import bits

    monkeypatch.setattr(bits, "_LEAST_CHUNK", 8)  # so that there is more than one
    whole = blobs((30, 32, 45))
    whole[8:22, 6:20, 10:25] = True  # larger than chunks
    image = da.from_array(whole, chunks=chunks)
    assert tamis.dask.granulometry(image, **keywords).compute() == tamis.granulometry(whole, **keywords)
    expected = tamis.size_map(whole, **keywords)
    found = tamis.dask.size_map(image, **keywords)
    numpy.testing.assert_array_equal(found.compute(), expected)
    assert found.compute().dtype == found.dtype
    same(tamis.dask.size_map(image, widths=True, **keywords), tamis.size_map(whole, widths=True, **keywords))
    if keywords.get("element") == "ball":
        own = {word: value for word, value in keywords.items() if word != "max_size"}
        widths, figures = dask.compute(*tamis.dask.thickness(image, return_figures=True, **own))
        expected, known = tamis.thickness(whole, return_figures=True, **own)
        numpy.testing.assert_array_equal(widths, expected)
        assert figures == known
        own = {word: value for word, value in own.items() if word in ("border", "spacing", "unit")}
        same(tamis.dask.distance(image, **own), tamis.distance(whole, **own))


@pytest.mark.parametrize("seed", range(8))
def test_halos_are_enough_wherever_objects_lie(seed, monkeypatch):
    """Lone boxes, diagonal slabs and balls of random places and sizes, across chunks of random borders."""
    from tamis._dask import bits

    monkeypatch.setattr(bits, "_LEAST_CHUNK", 1)
    rng = numpy.random.default_rng(seed)
    shape = tuple(int(n) for n in rng.integers(20, 70, 3))
    z, y, x = numpy.ogrid[tuple(slice(n) for n in shape)]
    whole = numpy.zeros(shape, bool)
    for _ in range(4):
        a, b, c = (int(rng.integers(0, n)) for n in shape)
        r = int(rng.integers(1, 16))
        kind = rng.integers(3)
        if kind == 0:
            whole |= (z - a) ** 2 + (y - b) ** 2 + (x - c) ** 2 < r * r
        elif kind == 1:
            whole |= (abs(z - a) < r) & (abs(y - b) < 2 * r) & (abs(x - c) < r)
        else:
            whole |= abs(z + y - x - a) + 0 * c < r
    chunks = tuple(tuple(int(k) for k in numpy.diff([0, *sorted(rng.choice(numpy.arange(1, n), 2, replace=False)), n])) for n in shape)
    image = da.from_array(whole, chunks=chunks)
    for element in ("cross", "cube", "square", "ball", "disk"):
        assert tamis.dask.granulometry(image, element=element).compute() == tamis.granulometry(whole, element=element)
        same(tamis.dask.size_map(image, element=element), tamis.size_map(whole, element=element))


@pytest.mark.parametrize("element", ["cross", "cube", "ball"])
def test_what_reaches_past_every_halo_is_done_by_one_task(element, monkeypatch):
    from tamis._dask import bits

    monkeypatch.setattr(bits, "_LEAST_HALO", 4)
    monkeypatch.setattr(bits, "_LEAST_CHUNK", 1)
    whole = numpy.zeros((40, 40, 40), bool)
    whole[2:38, 2:38, 2:38] = True
    image = da.from_array(whole, chunks=(10, 20, 20))
    keywords = {"element": element, "roi": "cylinder"}
    whole &= tamis.threshold(numpy.ones((40, 40), "u1"), 0, roi="cylinder")
    assert tamis.dask.granulometry(image & whole, **keywords).compute() == tamis.granulometry(whole, **keywords)
    same(tamis.dask.size_map(image, element=element), tamis.size_map(image.compute(), element=element))


@pytest.mark.parametrize("dtype", ["u1", "u2", "i2", "f4", "i4", "f8", "i8"])
def test_thresholds_are_those_of_the_whole(dtype):
    rng = numpy.random.default_rng(3)
    whole = tamis.median(rng.integers(0, 256, (19, 30, 40), "u1"), size=3).astype(dtype)
    whole += tamis.dilate(blobs(whole.shape), "cube:3").astype(dtype) * numpy.array(60, dtype)
    if dtype == "f8":  # no whole numbers, and an outlier
        whole = whole / 7
        whole[3, 4, 5] = 1e7
    image = da.from_array(whole, chunks=(7, 11, 40))
    for method in ("otsu", "li", "kapur", "minimum", "triangle", "isodata", "mean"):
        for keywords in ({}, {"roi": "cylinder"}):
            try:
                value = tamis.threshold_value(whole, method, **keywords)
            except tamis.InputError as error:
                with pytest.raises(tamis.InputError) as refused:
                    tamis.dask.threshold_value(image, method, **keywords).compute()
                assert str(refused.value) == str(error)
                continue
            assert tamis.dask.threshold_value(image, method, **keywords).compute() == value
            same(tamis.dask.threshold(image, method, **keywords), tamis.threshold(whole, method, **keywords))
    same(tamis.dask.threshold(image, (100, 150), phase="dark"), tamis.threshold(whole, (100, 150), phase="dark"))
    assert tamis.dask.granulometry(image, "otsu").compute() == tamis.granulometry(whole, "otsu")
    two = numpy.where(whole > 130, numpy.array(7, dtype), numpy.array(3, dtype))
    assert tamis.dask.granulometry(da.from_array(two, chunks=13)).compute() == tamis.granulometry(two)
    with pytest.raises(tamis.InputError, match="two values"):
        tamis.dask.granulometry(image).compute()


def test_grey_values_and_lines_are_one_task():
    whole = sample((20, 30), "uint8")
    image = da.from_array(whole, chunks=7)
    assert tamis.dask.granulometry(image, grey=True, max_size=3).compute() == tamis.granulometry(whole, grey=True, max_size=3)
    line = {"element": "line@30", "threshold": 100}
    assert tamis.dask.granulometry(image, **line).compute() == tamis.granulometry(whole, **line)


class Counting:
    """An array that counts what is read of it."""

    def __init__(self, array):
        self.array, self.read = array, 0
        self.shape, self.dtype, self.ndim = array.shape, array.dtype, array.ndim

    def __getitem__(self, index):
        part = self.array[index]
        self.read += part.size
        return part


def test_nothing_is_read_before_it_is_asked_for():
    source = Counting(sample((16, 20, 30), "uint8"))
    image = da.from_array(source, chunks=(4, 20, 30), asarray=False, meta=numpy.empty((0, 0, 0), "u1"))
    lazy = [getattr(tamis.dask, name)(image, **keywords[0]) for name, keywords in FILTERS.items()]
    lazy += [tamis.dask.threshold(image), tamis.dask.threshold_value(image), tamis.dask.granulometry(image, "otsu"),
             tamis.dask.size_map(image, 100), tamis.dask.distance(image, 100), tamis.dask.convert(image, "f32"),
             *tamis.dask.thickness(image, 100, return_figures=True)]  # fmt: skip
    assert source.read == 0
    lazy[0].compute()
    assert source.read == source.array.size  # each chunk once, whatever its halo
    lazy[0][:1, :1, :1].compute()
    assert source.read < 2 * source.array.size


def test_from_zarr_to_zarr(tmp_path):
    whole = sample((24, 30, 40), "uint8")
    store = zarr.create_array(tmp_path / "in.zarr", shape=whole.shape, chunks=(8, 16, 40), dtype="u1")
    store[:] = whole
    for name, lazy in (("open", tamis.dask.open(store, "cube:5")), ("map", tamis.dask.size_map(store, 120))):
        waiting = lazy.to_zarr(tmp_path / f"{name}.zarr", compute=False)
        waiting.compute()
    numpy.testing.assert_array_equal(zarr.open_array(tmp_path / "open.zarr", mode="r")[:], tamis.open(whole, "cube:5"))
    numpy.testing.assert_array_equal(zarr.open_array(tmp_path / "map.zarr", mode="r")[:], tamis.size_map(whole, 120))
    assert tamis.dask.granulometry(store, "otsu").compute() == tamis.granulometry(whole, "otsu")


def test_refusals_come_at_once_in_the_words_of_the_operation():
    image = da.zeros((20, 30, 40), chunks=10, dtype="u1")
    for call in (lambda f: f.open(image, footprint=3), lambda f: f.median(image, percentile=200), lambda f: f.erode()):
        with pytest.raises((TypeError, tamis.InputError)) as lazy:
            call(tamis.dask)
        with pytest.raises((TypeError, tamis.InputError)) as eager:
            call(tamis)
        assert str(lazy.value) == str(eager.value)
    with pytest.raises(tamis.InputError, match="out: of arrays in memory only"):
        tamis.dask.open(image, out=numpy.zeros((20, 30, 40), "u1"))
    with pytest.raises(tamis.InputError, match="complex"):
        tamis.dask.open(image.astype(complex))
    with pytest.raises(tamis.InputError, match="otsuu"):
        tamis.dask.threshold(image, "otsuu")
    with pytest.raises(tamis.InputError, match="compute_chunk_sizes"):
        tamis.dask.open(image[image > 0])
    with pytest.raises(tamis.InputError, match="colour"):
        tamis.dask.open(da.zeros((20, 30, 3), dtype="u1"))
    with pytest.raises(AttributeError, match="dask.delayed"):
        tamis.dask.skew  # noqa: B018
    with pytest.raises(tamis.InputError, match="window"):
        tamis.dask.convert(image.astype("f4"), "u8")


def test_a_chunk_that_raises_says_what_and_where():
    def fails(block, block_info=None):
        if block_info and block_info[0]["chunk-location"] == (1, 0):
            raise OSError("disk on fire")
        return block

    image = da.zeros((20, 20), chunks=10, dtype="u1").map_blocks(fails, dtype="u1")
    with pytest.raises(OSError, match="disk on fire"):
        tamis.dask.open(image).compute()
    with pytest.raises(OSError, match="disk on fire"):
        tamis.dask.granulometry(image, 0).compute()
    numbers = numpy.zeros((20, 20), "f4")
    numbers[12, 3] = numpy.nan
    with pytest.raises(tamis.InputError, match=r"NaN.*in the part \[.*\]"):
        tamis.dask.open(da.from_array(numbers, chunks=10)).compute()
    cut = da.zeros((20, 20), chunks=10, dtype="u1").map_blocks(lambda block: block[:5], dtype="u1", chunks=(10, 10))
    with pytest.raises(tamis.InputError, match="came as"):
        tamis.dask.open(cut).compute()


def test_masks_are_refused():
    image = da.zeros((20, 20), chunks=10, dtype="u1")
    with pytest.raises(tamis.InputError, match="mask: of arrays in memory only"):
        tamis.dask.median(image, mask=numpy.ones((20, 20), bool))
    assert tamis.dask.median(image, mask=None).shape == (20, 20)


def test_functions_have_the_signatures_of_the_package():
    for name in tamis.dask.__all__:
        own, eager = (inspect.signature(getattr(module, name)).parameters for module in (tamis.dask, tamis))
        assert set(eager) - set(own) <= {"out", "progress"}
        assert getattr(tamis.dask, name).__doc__


def pattern(block_info=None):
    z, y, x = (numpy.arange(a, b) for a, b in block_info[None]["array-location"])
    steps = [(axis // width % 3).astype("u1") for axis, width in ((z, 9), (y, 11), (x, 13))]
    return ((steps[0][:, None, None] + steps[1][:, None] + steps[2]) % numpy.uint8(3) > 0).astype("u1") * numpy.uint8(200)


@pytest.mark.parametrize("edge", [128, pytest.param(1024, marks=pytest.mark.extra)])
@pytest.mark.whole
def test_two_workers_do_a_volume_of_which_1024_is_four_times_their_memory(tmp_path, edge):
    distributed = pytest.importorskip("distributed")
    limit = 256 << 20
    chunks = ((edge // 8,) * 8, (edge // 4,) * 4, (edge // 4,) * 4)
    volume = da.map_blocks(pattern, dtype="u1", chunks=chunks, meta=numpy.empty((0, 0, 0), "u1"))
    assert volume.nbytes == edge**3
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, memory_limit=limit, local_directory=tmp_path, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster),
    ):
        left, sizes, value = dask.compute(
            tamis.dask.erode(volume, "cube:5").astype(bool).sum(),
            tamis.dask.granulometry(volume, 100, max_size=3),
            tamis.dask.threshold_value(volume),
        )
    with dask.config.set(scheduler="synchronous"):
        assert sizes == tamis.granulometry(volume, 100, max_size=3)
    assert value == tamis.threshold_value(numpy.array([[0, 200]], "u1"))

    def slab(z):
        box = ((max(z - 2, 0), min(z + 66, edge)), (0, edge), (0, edge))
        return tamis.erode(pattern({None: {"array-location": box}}), "cube:5")[z - box[0][0] :][:64]

    assert left == sum(numpy.count_nonzero(slab(z)) for z in range(0, edge, 64))
