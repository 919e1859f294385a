"""Granulometry by balls and disks from Python against the definition in NumPy."""

import pickle

import numpy
import pytest
import tamis
from scipy import ndimage


def blobs(shape, seed, smooth=1.5):
    return ndimage.gaussian_filter(numpy.random.default_rng(seed).normal(size=shape), smooth) > -0.02


def radii(image, border="background", sides=(1, 1, 1)):
    """The definition: every ball over what is there, from small to large."""
    sides = sides[-image.ndim:]
    padded = numpy.pad(image, 1) if border == "background" else image
    inner = (slice(1, -1),) * image.ndim if border == "background" else ...
    squares = numpy.rint(ndimage.distance_transform_edt(padded, sampling=sides)[inner] ** 2).astype(int)
    result = numpy.zeros(image.shape, int)
    grid = numpy.indices(image.shape)
    for centre in sorted(zip(*numpy.nonzero(squares)), key=lambda index: squares[index]):
        away = sum((h * (axis - i)) ** 2 for h, axis, i in zip(sides, grid, centre))
        result[(away < squares[centre]) & image] = squares[centre]
    return numpy.sqrt(result)


@pytest.mark.parametrize("border", ["background", "neutral"])
def test_sizes_and_maps_are_those_of_the_definition(border):
    image = blobs((9, 14, 20), 1)
    radius = radii(image, border)
    sizes = numpy.ceil(radius - 1e-9).astype(int)
    measured = tamis.granulometry(image, element="ball", border=border)
    assert (measured.element, measured.border) == ("ball", border)
    numpy.testing.assert_array_equal(measured.curve, [(sizes > n).sum() for n in range(sizes.max() + 1)])
    numpy.testing.assert_array_equal(tamis.size_map(image, element="ball", border=border), sizes)
    widths = tamis.size_map(image, element="ball", border=border, widths=True, spacing="2um")
    numpy.testing.assert_allclose(widths, numpy.where(image, 2 * (2 * radius - 1), 0), rtol=1e-6)
    out = numpy.empty(image.shape, numpy.uint32)[::-1]
    assert tamis.size_map(image, element="ball", border=border, out=out) is out
    numpy.testing.assert_array_equal(out, sizes)


def test_disks_act_on_images_and_slice_by_slice():
    volume = blobs((3, 20, 31), 2)
    radius = numpy.stack([radii(part) for part in volume])
    numpy.testing.assert_array_equal(tamis.size_map(volume, element="disk"), numpy.ceil(radius - 1e-9))
    numpy.testing.assert_array_equal(tamis.size_map(volume[1], element="disk"), numpy.ceil(radius[1] - 1e-9))


def test_anisotropic_voxels_are_exact():
    image = blobs((8, 14, 20), 3)
    radius = radii(image, sides=(3, 1, 1))
    sizes = tamis.size_map(image, element="ball", spacing=(3, 1, 1), unit="um")
    numpy.testing.assert_array_equal(sizes, numpy.ceil(radius - 1e-9))


def test_conventions_of_others():
    image = blobs((12, 14, 20), 4)
    whole = tamis.size_map(image, element="ball", convention="porespy", border="neutral")
    assert whole.max() <= tamis.size_map(image, element="ball", border="neutral").max()
    with pytest.raises(tamis.InputError, match="convention='mine'.*wanted tamis, porespy or fiji"):
        tamis.granulometry(image, element="ball", convention="mine")


def test_what_balls_cannot_do_is_refused():
    image = blobs((9, 14, 20), 5)
    with pytest.raises(tamis.InputError, match="element='cube'.*wanted ball or disk"):
        tamis.thickness(image, element="cube")
    with pytest.raises(tamis.InputError, match="ratio of whole numbers"):
        tamis.granulometry(image, element="ball", spacing=(1e9, 1e-2, 1e-2), unit="um")


