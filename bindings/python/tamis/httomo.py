"""The filters of tamis, and size maps, as methods of HTTomo, which gives them blocks of a scan with slices around them.

    python -m tamis.httomo           # writes what HTTomo asks of a method into the installed httomo_backends
    python -m tamis.httomo --cpu     # the same for machines without a GPU

Each function takes a block of projections or sinograms, of NumPy or CuPy, and gives one of the same kind. What a function
takes, its default and how many slices it needs on either side come from the descriptions of the operations.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from . import _native
from ._native import InputError, ResourceError

_MODULE = "tamis.httomo"  # also where it runs as a program
# What HTTomo decides itself, or what makes no sense of a block.
_LEFT_OUT = {"out", "progress", "mask", "roi", "crop", "channel_axis", "batch", "device", "threads", "memory", "device_memory",
             "simd", "sizes", "spacing", "unit"}  # fmt: skip
_EDGE = 1 << 16  # of a volume that no window covers, to ask how far a filter looks


def _size_map_halo(arguments: dict[str, Any]) -> int:
    """How far openings of up to `max_size` look: an element of size n reaches n samples, and twice in an opening."""
    largest = arguments.get("max_size")
    if largest is None:
        raise InputError("max_size: missing, and without it a size map needs the whole volume; wanted the largest size")
    if isinstance(largest, bool) or not isinstance(largest, int) or largest < 1:
        raise InputError(f"max_size={largest!r}: wanted a whole number from 1 on")
    if str(arguments.get("element", "cross")) not in ("cross", "square"):
        raise InputError(f"element={arguments['element']!r}: wanted 'cross' or 'square', whose sizes are known in blocks")
    if isinstance(arguments.get("threshold"), str) and not _is_number(arguments["threshold"]):
        raise InputError(f"threshold={arguments['threshold']!r}: a method would see one block; wanted a number")
    return 2 * (largest + 1)


def _is_number(text: str) -> bool:
    try:
        [float(part) for part in text.split(":")]
    except ValueError:
        return False
    return True


def padding(name: str, **arguments: Any) -> tuple[int, int]:
    """Slices that a method needs before and after a block, whichever axis HTTomo splits."""
    known = {word: value for word, value in arguments.items() if word in parameters(name)}
    if name == "size_map":
        return (_size_map_halo(known), _size_map_halo(known))
    # The shortest volume may be cut along either of two axes, whose reach differs for elements such as lines.
    own = {word: value for word, value in known.items() if word != "as_type"}
    reach = _native._reach_of(name, "float32", [_EDGE] * 3, False, own)
    slices = [edge for edge in reach[:2] if edge is not None]
    if len(slices) < 2:
        raise InputError(f"{name}: looks at the whole volume with these parameters; HTTomo gives it blocks")
    return (max(slices), max(slices))


def parameters(name: str) -> dict[str, inspect.Parameter]:
    """What a method takes beside the block."""
    all_of_them = list(inspect.signature(getattr(_native, name)).parameters.items())
    return {word: parameter for word, parameter in all_of_them[1:] if word not in _LEFT_OUT}


def _method(name: str) -> Callable[..., Any]:
    eager = getattr(_native, name)

    def method(data: Any, **arguments: Any) -> Any:
        return eager(data, **arguments)

    first = inspect.Parameter("data", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    rest = [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in parameters(name).values()]
    method.__name__ = method.__qualname__ = name
    method.__module__ = _MODULE
    method.__signature__ = inspect.Signature([first, *rest])  # type: ignore[attr-defined]
    method.__doc__ = f"`tamis.{name}` of a block.\n\n{eager.__doc__}"
    return method


# Filters of one image that look at a window, and size maps.
METHODS = (*(name for name, images in _native._filters.items() if len(images) == 1), "size_map")
globals().update({name: _method(name) for name in METHODS})
__all__ = ["METHODS", *METHODS, "padding", "parameters", "write_methods"]  # noqa: PLE0604


def methods_text(cpu: bool = False) -> str:
    """The methods file of the package, as HTTomo reads it. On CPUs it has one block at a time, of its own choice."""
    lines = ["# Made by python -m tamis.httomo.", "httomo:"]
    for name in METHODS:
        lines += [
            f"  {name}:", "    pattern: all", "    output_dims_change: False",
            f"    implementation: {'cpu' if cpu else 'gpu_cupy'}", "    save_result_default: False", "    padding: True",
            # The block, its result, and room for two arrays in between.
            *(["    memory_gpu: None"] if cpu else ["    memory_gpu:", "      multiplier: 4.0", "      method: direct"]),
        ]  # fmt: skip
    return "\n".join(lines) + "\n"


def supporting_text() -> str:
    """The module in which HTTomo looks for the padding of each method."""
    lines = ["# Made by python -m tamis.httomo.", "from functools import partial", "", "from tamis.httomo import padding", ""]
    return "\n".join([*lines, *(f'_calc_padding_{name} = partial(padding, "{name}")' for name in METHODS)]) + "\n"


def template_text(name: str) -> str:
    """What HTTomo's editors begin with, and against which it checks a pipeline."""
    lines = [f"- method: {name}", f"  module_path: {_MODULE}", "  parameters:"]
    for word, parameter in parameters(name).items():
        value = parameter.default
        if name == "size_map" and word in ("threshold", "max_size"):
            value = "REQUIRED"
        lines.append(f"    {word}: {_yaml(value)}")
    return "\n".join(lines) + "\n"


def _yaml(value: Any) -> str:
    if isinstance(value, str):
        return value if value == "REQUIRED" else f"'{value}'"
    return {"None": "null", "True": "true", "False": "false"}.get(repr(value), repr(value))


def write_methods(folder: Any = None, cpu: bool = False) -> list[Path]:
    """Writes the methods file, padding functions and templates into a folder as httomo_backends is laid out.

    Without a folder it is the installed package. `cpu`: HTTomo is to call them with NumPy's blocks, on any machine.
    """
    root = _installed() if folder is None else Path(folder)
    package = root / "methods_database" / "packages" / "backends" / "tamis"
    files = {
        package / "tamis.yaml": methods_text(cpu),
        package / "tamis_modules.yaml": f"- {_MODULE}\n",
        package / "__init__.py": "",
        package / "supporting_funcs" / "__init__.py": "",
        package / "supporting_funcs" / "httomo.py": supporting_text(),
        **{root / "yaml_templates" / "tamis" / _MODULE / f"{name}.yaml": template_text(name) for name in METHODS},
    }
    try:
        for path, text in files.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    except OSError as error:
        raise ResourceError(f"cannot write the methods of HTTomo to {root}: {error.strerror}") from error
    return list(files)


def _installed() -> Path:
    import importlib.util

    found = importlib.util.find_spec("httomo_backends")
    if found is None or found.origin is None:
        raise ResourceError("httomo_backends is not installed; wanted pip install httomo, or a folder: python -m tamis.httomo FOLDER")
    return Path(found.origin).parent


if __name__ == "__main__":
    try:
        asked = sys.argv[1:]
        folders = [word for word in asked if word != "--cpu"]
        for written in write_methods(folders[0] if folders else None, cpu="--cpu" in asked):
            print(written)
    except (InputError, ResourceError) as error:
        sys.exit(f"tamis.httomo: {error}")
