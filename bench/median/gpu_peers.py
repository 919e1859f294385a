"""Medians on a GPU, each as its users call it, with what is needed to give our answer.

A peer is a function (image, window) for a median from device memory to device memory of a NumPy image, of a stack of
images or of a volume. It returns a call that queues the work, one that returns the answer as a NumPy array, and the
samples along each border that count for nothing; None where the peer is not here or cannot do it."""

import sys
from dataclasses import dataclass
from pathlib import Path

import numpy

sys.path.append(str(Path(__file__).resolve().parent.parent))
import npp as nvidia_npp  # noqa: E402  (shared by the benchmarks)


@dataclass
class Window:
    """A square or a cube by its edge, or a mask; in a stack image by image."""

    rank: int = 2
    edge: int = 0
    mask: numpy.ndarray | None = None
    percentile: int = 50


def cupy(image, window):
    """cupyx.scipy.ndimage; its border `reflect` is ours."""
    try:
        import cupy as cp
        from cupyx.scipy import ndimage
    except ImportError:
        return None
    source = cp.asarray(image)
    out = cp.empty_like(source)
    if window.mask is None:
        shape = {"size": (1,) * (image.ndim - window.rank) + (window.edge,) * window.rank}
    else:
        shape = {"footprint": cp.asarray(window.mask.reshape((1,) * (image.ndim - window.rank) + window.mask.shape))}

    def call():
        if window.percentile == 50:
            ndimage.median_filter(source, output=out, mode="reflect", **shape)
        else:
            ndimage.percentile_filter(source, window.percentile, output=out, mode="reflect", **shape)

    return call, lambda: cp.asnumpy(out), 0


def npp(image, window):
    """Images one after the other."""
    if window.rank != 2 or window.mask is not None or window.percentile != 50:
        return None
    try:
        import cupy as cp
    except ImportError:
        return None
    library = nvidia_npp.library("libnppif")
    if library is None:
        return None
    height, width = image.shape[-2:]
    median = nvidia_npp.Median(cp, library, image.dtype, height, width, window.edge)
    images = cp.asarray(image if image.ndim == 3 else image[None])
    out = cp.zeros_like(images)

    def call():
        for i in range(len(images)):
            offset = i * height * median.row_bytes
            median(images.data.ptr + offset, out.data.ptr + offset)

    return call, lambda: cp.asnumpy(out).reshape(image.shape), window.edge // 2


PEERS = {"cupy": cupy, "npp": npp}
