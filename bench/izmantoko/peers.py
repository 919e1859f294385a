"""What else there is today, each as its users call it, with what is needed for our answer: neutral borders.

A peer is a function (operation, image, edge); it returns a call that queues or does the work, and one that returns the
answer as a NumPy array, or None where the peer is not here. GPU peers work from device memory to device memory."""

import ctypes
import ctypes.util
from pathlib import Path

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


class StreamContext(ctypes.Structure):
    """NppStreamContext of nppdefs.h; the same in CUDA 12 and 13."""

    _fields_ = [("stream", ctypes.c_void_p), ("device", ctypes.c_int), ("multiprocessors", ctypes.c_int),
                ("threads_of_multiprocessor", ctypes.c_int), ("threads_of_block", ctypes.c_int),
                ("shared_of_block", ctypes.c_size_t), ("major", ctypes.c_int), ("minor", ctypes.c_int),
                ("stream_flags", ctypes.c_uint), ("reserved", ctypes.c_uint)]


class Pair(ctypes.Structure):
    """NppiSize and NppiPoint."""

    _fields_ = [("x", ctypes.c_int), ("y", ctypes.c_int)]


def npp_library():
    """libnppim of the CUDA toolkit, or of the wheel nvidia-npp; None where there is none."""
    folders = [Path("/usr/local/cuda/lib64"), Path("/usr/local/cuda/targets/x86_64-linux/lib")]
    try:
        import nvidia
        folders += [folder for root in nvidia.__path__ for folder in Path(root).glob("*/lib")]
    except ImportError:
        pass
    found = [path for folder in folders for path in sorted(folder.glob("libnppim.so*"))]
    for path in found:
        try:
            for core in sorted(path.parent.glob("libnppc.so*"))[:1]:
                ctypes.CDLL(str(core), ctypes.RTLD_GLOBAL)
            return ctypes.CDLL(str(path))
        except OSError:
            continue
    return None


def npp_stream_context(cp):
    attributes = cp.cuda.Device().attributes
    return StreamContext(cp.cuda.get_current_stream().ptr, cp.cuda.Device().id, attributes["MultiProcessorCount"],
                         attributes["MaxThreadsPerMultiProcessor"], attributes["MaxThreadsPerBlock"],
                         attributes["MaxSharedMemoryPerBlock"], attributes["ComputeCapabilityMajor"],
                         attributes["ComputeCapabilityMinor"], 0, 0)


def npp(operation, image, edge):
    """nppi{Erode,Dilate}Border_8u_C1R, one image a call. Its border repeats the edge, which for a square around the
    origin is the same as leaving out what lies outside."""
    try:
        import cupy as cp
    except ImportError:
        return None
    library = npp_library()
    if library is None:
        return None
    functions = {"min": library.nppiErodeBorder_8u_C1R_Ctx, "max": library.nppiDilateBorder_8u_C1R_Ctx}
    for function in functions.values():
        function.argtypes = [ctypes.c_void_p, ctypes.c_int, Pair, Pair, ctypes.c_void_p, ctypes.c_int, Pair,
                             ctypes.c_void_p, Pair, Pair, ctypes.c_int, StreamContext]
    repeat_edge = 2  # NPP_BORDER_REPLICATE
    context = npp_stream_context(cp)
    mask = cp.ones((edge, edge), cp.uint8)
    images = cp.asarray(image if image.ndim == 3 else image[None])
    between, out = cp.zeros_like(images), cp.zeros_like(images)
    height, width = image.shape[-2:]
    size = Pair(width, height)

    def step(half, source, target):
        for i in range(len(images)):
            status = functions[half](source.data.ptr + i * width * height, width, size, Pair(0, 0),
                                     target.data.ptr + i * width * height, width, size, mask.data.ptr,
                                     Pair(edge, edge), Pair(edge // 2, edge // 2), repeat_edge, context)
            if status != 0:
                raise RuntimeError(f"NPP: {operation} by a square of {edge}: status {status}")

    halves = HALVES[operation]

    def call():
        for i, half in enumerate(halves):
            last = i == len(halves) - 1
            step(half, images if i == 0 else between, out if last else between)

    return call, lambda: cp.asnumpy(out).reshape(image.shape)


PEERS = {"opencv": opencv, "npp": npp, "cupy": cupy}
ON_GPU = {"npp", "cupy"}
