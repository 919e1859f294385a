"""tamis.Element and its constructors against the definitions."""

import inspect
import pickle
import re
from pathlib import Path

import numpy
import pytest
import tamis
from scipy import ndimage

from tamis import _native

import morphology_oracle as oracle

NAMED = [
    (lambda: tamis.square(5), "square:5", 2),
    (lambda: tamis.square(4), "square:4", 2),
    (lambda: tamis.rect(7, 3), "rect:7x3", 2),
    (lambda: tamis.cube(3), "cube:3", 3),
    (lambda: tamis.box(5, 4, 3), "box:5x4x3", 3),
    (lambda: tamis.cross(3), "cross:3", 2),
    (lambda: tamis.cross(3), "cross:3", 3),
    (lambda: tamis.disk(4.5), "disk:4.5", 2),
    (lambda: tamis.ball(2.5), "ball:2.5", 3),
    (lambda: tamis.circle(3), "circle:3", 2),
    (lambda: tamis.octagon(6), "octagon:6", 2),
    (lambda: tamis.hexagon(6), "hexagon:6", 2),
    (lambda: tamis.line(41, 30), "line:41@30", 2),
    (lambda: tamis.line(9.5, -20.25), "line:9.5@-20.25", 2),
    (lambda: tamis.line(21, 30, 40), "line:21@30,40", 3),
]


def points(element, rank=None):
    return {tuple(point) for point in element.offsets(rank).tolist()}


@pytest.mark.parametrize("shape", _native.element_shapes(), ids=lambda shape: shape["name"])
def test_the_example_of_every_shape_has_the_offsets_of_the_definition(shape):
    for rank in [shape["rank"]] if shape["rank"] else [2, 3]:
        wanted = {point[3 - rank:] for point in oracle.offsets(shape["example"], rank)}
        assert points(tamis.element(shape["example"]), rank) == wanted


@pytest.mark.parametrize(("make", "spec", "rank"), NAMED)
def test_a_constructor_is_its_text_and_has_the_offsets_of_the_definition(make, spec, rank):
    element = make()
    assert element.spec == str(element) == spec
    assert element == tamis.element(spec) == tamis.Element(element)
    wanted = {point[3 - rank:] for point in oracle.offsets(spec, rank)}
    assert points(element, rank) == wanted
    assert element.rank == (None if spec.startswith("cross") else rank)
    mask, origin = element.mask(rank), element.origin(rank)
    assert {tuple(int(i - o) for i, o in zip(at, origin)) for at in numpy.argwhere(mask)} == wanted
    assert eval(repr(element)) == element


@pytest.mark.parametrize("origin", [None, (0, 0), (2, 1), (-3, 7)])
def test_a_mask_has_its_origin_in_the_order_of_the_axes(origin):
    mask = numpy.array([[1, 0, 1], [1, 1, 0]], numpy.uint8)
    y, x = origin or (1, 1)
    element = tamis.element(mask, origin)
    assert points(element) == {(int(i) - y, int(j) - x) for i, j in numpy.argwhere(mask)}
    numpy.testing.assert_array_equal(element.mask(), mask)
    assert element.origin() == (y, x)
    solid = tamis.element(numpy.ones((2, 3, 4)), origin=(0, 1, 2))
    assert (solid.rank, solid.origin()) == (3, (0, 1, 2))


@pytest.mark.parametrize("mask", [[[1, 1]], ((True, False), (True, True)), numpy.ones((3, 4))[::-1, ::2],
                                  numpy.asfortranarray(numpy.eye(3))])
def test_everything_that_is_an_array_is_a_mask(mask):
    image = numpy.random.default_rng(1).integers(0, 255, (20, 30), numpy.uint8)
    wanted = tamis.element(numpy.asarray(mask))
    assert tamis.Element(mask).offsets().tolist() == wanted.offsets().tolist()
    numpy.testing.assert_array_equal(tamis.erode(image, mask), tamis.erode(image, wanted))


