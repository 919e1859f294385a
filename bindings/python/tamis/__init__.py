"""Mathematical morphology and rank filters, exact and fast: granulometry and thresholds of images and volumes.

Arrays have axes (y, x) or (z, y, x). Results do not depend on threads, devices or memory limits.
"""

from . import _elements, _native
from ._calibrated import CalibratedArray, Placement
from ._elements import *  # noqa: F403  element(), and one function for each shape that has a name
from ._errors import MissingFileError, UnreadableFileError
from ._files import info, open_file, read, write
from ._foreign import no_attribute as _no_attribute
from ._image_file import ImageFile
from ._native import *  # noqa: F403  every operation of the library, and what they give
from ._native import __version__
from ._orientation import Orientation
from ._porosimetry import Porosimetry
from ._signatures import show
from ._thickness import Thickness


def __getattr__(name: str) -> object:
    """Asked for what is not there; what Python itself asks for is no mistake."""
    raise AttributeError(f"module 'tamis' has no attribute '{name}'") if name.startswith("_") else _no_attribute(name, __all__)


show(*(kind for kind in vars(_native).values() if isinstance(kind, type)))
del show

__all__ = [
    "CalibratedArray", "ImageFile", "MissingFileError", "Orientation", "Placement", "Porosimetry", "Thickness", "UnreadableFileError", "__version__",
    "info", "open_file", "read", "write",
    *_native.__all__, *_elements.__all__,
]  # fmt: skip
