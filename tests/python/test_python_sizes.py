"""tamis.Sizes: figures against NumPy, tables, pictures, copies."""

import copy
import pickle
import xml.etree.ElementTree as xml

import numpy
import pytest
import tamis


@pytest.fixture(scope="module")
def foam():
    return tamis.phantom("foam", (40, 50, 60), max_radius=9)


@pytest.fixture(scope="module")
def sizes(foam):
    return tamis.granulometry(foam, spacing="2.5um")


def test_the_figures_are_those_of_the_spectrum(sizes, foam):
    n = numpy.arange(len(sizes))
    samples = numpy.repeat(n, sizes.spectrum)
    assert sizes.curve[0] == foam.sum() == len(samples)
    numpy.testing.assert_array_equal(sizes.spectrum[:-1], -numpy.diff(sizes.curve))
    numpy.testing.assert_allclose(sizes.fraction, sizes.curve / sizes.curve[0])
    numpy.testing.assert_allclose(sizes.width, (2 * n + 1) * 2.5)
    assert sizes.predominant == sizes.spectrum.argmax()
    assert sizes.mean == pytest.approx(samples.mean())
    assert sizes.std == pytest.approx(samples.std())
    for p, figure in ((10, sizes.d10), (50, sizes.d50), (90, sizes.d90), (33.3, sizes.percentile(33.3))):
        assert figure == numpy.percentile(samples, p, method="inverted_cdf")
    border = foam.copy()
    border[1:-1, 1:-1, 1:-1] = False
    assert sizes.border_share == pytest.approx(border.sum() / foam.sum())
    assert (sizes.spacing, sizes.unit) == ((2.5, 2.5, 2.5), "um")
    assert (sizes.limited, sizes.never_empties) == (False, False)


def test_numbers_of_a_spacing_are_in_the_order_of_the_axes(foam):
    sizes = tamis.granulometry(foam, spacing=(3, 2, 1.5), unit="mm")
    assert sizes == tamis.granulometry(foam, spacing="1.5x2x3mm")
    assert (sizes.spacing, sizes.unit, sizes.width) == ((3, 2, 1.5), "mm", None)
    flat = tamis.granulometry(foam[0], spacing=(2, 2), unit="mm")
    assert flat.width[1] == 6


def test_an_empty_object_has_no_figures():
    sizes = tamis.granulometry(numpy.zeros((5, 6), bool))
    assert (sizes.predominant, sizes.mean, sizes.std, sizes.d50) == (None, None, None, None)
    assert sizes.curve.tolist() == sizes.spectrum.tolist() == [0]
    assert "predominant -" in repr(sizes)
    assert "<svg" in sizes._repr_html_()


def test_what_is_left_is_said(foam):
    limited = tamis.granulometry(foam, max_size=3)
    assert limited.limited and "is left after the last opening" in str(limited)
    full = tamis.granulometry(numpy.ones((5, 6), bool), border="neutral")
    assert full.never_empties and "never erodes" in str(full)


def test_arrays_are_the_callers_own(sizes):
    sizes.curve[:] = 0
    assert sizes.curve[0] > 0


def test_copies_are_equal_and_survive_a_pickle(sizes):
    for same in (copy.copy(sizes), copy.deepcopy(sizes), pickle.loads(pickle.dumps(sizes))):
        assert same == sizes and same is not sizes
        numpy.testing.assert_array_equal(same.curve, sizes.curve)
    assert sizes != 3
    assert sizes != tamis.granulometry(numpy.ones((5, 5), bool))


def test_the_text_has_the_words_of_the_program(sizes):
    assert repr(sizes).startswith(f"<tamis.Sizes: {len(sizes)} sizes of cross, predominant {sizes.predominant} (")
    text = str(sizes)
    for words in ("predominant size", "D10, D50, D90", "at the border", "µm"):
        assert words in text


def test_the_table_of_pandas(sizes):
    pytest.importorskip("pandas")
    table = sizes.to_pandas()
    assert list(table.columns) == ["width", "volume", "fraction", "spectrum"]
    assert table.index.name == "size"
    numpy.testing.assert_array_equal(table["volume"], sizes.curve)
    assert table["spectrum"].sum() == sizes.curve[0]


def test_the_notebook_gets_a_picture_and_a_table(sizes):
    page = xml.fromstring(sizes._repr_html_())
    svg = page.find("{http://www.w3.org/2000/svg}svg")
    bars = svg.findall("{http://www.w3.org/2000/svg}rect")
    assert len(bars) == (sizes.spectrum > 0).sum()
    assert max(float(bar.get("height")) for bar in bars) == 120
    assert len(page.findall("details/table/tr")) == len(sizes) + 1


@pytest.mark.parametrize("options", [{}, {"spacing": "2.5um"}, {"spacing": "1x1x2um"}, {"max_size": 0}])
def test_a_plot_shows_the_spectrum_and_what_is_left(foam, options):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    sizes = tamis.granulometry(foam, **options)
    axes = sizes.plot()
    heights = [bar.get_height() for bar in axes.patches]
    sieved = sizes.spectrum * numpy.append(numpy.ones(len(sizes) - 1), sizes.unsieved_share == 0)
    numpy.testing.assert_allclose(heights, 100 * sieved / sizes.curve[0])
    unit = "µm" if options.get("spacing") == "2.5um" else "size n"
    assert unit in axes.get_xlabel()
    twin = next(other for other in axes.figure.axes if other is not axes)
    numpy.testing.assert_allclose(twin.lines[0].get_ydata(), 100 * sizes.fraction)
    figure, mine = matplotlib.pyplot.subplots()
    assert sizes.plot(ax=mine) is mine
    # A second distribution on the same axis: limits for both, one axis for what is left, nothing hidden.
    limits = mine.get_xlim(), mine.get_ylim()
    fewer = tamis.granulometry(foam, **options | {"max_size": 2})
    assert fewer.plot(ax=mine) is mine
    assert mine.get_xlim()[0] <= limits[0][0] and mine.get_xlim()[1] >= limits[0][1]
    assert mine.get_ylim()[1] >= limits[1][1]
    assert len(figure.axes) == 2 and len(figure.axes[1].lines) == 2
    assert all(bar.get_alpha() == 0.5 for bar in mine.containers[1])
    assert fewer.unsieved_share > 0 and mine.containers[1][-1].get_height() == 0
    matplotlib.pyplot.close("all")
