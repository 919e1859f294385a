"""Dask, Zarr and HDF5: volumes that are read chunk by chunk."""

import numpy
import pytest
import tamis

dask_array = pytest.importorskip("dask.array")
zarr = pytest.importorskip("zarr")
h5py = pytest.importorskip("h5py")


@pytest.fixture(scope="module")
def grey():
    random = numpy.random.default_rng(3)
    foam = tamis.phantom("foam", (50, 60, 70), max_radius=9)
    return numpy.where(foam, 170, 60).astype(numpy.uint8) + random.integers(0, 30, foam.shape, numpy.uint8)


@pytest.fixture(params=["dask", "dask, uneven", "zarr", "zarr, sharded", "hdf5", "hdf5, contiguous"])
def chunked(request, grey, tmp_path):
    kind = request.param
    if kind.startswith("dask"):
        yield dask_array.from_array(grey, chunks=((7, 30, 13), (60,), (35, 35)) if "uneven" in kind else (16, 20, 70))
    elif kind.startswith("zarr"):
        shards = {"shards": (20, 60, 70)} if "sharded" in kind else {}
        made = zarr.create_array(tmp_path / "a.zarr", shape=grey.shape, dtype=grey.dtype, chunks=(10, 30, 35), **shards)
        made[:] = grey
        yield zarr.open_array(tmp_path / "a.zarr", mode="r")
    else:
        with h5py.File(tmp_path / "a.h5", "w") as file:
            yield file.create_dataset("a", data=grey, chunks=None if "contiguous" in kind else (8, 60, 70))


@pytest.mark.parametrize("threshold", [110, (60, 180), "otsu", "li"])
def test_chunks_give_what_the_whole_gives(chunked, grey, threshold):
    assert tamis.granulometry(chunked, threshold) == tamis.granulometry(grey, threshold)
    numpy.testing.assert_array_equal(tamis.threshold(chunked, threshold), tamis.threshold(grey, threshold))
    numpy.testing.assert_array_equal(tamis.size_map(chunked, threshold), tamis.size_map(grey, threshold))


def test_every_operation_takes_chunks(chunked, grey):
    assert tamis.threshold_value(chunked) == tamis.threshold_value(grey)
    numpy.testing.assert_array_equal(tamis.convert(chunked, "f32"), grey.astype(numpy.float32))
    numpy.testing.assert_array_equal(tamis.threshold(chunked, 110, crop="3:50,2:60,4:44", roi="cylinder"),
                                     tamis.threshold(grey, 110, crop="3:50,2:60,4:44", roi="cylinder"))
    mask = dask_array.from_array(grey > 70, chunks=20)
    assert tamis.granulometry(chunked, 110, roi=mask) == tamis.granulometry(grey, 110, roi=grey > 70)


def test_a_mask_of_dask_is_an_object(grey):
    lazy = dask_array.from_array(grey, chunks=16) > 110
    assert tamis.granulometry(lazy) == tamis.granulometry(grey > 110)
    image = dask_array.from_array(grey[0], chunks=16)
    numpy.testing.assert_array_equal(tamis.threshold(image, 110), grey[0] > 110)


class Counted:
    """An array in chunks that counts what is read of it."""

    def __init__(self, samples, chunks):
        self.samples, self.chunks = samples, chunks
        self.shape, self.dtype = samples.shape, samples.dtype
        self.reads = []

    def __getitem__(self, part):
        self.reads.append((part.start, part.stop))
        return self.samples[part]


def test_each_row_of_chunks_is_read_once_and_none_is_kept():
    samples = tamis.phantom("foam", (200, 300, 400), max_radius=9).astype(numpy.uint8)
    counted = Counted(samples, (32, 100, 100))
    assert tamis.granulometry(counted, 0) == tamis.granulometry(samples, 0)
    assert counted.reads == [(z, min(z + 32, 200)) for z in range(0, 200, 32)]


def test_a_limit_on_memory_cuts_rows_of_chunks():
    samples = tamis.phantom("foam", (200, 300, 400), max_radius=9).astype(numpy.uint8)
    counted = Counted(samples, (200, 100, 100))
    assert tamis.granulometry(counted, 0, memory=48 << 20) == tamis.granulometry(samples, 0)
    assert max(stop - start for start, stop in counted.reads) * 300 * 400 <= 12 << 20
    assert [start for start, _ in counted.reads] == [0, *(stop for _, stop in counted.reads[:-1])]


def test_an_error_while_reading_comes_out_as_it_is(grey):
    class Broken(Counted):
        def __getitem__(self, part):
            raise OSError("the disk is gone")

    with pytest.raises(OSError, match="the disk is gone"):
        tamis.granulometry(Broken(grey, (10, 60, 70)), 0)


ANNOUNCED = {"dtype": numpy.uint8, "meta": numpy.empty((0, 0, 0), numpy.uint8)}


def only_in_one_place(change):
    return lambda block, block_info=None: change(block) if block_info[0]["chunk-location"] == (1, 0, 1) else block


@pytest.mark.parametrize("change", [
    lambda block: block.astype(numpy.float32) + 0.5,
    lambda block: block.astype(numpy.int8),
    lambda block: block[:1, :1, :1],
    lambda block: block[0],
    lambda block: numpy.ma.masked_less(block, 100),
    lambda block: "no array",
])
@pytest.mark.parametrize("call", [lambda a: tamis.threshold(a, 100), lambda a: tamis.erode(a, "square:3")])
def test_blocks_that_are_not_what_dask_announced_are_refused(grey, change, call):
    lazy = dask_array.from_array(grey, chunks=(16, 60, 35))
    for broken in (change, only_in_one_place(change)):
        with pytest.raises(tamis.InputError, match="image: a block .* wanted"):
            call(lazy.map_blocks(broken, **ANNOUNCED))
    with pytest.raises(tamis.InputError, match=r"unknown shape; wanted image\.compute_chunk_sizes"):
        call(lazy[lazy[:, 0, 0] > 0])


def test_an_array_in_chunks_that_gives_other_samples_is_refused(grey):
    class Lying(Counted):
        def __getitem__(self, part):
            return super().__getitem__(part).astype(numpy.float64)

    with pytest.raises(tamis.InputError, match="came as .* of float64; wanted .* of uint8"):
        tamis.threshold(Lying(grey, (16, 60, 70)), 100)


@pytest.mark.parametrize(("samples", "words"), [
    (numpy.ones((4, 5), complex), "complex128; wanted bool, integers"),
    (numpy.ones((2, 3, 4, 5)), r"\(2, 3, 4, 5\); wanted axes"),
    (numpy.ones((0, 5)), "is empty"),
    (numpy.ones((20, 30, 3)), "looks like a colour image"),
])
def test_chunks_that_are_no_image_are_refused(samples, words):
    with pytest.raises(tamis.InputError, match=words):
        tamis.threshold(dask_array.from_array(samples, chunks=2), 0)
