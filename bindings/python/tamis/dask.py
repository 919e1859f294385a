"""The operations of tamis on Dask arrays: nothing is computed before it is asked for, and the results are those of the whole.

    import tamis.dask
    opened = tamis.dask.open(volume, "ball:3")      # a Dask array
    sizes = tamis.dask.granulometry(volume, 21000)  # sizes.compute() gives tamis.Sizes
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

try:
    import dask.array
except ImportError as error:
    raise ImportError("tamis.dask needs Dask: pip install 'tamis[dask]'") from error

from . import _native
from ._dask.filters import filtered, lazy
from ._dask.sizes import distance_array, granulometry_delayed, size_map_array, thickness_array
from ._dask.threshold import converted, thresholded, value_delayed

_OTHERS: dict[str, tuple[Callable[[dict[str, Any]], Any], str]] = {
    "convert": (converted, "a Dask array"),
    "distance": (distance_array, "a Dask array"),
    "granulometry": (granulometry_delayed, "a Delayed; its compute() gives `Sizes`"),
    "size_map": (size_map_array, "a Dask array"),
    "thickness": (thickness_array, "a Dask array; with `return_figures` also a Delayed of `Thickness`"),
    "threshold": (thresholded, "a Dask array of bool"),
    "threshold_value": (value_delayed, "a Delayed; its compute() gives the number"),
}


def _filter(name: str) -> Callable[..., Any]:
    return lazy(name, lambda arguments: filtered(name, arguments), "a Dask array")


globals().update({name: _filter(name) for name in _native._filters})
globals().update({name: lazy(name, body, returns) for name, (body, returns) in _OTHERS.items()})
__all__ = sorted([*_native._filters, *_OTHERS])  # noqa: PLE0605


def __getattr__(name: str) -> Any:
    if name in _native.__all__ and callable(getattr(_native, name)) and name.islower():
        raise AttributeError(
            f"tamis.dask has no {name}: it is no work for chunks; wanted dask.delayed(tamis.{name})(image), one task"
        )
    raise AttributeError(f"module 'tamis.dask' has no attribute {name!r}")