def test_sums_reflections_and_displacements_are_those_of_the_texts():
    line, corner = tamis.line(21, 30), tamis.element([[1, 1], [1, 0]], origin=(0, 0))
    assert line + tamis.square(2) == line + "square:2" == tamis.element("line:21@30+square:2")
    assert "square:2" + line == tamis.element("square:2+line:21@30") != line + "square:2"
    assert (line + "square:2").reflected() == tamis.element("reflect(line:21@30+square:2)")
    assert line.shifted((3, -2)) == tamis.element("shift(line:21@30,-2,3)")
    assert line.shifted((1, 3, -2)) == tamis.element("shift(line:21@30,-2,3,1)")
    assert line.shifted((1, 0, 0)).rank == 3
    assert (corner + line).shifted((0, 5)) == corner.shifted((0, 5)) + line
    assert points(corner.reflected()) == {(-y, -x) for y, x in points(corner)}
    assert points(corner + corner) == {(a + c, b + d) for a, b in points(corner) for c, d in points(corner)}
    assert numpy.ones((2, 2)) + line == tamis.element(numpy.ones((2, 2))) + line  # not an addition of samples


def test_elements_are_equal_as_sets_whatever_their_text():
    assert tamis.element("rect:3x3") == tamis.square(3) == tamis.element(numpy.ones((3, 3)))
    assert len({tamis.element("rect:3x3"), tamis.square(3), tamis.square(4)}) == 2
    assert tamis.square(3) != tamis.cube(3) and tamis.cross(1) != tamis.element("disk:1")
    assert tamis.square(3) != "square:3" and tamis.square(3) is not None


@pytest.mark.parametrize("make", [
    lambda: tamis.disk(3.5),
    lambda: tamis.cross(2),
    lambda: tamis.line(9, 30, 45).shifted((1, 2)),
    lambda: tamis.element([[1, 0, 1]], (5, -4)),
    lambda: tamis.cross(2) + tamis.element([[1, 1]], (0, 0)).reflected() + "reflect(ball:2)",
    lambda: tamis.cross(2) + tamis.element([[1, 1]], (0, 0)),
    lambda: (tamis.element(numpy.ones((2, 3, 4))) + "disk:2").shifted((0, 1, 1)),
])
def test_elements_can_be_sent_to_other_processes(make):
    element = make()
    copy = pickle.loads(pickle.dumps(element))
    assert copy == element and hash(copy) == hash(element) and copy.spec == element.spec
    for rank in (2, 3) if element.rank != 3 else (3,):
        numpy.testing.assert_array_equal(copy.offsets(rank), element.offsets(rank))


def test_masks_are_read_from_files_as_the_program_does(tamis_program, tmp_path, monkeypatch):
    import subprocess

    monkeypatch.chdir(tmp_path)
    random = numpy.random.default_rng(5)
    numpy.save("mask.npy", random.random((4, 6)) < 0.5)
    numpy.save("in.npy", random.integers(0, 255, (40, 50), numpy.uint8))
    spec = "reflect(file:mask.npy@1,3)+cross:1"
    subprocess.run([tamis_program, "dilate", "in.npy", "out.npy", "--element", spec, "--quiet"], check=True)
    numpy.testing.assert_array_equal(tamis.dilate(numpy.load("in.npy"), spec), numpy.load("out.npy"))
    (tmp_path / "mask.npy").rename(tmp_path / "gone.npy")
    only_mask = tamis.element("file:gone.npy").reflected()
    sent = pickle.dumps(only_mask)
    (tmp_path / "gone.npy").unlink()
    assert pickle.loads(sent) == only_mask


