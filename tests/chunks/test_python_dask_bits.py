"""The packed bits that chunks exchange: what they say is what the array says."""

import numpy
import pytest
import tamis

pytest.importorskip("dask")

from tamis._dask.bits import Bits, CutBits, FullCells, Metric, PartOfBits, Plan, _city_block, _far_city_block  # noqa: E402
from tamis._dask.packed import PackedThreshold  # noqa: E402

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


@pytest.mark.parametrize("shape", [(7, 9), (40, 60), (20, 20, 3), (12, 30, 25), (120, 120, 120)])
@pytest.mark.parametrize("neutral", [False, True])
def test_erosions_count_the_same_distance_as_sweeps(shape, neutral):
    full = numpy.ones(shape, bool)
    full.ravel()[RANDOM.integers(0, full.size, 3)] = False
    metric = Metric("city", tuple(range(len(shape))), (1,) * len(shape), neutral)
    assert numpy.array_equal(_city_block(full, metric), _far_city_block(full, metric))


@pytest.mark.parametrize("shape", [(5, 13), (9, 64), (7, 5, 45), (4, 6, 128)])
@pytest.mark.parametrize("phase", ["bright", "dark"])
def test_a_packed_threshold_is_that_of_the_library(shape, phase):
    image = RANDOM.integers(0, 9, shape).astype("u2")
    box = tuple((0, n) for n in shape)
    packed = PackedThreshold(shape, image.dtype, box, phase, {"threads": 1})(4, image)
    assert numpy.array_equal(packed.array(), tamis.threshold(image, 4, phase=phase))


def test_pieces_side_by_side_are_packed_as_they_are():
    shape = (10, 12, 40)
    array = objects(shape)
    for cut in (8, 13):
        boxes = [((0, 10), (0, 12), (0, cut)), ((0, 10), (0, 12), (cut, 40))]
        put = PartOfBits(boxes, ((2, 6), (3, 9), (16, 24)), (0, 0, 0), shape)
        plan = Plan(numpy.array([2, 1, 8]).reshape(1, 1, 1, 3), False)
        wanted, box = put(plan, pieces_of(array, put, plan, boxes, shape))
        bits, same_box = put.packed(plan, pieces_of(array, put, plan, boxes, shape))
        assert box == same_box
        assert numpy.array_equal(wanted, array[tuple(slice(a, b) for a, b in box)])
        assert numpy.array_equal(bits.array(), wanted)


def pieces_of(array, put, plan, boxes, shape):
    return [
        CutBits(box, put.core, put.place, shape)(plan, Bits(array[tuple(slice(a, b) for a, b in box)])) for box in boxes
    ]
