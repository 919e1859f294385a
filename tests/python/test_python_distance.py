"""Distances from Python against SciPy."""

import numpy
import pytest
import tamis
from scipy import ndimage


def blobs(shape, seed):
    return ndimage.gaussian_filter(numpy.random.default_rng(seed).normal(size=shape), 1.5) > -0.1


@pytest.mark.parametrize("shape", [(9, 20, 33), (40, 71), (1, 30, 8)])
def test_distances_are_those_of_scipy(shape):
    image = blobs(shape, 1)
    wanted = ndimage.distance_transform_edt(image)
    numpy.testing.assert_allclose(tamis.distance(image, border="neutral"), wanted, rtol=1e-6)
    padded = ndimage.distance_transform_edt(numpy.pad(image, 1))[(slice(1, -1),) * image.ndim]
    numpy.testing.assert_allclose(tamis.distance(image), padded, rtol=1e-6)
    squares = tamis.distance(image, squared=True)
    assert squares.dtype == numpy.uint16
    numpy.testing.assert_array_equal(squares, numpy.rint(padded**2))


MEASURED = [
    (0.5, 0.206, 0.206), (0.2, 0.0645, 0.0645), (2.5, 0.6836, 0.6836), (0.6836, 0.6836, 2.5), (1, 1.0007, 1.0007),
    (1.7320508, 1.41421356, 1), (0.3, 0.1613, 0.1613), (1, 1000, 300.0001),
]  # fmt: skip


@pytest.mark.parametrize("spacing", MEASURED, ids=str)
def test_voxels_of_any_ratio_are_those_of_scipy(spacing):
    image = blobs((19, 30, 43), 2)
    wanted = ndimage.distance_transform_edt(image, sampling=spacing)
    got = tamis.distance(image, border="neutral", spacing=spacing, unit="um")
    numpy.testing.assert_allclose(got, wanted, rtol=1e-6)
    slices = numpy.stack([ndimage.distance_transform_edt(part, sampling=spacing[1:]) for part in image])
    got = tamis.distance(image, border="neutral", spacing=spacing, unit="um", by_slices=True)
    numpy.testing.assert_allclose(got, slices, rtol=1e-6)


@pytest.mark.parametrize("spacing", MEASURED[:6], ids=str)
def test_thickness_of_measured_voxels_is_the_largest_ball(spacing):
    image = blobs((9, 13, 17), 3)
    radii = ndimage.distance_transform_edt(numpy.pad(image, 1), sampling=spacing)[1:-1, 1:-1, 1:-1]
    places = numpy.argwhere(image) * spacing
    own = radii[image]
    apart = numpy.linalg.norm(places[:, None] - places, axis=2)
    wanted = 2 * numpy.where(apart < own * (1 - 1e-6), own, 0).max(axis=1)
    got = tamis.thickness(image, spacing=spacing, unit="um")
    # A ball that touches a voxel's middle may have it or not, by the millionth in which sides are rounded.
    near = 2 * numpy.where(apart < own * (1 + 1e-6), own, 0).max(axis=1)
    assert ((got[image] >= wanted * (1 - 2e-6)) & (got[image] <= near * (1 + 2e-6))).all()


def test_voxels_may_be_anisotropic_and_have_a_unit():
    image = blobs((9, 20, 33), 2)
    wanted = ndimage.distance_transform_edt(image, sampling=(6, 2, 2))
    got = tamis.distance(image, border="neutral", spacing=(6, 2, 2), unit="um")
    numpy.testing.assert_allclose(got, wanted, rtol=1e-6)


def test_grey_values_have_a_threshold_and_out_is_written():
    grey = numpy.random.default_rng(3).integers(0, 200, (12, 20, 21), numpy.uint8)
    out = numpy.empty(grey.shape, numpy.float32)[:, ::-1]
    assert tamis.distance(grey, 90, border="neutral", phase="dark", out=out) is out
    numpy.testing.assert_allclose(out, ndimage.distance_transform_edt(grey <= 90), rtol=1e-6)


def test_slices_may_stand_for_themselves():
    image = blobs((5, 20, 33), 4)
    wanted = numpy.stack([ndimage.distance_transform_edt(part) for part in image])
    numpy.testing.assert_allclose(tamis.distance(image, border="neutral", by_slices=True), wanted, rtol=1e-6)


def test_what_it_cannot_do_is_refused():
    image = blobs((5, 20, 33), 5)
    with pytest.raises(tamis.InputError, match="ratio of whole numbers"):
        tamis.distance(image, spacing=(1e9, 1e-2, 1e-2), unit="um")
    with pytest.raises(tamis.InputError, match="out"):
        tamis.distance(image, out=numpy.empty(image.shape, numpy.uint8))
