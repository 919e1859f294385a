"""NVIDIA's NPP through ctypes: erosions and dilations by squares on CuPy arrays, for the benchmarks.

Its border repeats the edge, which for a square around the origin is the same as leaving out what lies outside."""

import ctypes
from pathlib import Path

HALVES = {"erode": ("min",), "dilate": ("max",), "open": ("min", "max"), "close": ("max", "min")}
TYPES = {"uint8": "8u", "uint16": "16u", "float32": "32f"}
REPEAT_EDGE = 2  # NPP_BORDER_REPLICATE


class StreamContext(ctypes.Structure):
    """NppStreamContext of nppdefs.h; the same in CUDA 12 and 13."""

    _fields_ = [("stream", ctypes.c_void_p), ("device", ctypes.c_int), ("multiprocessors", ctypes.c_int),
                ("threads_of_multiprocessor", ctypes.c_int), ("threads_of_block", ctypes.c_int),
                ("shared_of_block", ctypes.c_size_t), ("major", ctypes.c_int), ("minor", ctypes.c_int),
                ("stream_flags", ctypes.c_uint), ("reserved", ctypes.c_uint)]


class Pair(ctypes.Structure):
    """NppiSize and NppiPoint."""

    _fields_ = [("x", ctypes.c_int), ("y", ctypes.c_int)]


def library(name="libnppim"):
    """A library of the CUDA toolkit, of the wheel nvidia-npp, or where the loader looks; None where there is none."""
    folders = [Path("/usr/local/cuda/lib64"), Path("/usr/local/cuda/targets/x86_64-linux/lib")]
    try:
        import nvidia
        folders += [folder for root in nvidia.__path__ for folder in Path(root).glob("*/lib")]
    except ImportError:
        pass
    pairs = [(core, path) for folder in folders for path in sorted(folder.glob(f"{name}.so*"))
             for core in sorted(folder.glob("libnppc.so*"))[:1]]
    pairs += [(f"libnppc.so{version}", f"{name}.so{version}") for version in (".13", ".12", "")]
    for core, path in pairs:
        try:
            ctypes.CDLL(str(core), ctypes.RTLD_GLOBAL)
            return ctypes.CDLL(str(path))
        except OSError:
            continue
    return None


def stream_context(cp):
    attributes = cp.cuda.Device().attributes
    capability = cp.cuda.Device().compute_capability  # "90", "120"
    return StreamContext(cp.cuda.get_current_stream().ptr, cp.cuda.Device().id, attributes["MultiProcessorCount"],
                         attributes["MaxThreadsPerMultiProcessor"], attributes["MaxThreadsPerBlock"],
                         attributes["MaxSharedMemoryPerBlock"], int(capability[:-1]), int(capability[-1]), 0, 0)


class Square:
    """Erosions and dilations of images of one size: its function for 3 x 3, above that the one for masks."""

    def __init__(self, cp, npp, dtype, height, width, edge):
        self.size, self.edge, self.context = Pair(width, height), edge, stream_context(cp)
        self.row_bytes = width * dtype.itemsize
        self.mask = cp.ones((edge, edge), cp.uint8)
        kind = "3x3Border" if edge == 3 else "Border"
        self.functions = {half: getattr(npp, f"nppi{verb}{kind}_{TYPES[dtype.name]}_C1R_Ctx")
                          for half, verb in (("min", "Erode"), ("max", "Dilate"))}
        mask_arguments = [] if edge == 3 else [ctypes.c_void_p, Pair, Pair]
        for function in self.functions.values():
            function.argtypes = [ctypes.c_void_p, ctypes.c_int, Pair, Pair, ctypes.c_void_p, ctypes.c_int, Pair,
                                 *mask_arguments, ctypes.c_int, StreamContext]

    def __call__(self, half, source, target):
        """From one address to another."""
        mask = [] if self.edge == 3 else [self.mask.data.ptr, Pair(self.edge, self.edge),
                                          Pair(self.edge // 2, self.edge // 2)]
        status = self.functions[half](source, self.row_bytes, self.size, Pair(0, 0), target, self.row_bytes, self.size,
                                      *mask, REPEAT_EDGE, self.context)
        if status != 0:
            raise RuntimeError(f"NPP: {half} by a square of {self.edge}: status {status}")


def peer(operation, image, edge):
    """For an image or a stack, whose images it takes one by one: a call that queues the work from device memory to
    device memory, and one that returns the answer as a NumPy array; None where CuPy or NPP is not here."""
    try:
        import cupy as cp
    except ImportError:
        return None
    npp = library()
    if npp is None:
        return None
    height, width = image.shape[-2:]
    step = Square(cp, npp, image.dtype, height, width, edge)
    images = cp.asarray(image if image.ndim == 3 else image[None])
    between, out = cp.zeros_like(images), cp.zeros_like(images)
    halves = HALVES[operation]

    def call():
        for i, half in enumerate(halves):
            source, target = images if i == 0 else between, out if i == len(halves) - 1 else between
            for j in range(len(images)):
                offset = j * height * step.row_bytes
                step(half, source.data.ptr + offset, target.data.ptr + offset)

    return call, lambda: cp.asnumpy(out).reshape(image.shape)
