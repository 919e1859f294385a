"""The C interface as Python's ctypes see it: what any language does that can call C."""

import ctypes
import json
import os
from ctypes import POINTER, byref, c_char_p, c_double, c_int, c_int32, c_int64, c_size_t, c_void_p
from pathlib import Path

import numpy as np

BUILD = Path(os.environ.get("TAMIS_BUILD", Path(__file__).resolve().parents[2] / "build"))
OK, INPUT, ENVIRONMENT, CANCELLED, INTERNAL = range(5)
HOST, CUDA = range(2)
TYPES = {
    "bool": 0,
    "uint8": 1,
    "uint16": 2,
    "int16": 3,
    "float32": 4,
    "int8": 5,
    "uint32": 6,
    "int32": 7,
    "uint64": 8,
    "int64": 9,
    "float64": 10,
}
NAMES = {number: name for name, number in TYPES.items()}
PROGRESS = ctypes.CFUNCTYPE(c_int, c_void_p, c_char_p, c_int64, c_int64)


class Placement(ctypes.Structure):
    _fields_ = [("origin", c_double * 3), ("axes", c_double * 3 * 3), ("world", c_int32)]


class View(ctypes.Structure):
    _fields_ = [
        ("data", c_void_p),
        ("size", c_int64 * 3),
        ("stride", c_int64 * 3),
        ("type", c_int32),
        ("rank", c_int32),
        ("spacing", c_double * 3),
        ("unit", c_char_p),
        ("name", c_char_p),
        ("memory", c_int32),
        ("gpu", c_int32),
        ("placement", POINTER(Placement)),
    ]


def load():
    library = ctypes.CDLL(str(BUILD / "lib" / "libtamis.so"))
    for name, result, arguments in [
        ("abi", c_int, []),
        ("version", c_char_p, []),
        ("message", c_char_p, []),
        ("operations", c_char_p, []),
        ("context_new", c_int, [POINTER(c_void_p)]),
        ("context_free", None, [c_void_p]),
        ("context_set", c_int, [c_void_p, c_char_p, c_char_p]),
        ("context_on_progress", c_int, [c_void_p, c_void_p, c_void_p]),
        ("context_stop", c_int, [c_void_p, c_int]),
        ("context_on_stream", c_int, [c_void_p, c_void_p]),
        ("run", c_int, [c_void_p, c_char_p, POINTER(c_char_p), POINTER(View), c_size_t, POINTER(c_void_p)]),
        (
            "run_into",
            c_int,
            [c_void_p, c_char_p, POINTER(c_char_p), *[POINTER(View), c_size_t] * 2, POINTER(c_void_p)],
        ),
        ("result_free", None, [c_void_p]),
        ("result_images", c_size_t, [c_void_p]),
        ("result_image", c_int, [c_void_p, c_size_t, POINTER(c_char_p), POINTER(View)]),
        ("result_copy", c_int, [c_void_p, c_size_t, POINTER(View)]),
        ("result_columns", c_size_t, [c_void_p]),
        ("result_rows", c_size_t, [c_void_p]),
        ("result_column", c_int, [c_void_p, c_size_t, POINTER(c_char_p), POINTER(POINTER(c_double))]),
        ("result_json", c_char_p, [c_void_p]),
        ("read", c_int, [c_void_p, c_char_p, POINTER(c_char_p), POINTER(c_void_p)]),
        ("write", c_int, [c_void_p, POINTER(View), c_char_p]),
    ]:
        function = getattr(library, "tamis_" + name)
        function.restype, function.argtypes = result, arguments
    return library


LIBRARY = load()


class Refused(Exception):
    """A call that failed: its status, and the message of the thread."""

    def __init__(self, status):
        super().__init__(LIBRARY.tamis_message().decode())
        self.status = status


def check(status):
    if status != OK:
        raise Refused(status)


def view_of(array, name=None, rank=None, spacing=(0, 0, 0), unit=None):
    """Of an array of two or three axes, with any strides, of NumPy or CuPy; the array has to live as long."""
    lead = (1,) * (3 - array.ndim)
    on_gpu = hasattr(array, "__cuda_array_interface__")
    return View(
        array.data.ptr if on_gpu else array.ctypes.data,
        (c_int64 * 3)(*lead, *array.shape),
        (c_int64 * 3)(*(0,) * len(lead), *array.strides),
        TYPES[array.dtype.name],
        rank or array.ndim,
        (c_double * 3)(*spacing),
        unit,
        name,
        CUDA if on_gpu else HOST,
        array.device.id if on_gpu else 0,
    )


def texts(parameters):
    words = [str(word).encode() for pair in parameters.items() for word in pair]
    return (c_char_p * (len(words) + 1))(*words, None)


def empty(shape, dtype, memory):
    if memory == HOST:
        return np.empty(shape, dtype)
    import cupy

    return cupy.empty(shape, dtype)


class Result:
    """Images as arrays, the table as columns, the figures as a dictionary."""

    def __init__(self, handle):
        self.images, self.columns = {}, {}
        for index in range(LIBRARY.tamis_result_images(handle)):
            name, view = c_char_p(), View()
            check(LIBRARY.tamis_result_image(handle, index, byref(name), byref(view)))
            shape = tuple(view.size) if view.rank == 3 or view.size[0] > 1 else tuple(view.size)[1:]
            array = empty(shape, NAMES[view.type], view.memory)
            check(LIBRARY.tamis_result_copy(handle, index, byref(view_of(array, rank=view.rank))))
            self.images[name.value.decode()] = array
        rows = LIBRARY.tamis_result_rows(handle)
        for index in range(LIBRARY.tamis_result_columns(handle)):
            name, values = c_char_p(), POINTER(c_double)()
            check(LIBRARY.tamis_result_column(handle, index, byref(name), byref(values)))
            self.columns[name.value.decode()] = np.array(values[:rows])
        self.figures = json.loads(LIBRARY.tamis_result_json(handle))


class Context:
    """Freed at the end of a `with`."""

    def __init__(self, progress=None, **parameters):
        self.handle = c_void_p()
        check(LIBRARY.tamis_context_new(byref(self.handle)))
        for name, value in parameters.items():
            check(LIBRARY.tamis_context_set(self.handle, name.encode(), str(value).encode()))
        self.progress = PROGRESS(progress) if progress else None
        if progress:
            check(LIBRARY.tamis_context_on_progress(self.handle, ctypes.cast(self.progress, c_void_p), None))

    def __enter__(self):
        return self.handle

    def __exit__(self, *_):
        LIBRARY.tamis_context_free(self.handle)


def run_views(operation, views, parameters=None, context=None, outputs=None):
    handle = c_void_p()
    given = None if parameters is None else texts(parameters)
    images = (View * len(views))(*views)
    if outputs is None:
        check(LIBRARY.tamis_run(context, operation, given, images, len(views), byref(handle)))
    else:
        to = (View * len(outputs))(*outputs)
        check(
            LIBRARY.tamis_run_into(context, operation, given, images, len(views), to, len(outputs), byref(handle))
        )
    try:
        return Result(handle)
    finally:
        LIBRARY.tamis_result_free(handle)


def run(operation, *images, context=None, named=None, into=None, rank=None, spacing=(0, 0, 0), unit=None, **parameters):
    """`into`: arrays by the names of the images that are made, to be written."""
    views = [view_of(image, rank=rank, spacing=spacing, unit=unit) for image in images]
    views += [view_of(image, name=name.encode()) for name, image in (named or {}).items()]
    outputs = into and [view_of(image, name=name.encode(), rank=rank) for name, image in into.items()]
    return run_views(operation.encode(), views, parameters, context, outputs)
