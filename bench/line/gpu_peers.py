"""Openings by a segment on a GPU, each as its users call it, with what is needed to give our answer.

A peer is a function (image, mask) for an opening from device memory to device memory of a NumPy image by the odd mask
of an element around its centre. It returns a call that queues the work, one that returns the answer as a NumPy array,
and the samples along each border that count for nothing; None where the peer is not here."""

import ctypes
import sys
from pathlib import Path

import numpy

sys.path.append(str(Path(__file__).resolve().parent.parent))
import npp as nvidia_npp  # noqa: E402  (shared by the benchmarks)


def limits(dtype):
    """Neutral for an erosion and for a dilation. CuPy writes them into its source, which takes no infinity."""
    if numpy.issubdtype(dtype, numpy.floating):
        return 1e30, -1e30
    return int(numpy.iinfo(dtype).max), int(numpy.iinfo(dtype).min)


def cupy(image, mask):
    """grey_erosion and grey_dilation, which look every sample of the footprint up; neutral borders."""
    try:
        import cupy as cp
        from cupyx.scipy import ndimage
    except ImportError:
        return None
    source, footprint, last = cp.asarray(image), cp.asarray(mask), [None]
    highest, lowest = limits(image.dtype)

    def call():
        eroded = ndimage.grey_erosion(source, footprint=footprint, mode="constant", cval=highest)
        last[0] = ndimage.grey_dilation(eroded, footprint=footprint, mode="constant", cval=lowest)

    return call, lambda: cp.asnumpy(last[0]), 0


class Masked(nvidia_npp.Square):
    """NPP by any mask instead of a square."""

    def __init__(self, cp, npp, dtype, image_shape, mask):
        # From an edge of 5 on it takes NPP's functions for masks.
        super().__init__(cp, npp, dtype, *image_shape, max(*mask.shape, 5))
        self.mask = cp.asarray(mask.astype(numpy.uint8))
        self.mask_size = nvidia_npp.Pair(mask.shape[1], mask.shape[0])
        self.anchor = nvidia_npp.Pair(mask.shape[1] // 2, mask.shape[0] // 2)

    def __call__(self, half, source, target):
        start = nvidia_npp.Pair(0, 0)
        status = self.functions[half](source, self.row_bytes, self.size, start, target, self.row_bytes, self.size,
                                      ctypes.c_void_p(self.mask.data.ptr), self.mask_size, self.anchor,
                                      nvidia_npp.REPEAT_EDGE, self.context)
        if status != 0:
            raise RuntimeError(f"NPP: {half} by a mask: status {status}")


def npp(image, mask):
    """The border repeats the edge, which for a segment is not our border: only what is inside is compared."""
    try:
        import cupy as cp
    except ImportError:
        return None
    library = nvidia_npp.library()
    if library is None:
        return None
    step = Masked(cp, library, image.dtype, image.shape, mask)
    source = cp.asarray(image)
    between, out = cp.zeros_like(source), cp.zeros_like(source)

    def call():
        step("min", source.data.ptr, between.data.ptr)
        step("max", between.data.ptr, out.data.ptr)

    return call, lambda: cp.asnumpy(out), 2 * max(mask.shape)


PEERS = {"cupy": cupy, "npp": npp}
