"""Which other files a file may have opened: those in its folder and below, all only where the caller says so."""

from __future__ import annotations

import os

from .._foreign import shown
from .._native import InputError


def folder_of(name: str) -> str:
    """The folder in which a file really lies, which is where its references start."""
    return os.path.dirname(os.path.realpath(name))


def referred(name: str, reference: str, what: str, follow: bool) -> str:
    """The real path of a file that the file `name` refers to.

    Throws InputError if it is not there, or lies outside the folder of `name` without `follow`: a stranger's file
    could otherwise have any file of the user's read and written into a result.
    """
    folder = folder_of(name)
    path = os.path.realpath(os.path.join(folder, reference))
    words = f"{shown(name)}: {what} in {shown(reference)!r}"
    if not follow and os.path.commonpath([folder, path]) != folder:
        raise InputError(f"{words}, outside its folder; wanted follow=True to open that too")
    if not os.path.isfile(path):
        raise InputError(f"{words}, which is not there")
    return path
