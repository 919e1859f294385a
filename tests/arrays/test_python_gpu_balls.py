"""Balls, distances and porosimetry of CuPy arrays and PyTorch tensors on a GPU, and of NumPy arrays there."""

import numpy
import pytest
import tamis
from test_python_gpu import equal, library  # noqa: F401 (library is a fixture)

pytestmark = pytest.mark.gpu


def pores(shape=(18, 40, 67), seed=3):
    return numpy.random.default_rng(seed).random(shape) > 0.004


LONG = {"spacing": (2, 1, 1), "unit": "um"}


@pytest.mark.parametrize("keywords", [{}, LONG, {"border": "neutral"}, {"crop": "0:50,3:40,2:18"}, {"phase": "dark"},
                                      {"convention": "fiji"}, {"sizes": (1, 2, 4)}, {"roi": "cylinder"}])
def test_sizes_and_maps_are_those_of_numpy_arrays(library, keywords):  # noqa: F811
    host = pores()
    array = library.put(host)
    found = tamis.granulometry(array, element="ball", **keywords)
    expected = tamis.granulometry(host, element="ball", device="cpu", **keywords)
    assert numpy.array_equal(found.curve, expected.curve)
    assert found.thickness == expected.thickness
    equal(library, tamis.size_map(array, element="ball", **keywords),
          tamis.size_map(host, element="ball", device="cpu", **keywords))
    for measure in ("radius", "width", "diameter"):
        equal(library, tamis.thickness(array, measure=measure, **keywords),
              tamis.thickness(host, measure=measure, device="cpu", **keywords))


def test_disks_in_slices_and_images(library):  # noqa: F811
    for host in (pores(), pores((90, 130))):
        equal(library, tamis.size_map(library.put(host), element="disk"),
              tamis.size_map(host, element="disk", device="cpu"))


@pytest.mark.parametrize("keywords", [{}, LONG, {"border": "neutral"}, {"squared": True}, {"by_slices": True},
                                      {"squared": True, "border": "neutral", "roi": "cylinder"}])
def test_distances_are_those_of_numpy_arrays(library, keywords):  # noqa: F811
    host = pores()
    equal(library, tamis.distance(library.put(host), **keywords), tamis.distance(host, device="cpu", **keywords))


def test_a_threshold_comes_first(library):  # noqa: F811
    grey = numpy.random.default_rng(5).integers(0, 255, (12, 40, 50)).astype(numpy.uint8)
    array = library.put(grey)
    equal(library, tamis.distance(array, 20), tamis.distance(grey, 20, device="cpu"))
    equal(library, tamis.thickness(array, 20, phase="dark"), tamis.thickness(grey, 20, phase="dark", device="cpu"))


def test_results_go_where_they_are_wanted(library):  # noqa: F811
    host = pores()
    array = library.put(host)
    out = library.put(numpy.zeros(host.shape, numpy.float32))
    tamis.distance(array, out=out)
    equal(library, out, tamis.distance(host, device="cpu"))
    tamis.thickness(array, out=out)
    equal(library, out, tamis.thickness(host, device="cpu"))


def test_porosimetry_of_arrays_on_a_gpu(library):  # noqa: F811
    host = pores()
    found = tamis.porosimetry(library.put(host), inlet="x-", map="radius", **LONG)
    expected = tamis.porosimetry(host, inlet="x-", map="radius", device="cpu", **LONG)
    assert numpy.array_equal(found.invaded, expected.invaded)
    assert found.breakthrough == expected.breakthrough
    equal(library, found.map, expected.map)


def test_numpy_arrays_by_a_gpu():
    host = pores((40, 60, 70))
    for call in (lambda device: tamis.size_map(host, element="ball", device=device),
                 lambda device: tamis.distance(host, device=device),
                 lambda device: tamis.porosimetry(host, map="size", device=device).map):
        assert numpy.array_equal(call("cuda"), call("cpu"))
    assert tamis.granulometry(host, element="ball", device="cuda").device.startswith("cuda")
