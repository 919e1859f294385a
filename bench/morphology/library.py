"""Our library in this process, through bench/morphology/calls.cpp."""

import ctypes

import numpy

OPERATIONS = {"erode": 0, "dilate": 1, "open": 2, "close": 3}
TYPES = {"uint8": b"u8", "uint16": b"u16", "int16": b"i16", "float32": b"f32", "bool": b"bool"}


class Library:
    def __init__(self, build):
        self.calls = ctypes.CDLL(str(build / "lib" / "libmorphology_calls.so"))
        self.calls.bench_image.restype = ctypes.c_void_p
        self.calls.bench_image.argtypes = [ctypes.c_char_p, ctypes.c_int, *[ctypes.c_long] * 3, ctypes.c_void_p]
        self.calls.bench_run.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int,
                                         ctypes.c_double, ctypes.c_int]
        self.calls.bench_samples.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
        self.calls.bench_free.argtypes = [ctypes.c_void_p]
        self.calls.bench_machine.restype = ctypes.c_char_p

    def machine(self):
        return self.calls.bench_machine().decode()

    def image(self, array, stack=False):
        return Held(self, array, stack)

    def run(self, operation, source, target, element, border=0, value=0.0, threads=0):
        if self.calls.bench_run(OPERATIONS[operation], source.handle, target.handle, element.encode(), border, value,
                                threads):
            raise RuntimeError(f"{operation} {element} failed")


class Held:
    """An image of the library, filled from an array."""

    def __init__(self, library, array, stack):
        self.library, self.shape, self.dtype = library, array.shape, array.dtype
        array = numpy.ascontiguousarray(array)
        z, y, x = (1, *array.shape) if array.ndim == 2 else array.shape
        rank = 2 if stack else array.ndim
        self.handle = library.calls.bench_image(TYPES[array.dtype.name], rank, z, y, x, array.ctypes.data)

    def array(self):
        out = numpy.empty(self.shape, self.dtype)
        self.library.calls.bench_samples(self.handle, out.ctypes.data)
        return out

    def __del__(self):
        self.library.calls.bench_free(self.handle)
