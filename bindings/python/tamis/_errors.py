"""What files that cannot be read are for Python, and words for errors, which are one line."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterator

from ._native import InputError


class MissingFileError(InputError, FileNotFoundError):
    """There is no such file: what Python calls FileNotFoundError, and an InputError as all that cannot be read."""

    def __new__(cls, *args: object) -> "MissingFileError":
        return FileNotFoundError.__new__(cls, *args)  # for who makes one without a call, as Dask does on its way home

    def __str__(self) -> str:
        return str(self.args[0])  # not that of OSError, which puts a number before it


class UnreadableFileError(InputError, PermissionError):
    """A file that may not be read: what Python calls PermissionError, and an InputError as well."""

    def __new__(cls, *args: object) -> "UnreadableFileError":
        return PermissionError.__new__(cls, *args)

    def __str__(self) -> str:
        return str(self.args[0])


@contextlib.contextmanager
def opening(name: str) -> Iterator[None]:
    """An InputError about a file that is not there, or may not be read, becomes what Python people catch."""
    try:
        yield
    except InputError as error:
        path = name if os.path.lexists(name) else name.partition(":/")[0]  # without the name of a dataset
        if os.access(path, os.R_OK):
            raise
        there = os.path.exists(path)
        made = UnreadableFileError(str(error)) if there else MissingFileError(str(error))
        made.errno, made.filename = errno.EACCES if there else errno.ENOENT, name
        raise made from None


def shown(name: object) -> str:
    """A name as it can stand in an error, which is one line whatever characters a name has."""
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in str(name))


def one_line(text: object) -> str:
    """The first line of what a library has to say."""
    lines = [line.strip() for line in str(text).splitlines() if line.strip()]
    words = shown(lines[0]) if lines else ""
    return words if len(words) <= 300 else f"{words[:300]}..."
