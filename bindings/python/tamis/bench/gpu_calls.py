"""What is measured on a GPU: the calls of `calls`, from an array of CuPy to a fresh one, by tamis, CuPy, cuCIM and NPP."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy

import tamis

from . import npp
from .calls import Call, Row, curve, image, installed, sizes_by_scipy

PACKAGES = {
    "CuPy": ("cupy", "cupyx.scipy.ndimage"),
    "cuCIM": ("cucim", "cucim.skimage.filters", "cucim.skimage.morphology", "cucim.core.operations.morphology"),
}
NPP = {"NPP, morphology": "libnppim", "NPP, filters": "libnppif"}


def why_no_gpu() -> str | None:
    """Why tamis can use no GPU here, if it cannot."""
    cpu, *gpus = tamis.devices()
    if any(gpu["usable"] for gpu in gpus):
        return None
    return str(gpus[0]["problem"] if gpus else cpu["why_no_gpu"])


def installed_on_gpu() -> tuple[dict[str, Any], dict[str, str]]:
    """As `installed`. Arrays are made by CuPy, so that without it, or without a GPU, nothing is found."""
    if why := why_no_gpu():
        return {}, dict.fromkeys([*PACKAGES, "NPP"], why)
    found, absent = installed(PACKAGES)
    if "CuPy" not in found:
        return {}, {**absent, "NPP": "no CuPy, which makes the arrays"}
    for name, file in NPP.items():
        library = npp.library(file)
        if library is None:
            absent["NPP"] = f"no {file}.so; the wheel nvidia-npp has it"
        else:
            found[name] = library
    return found, absent


class Square:
    """NPP's opening or erosion, and its median, of one image; each call makes a fresh array, as the others do."""

    def __init__(self, here: dict[str, Any], source: Any, edge: int) -> None:
        self.here, self.cp, self.source, self.edge = here, here["CuPy"], source, edge

    def shape(self) -> tuple[Any, int, int]:
        return (numpy.dtype(self.source.dtype.name), *self.source.shape)

    def steps(self, *halves: str) -> Call | None:
        """`halves` are "min" and "max"."""
        if "NPP, morphology" not in self.here:
            return None
        step = npp.Square(self.cp, self.here["NPP, morphology"], *self.shape(), self.edge)

        def call() -> Any:
            images = [self.source, *(self.cp.empty_like(self.source) for _ in halves)]
            for i, half in enumerate(halves):
                step(half, images[i].data.ptr, images[i + 1].data.ptr)
            return images[-1]

        return call

    def median(self) -> Call | None:
        if "NPP, filters" not in self.here:
            return None
        step = npp.Median(self.cp, self.here["NPP, filters"], *self.shape(), self.edge)

        def call() -> Any:
            out = self.cp.empty_like(self.source)
            step(self.source.data.ptr, out.data.ptr)
            return out

        return call


class Rows:
    """Makes rows of what is here."""

    def __init__(self, here: dict[str, Any]) -> None:
        self.here, self.cp = here, here["CuPy"]

    def row(self, name: str, tamis: Call, margin: int = 0, **calls: Call | None) -> Row:
        names = {"ndimage": "CuPy", "cucim": "cuCIM", "npp": "NPP"}
        peers = {names[word]: call for word, call in calls.items()
                 if call and (word == "npp" or names[word] in self.here)}  # fmt: skip
        return Row(name, tamis, peers, margin, on_gpu=True, wait=self.cp.cuda.Device().synchronize, fetch=self.fetch)

    def fetch(self, answer: Any) -> Any:
        return self.cp.asnumpy(answer)

    def planes(self, edge: int) -> Iterator[Row]:
        from cupyx.scipy import ndimage

        u8, f32 = (self.cp.asarray(image((edge, edge), dtype)) for dtype in (numpy.uint8, numpy.float32))
        ones = {size: self.cp.ones((size, size), numpy.uint8) for size in (3, 5, 15)}
        cucim: Any = self.here.get("cuCIM")
        by_npp = {size: Square(self.here, u8, size) for size in (3, 5, 15)}
        yield self.row(f"erode u8 3x3, {edge}^2", partial(tamis.erode, u8, "square:3"), 1,
                       ndimage=lambda: ndimage.grey_erosion(u8, (3, 3)), npp=by_npp[3].steps("min"),
                       cucim=lambda: cucim.skimage.morphology.erosion(u8, ones[3]))  # fmt: skip
        yield self.row(f"open u8 15x15, {edge}^2", partial(tamis.open, u8, "square:15"), 15,
                       ndimage=lambda: ndimage.grey_opening(u8, (15, 15)), npp=by_npp[15].steps("min", "max"),
                       cucim=lambda: cucim.skimage.morphology.opening(u8, ones[15]))  # fmt: skip
        yield self.row(f"median u8 5x5, {edge}^2", partial(tamis.median, u8, 5), 2,
                       ndimage=lambda: ndimage.median_filter(u8, 5), npp=by_npp[5].median(),
                       cucim=lambda: cucim.skimage.filters.median(u8, ones[5]))  # fmt: skip
        yield self.row(f"median f32 3x3, {edge}^2", partial(tamis.median, f32, 3), 1,
                       ndimage=lambda: ndimage.median_filter(f32, 3), npp=Square(self.here, f32, 3).median(),
                       cucim=lambda: cucim.skimage.filters.median(f32, ones[3]))  # fmt: skip
        yield self.row(f"threshold u8 otsu, {edge}^2", partial(tamis.threshold, u8, "otsu"),
                       cucim=lambda: u8 > cucim.skimage.filters.threshold_otsu(u8))  # fmt: skip

    def volumes(self, edge: int) -> Iterator[Row]:
        from cupyx.scipy import ndimage

        u8 = self.cp.asarray(image((edge, edge, edge)))
        bits = u8 > 127
        cucim: Any = self.here.get("cuCIM")
        yield self.row(f"erode u8 3x3x3, {edge}^3", partial(tamis.erode, u8, "cube:3"), 1,
                       ndimage=lambda: ndimage.grey_erosion(u8, (3, 3, 3)),
                       cucim=lambda: cucim.skimage.morphology.erosion(u8, self.cp.ones((3, 3, 3), numpy.uint8)))  # fmt: skip
        yield self.row(f"median u8 3x3x3, {edge}^3", partial(tamis.median, u8, 3), 1,
                       ndimage=lambda: ndimage.median_filter(u8, 3))  # fmt: skip
        yield self.row(f"distance, {edge}^3", partial(tamis.distance, bits, border="neutral"),
                       ndimage=lambda: ndimage.distance_transform_edt(bits).astype(numpy.float32),
                       cucim=lambda: cucim.core.operations.morphology.distance_transform_edt(bits).astype(numpy.float32))
        found = len(curve(bits))
        yield self.row(f"granulometry, cubes, {edge}^3", partial(curve, bits),
                       # CuPy repeats a dilation by brute force alone, and fails where it is not asked to.
                       ndimage=lambda: sizes_by_scipy(bits, ndimage, found, self.cp, brute_force=True))  # fmt: skip


def rows_on_gpu(quick: bool, here: dict[str, Any]) -> Iterator[Row]:
    if "CuPy" not in here:
        return
    made = Rows(here)
    for edge in (512,) if quick else (512, 4096):
        yield from made.planes(edge)
    yield from made.volumes(64 if quick else 256)
