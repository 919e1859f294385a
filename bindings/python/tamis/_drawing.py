"""What drawings share: colours, names of units, and libraries that not everybody has."""

from __future__ import annotations

import importlib
from typing import Any

from ._native import ResourceError

# Okabe and Ito: told apart by every kind of colour vision.
LINE, MARKED, BAR, SECOND, PORES = "#0072B2", "#D55E00", "#56B4E9", "#009E73", "#E69F00"


def needed(module: str, words: str) -> Any:
    """A library that is there where people have it; `words` say what is missing."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ResourceError(words) from error


def pyplot(who: str = "plot needs") -> Any:
    return needed("matplotlib.pyplot", f"{who} matplotlib: pip install 'tamis[plot]'")


def unit_name(unit: str) -> str:
    """The unit as people write it."""
    return {"um": "µm", "": "voxels"}.get(unit, unit)
