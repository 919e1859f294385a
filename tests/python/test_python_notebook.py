"""What objects show of themselves: repr, and pictures in notebooks."""

import re
from xml.etree import ElementTree

import numpy
import pytest
import tamis

CORNER = [[1, 1], [1, 0]]
SVG = "{http://www.w3.org/2000/svg}"
ELEMENTS = [
    tamis.disk(4.5), tamis.cross(1), tamis.cross(2) + CORNER, tamis.element(CORNER), tamis.element(CORNER, origin=(0, 0)),
    tamis.element(CORNER, origin=(-3, 7)), tamis.element(CORNER).reflected(), tamis.element(CORNER).shifted((1, -2)),
    tamis.element(numpy.ones((2, 3, 2))), tamis.element(numpy.eye(3)[None]), tamis.element([[1]], origin=(2, 2)),
    tamis.element(CORNER) + "rect:2x1" + CORNER, "square:3" + tamis.line(5, 0) + tamis.line(7, 30).reflected(),
    tamis.ball(2).shifted((1, 0, -1)), tamis.element(numpy.random.default_rng(1).random((5, 4, 6)) > 0.5), tamis.hexagon(3),
]


@pytest.mark.parametrize("element", ELEMENTS, ids=str)
def test_the_repr_of_an_element_gives_it_back(element):
    again = eval(repr(element), {"tamis": tamis})
    assert again == element
    assert again.rank == element.rank
    numpy.testing.assert_array_equal(again.mask(), element.mask())
    assert again.origin() == element.origin()


def test_a_repr_is_short_and_says_what_was_written():
    assert repr(tamis.disk(4.5)) == "tamis.element('disk:4.5')"
    assert repr(tamis.element(CORNER)) == "tamis.element([[1, 1], [1, 0]])"
    assert repr(tamis.element(CORNER, origin=(0, 0)) + "rect:2x1") == (
        "tamis.element([[1, 1], [1, 0]], origin=(0, 0)) + tamis.element('rect:2x1')")
    large = tamis.element(numpy.random.default_rng(1).random((60, 60)) > 0.5)
    assert re.fullmatch(r"<tamis\.Element: mask 60x60@30,30, \d+ offsets>", repr(large))


@pytest.mark.parametrize("element", [*ELEMENTS, tamis.disk(300), tamis.ball(30), tamis.line(1001, 20)], ids=str)
def test_an_element_is_drawn_sample_by_sample(element):
    text = element._repr_svg_()
    root = ElementTree.fromstring(text)
    mask = element.mask()
    shown = mask if mask.ndim == 3 else mask[None]
    drawn = root.findall(f"{SVG}g")
    assert len(drawn) == min(len(shown), 9)
    assert float(root.attrib["width"]) < 9 * 200 and float(root.attrib["height"]) < 220
    assert f"{mask.sum()} offsets" in root.attrib["aria-label"]
    inside = all(0 <= at < edge for at, edge in zip(element.origin(), mask.shape, strict=True))
    assert len(list(root.iter(f"{SVG}circle"))) == (inside and (len(shown) <= 9 or mask.ndim == 2 or len(shown) % 2 == 1))
    if len(shown) <= 9:
        cell = min(14.0, 180 / max(shown.shape[1:]))
        area = sum(float(n) * cell for path in root.iter(f"{SVG}path") for n in re.findall(r"h([\d.]+)v", path.attrib["d"]))
        assert area / cell**2 == pytest.approx(mask.sum(), rel=1e-4)


def test_names_of_files_are_no_markup(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    tamis.write("<b>.npy", numpy.ones((3, 3), bool))
    text = tamis.element("file:<b>.npy")._repr_svg_()
    assert "<b>" not in text and "&lt;b&gt;" in text
    ElementTree.fromstring(text)


def page():
    bars = numpy.full((300, 400), 255, numpy.uint8)
    bars[20:280:12, 30:370] = 0
    return tamis.rotate(bars, 3, fill=255)


def test_a_skew_shows_its_scores_and_its_angle():
    skew = tamis.skew(page())
    root = ElementTree.fromstring(skew._repr_html_())
    assert len(list(root.iter(f"{SVG}polyline"))) == 1
    assert f"{skew.angle:.3f}" in "".join(root.itertext())
    assert len(root.findall(f".//{SVG}path[@stroke-dasharray]")) == 1
    blank = tamis.skew(numpy.full((50, 50), 255, numpy.uint8))
    assert "undecided" in "".join(ElementTree.fromstring(blank._repr_html_()).itertext())


@pytest.mark.parametrize("length", [21, [11, 21]])
def test_an_orientation_shows_its_spectra(length):
    found = tamis.orientation(page()[100:200, 100:200], length, dark=True, angles=36)
    root = ElementTree.fromstring(found._repr_html_())
    assert len(list(root.iter(f"{SVG}polyline"))) == numpy.size(length)
    assert f"{found.dominant:.2f}°" in "".join(root.itertext())
    flat = tamis.orientation(numpy.zeros((9, 9), numpy.uint8), 5)
    assert "none" in "".join(ElementTree.fromstring(flat._repr_html_()).itertext())


def test_sizes_show_a_picture_and_a_table():
    root = ElementTree.fromstring(tamis.granulometry(page() < 100)._repr_html_())
    assert list(root.iter(f"{SVG}rect")) and list(root.iter("table"))
