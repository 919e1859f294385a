"""Mathematical morphology and rank filters, exact and fast: granulometry and thresholds of images and volumes.

Arrays have axes (y, x) or (z, y, x). Results do not depend on threads, devices or memory limits.
"""

import copyreg

from . import _native
from ._elements import (
    ball,
    box,
    circle,
    cross,
    cube,
    disk,
    element,
    hexagon,
    line,
    octagon,
    rect,
    square,
)
from ._files import read, write
from ._native import (
    Element,
    EnvironmentError,
    InputError,
    Sizes,
    __version__,
    asf,
    bothat,
    close,
    convert,
    devices,
    dilate,
    erode,
    gradient,
    granulometry,
    hitmiss,
    open,
    phantom,
    reconstruct,
    size_map,
    threshold,
    threshold_value,
    tophat,
)

# Functions go to other processes by their name, as those of Python do; Dask and multiprocessing count on it.
copyreg.pickle(type(_native.granulometry), lambda function: function.__name__)

__all__ = [
    "Element",
    "EnvironmentError",
    "InputError",
    "Sizes",
    "__version__",
    "asf",
    "ball",
    "bothat",
    "box",
    "circle",
    "close",
    "convert",
    "cross",
    "cube",
    "devices",
    "dilate",
    "disk",
    "element",
    "erode",
    "gradient",
    "granulometry",
    "hexagon",
    "hitmiss",
    "line",
    "octagon",
    "open",
    "phantom",
    "read",
    "reconstruct",
    "rect",
    "size_map",
    "square",
    "threshold",
    "threshold_value",
    "tophat",
    "write",
]
