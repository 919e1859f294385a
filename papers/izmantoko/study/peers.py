"""What else there is today, each as its users call it, with what is needed for our answer: neutral borders.

A peer is a function (operation, image, edge); it returns a call that queues or does the work, and one that returns the
answer as a NumPy array, or None where the peer is not here. GPU peers work from device memory to device memory."""

import npp  # shared by the benchmarks
import numpy

HALVES = {"erode": ("min",), "dilate": ("max",), "open": ("min", "max"), "close": ("max", "min")}


def opencv(operation, image, edge):
    try:
        import cv2
    except ImportError:
        return None
    name = {"erode": cv2.MORPH_ERODE, "dilate": cv2.MORPH_DILATE, "open": cv2.MORPH_OPEN, "close": cv2.MORPH_CLOSE}
    kernel = numpy.ones((edge, edge), numpy.uint8)
    images = image if image.ndim == 3 else image[None]
    out = numpy.empty_like(images)

    def call():
        for one, result in zip(images, out):
            cv2.morphologyEx(one, name[operation], kernel, dst=result)

    return call, lambda: out.reshape(image.shape)


def cupy(operation, image, edge):
    """cupyx.scipy.ndimage, which works axis by axis."""
    try:
        import cupy as cp
        from cupyx.scipy import ndimage
    except ImportError:
        return None
    source = cp.asarray(image)
    size = (1,) * (image.ndim - 2) + (edge, edge)
    last = [source]

    def call():
        answer = source
        for half in HALVES[operation]:
            if half == "min":
                answer = ndimage.grey_erosion(answer, size=size, mode="constant", cval=255)
            else:
                answer = ndimage.grey_dilation(answer, size=size, mode="constant", cval=0)
        last[0] = answer

    return call, lambda: cp.asnumpy(last[0])


PEERS = {"opencv": opencv, "npp": npp.peer, "cupy": cupy}
ON_GPU = {"npp", "cupy"}
