"""NVIDIA's NPP through ctypes: erosions, dilations and medians by squares on CuPy arrays, for the benchmarks.

The border of erosions repeats the edge, which for a square around the origin is the same as leaving out what lies
outside. The median knows no border: it computes what is inside only."""

from __future__ import annotations

import ctypes
import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy

HALVES = {"erode": ("min",), "dilate": ("max",), "open": ("min", "max"), "close": ("max", "min")}
TYPES = {"uint8": "8u", "uint16": "16u", "float32": "32f"}
REPEAT_EDGE = 2  # NPP_BORDER_REPLICATE


class StreamContext(ctypes.Structure):
    """NppStreamContext of nppdefs.h; the same in CUDA 12 and 13."""

    _fields_ = [("stream", ctypes.c_void_p), ("device", ctypes.c_int), ("multiprocessors", ctypes.c_int),
                ("threads_of_multiprocessor", ctypes.c_int), ("threads_of_block", ctypes.c_int),
                ("shared_of_block", ctypes.c_size_t), ("major", ctypes.c_int), ("minor", ctypes.c_int),
                ("stream_flags", ctypes.c_uint), ("reserved", ctypes.c_uint)]  # fmt: skip


class Pair(ctypes.Structure):
    """NppiSize and NppiPoint."""

    _fields_ = [("x", ctypes.c_int), ("y", ctypes.c_int)]


def library(name: str = "libnppim") -> Any:
    """A library of the CUDA toolkit, of the wheel nvidia-npp, or where the loader looks; None where there is none."""
    folders = [Path("/usr/local/cuda/lib64"), Path("/usr/local/cuda/targets/x86_64-linux/lib")]
    try:
        wheels = importlib.import_module("nvidia")
        folders += [folder for root in wheels.__path__ for folder in Path(root).glob("*/lib")]
    except ImportError:
        pass
    pairs: list[tuple[Any, Any]] = [
        (core, path) for folder in folders for path in sorted(folder.glob(f"{name}.so*"))
        for core in sorted(folder.glob("libnppc.so*"))[:1]
    ]  # fmt: skip
    pairs += [(f"libnppc.so{version}", f"{name}.so{version}") for version in (".13", ".12", "")]
    for core, path in pairs:
        try:
            ctypes.CDLL(str(core), ctypes.RTLD_GLOBAL)
            return ctypes.CDLL(str(path))
        except OSError:
            continue
    return None


def stream_context(cp: Any) -> StreamContext:
    attributes = cp.cuda.Device().attributes
    capability = cp.cuda.Device().compute_capability  # "90", "120"
    return StreamContext(cp.cuda.get_current_stream().ptr, cp.cuda.Device().id, attributes["MultiProcessorCount"],
                         attributes["MaxThreadsPerMultiProcessor"], attributes["MaxThreadsPerBlock"],
                         attributes["MaxSharedMemoryPerBlock"], int(capability[:-1]), int(capability[-1]), 0, 0)  # fmt: skip


def require(status: int, what: str) -> None:
    if status != 0:
        raise RuntimeError(f"NPP: {what}: status {status}")


class Square:
    """Erosions and dilations of images of one size: its function for 3 x 3, above that the one for masks."""

    def __init__(self, cp: Any, npp: Any, dtype: numpy.dtype[Any], height: int, width: int, edge: int) -> None:
        self.size, self.edge, self.context = Pair(width, height), edge, stream_context(cp)
        self.row_bytes = width * dtype.itemsize
        self.mask = cp.ones((edge, edge), cp.uint8)
        kind = "3x3Border" if edge == 3 else "Border"
        self.functions = {half: getattr(npp, f"nppi{verb}{kind}_{TYPES[dtype.name]}_C1R_Ctx")
                          for half, verb in (("min", "Erode"), ("max", "Dilate"))}  # fmt: skip
        mask_arguments = [] if edge == 3 else [ctypes.c_void_p, Pair, Pair]
        for function in self.functions.values():
            function.argtypes = [ctypes.c_void_p, ctypes.c_int, Pair, Pair, ctypes.c_void_p, ctypes.c_int, Pair,
                                 *mask_arguments, ctypes.c_int, StreamContext]  # fmt: skip

    def __call__(self, half: str, source: int, target: int) -> None:
        """From one address to another."""
        mask = [] if self.edge == 3 else [self.mask.data.ptr, Pair(self.edge, self.edge),
                                          Pair(self.edge // 2, self.edge // 2)]  # fmt: skip
        status = self.functions[half](source, self.row_bytes, self.size, Pair(0, 0), target, self.row_bytes, self.size,
                                      *mask, REPEAT_EDGE, self.context)  # fmt: skip
        require(status, f"{half} by a square of {self.edge}")


class Median:
    """nppiFilterMedian of images of one size."""

    def __init__(self, cp: Any, npp: Any, dtype: numpy.dtype[Any], height: int, width: int, edge: int) -> None:
        kind, reach = TYPES[dtype.name], edge // 2
        self.row_bytes, self.edge = width * dtype.itemsize, edge
        self.first = reach * self.row_bytes + reach * dtype.itemsize
        self.inside = Pair(width - 2 * reach, height - 2 * reach)
        self.mask, self.anchor = Pair(edge, edge), Pair(reach, reach)
        self.context = stream_context(cp)
        size_of = getattr(npp, f"nppiFilterMedianGetBufferSize_{kind}_C1R_Ctx")
        size_of.argtypes = [Pair, Pair, ctypes.POINTER(ctypes.c_uint64), StreamContext]
        size = ctypes.c_uint64()  # wide enough for every version of NPP
        require(size_of(self.inside, self.mask, ctypes.byref(size), self.context), f"median of {edge}x{edge}")
        self.scratch = cp.empty(max(size.value, 1), cp.uint8)
        self.function = getattr(npp, f"nppiFilterMedian_{kind}_C1R_Ctx")
        self.function.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p, ctypes.c_int, Pair, Pair, Pair,
                                  ctypes.c_void_p, StreamContext]  # fmt: skip

    def __call__(self, source: int, target: int) -> None:
        """From one address to another."""
        status = self.function(source + self.first, self.row_bytes, target + self.first, self.row_bytes, self.inside,
                               self.mask, self.anchor, self.scratch.data.ptr, self.context)  # fmt: skip
        require(status, f"median of {self.edge}x{self.edge}")


def peer(operation: str, image: Any, edge: int) -> tuple[Callable[[], None], Callable[[], Any]] | None:
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

    def call() -> None:
        for i, half in enumerate(halves):
            source, target = images if i == 0 else between, out if i == len(halves) - 1 else between
            for j in range(len(images)):
                offset = j * height * step.row_bytes
                step(half, source.data.ptr + offset, target.data.ptr + offset)

    return call, lambda: cp.asnumpy(out).reshape(image.shape)
