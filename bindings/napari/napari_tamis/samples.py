"""Sample data: volumes whose sizes are known."""

from __future__ import annotations

from typing import Any

import numpy
import tamis


def foam() -> list[tuple[Any, dict[str, Any], str]]:
    """The pores are the bright part, as in a scan whose grey values are noisy."""
    pores = tamis.phantom("foam", 128, max_radius=16, seed=7)
    noise = numpy.random.default_rng(7).normal(0, 12, pores.shape)
    scan = (70 + 110 * pores + noise).clip(0, 255).astype(numpy.uint8)
    return [(scan, {"name": "Foam", "scale": (2.5, 2.5, 2.5), "units": ("um", "um", "um"), "axis_labels": ("z", "y", "x")}, "image")]


def octahedra() -> list[tuple[Any, dict[str, Any], str]]:
    volume = tamis.phantom("octahedra", 128, max_radius=12, seed=7)
    return [(volume, {"name": "Octahedra"}, "image")]
