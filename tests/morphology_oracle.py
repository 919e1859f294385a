"""Structuring elements and flat morphology written down again in NumPy and SciPy, for the tests."""

import math
from fractions import Fraction

import numpy
from scipy import ndimage


def half_away(value):
    return int(math.copysign(math.floor(abs(value) + 0.5 + 1e-9), value))


def line(length, azimuth, elevation=0.0):
    a, e = math.radians(azimuth), math.radians(elevation)
    half = (length - 1) / 2
    end = (half_away(half * math.sin(e)), -half_away(half * math.cos(e) * math.sin(a)),
           half_away(half * math.cos(e) * math.cos(a)))
    steps = max(map(abs, end))
    points = {(0, 0, 0)}
    for k in range(1, steps + 1):
        point = tuple(int(math.copysign((2 * k * abs(v) + steps) // (2 * steps), v)) for v in end)
        points |= {point, tuple(-v for v in point)}
    return points


def grid(reach, rank, inside):
    axis = numpy.arange(-reach, reach + 1)
    z = axis if rank == 3 else numpy.zeros(1, int)
    return {(int(a), int(b), int(c)) for a in z for b in axis for c in axis if inside(a, b, c)}


def edges(width, height, depth=1):
    return {(z - depth // 2, y - height // 2, x - width // 2)
            for z in range(depth) for y in range(height) for x in range(width)}


def offsets(spec, rank):
    """Offsets (z, y, x) of one shape by name."""
    name, size = spec.split(":")
    if name in ("rect", "box"):
        return edges(*map(int, size.split("x")))
    if name == "line":
        length, angles = size.split("@")
        return line(float(length), *map(float, angles.split(",")))
    if name in ("ellipse", "ellipsoid"):
        axes = [*map(int, size.split("x")), 0][:3]
        return grid(max(axes), 3, lambda z, y, x: sum(
            Fraction(at * at, axis * axis) if axis else 2 * abs(at) for at, axis in zip((x, y, z), axes)) <= 1)
    r = float(size)
    n = int(r)
    return {
        "square": lambda: edges(n, n),
        "cube": lambda: edges(n, n, n),
        "cross": lambda: grid(n, rank, lambda z, y, x: abs(z) + abs(y) + abs(x) <= r),
        "disk": lambda: grid(n, 2, lambda z, y, x: y * y + x * x <= r * r),
        "ball": lambda: grid(n, 3, lambda z, y, x: z * z + y * y + x * x <= r * r),
        "circle": lambda: offsets(f"disk:{size}", 2) - (offsets(f"disk:{r - 1}", 2) if r >= 1 else set()),
        "octagon": lambda: grid(n, 2, lambda z, y, x: max(abs(y), abs(x)) <= n and abs(y) + abs(x) <= 4 * n // 3),
        "hexagon": lambda: grid(n, 2, lambda z, y, x: abs(y) <= r * math.sqrt(3) / 2
                                and abs(x) + abs(y) / math.sqrt(3) <= r),
    }[name]()


def footprint(points, rank):
    """A mask with its origin in the middle, as SciPy wants it."""
    reach = [max(abs(p[axis]) for p in points) for axis in range(3)]
    mask = numpy.zeros([2 * n + 1 for n in reach], bool)
    for point in points:
        mask[tuple(v + n for v, n in zip(point, reach))] = True
    return mask if rank == 3 else mask[reach[0]]


def extremes(dtype):
    if numpy.issubdtype(dtype, numpy.floating):
        return -numpy.inf, numpy.inf
    if dtype == bool:
        return False, True
    return numpy.iinfo(dtype).min, numpy.iinfo(dtype).max


# SciPy's modes, as NumPy's pad calls them.
PADDING = {"reflect": "symmetric", "mirror": "reflect", "nearest": "edge", "wrap": "wrap"}


def step(image, points, erode, border="neutral"):
    """One erosion or dilation by SciPy."""
    lowest, highest = extremes(image.dtype)
    mode, value = border.split(":")[0], 0
    if mode == "neutral":
        mode, value = "constant", highest if erode else lowest
    elif mode == "constant":
        value = float(border.split(":")[1])
    function = ndimage.grey_erosion if erode else ndimage.grey_dilation
    # SciPy's constant has to have the type of the image.
    as_type = image.astype(numpy.uint8) if image.dtype == bool else image
    mask = footprint(points, image.ndim)
    reach = [n // 2 for n in mask.shape]
    if mode in PADDING and any(n >= side for n, side in zip(reach, image.shape)):
        # SciPy 1.17 reads what is not there where an element reaches several times across the image: that is laid around
        # it before.
        as_type = numpy.pad(as_type, [(n, n) for n in reach], mode=PADDING[mode])
        found = function(as_type, footprint=mask, mode=mode)
        found = found[tuple(slice(n, n + side) for n, side in zip(reach, image.shape))]
    else:
        found = function(as_type, footprint=mask, mode=mode, cval=as_type.dtype.type(value))
    return found.astype(image.dtype)


def operation(name, image, points, border="neutral"):
    erode = step(image, points, True, border)
    dilate = step(image, points, False, border)
    if name in ("erode", "dilate"):
        return erode if name == "erode" else dilate
    if name in ("open", "tophat"):
        opened = step(erode, points, False, border)
        return opened if name == "open" else saturated(image, opened)
    if name in ("close", "bothat"):
        closed = step(dilate, points, True, border)
        return closed if name == "close" else saturated(closed, image)
    return saturated(dilate, erode)


def saturated(a, b):
    if a.dtype == bool:
        return a & ~b
    if numpy.issubdtype(a.dtype, numpy.floating):
        return a - b
    lowest, highest = extremes(a.dtype)
    return (a.astype(int) - b.astype(int)).clip(lowest, highest).astype(a.dtype)
