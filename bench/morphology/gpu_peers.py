"""The peers on a GPU, each as its users call it, with what is needed to give our answer: neutral borders.

A peer is a function (image, element, mask) for an opening from device memory to device memory; `image` is a NumPy
array, in which squares take a third axis for a stack. It returns a call that queues the work and one that returns the
answer as a NumPy array; None where the peer is not here or cannot do it."""

import sys
from pathlib import Path

import numpy

sys.path.append(str(Path(__file__).resolve().parent.parent))
import npp as nvidia_npp  # noqa: E402  (shared by the benchmarks)


def limits(dtype):
    """What is neutral for an erosion and for a dilation. CuPy writes it into its source, which takes no infinity; the
    images here are far inside."""
    if numpy.issubdtype(dtype, numpy.floating):
        return 1e30, -1e30
    return int(numpy.iinfo(dtype).max), int(numpy.iinfo(dtype).min)


def cupy(image, element, mask):
    """cupyx.scipy.ndimage: squares and cubes by their size, which it does axis by axis, the rest by masks."""
    try:
        import cupy as cp
        from cupyx.scipy import ndimage
    except ImportError:
        return None
    source = cp.asarray(image)
    last = [source]
    mask = None if mask is None else cp.asarray(mask)
    name, _, size = element.partition(":")
    if image.dtype == bool:
        call = cupy_bits(ndimage, source, last, *unit_cubes(cp, name, size, mask))
    else:
        if name in ("square", "cube"):
            sizes = (int(size),) * (2 if name == "square" else 3)
            shape = {"size": (1,) * (image.ndim - len(sizes)) + sizes}
        else:
            shape = {"footprint": mask}
        call = cupy_grey(ndimage, source, last, shape, *limits(image.dtype))
    return call, lambda: cp.asnumpy(last[0])


def cupy_grey(ndimage, source, last, shape, highest, lowest):
    def call():
        eroded = ndimage.grey_erosion(source, mode="constant", cval=highest, **shape)
        last[0] = ndimage.grey_dilation(eroded, mode="constant", cval=lowest, **shape)

    return call


def unit_cubes(cp, name, size, mask):
    """A large cube is faster as cubes of 3, one after the other."""
    if name == "cube" and int(size) % 2 == 1:
        return cp.ones((3, 3, 3), bool), int(size) // 2
    return mask, 1


def cupy_bits(ndimage, source, last, mask, passes):
    """One byte a sample: CuPy has no packed bits."""

    def call():
        answer = source
        for _ in range(passes):
            answer = ndimage.binary_erosion(answer, mask, border_value=1)
        for _ in range(passes):
            answer = ndimage.binary_dilation(answer, mask)
        last[0] = answer

    return call


def npp(image, element, mask):
    name, _, size = element.partition(":")
    return nvidia_npp.peer("open", image, int(size)) if name == "square" else None


PEERS = {"cupy": cupy, "npp": npp}
