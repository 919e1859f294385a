"""What is measured: calls that people make, by tamis and by each library that is installed here.

A peer is a function without arguments that gives an array; one that is not installed is not in the row. The call of tamis
takes `device`, so that it can be timed on the GPU too with an array of the host. Border rules
differ between libraries, so `margin` samples at the sides are not compared. What works on arrays of a GPU is in
`gpu_calls`."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy

import tamis

Call = Callable[..., Any]
PACKAGES = {
    "SciPy": ("scipy.ndimage",),
    "scikit-image": ("skimage", "skimage.filters", "skimage.morphology"),
    "OpenCV": ("cv2",),
    "DIPlib": ("diplib",),
    "PoreSpy": ("porespy",),
}
AS_PORESPY: Any = {"border": "neutral", "convention": "porespy"}


def nothing() -> None:
    """Calls on the CPU are done when they return."""


@dataclass
class Row:
    name: str
    tamis: Call
    peers: dict[str, Call] = field(default_factory=dict)
    margin: int = 0
    on_gpu: bool = False
    wait: Callable[[], None] = nothing
    """Returns when the calls before it are done; belongs to what is timed."""
    fetch: Callable[[Any], Any] = numpy.asarray
    """An answer as a NumPy array."""


def installed(packages: dict[str, tuple[str, ...]] | None = None) -> tuple[dict[str, Any], dict[str, str]]:
    """The libraries that are here, by the names that people know them by, and why the others are not."""
    found, absent = {}, {}
    for name, modules in (PACKAGES if packages is None else packages).items():
        try:
            found[name] = [importlib.import_module(module) for module in modules][0]
        except Exception as problem:  # a library that does not load here is as good as absent
            absent[name] = reason(problem)
    return found, absent


def reason(problem: Exception) -> str:
    """In one line."""
    return " ".join(str(problem).split())[:200] or type(problem).__name__


def image(shape: tuple[int, ...], dtype: Any = numpy.uint8) -> Any:
    """Blobs with noise, made by NumPy alone and the same everywhere."""
    values: Any = numpy.random.default_rng(7).random(shape, dtype=numpy.float32)
    for axis in range(len(shape)):
        for step in (1, 2, 4):
            values = (values + numpy.roll(values, step, axis)) / 2
    low, high = values.min(), values.max()
    values = (values - low) / (high - low)
    return values if dtype == numpy.float32 else (values * numpy.iinfo(dtype).max).round().astype(dtype)


def peers_of(here: dict[str, Any], **calls: Call) -> dict[str, Call]:
    """The calls of libraries that are here."""
    names = {"cv2": "OpenCV", "ndimage": "SciPy", "dip": "DIPlib", "skimage": "scikit-image", "porespy": "PoreSpy"}
    return {names[word]: call for word, call in calls.items() if names[word] in here}


def planes(edge: int, here: dict[str, Any]) -> Iterator[Row]:
    """Images: erosion, opening, medians, a threshold."""
    u8, f32 = image((edge, edge)), image((edge, edge), numpy.float32)
    ones = {size: numpy.ones((size, size), numpy.uint8) for size in (3, 15)}
    peers: list[Any] = [here.get(name) for name in ("OpenCV", "SciPy", "DIPlib", "scikit-image")]
    cv2, ndimage, dip, skimage = peers

    offered = partial(peers_of, here)
    yield Row(f"erode u8 3x3, {edge}^2", partial(tamis.erode, u8, "square:3"), offered(
        cv2=lambda: cv2.erode(u8, ones[3]), ndimage=lambda: ndimage.grey_erosion(u8, (3, 3)),
        dip=lambda: numpy.asarray(dip.Erosion(dip.Image(u8), dip.SE(3, "rectangular"))),
        skimage=lambda: skimage.morphology.erosion(u8, ones[3])), 1)  # fmt: skip
    yield Row(f"open u8 15x15, {edge}^2", partial(tamis.open, u8, "square:15"), offered(
        cv2=lambda: cv2.morphologyEx(u8, cv2.MORPH_OPEN, ones[15]), ndimage=lambda: ndimage.grey_opening(u8, (15, 15)),
        dip=lambda: numpy.asarray(dip.Opening(dip.Image(u8), dip.SE(15, "rectangular")))), 15)  # fmt: skip
    yield Row(f"median u8 5x5, {edge}^2", partial(tamis.median, u8, 5), offered(
        cv2=lambda: cv2.medianBlur(u8, 5), ndimage=lambda: ndimage.median_filter(u8, 5),
        dip=lambda: numpy.asarray(dip.MedianFilter(dip.Image(u8), dip.Kernel(5, "rectangular")))), 2)  # fmt: skip
    yield Row(f"median f32 3x3, {edge}^2", partial(tamis.median, f32, 3), offered(
        cv2=lambda: cv2.medianBlur(f32, 3), ndimage=lambda: ndimage.median_filter(f32, 3)), 1)  # fmt: skip
    yield Row(f"threshold u8 otsu, {edge}^2", partial(tamis.threshold, u8, "otsu"), offered(
        cv2=lambda: cv2.threshold(u8, 0, 1, cv2.THRESH_OTSU)[1].view(bool),
        skimage=lambda: u8 > skimage.filters.threshold_otsu(u8)))  # fmt: skip


def curve(bits: Any, device: str = "auto") -> Any:
    return tamis.granulometry(bits, element="cube", device=device).curve


def intrusion(bits: Any, device: str = "auto") -> Any:
    return tamis.porosimetry(bits, inlet="all", map="radius", device=device, **AS_PORESPY).map


def sizes_by_scipy(bits: Any, ndimage: Any, count: int, array: Any = numpy, **how: Any) -> Any:
    """Voxels that are left after n erosions and n dilations by a cube, for n below `count`: the definition. `how` goes to the
    dilations."""
    volumes, eroded, cube = [], bits, array.ones((3, 3, 3), bool)
    for size in range(count):
        opened = ndimage.binary_dilation(eroded, cube, iterations=size, **how) if size else eroded
        volumes.append(int(opened.sum()))
        eroded = ndimage.binary_erosion(eroded, cube)
    return numpy.array(volumes)


def volumes(edge: int, here: dict[str, Any]) -> Iterator[Row]:
    """Volumes: an erosion, a median, distances, and sizes in three ways."""
    u8 = image((edge, edge, edge))
    bits = u8 > 127
    peers: list[Any] = [here.get(name) for name in ("SciPy", "DIPlib", "PoreSpy")]
    ndimage, dip, porespy = peers
    offered = partial(peers_of, here)
    yield Row(f"erode u8 3x3x3, {edge}^3", partial(tamis.erode, u8, "cube:3"), offered(
        ndimage=lambda: ndimage.grey_erosion(u8, (3, 3, 3)),
        dip=lambda: numpy.asarray(dip.Erosion(dip.Image(u8), dip.SE(3, "rectangular")))), 1)  # fmt: skip
    yield Row(f"median u8 3x3x3, {edge}^3", partial(tamis.median, u8, 3), offered(
        ndimage=lambda: ndimage.median_filter(u8, 3)), 1)  # fmt: skip
    yield Row(f"distance, {edge}^3", partial(tamis.distance, bits, border="neutral"), offered(
        ndimage=lambda: ndimage.distance_transform_edt(bits).astype(numpy.float32),
        dip=lambda: numpy.asarray(dip.EuclideanDistanceTransform(dip.Image(bits), border="object"))))  # fmt: skip
    found = len(curve(bits))
    yield Row(f"granulometry, cubes, {edge}^3", partial(curve, bits), offered(
        ndimage=lambda: sizes_by_scipy(bits, ndimage, found)))  # fmt: skip
    radii = numpy.arange(int(tamis.distance(bits, border="neutral").max()) + 1, 0, -1)
    yield Row(f"local thickness, {edge}^3", partial(tamis.thickness, bits, measure="radius", **AS_PORESPY), offered(
        porespy=lambda: porespy.filters.local_thickness(bits, method="dt", sizes=radii).astype(numpy.float32)))
    yield Row(f"porosimetry, {edge}^3", partial(intrusion, bits), offered(
        porespy=lambda: porespy.filters.porosimetry(bits, sizes=radii, smooth=True).astype(numpy.float32)))


def rows(quick: bool, here: dict[str, Any]) -> Iterator[Row]:
    for edge in (512,) if quick else (64, 512, 2048):
        yield from planes(edge, here)
    yield from volumes(64 if quick else 160, here)
