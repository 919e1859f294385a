"""The libraries that read and write files, from outside: where one is missing, and what it says when it fails."""

from __future__ import annotations

import contextlib
import difflib
import errno
import importlib
import os
from collections.abc import Iterator
from typing import Any

from ._native import InputError, ResourceError


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


def _near_name(name: object) -> str:
    """"; did you mean foam.tif?" where the folder of a missing file has one of nearly its name."""
    folder, wanted = os.path.split(os.fspath(name) if isinstance(name, (str, os.PathLike)) else str(name))
    with contextlib.suppress(OSError, ValueError):
        others = os.listdir(folder or ".")
        stem = os.path.splitext(wanted)[0]
        near = difflib.get_close_matches(wanted, [other for other in others if os.path.splitext(other)[0] == stem], 1, 0)
        near = near or difflib.get_close_matches(wanted, others, 1, 0.75)
        if near:
            return f"; did you mean {shown(near[0])}?"
    return ""


def missing(name: object) -> MissingFileError:
    """The error for a file that is not there."""
    error = MissingFileError(f"{shown(name)}: there is no such file{_near_name(name)}")
    error.errno, error.filename = errno.ENOENT, os.fspath(name) if isinstance(name, os.PathLike) else str(name)
    return error


# What a file cannot be blamed for.
_MACHINE = {
    errno.EIO, errno.ENOMEM, errno.EMFILE, errno.ENFILE, errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS,
    errno.ESTALE, errno.ENOLCK, errno.EAGAIN, errno.ETIMEDOUT,
}  # fmt: skip

# Nothing that is compressed can become more than this many times as long.
DEFLATE_RATIO = 1032
CODEC_RATIO = 100_000
_HEADER = 1 << 20  # a tiny file is mostly header


def need(library: str) -> Any:
    """The module, or a ResourceError that says how to get it."""
    try:
        return importlib.import_module(library)
    except ImportError as error:
        raise ResourceError(f"this kind of file needs {library}: pip install 'tamis[io]'") from error


def shown(name: object) -> str:
    """A name as it can stand in an error, which is one line whatever characters a name has."""
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in str(name))


def one_line(text: object) -> str:
    """The first line of what a library has to say."""
    lines = [line.strip() for line in str(text).splitlines() if line.strip()]
    words = shown(lines[0]) if lines else ""
    return words if len(words) <= 300 else f"{words[:300]}..."


def _cause(error: BaseException) -> str:
    if isinstance(error, OSError) and error.strerror:
        return one_line(error.strerror)
    if isinstance(error, OSError) and " requested and " in str(error):  # NumPy keeps the reason to itself
        return f"the disk is full, or the file too large ({one_line(error)} samples)"
    if isinstance(error, KeyError) and error.args:
        return one_line(error.args[0])
    return one_line(error) or f"it cannot be understood ({type(error).__name__})"


@contextlib.contextmanager
def reading(name: str) -> Iterator[None]:
    """Whatever a library raises about a file becomes an InputError, or a ResourceError where it is the machine."""
    try:
        yield
    except (InputError, ResourceError):
        raise
    except MemoryError as error:
        raise ResourceError(f"{shown(name)}: too little memory to read it") from error
    except Exception as error:
        message = f"{shown(name)}: {_cause(error)}"
        codec_is_missing = isinstance(error, ImportError) or "requires the 'imagecodecs'" in message
        if codec_is_missing or (isinstance(error, OSError) and error.errno in _MACHINE):
            raise ResourceError(message) from error
        raise _input_error(message, error) from error


def _input_error(message: str, error: Exception) -> InputError:
    """With what Python people catch where the system said it."""
    known: dict[type, type[InputError]] = {
        FileNotFoundError: MissingFileError,
        PermissionError: UnreadableFileError,
    }
    made = known.get(type(error), InputError)(message)
    if isinstance(made, OSError) and isinstance(error, OSError):
        made.errno, made.filename = error.errno, error.filename
    return made


@contextlib.contextmanager
def writing(name: str) -> Iterator[None]:
    """The same of a file that is being written: what the system refuses is the machine's, the rest the array's."""
    try:
        yield
    except (InputError, ResourceError):
        raise
    except MemoryError as error:
        raise ResourceError(f"cannot write {shown(name)}: too little memory") from error
    except Exception as error:
        kind = ResourceError if isinstance(error, (OSError, RuntimeError)) else InputError
        raise kind(f"cannot write {shown(name)}: {_cause(error)}") from error


def check_expansion(name: str, wanted: int, stored: int, ratio: int) -> None:
    """Before anything is allocated: a header may not ask for more samples than its file can hold.

    `stored` is the length of what is read, `ratio` the most that its compression can reach; 1 where there is none.
    """
    if wanted - (_HEADER if ratio > 1 else 0) > stored * ratio:
        raise InputError(
            f"{shown(name)}: the header asks for {wanted} bytes of samples, the file has only {stored} bytes"
        )
    check_memory(name, wanted)


def check_memory(name: str, wanted: int) -> None:
    """A file that is larger than the machine's memory is refused before the machine begins to swap."""
    there = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    if wanted > there:
        raise ResourceError(
            f"{shown(name)}: needs {wanted} bytes of memory, this machine has {there}; wanted less, or lazy=True"
        )
