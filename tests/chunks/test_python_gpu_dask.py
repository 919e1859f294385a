"""Chunks that are CuPy arrays: filtered and counted where they lie, with the results of NumPy's."""

import numpy
import pytest
import tamis
import tamis.dask
from test_morphology import noise

pytestmark = pytest.mark.gpu


@pytest.fixture
def cupy():
    return pytest.importorskip("cupy")


def chunked(cupy, whole, chunks):
    import dask.array as da

    return da.from_array(whole, chunks=chunks).map_blocks(cupy.asarray, meta=cupy.empty((0,) * whole.ndim, whole.dtype))


@pytest.mark.parametrize("dtype", [bool, numpy.uint8, numpy.int16, numpy.float32])
@pytest.mark.parametrize("chunks", [(1, 31, 50), (5, 9, 50), (12, 31, 7)])
def test_filters_of_chunks_on_a_gpu(cupy, chunks, dtype):
    whole = noise((12, 31, 50), dtype, 1)
    image = chunked(cupy, whole, chunks)
    for name, keywords in (("open", {"element": "ball:2"}), ("close", {"element": "square:7", "border": "reflect"}), ("median", {"size": 5})):
        result = getattr(tamis.dask, name)(image, **keywords)
        computed = result.compute(scheduler="synchronous")
        assert isinstance(computed, cupy.ndarray)
        numpy.testing.assert_array_equal(computed.get(), getattr(tamis, name)(whole, **keywords))


@pytest.mark.parametrize("element", ["cross", "cube", "square", "ball"])
def test_sizes_of_chunks_on_a_gpu(cupy, element):
    whole = tamis.median(noise((40, 50, 60), numpy.uint8, 2), 5)
    image = chunked(cupy, whole, (13, 50, 20))
    sizes = tamis.dask.granulometry(image, "otsu", element=element).compute(scheduler="synchronous")
    known = tamis.granulometry(whole, "otsu", element=element, device="cpu")
    assert list(sizes.curve) == list(known.curve)
    assert sizes.thickness == known.thickness
    found = tamis.dask.size_map(image, "otsu", element=element).compute(scheduler="synchronous")
    numpy.testing.assert_array_equal(found.get(), tamis.size_map(whole, "otsu", element=element, device="cpu"))
