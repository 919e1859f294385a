#!/usr/bin/env python3
"""Prints the stub of tamis._native, which is kept as tamis/_native.pyi and compared with this in the tests.

    PYTHONPATH=build/python build/venv/bin/python tests/python_stub.py >bindings/python/tamis/_native.pyi
"""

from nanobind.stubgen import StubGen

from tamis import _native


def stub():
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


if __name__ == "__main__":
    print(stub(), end="")