@pytest.mark.parametrize("border", ["background", "neutral"])
def test_thickness_is_what_the_definition_says(border):
    image = blobs((9, 14, 20), 6)
    radius = 2 * radii(image, border)  # voxels of 2 um
    for measure, expected in [("radius", radius), ("diameter", 2 * radius),
                              ("width", numpy.where(image, 2 * radius - 2, 0))]:  # fmt: skip
        found = tamis.thickness(image, measure=measure, border=border, spacing="2um")
        assert found.dtype == numpy.float32
        numpy.testing.assert_allclose(found, expected, rtol=1e-6)
    out = numpy.empty(image.shape, numpy.float32)[::-1]
    found, figures = tamis.thickness(image, border=border, spacing="2um", out=out, return_figures=True)
    assert found is out
    assert figures == tamis.granulometry(image, element="ball", border=border, spacing="2um").thickness
    inside = 2 * radius[image]
    assert figures.mean_diameter == pytest.approx(inside.mean())
    assert (figures.std_diameter, figures.std_width) == (pytest.approx(inside.std()), pytest.approx(inside.std()))
    assert figures.largest_diameter == pytest.approx(inside.max())
    assert figures.mean_width == pytest.approx(inside.mean() - 2)
    assert figures.largest_width == pytest.approx(inside.max() - 2)
    assert (figures.mean_radius, figures.unit) == (pytest.approx(inside.mean() / 2), "um")


def test_thickness_of_images_is_that_of_disks():
    image = blobs((30, 40), 7)
    numpy.testing.assert_allclose(tamis.thickness(image, element="disk"), 2 * radii(image), rtol=1e-6)
    numpy.testing.assert_array_equal(tamis.thickness(image), tamis.thickness(image, element="disk"))
    sizes = tamis.granulometry(image, element="ball")
    numpy.testing.assert_array_equal(sizes.curve, tamis.granulometry(image, element="disk").curve)
    assert sizes.element == "disk"
    numpy.testing.assert_array_equal(tamis.size_map(image, element="ball"), tamis.size_map(image, element="disk"))
    with pytest.raises(tamis.InputError, match="element='cube'.*wanted ball or disk"):
        tamis.thickness(image, element="cube")
    with pytest.raises(tamis.InputError, match="measure='area'.*wanted diameter, radius or width"):
        tamis.thickness(image, element="disk", measure="area")


def test_thickness_stays_with_the_sizes():
    image = blobs((9, 14, 20), 8)
    sizes = tamis.granulometry(image, element="ball", spacing="2um")
    assert pickle.loads(pickle.dumps(sizes)) == sizes
    assert pickle.loads(pickle.dumps(sizes)).thickness == sizes.thickness
    assert "thickness 2R" in str(sizes)
    assert tamis.granulometry(image).thickness is None
    assert tamis.granulometry(numpy.ones((4, 5, 6), bool), element="ball", border="neutral").thickness is None
    full = tamis.thickness(numpy.ones((4, 5, 6), bool), border="neutral", return_figures=True)
    assert numpy.isinf(full[0]).all()
    assert full[1] is None


def test_only_listed_radii():
    image = blobs((12, 20, 25), 9, 2)
    whole = tamis.granulometry(image, element="ball", convention="porespy")
    every = tamis.granulometry(image, element="ball", sizes=range(1, len(whole)))
    numpy.testing.assert_array_equal(every.curve, whole.curve)
    some = tamis.granulometry(image, element="ball", sizes=[2, 4], spacing="2um")
    numpy.testing.assert_array_equal(some.size, [0, 2, 4])
    numpy.testing.assert_array_equal(some.width, [2, 10, 18])
    assert some.spectrum.sum() == image.sum()
    assert pickle.loads(pickle.dumps(some)) == some
    assert "0 to 4 of the ball" in str(some)
    assert "<td>4</td>" in some._repr_html_()
    radius = tamis.thickness(image, measure="radius", sizes=[2, 4])
    assert set(numpy.unique(radius)) <= {0, 2, 4}
    numpy.testing.assert_array_equal(tamis.size_map(image, element="ball", sizes=[2, 4]),
                                     numpy.where(image, radius.clip(1), 0))  # fmt: skip
    for call, element in [(tamis.granulometry, "cube"), (tamis.size_map, "cross")]:
        with pytest.raises(tamis.InputError, match="sizes=2: of balls only"):
            call(image, element=element, sizes=2)
    pytest.importorskip("matplotlib").use("agg")
    some.plot()
    pytest.importorskip("pandas")
    assert list(some.to_pandas().index) == [0, 2, 4]
