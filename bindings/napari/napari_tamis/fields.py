"""Fields of a widget, one for each parameter, and the values that people give in them."""

from __future__ import annotations

from typing import Any

import tamis
from magicgui.widgets import CheckBox, ComboBox, LineEdit, Widget

from .describe import Parameter

_NONE = "-"


def field_of(parameter: Parameter) -> Widget:
    shown = {"name": parameter.name, "label": parameter.name.replace("_", " "), "tooltip": parameter.help}
    if parameter.kind == "flag":
        return CheckBox(**shown, value=bool(parameter.initial), text="")
    if parameter.words:
        empty = [] if parameter.initial is not None else [_NONE]
        return ComboBox(**shown, choices=[*empty, *parameter.words], value=parameter.initial or _NONE)
    return LineEdit(**shown, value=_text(parameter.initial))


def values(parameters: list[Parameter], fields: dict[str, Any]) -> dict[str, Any]:
    """What people have changed, as Python takes it. What is as it was is not given: some defaults depend on others."""
    given = {}
    for parameter in parameters:
        value = fields[parameter.name]
        if isinstance(value, str):
            value = value.strip()
            if value in ("", _NONE, _text(parameter.initial)):
                continue
            value = _parsed(parameter, value)
        elif value == bool(parameter.initial):
            continue
        given[parameter.name] = value
    return given


def _text(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:g}" if isinstance(value, float) else str(value)


def _parsed(parameter: Parameter, text: str) -> Any:
    """Numbers where Python wants numbers; other texts are what tamis reads itself."""
    read = {"integer": int, "number": float, "numbers": _numbers, "interval": _interval}.get(parameter.kind)
    if read is None:
        return text
    try:
        return read(text)
    except ValueError:
        wanted = {"integer": "a whole number", "number": "a number", "numbers": "numbers as 2,4,8", "interval": "LO:HI"}
        raise tamis.InputError(f"{parameter.name} {text}: wanted {wanted[parameter.kind]}") from None


def _numbers(text: str) -> list[float]:
    return [_number(part) for part in text.split(",")]


def _number(text: str) -> float:
    return int(text) if text.strip().lstrip("+-").isdigit() else float(text)


def _interval(text: str) -> tuple[float, float]:
    low, high = text.split(":")
    return float(low), float(high)
