"""The packed bits that chunks exchange: what they say is what the array says."""

import numpy
import pytest

pytest.importorskip("dask")

from tamis._dask_bits import Bits, FullCells  # noqa: E402

RANDOM = numpy.random.default_rng(11)
SHAPES = [(1, 1), (3, 8), (5, 13), (9, 64), (2, 3, 7), (5, 6, 32), (7, 5, 45)]


def objects(shape):
    """Nearly all object, so that there are full cells."""
    return RANDOM.random(shape) < 0.98


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("edge", [2, 4, 8, 16])
def test_full_cells_hold_nothing_but_object(shape, edge):
    array = objects(shape)
    for edges in ((edge,) * len(shape), (1,) * (len(shape) - 2) + (edge, edge)):
        wanted = array
        for axis, n in enumerate(edges):
            wanted = numpy.logical_and.reduceat(wanted, range(0, shape[axis], n), axis=axis)
        assert numpy.array_equal(FullCells(edges)(Bits(array)), wanted)


@pytest.mark.parametrize("shape", SHAPES)
def test_what_is_cut_out_is_what_lies_there(shape):
    array = objects(shape)
    bits = Bits(array)
    assert numpy.array_equal(bits.array(), array)
    for _ in range(20):
        firsts = [int(RANDOM.integers(0, n)) for n in shape]
        inside = tuple(slice(a, int(RANDOM.integers(a + 1, n + 1))) for a, n in zip(firsts, shape, strict=True))
        assert numpy.array_equal(bits.cut(inside).array(), array[inside])
        assert numpy.array_equal(bits.array(inside), array[inside])


@pytest.mark.parametrize("shape", SHAPES)
def test_counts_are_those_of_the_array(shape):
    array = objects(shape)
    bits = Bits(array)
    assert bits.count() == array.sum()
    rows = tuple(slice(n // 3, n) for n in shape[:-1])
    assert bits.count(rows) == array[rows].sum()
    for x in {0, shape[-1] // 2, shape[-1] - 1}:
        assert bits.column(x, rows) == array[(*rows, x)].sum()
