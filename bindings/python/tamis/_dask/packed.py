"""Thresholds of the blocks of Dask arrays, straight to packed bits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy

from .._chunks import check_block
from .bits import Bits
from .filters import calling
from .threshold import ThresholdBlock, flat


@dataclass(eq=False)
class PackedThreshold(ThresholdBlock):
    """The object of a block as `Bits`. An array of bool in between would be written and read for nothing."""

    def __call__(self, value: Any, block: Any, domain: Any = None) -> Bits:
        if domain is not None or not self._on_cpu(block) or type(value) not in (int, float):
            return Bits(super().__call__(value, block, domain))
        check_block(block, self.shape, self.dtype, "image")
        arguments = {"image": flat(block), "value": value, "phase": self.phase, "threads": self.keywords["threads"]}
        packed = calling("_threshold_bits", self.box, arguments)
        return Bits.of_packed(packed.reshape(*self.shape[:-1], -1), self.shape[-1])

    def _on_cpu(self, block: Any) -> bool:
        device = self.keywords.get("device", "auto")
        return isinstance(block, numpy.ndarray) and device in ("auto", "cpu") and "simd" not in self.keywords
