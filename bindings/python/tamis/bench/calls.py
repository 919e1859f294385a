"""What is measured: calls that people make, by tamis and by each library that is installed here.

A peer is a function without arguments that gives an array; one that is not installed is not in the row. Border rules
differ between libraries, so `margin` samples at the sides are not compared."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy

import tamis

Call = Callable[[], Any]
PACKAGES = {"SciPy": "scipy.ndimage", "scikit-image": "skimage", "OpenCV": "cv2", "DIPlib": "diplib", "PoreSpy": "porespy"}


@dataclass
class Row:
    name: str
    tamis: Call
    peers: dict[str, Call] = field(default_factory=dict)
    margin: int = 0


def installed() -> dict[str, Any]:
    """The libraries that are here, by the names that people know them by."""
    found = {}
    for name, module in PACKAGES.items():
        try:
            found[name] = importlib.import_module(module)
        except Exception:  # a library that does not load here is as good as absent
            continue
    if "scikit-image" in found:
        importlib.import_module("skimage.morphology")
    return found


def image(shape: tuple[int, ...], dtype: Any = numpy.uint8) -> Any:
    """Blobs with noise, made by NumPy alone and the same everywhere."""
    values: Any = numpy.random.default_rng(7).random(shape, dtype=numpy.float32)
    for axis in range(len(shape)):
        for step in (1, 2, 4):
            values = (values + numpy.roll(values, step, axis)) / 2
    low, high = values.min(), values.max()
    values = (values - low) / (high - low)
    return values if dtype == numpy.float32 else (values * numpy.iinfo(dtype).max).round().astype(dtype)


def planes(edge: int, here: dict[str, Any]) -> Iterator[Row]:
    """Images: erosion, opening, medians, a threshold."""
    u8, f32 = image((edge, edge)), image((edge, edge), numpy.float32)
    ones = {size: numpy.ones((size, size), numpy.uint8) for size in (3, 15)}
    peers: list[Any] = [here.get(name) for name in ("OpenCV", "SciPy", "DIPlib", "scikit-image")]
    cv2, ndimage, dip, skimage = peers

    def offered(**calls: Call | None) -> dict[str, Call]:
        names = {"cv2": "OpenCV", "ndimage": "SciPy", "dip": "DIPlib", "skimage": "scikit-image"}
        return {names[word]: call for word, call in calls.items() if names[word] in here and call}

    yield Row(f"erode u8 3x3, {edge}^2", lambda: tamis.erode(u8, "square:3"), offered(
        cv2=lambda: cv2.erode(u8, ones[3]), ndimage=lambda: ndimage.grey_erosion(u8, (3, 3)),
        dip=lambda: numpy.asarray(dip.Erosion(dip.Image(u8), dip.SE(3, "rectangular"))),
        skimage=lambda: skimage.morphology.erosion(u8, ones[3])), 1)  # fmt: skip
    yield Row(f"open u8 15x15, {edge}^2", lambda: tamis.open(u8, "square:15"), offered(
        cv2=lambda: cv2.morphologyEx(u8, cv2.MORPH_OPEN, ones[15]), ndimage=lambda: ndimage.grey_opening(u8, (15, 15)),
        dip=lambda: numpy.asarray(dip.Opening(dip.Image(u8), dip.SE(15, "rectangular")))), 15)  # fmt: skip
    yield Row(f"median u8 5x5, {edge}^2", lambda: tamis.median(u8, 5), offered(
        cv2=lambda: cv2.medianBlur(u8, 5), ndimage=lambda: ndimage.median_filter(u8, 5),
        dip=lambda: numpy.asarray(dip.MedianFilter(dip.Image(u8), dip.Kernel(5, "rectangular")))), 2)  # fmt: skip
    yield Row(f"median f32 3x3, {edge}^2", lambda: tamis.median(f32, 3), offered(
        cv2=lambda: cv2.medianBlur(f32, 3), ndimage=lambda: ndimage.median_filter(f32, 3)), 1)  # fmt: skip
    yield Row(f"threshold u8 otsu, {edge}^2", lambda: tamis.threshold(u8, "otsu"), offered(
        cv2=lambda: cv2.threshold(u8, 0, 1, cv2.THRESH_OTSU)[1].view(bool),
        skimage=lambda: u8 > skimage.filters.threshold_otsu(u8)))  # fmt: skip


def sizes_by_scipy(bits: Any, ndimage: Any, count: int) -> Any:
    """Voxels that are left after n erosions and n dilations by a cube, for n below `count`: the definition."""
    volumes, eroded, cube = [], bits, numpy.ones((3, 3, 3), bool)
    for size in range(count):
        opened = ndimage.binary_dilation(eroded, cube, iterations=size) if size else eroded
        volumes.append(int(opened.sum()))
        eroded = ndimage.binary_erosion(eroded, cube)
    return numpy.array(volumes)


def volumes(edge: int, here: dict[str, Any]) -> Iterator[Row]:
    """Volumes: an erosion, a median, a granulometry."""
    u8 = image((edge, edge, edge))
    bits = u8 > 127
    ndimage, dip, porespy = (here.get(name) for name in ("SciPy", "DIPlib", "PoreSpy"))
    peers: dict[str, Call] = {}
    if ndimage:
        peers["SciPy"] = lambda: ndimage.grey_erosion(u8, (3, 3, 3))
    if dip:
        peers["DIPlib"] = lambda: numpy.asarray(dip.Erosion(dip.Image(u8), dip.SE(3, "rectangular")))
    yield Row(f"erode u8 3x3x3, {edge}^3", lambda: tamis.erode(u8, "cube:3"), peers, 1)
    median = {"SciPy": lambda: ndimage.median_filter(u8, 3)} if ndimage else {}
    yield Row(f"median u8 3x3x3, {edge}^3", lambda: tamis.median(u8, 3), median, 1)
    found = numpy.asarray(tamis.granulometry(bits, element="cube").curve)
    loop = {"SciPy": lambda: sizes_by_scipy(bits, ndimage, len(found))} if ndimage else {}
    yield Row(f"granulometry, cubes, {edge}^3", lambda: tamis.granulometry(bits, element="cube").curve, loop)
    radii = numpy.arange(int(tamis.distance(bits).max()), 0, -1)
    spheres = {
        "PoreSpy": lambda: porespy.filters.local_thickness(bits, method="dt", sizes=radii).astype(numpy.float32)
    } if porespy else {}
    yield Row(f"local thickness, {edge}^3", lambda: tamis.thickness(
        bits, measure="radius", border="neutral", convention="porespy"), spheres)  # fmt: skip


def rows(quick: bool) -> Iterator[Row]:
    here = installed()
    for edge in (512,) if quick else (64, 512, 2048):
        yield from planes(edge, here)
    yield from volumes(64 if quick else 160, here)
