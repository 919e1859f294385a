"""Mathematical morphology and rank filters, exact and fast: granulometry and thresholds of images and volumes.

Arrays have axes (y, x) or (z, y, x). Results do not depend on threads, devices or memory limits.
"""

import copyreg

from . import _native
from ._elements import Element, cross, cube, square
from ._files import read, write
from ._native import (
    EnvironmentError,
    InputError,
    Sizes,
    __version__,
    convert,
    devices,
    granulometry,
    phantom,
    size_map,
    threshold,
    threshold_value,
)

# Functions go to other processes by their name, as those of Python do; Dask and multiprocessing count on it.
copyreg.pickle(type(_native.granulometry), lambda function: function.__name__)

__all__ = [
    "Element",
    "EnvironmentError",
    "InputError",
    "Sizes",
    "__version__",
    "convert",
    "cross",
    "cube",
    "devices",
    "granulometry",
    "phantom",
    "read",
    "size_map",
    "square",
    "threshold",
    "threshold_value",
    "write",
]
