"""Signatures of the native classes and their methods where `inspect` looks for them: nanobind keeps its own elsewhere."""

import functools
import inspect
from collections.abc import Callable
from typing import Any


def signature_of(text: str) -> inspect.Signature:
    """Of the line "def name(self, ...) -> ..."; what types are called in it is not looked up."""
    scope: dict[str, Callable[..., Any]] = {}
    exec(f"from __future__ import annotations\n{text}: ...", {}, scope)
    (function,) = (value for value in scope.values() if inspect.isfunction(value))
    return inspect.signature(function)


def with_signature(
    native: Callable[..., Any], name: str, owner: type, signature: inspect.Signature
) -> Callable[..., Any]:
    @functools.wraps(native, assigned=("__doc__",))
    def method(*values: Any, **keywords: Any) -> Any:
        return native(*values, **keywords)

    method.__name__, method.__qualname__, method.__module__ = name, f"{owner.__qualname__}.{name}", owner.__module__
    # nanobind begins with the signature, which help() would show a second time.
    method.__doc__ = (method.__doc__ or "").partition("\n\n")[2]
    vars(method)["__signature__"] = signature
    return method


def show(*kinds: type) -> None:
    """Makes the signatures of public methods and constructors known. Protocols are called by Python itself."""
    for kind in kinds:
        for name, native in list(vars(kind).items()):
            if not hasattr(native, "__nb_signature__") or (name.startswith("_") and name != "__init__"):
                continue
            ((text, *_),) = native.__nb_signature__
            signature = signature_of(text)
            if name == "__init__":
                setattr(kind, "__signature__", inspect.Signature(list(signature.parameters.values())[1:]))
            else:
                setattr(kind, name, with_signature(native, name, kind, signature))
