"""What the widgets are made of: operations as they describe themselves, and what the functions of Python take."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from functools import cache
from typing import Any

import tamis

# The menu begins with these.
_FIRST = ("granulometry", "size_map", "thickness", "porosimetry", "orientation", "deskew", "threshold", "median")
# `threshold` says the value that it has chosen.
_WITHOUT_WIDGET = {"threshold_value"}
# What layers say, or what makes no sense in a window.
_LEFT_OUT = {
    "roi", "mask", "crop", "spacing", "unit", "as_type", "batch", "channel_axis", "out", "progress", "threads", "simd",
    "device_memory", "return_figures", "return_skew", "widths",
}  # fmt: skip
_RENAMED = {"dtype": "as"}  # keywords of Python, and what the descriptions call them
# Keywords that only Python has.
_OWN: dict[tuple[str, str], dict[str, Any]] = {
    ("resample", "voxel"): {
        "type": "text", "default": None, "choices": None, "unit": None, "example": "2um",
        "text": "edges of the voxels to make, with a unit: 2um, 1x1x2um (x first)",
    },
    ("porosimetry", "map"): {
        "type": "choice", "default": None, "choices": ["radius", "diameter"], "unit": None, "example": "radius",
        "text": "a layer with the radius, or diameter, at which each voxel is invaded",
    },
}  # fmt: skip


@dataclass(frozen=True)
class Parameter:
    """A keyword of a function of tamis, and what the operation says of it."""

    name: str
    kind: str  # "integer", "choice", "element" ...
    initial: Any
    words: tuple[str, ...]  # all that a choice takes; empty where other texts are taken too
    help: str


@cache
def _described() -> dict[str, Any]:
    return tamis.operations()


@cache
def _operations() -> dict[str, dict[str, Any]]:
    return {operation["name"]: operation for operation in _described()["operations"]}


def names() -> list[str]:
    """Operations on an image, those that come first in the menu first."""
    rest = [name for name, of in _operations().items() if of["takes"] and name not in _WITHOUT_WIDGET]
    return [*_FIRST, *(name for name in rest if name not in _FIRST)]


def title(name: str) -> str:
    return name.replace("_", " ").capitalize()


def text(name: str) -> str:
    return str(_operations()[name]["text"])


def images(name: str) -> list[str]:
    """What the images are called that an operation takes: one, or marker and mask."""
    return [image["name"] for image in _operations()[name]["takes"]]


def keywords(name: str) -> list[str]:
    """What the function takes after its images."""
    return list(inspect.signature(getattr(tamis, name)).parameters)[len(images(name)) :]


def parameters(name: str) -> list[Parameter]:
    """What a person chooses."""
    return [_parameter(name, word) for word in keywords(name) if word not in _LEFT_OUT]


def _parameter(name: str, word: str) -> Parameter:
    of = _description(name, word)
    choices = of["choices"] or []
    # Capitals stand for something: line@A, constant:V.
    words = tuple(choices) if choices and all(choice == choice.lower() for choice in choices) else ()
    notes = [str(of["text"])]
    if choices and not words:
        notes.append(", ".join(choices))
    if of["unit"]:
        notes.append(f"in {of['unit']}")
    if of["example"] is not None and not words:
        notes.append(f"for example {of['example']}")
    return Parameter(word, of["type"], of["default"], words, "; ".join(notes))


def _description(name: str, word: str) -> dict[str, Any]:
    if (name, word) in _OWN:
        return _OWN[name, word]
    wanted = _RENAMED.get(word, word)
    # One argument for what the program has three options for: granulometry has it too.
    own = _operations()["granulometry" if (name, word) == ("threshold", "threshold") else name]["parameters"]
    return next(of for of in [*own, *_described()["running"]] if of["name"] == wanted)