def test_other_libraries_take_an_element_as_a_footprint():
    import cv2
    import skimage

    image = numpy.random.default_rng(2).integers(0, 255, (40, 50), numpy.uint8)
    disk = tamis.disk(3)
    wanted = tamis.erode(image, disk)
    numpy.testing.assert_array_equal(ndimage.grey_erosion(image, footprint=disk, mode="constant", cval=255), wanted)
    numpy.testing.assert_array_equal(skimage.morphology.erosion(image, disk.mask(), mode="ignore"), wanted)
    numpy.testing.assert_array_equal(cv2.erode(image, numpy.asarray(disk, numpy.uint8)), wanted)


def test_a_granulometry_takes_unit_elements_in_every_form():
    volume = tamis.phantom("foam", (30, 40, 50), max_radius=6)
    wanted = tamis.granulometry(volume, element="cube")
    for cube in (tamis.cube(3), "cube:3", tamis.element(numpy.ones((3, 3, 3))), tamis.element("box:3x3x3")):
        assert tamis.granulometry(volume, element=cube) == wanted
    for refused in (tamis.cube(3).shifted((0, 0, 1)), tamis.cube(5), tamis.disk(2)):
        with pytest.raises(tamis.InputError, match="element.*wanted"):
            tamis.granulometry(volume, element=refused)


@pytest.mark.parametrize(("make", "words"), [
    (lambda: tamis.element("disk:x"), "element disk:x; wanted a size as in disk:"),
    (lambda: tamis.element("star:5"), "element star:5; wanted a shape.*octagon"),
    (lambda: tamis.element([[0, 0]]), "wanted at least one nonzero sample"),
    (lambda: tamis.element([1, 1]), r"shape \(2,\); wanted axes"),
    (lambda: tamis.element(numpy.ones((2, 2, 2, 2))), "wanted axes"),
    (lambda: tamis.element(5), "element=5: wanted a text such as 'disk:5'"),
    (lambda: tamis.element("disk:5", origin=(0, 0)), "origin=.*wanted it with a mask"),
    (lambda: tamis.element([[1]], origin=(0, 0, 0)), "origin=.*wanted 2 whole numbers"),
    (lambda: tamis.element([[1]], origin=(0.5, 0)), "origin=.*wanted 2 whole numbers"),
    (lambda: tamis.element("file:none.png"), "none.png: cannot read it: No such file"),
    (lambda: tamis.disk(-1), "radius -1; wanted 0 to"),
    (lambda: tamis.disk(numpy.nan), "radius=nan: wanted a finite number"),
    (lambda: tamis.disk("5"), "radius='5': wanted a finite number"),
    (lambda: tamis.square(2.5), "edge=2.5: wanted a whole number, 1 or more"),
    (lambda: tamis.cross(True), "radius=True: wanted a whole number"),
    (lambda: tamis.disk(3).shifted((1,)), "by=.*wanted 2 or 3 whole numbers"),
    (lambda: tamis.disk(3).offsets(4), "rank=4: wanted 2 or 3"),
    (lambda: tamis.ball(3).mask(2), "3-D"),
    (lambda: tamis.disk(3) + 5, "element=5: wanted a text"),
])
def test_what_is_no_element_is_said(make, words):
    with pytest.raises(tamis.InputError, match=words) as caught:
        make()
    assert "\n" not in str(caught.value)


def test_the_documentation_has_a_row_for_every_shape():
    page = (Path(__file__).resolve().parents[2] / "docs" / "elements.md").read_text()
    forms = {form.split(":")[0] for form in re.findall(r"`([a-z]+:[A-Z][^`]*)`", page)}
    assert forms == set(tamis._elements.__all__) - {"element"}


def test_every_shape_has_a_function_with_its_sizes_as_parameters():
    assert str(inspect.signature(tamis.box)) == "(width: 'int', height: 'int', depth: 'int') -> 'Element'"
    assert tamis.line(length=21, azimuth=30, elevation=40) == tamis.line(21, 30, 40) != tamis.line(21, 30)
    with pytest.raises(TypeError, match="missing a required argument: 'height'"):
        tamis.rect(7)
