#!/usr/bin/env python3
"""Writes the stubs of the Python package into the folder that is named: the build does, when it has made the module."""

import inspect
import sys
from pathlib import Path

from nanobind.stubgen import StubGen

from tamis import _elements, _native

# What filters take, and any type of samples.
TYPES = [
    '_Sample = TypeVar("_Sample", numpy.bool_, numpy.uint8, numpy.uint16, numpy.int16, numpy.float32)',
    '_Type = TypeVar("_Type", bound=numpy.generic)',
]
# What only the package itself asks for.
PRIVATE = [
    "_filters: dict[str, tuple[str, ...]]",
    "class _File:",
    "    shape: tuple[int, ...]",
    "    dtype: str",
    "    channels: int",
    "    voxel: tuple[tuple[float, ...], str] | None",
    "    placement: tuple[tuple[float, float, float], tuple[tuple[float, float, float], ...], str] | None",
    "    description: str",
    "    layer: int",
    "    remark: str",
    "    files: list[bytes]",
    "    def __init__(self, path: bytes, options: dict[str, Any]) -> None: ...",
    "    def read(self, z0: int, count: int) -> numpy.typing.NDArray[Any]: ...",
    "def _write(path: bytes, image: object, channels: int, spacing: object, unit: str, placement: object, options: dict[str, Any]) -> list[str]: ...",
    "def _counts_of(image: numpy.typing.NDArray[Any], threads: int, /) -> tuple[int, numpy.typing.NDArray[numpy.int64]]: ...",
    "def _know_calibrated(type: type, /) -> None: ...",
    "def _reach_of(name: str, dtype: object, shape: Sequence[int], batch: bool, keywords: dict[str, Any]) -> tuple[int | None, ...]: ...",
    "def _removed_in(packed: numpy.typing.NDArray[numpy.uint8], shape: Sequence[int], first: Sequence[int], end: Sequence[int], element: str, max_size: int | None, threads: int) -> numpy.typing.NDArray[numpy.int64]: ...",
    "def _sides_of(z: float, y: float, x: float, rank: int, /) -> tuple[int, int, int, float]: ...",
    "def _threshold_bits(image: numpy.typing.NDArray[Any], value: float, phase: str, threads: int) -> numpy.typing.NDArray[numpy.uint8]: ...",
    "def _size_map_in(packed: numpy.typing.NDArray[numpy.uint8], shape: Sequence[int], first: Sequence[int], end: Sequence[int], element: str, max_size: int | None, threads: int) -> numpy.typing.NDArray[Any]: ...",
    "class _Tally:",
    "    def add(self, other: _Tally, /) -> None: ...",
    "def _tally_of_values(values: Sequence[int], counts: Sequence[int], type: str, /) -> _Tally: ...",
    "def _threshold_of_tally(tally: _Tally, type: str, method: str | None) -> float: ...",
    "def _tally_of_sizes(sizes: Sequence[int], counts: Sequence[int], /) -> _Tally: ...",
    "def _tally_of_squares(squares: Sequence[int], counts: Sequence[int], flat: bool, edges: tuple[float, ...], max_size: int | None, radii: Sequence[int] | None) -> _Tally: ...",
    "def _tally_of_census(voxels: int, border: int, /) -> _Tally: ...",
    "def _sizes_of_tally(tally: _Tally, element: str, border: str, rank: int, edges: tuple[float, ...], unit: str, max_size: int | None, radii: Sequence[int] | None) -> Sizes: ...",
    "def _spacing_of(spacing: object, unit: str, rank: int) -> tuple[tuple[float, ...], str]: ...",
    "def _squares_in(packed: numpy.typing.NDArray[numpy.uint8], shape: Sequence[int], first: Sequence[int], end: Sequence[int], by_slices: bool, neutral: bool, convention: int, sizes: Sequence[int] | None, edges: Sequence[float], threads: int) -> numpy.typing.NDArray[Any]: ...",
]


class NativeStub(StubGen):
    """Functions of the module say their types themselves; nanobind knows the classes."""

    def put(self, value, name=None, parent=None):
        if parent is _native and name in _native._declarations:
            self.put_declarations(value, name, _native._declarations[name])
        elif parent is _native and name == "__all__":
            self.write_ln(f"__all__: list[str] = {value!r}")
        elif name != "__signature__":
            # The package shows methods by functions of Python's.
            super().put(getattr(value, "__wrapped__", value), name, parent)

    def put_declarations(self, function, name, declarations):
        for declaration in declarations:
            last = declaration is declarations[-1]
            if len(declarations) > 1:
                self.write_ln("@" + self.bind("typing", "overload"))
            self.put_nb_overload(function, (declaration, function.__doc__ if last else None, ()), name)


def native_stub():
    public = [kind for kind in vars(_native).values() if isinstance(kind, type) and kind.__module__ == "tamis"]
    try:
        for kind in public:
            kind.__module__ = _native.__name__  # otherwise the stub would import them from what imports them
        generator = NativeStub(_native)
        generator.bind("typing", "TypeVar")
        for line in TYPES:
            generator.write_ln(line)
        generator.write_ln("")
        generator.put(_native)
        lines = [*generator.get().splitlines(), "", *PRIVATE, "__version__: str"]
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


if __name__ == "__main__":
    for name, make in (("_native.pyi", native_stub), ("_elements.pyi", elements_stub)):
        path = Path(sys.argv[1]) / name
        path.unlink(missing_ok=True)  # in an old build folder it is a link
        path.write_text(make())
