"""Medians and other percentiles written down again, in NumPy alone and by SciPy, for the tests."""

import numpy
from scipy import ndimage

import morphology_oracle

MODES = {**morphology_oracle.PADDING, "constant": "constant"}


def box(*edges):
    """Offsets of a window with edges (z, y, x) or (y, x); origins at index n // 2."""
    depth, height, width = (1, *edges)[-3:]
    return morphology_oracle.edges(width, height, depth)


def rank_of(percentile, count):
    return numpy.minimum(count - 1, numpy.floor(count * percentile / 100).astype(int))


def padded(image, reach, border):
    """As numbers; what is not there is NaN."""
    kind, _, value = border.partition(":")
    if kind in ("shrink", "neutral"):
        return numpy.pad(image.astype(float), reach, constant_values=numpy.nan)
    keywords = {"constant_values": float(value)} if kind == "constant" else {}
    return numpy.pad(image.astype(float), reach, MODES[kind], **keywords)


def step(image, points, percentile=50, border="reflect"):
    """By the definition. NaN is left out."""
    points = [point[3 - image.ndim:] for point in points]
    reach = [max(abs(point[axis]) for point in points) for axis in range(image.ndim)]
    whole = padded(image, [(n, n) for n in reach], border)
    seen = numpy.sort([whole[tuple(slice(n + v, n + v + edge) for n, v, edge in zip(reach, point, image.shape))]
                       for point in points], axis=0)
    count = (~numpy.isnan(seen)).sum(axis=0)
    rank = rank_of(percentile, numpy.maximum(count, 1))
    found = numpy.take_along_axis(seen, rank[None], axis=0)[0]
    return numpy.where(count > 0, found, image).astype(image.dtype)


def by_scipy(image, points, percentile=50, border="reflect"):
    kind, _, value = border.partition(":")
    as_type = image.astype(numpy.uint8) if image.dtype == bool else image
    found = ndimage.rank_filter(as_type, int(rank_of(percentile, len(points))), mode=kind, cval=float(value or 0),
                                footprint=morphology_oracle.footprint(points, image.ndim))
    return found.astype(image.dtype)
