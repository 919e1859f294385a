#!/usr/bin/env python3
"""Writes the stubs of the Python package that are made and not written; the tests compare them with what this gives.

    PYTHONPATH=build/python build/venv/bin/python tests/python/python_stub.py bindings/python/tamis
"""

import inspect
import sys
from pathlib import Path

from nanobind.stubgen import StubGen

from tamis import _elements, _native


def native_stub():
    public = [kind for kind in vars(_native).values() if isinstance(kind, type) and kind.__module__ == "tamis"]
    try:
        for kind in public:
            kind.__module__ = _native.__name__  # otherwise the stub would import them from what imports them
        generator = StubGen(_native)
        generator.put(_native)
        lines = [*generator.get().splitlines(), "", "__version__: str"]
    finally:
        for kind in public:
            kind.__module__ = "tamis"
    return "\n".join(line.rstrip() for line in lines) + "\n"


def elements_stub():
    """One function for each shape, which no type checker would find in code that makes them."""
    names = _elements.__all__
    head = ["from collections.abc import Sequence", "from typing import Any", "", "import numpy.typing", "",
            "from ._native import Element", "", f"__all__ = {names!r}".replace("'", '"'), ""]
    functions = [f"def {name}{inspect.signature(getattr(_elements, name))}: ...".replace("'", "")
                 for name in [*names, "unit_element_spec"]]
    return "\n".join([*head, *functions]) + "\n"


STUBS = {"_native.pyi": native_stub, "_elements.pyi": elements_stub}


if __name__ == "__main__":
    for name, make in STUBS.items():
        (Path(sys.argv[1]) / name).write_text(make())
