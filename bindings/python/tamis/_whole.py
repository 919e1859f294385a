"""Files that appear whole or not at all."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import fcntl
import hashlib
import os
import shutil
import stat
from collections.abc import Iterator

from ._foreign import shown
from ._native import InputError, ResourceError


@contextlib.contextmanager
def whole(name: str, target: str) -> Iterator[str]:
    """Gives the path of a file or folder to write; it takes the place of `target` at the end, or goes if that fails.

    It lies in a folder of its own beside the target: libraries choose formats by endings, and a rename needs one disk.
    """
    target = _resolved(name, target)
    old = _check_target(name, target)
    folder, last = os.path.split(target)
    scratch, lock = _scratch(folder, last)
    try:
        part = os.path.join(scratch, last)
        yield part
        if old is not None:
            _keep_attributes(old, target, part)
        _to_disk(part)
        _put(part, target)
        _sync(folder)
    finally:
        _remove(scratch)
        os.close(lock)


def _resolved(name: str, target: str) -> str:
    """A link stays, and what it points to is written, also where that is not there yet."""
    path = os.path.realpath(target)
    if os.path.islink(path):
        raise ResourceError(f"cannot write {shown(name)}: {os.strerror(errno.ELOOP)}")
    return path


def _keep_attributes(old: os.stat_result, target: str, part: str) -> None:
    """Owner, group, access list and `user.` attributes of what is there, where the system lets us; its mode only where
    it is ours, and never set-id or sticky bits, with which its owner would lend our rights to our bytes."""
    inside = (os.path.join(folder, name) for folder, folders, files in os.walk(part) for name in folders + files)
    for path in [part, *inside]:
        for owner in (old.st_uid, -1):
            with contextlib.suppress(OSError):
                os.chown(path, owner, old.st_gid)
                break
    same_owner = os.stat(part).st_uid == old.st_uid
    with contextlib.suppress(OSError):
        for attribute in os.listxattr(target):
            if attribute.startswith("user.") or (same_owner and attribute.startswith("system.posix_acl_")):
                with contextlib.suppress(OSError):
                    os.setxattr(part, attribute, os.getxattr(target, attribute))
    mode = old.st_mode & 0o777
    os.chmod(part, mode if old.st_uid == os.geteuid() else mode & os.stat(part).st_mode)


def _check_target(name: str, target: str) -> os.stat_result | None:
    """What is there. It stays if it is something that may not be written, or is more than a file."""
    try:
        old = os.stat(target)
    except FileNotFoundError:
        return None
    mode = old.st_mode
    is_store = target.lower().endswith(".zarr")
    if stat.S_ISDIR(mode) and not is_store:
        raise ResourceError(f"cannot write {shown(name)}: {os.strerror(errno.EISDIR)}")
    if stat.S_ISDIR(mode):
        there = os.listdir(target)
        if there and not {"zarr.json", ".zarray", ".zgroup"} & set(there):
            raise InputError(f"{shown(name)}: a folder that is no Zarr store and would go; wanted another name")
    elif is_store or not stat.S_ISREG(mode):
        raise InputError(f"{shown(name)}: there is something else of that name; wanted a file, or nothing")
    if not os.access(target, os.W_OK):
        raise ResourceError(f"cannot write {shown(name)}: {os.strerror(errno.EACCES)}")
    return old


def _scratch(folder: str, last: str) -> tuple[str, int]:
    """An empty folder that is locked while its writer lives; one that a killed writer has left is taken over."""
    word = hashlib.sha256(os.fsencode(last)).hexdigest()[:12]
    number = 0
    while True:
        path = os.path.join(folder, f".tamis-{word}-{number}")
        made = True
        try:
            os.mkdir(path)
        except FileExistsError:
            made = False
        try:
            lock = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        except OSError:
            if made:
                os.rmdir(path)
            raise
        if _locked(lock, path, made):
            for left in os.listdir(path):
                _remove(os.path.join(path, left))
            return path, lock
        os.close(lock)
        number += 1  # another writer of the same file


def _locked(lock: int, path: str, made: bool) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # Its last owner may have removed it before it could be locked.
        return os.path.samestat(os.fstat(lock), os.stat(path))
    except (BlockingIOError, FileNotFoundError):
        return False
    except OSError:  # a file system without locks
        return made


def _to_disk(part: str) -> None:
    for folder, _, files in os.walk(part):
        for file in files:
            _sync(os.path.join(folder, file))
        _sync(folder)
    if not os.path.isdir(part):
        _sync(part)


def _sync(path: str) -> None:
    file = os.open(path, os.O_RDONLY)
    try:
        os.fsync(file)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # what cannot be synchronised
            raise
    finally:
        os.close(file)


def _put(part: str, target: str) -> None:
    if not (os.path.isdir(part) and os.path.isdir(target)):
        os.replace(part, target)
    elif not _exchanged(part, target):
        old = f"{part}.old"
        os.rename(target, old)
        try:
            os.rename(part, target)
        except BaseException:
            os.rename(old, target)
            raise


def _exchanged(one: str, other: str) -> bool:
    """Folders change places at once; False where the system cannot do that."""
    rename = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    here, exchange = -100, 2
    return rename is not None and rename(here, os.fsencode(one), here, os.fsencode(other), exchange) == 0


def _remove(path: str) -> None:
    """Also when a second Ctrl-C comes meanwhile."""
    try:
        _remove_all(path)
    except BaseException:
        _remove_all(path)
        raise


def _remove_all(path: str) -> None:
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path, ignore_errors=True)
    else:
        with contextlib.suppress(OSError):
            os.unlink(path)
