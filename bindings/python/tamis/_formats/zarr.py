"""Zarr stores: arrays, and OME-Zarr images. They are written by tasks that go on after one of them has failed."""

from __future__ import annotations

import math
import os
import time as clock
from pathlib import Path
from typing import Any

import numpy

from .._calibrated import CalibratedArray, calibrated
from .._channel import index_of, only_time, take_channel
from .._chunks import check_block
from .._foreign import check_memory, need, reading, shown
from .others import numbers
from .._native import InputError, ResourceError
from .._ome_zarr import Level, description, level_of

VERSIONS = ("0.4", "0.5")  # of OME-Zarr, that are written


def is_store(folder: str) -> bool:
    """By its name, or by what is in it: a level or a label lies in a folder inside of a store."""
    described = ("zarr.json", ".zarray", ".zgroup")
    return folder.lower().rstrip("/").endswith(".zarr") or any(os.path.isfile(f"{folder}/{name}") for name in described)


def read_zarr(name: str, lazy: bool, level: Any, time: Any, channel: Any) -> Any:
    with reading(name):
        # A path and no text, which could be an address on the network.
        found = need("zarr").open(Path(name), mode="r")
        if hasattr(found, "shape"):
            only_time(name, time)
            if level is not None:
                index_of(name, "level", level, 1)
            found = take_channel(name, found, channel, False)
        else:
            found = level_of(found, shown(name), 0 if level is None else level, time, channel)
        check_zarr(name, found._array if isinstance(found, Level) else found)
        if lazy:
            return found
        check_memory(name, found.nbytes)
        samples = found[...]
        return calibrated(samples, found.spacing or (), found.unit) if isinstance(found, Level) else samples


def check_zarr(name: str, array: Any) -> None:
    """In zarr before 3 an array may name a codec that runs what is in its chunks as a program: pickles."""
    numbers(name, array)
    compressors = array.compressors if hasattr(array, "compressors") else (array.compressor,)
    for codec in (*(array.filters or ()), *compressors):
        if "pickle" in repr(codec).lower():
            raise InputError(f"{shown(name)}: its chunks are pickles, which can run any program; wanted samples")
    chunk = getattr(array, "shards", None) or array.chunks
    check_memory(name, math.prod(chunk) * array.dtype.itemsize)


def version_of(name: str, asked: Any) -> str:
    """Which OME-Zarr is written: 0.5 lies on Zarr 3, which zarr has from its version 3 on."""
    newest = hasattr(need("zarr"), "create_group")
    if asked is None:
        return VERSIONS[newest]
    if asked not in VERSIONS:
        raise InputError(f"{shown(name)}: ome_zarr={asked!r}; wanted '0.4' or '0.5'")
    if asked == "0.5" and not newest:
        raise ResourceError("OME-Zarr 0.5 needs zarr 3: pip install 'zarr>=3'; or ome_zarr='0.4'")
    return str(asked)


def save_zarr(path: str, array: Any, version: str) -> None:
    """An OME-Zarr image of one level, of an array in memory or one of Dask, which is written chunk by chunk.

    When it returns or throws, nothing is being written any more.
    """
    zarr = need("zarr")
    spacing, unit = (array.spacing, array.unit) if isinstance(array, CalibratedArray) else getattr(array, "voxel", (None, ""))
    about = description(Path(path).name.removesuffix(".zarr").removesuffix(".ome"), array.ndim, spacing, unit, version)
    state = _State()
    try:
        _fill(_group(zarr, path, about, state), array, version)
    finally:
        state.over = True
        while state.running:
            clock.sleep(0.001)


class Waiting:
    """A Dask array on its way to a store, with chunks of one shape, and the size of its voxels."""

    def __init__(self, name: str, array: Any, voxel: tuple[tuple[float, ...] | None, str]) -> None:
        self.name = name
        # Two tasks must not write parts of one chunk.
        self.array = array.rechunk(tuple(max(along) for along in array.chunks))
        self.voxel = voxel
        self.shape, self.ndim, self.dtype = array.shape, array.ndim, numpy.dtype(array.dtype)


def _group(zarr: Any, path: str, attributes: dict[str, Any], state: _State) -> Any:
    if not hasattr(zarr, "create_group"):  # before version 3 chunks are written one after the other
        group = zarr.open_group(path, mode="w")
        group.attrs.update(attributes)
        return group
    store = _patient_store(zarr, state)(path)
    return zarr.create_group(store, zarr_format=3 if "ome" in attributes else 2, attributes=attributes)


def _fill(group: Any, array: Any, version: str) -> None:
    waiting = array if isinstance(array, Waiting) else None
    if not hasattr(group, "create_array"):
        options: dict[str, Any] = {"dimension_separator": "/"}
    elif version == "0.4":
        options = {"chunk_key_encoding": {"name": "v2", "separator": "/"}}
    else:
        options = {"dimension_names": list("zyx"[-array.ndim :])}
    if waiting:
        options["chunks"] = waiting.array.chunksize
    create = group.create_array if hasattr(group, "create_array") else group.create_dataset
    made = create("0", shape=array.shape, dtype=array.dtype, **options)
    if waiting:
        waiting.array.store(_Checked(made, waiting.name), lock=False)
    else:
        made[...] = numpy.asarray(array)


class _Checked:
    """An array of a store that takes blocks only as they were announced: others would be cut or cast to fit."""

    def __init__(self, array: Any, name: str) -> None:
        self._array, self._name = array, name
        self.shape, self.dtype = array.shape, array.dtype

    def __setitem__(self, place: tuple[slice, ...], block: Any) -> None:
        shape = tuple(part.stop - part.start for part in place)
        check_block(block, shape, numpy.dtype(self.dtype), shown(self._name))
        self._array[place] = block


class _State:
    running = 0
    over = False  # no chunk is to be written any more


def _patient_store(zarr: Any, state: _State) -> type:
    local_store: Any = zarr.storage.LocalStore

    class PatientStore(local_store):  # type: ignore[misc]
        async def set(self, key: str, value: Any) -> None:
            state.running += 1
            try:
                if not state.over:
                    await super().set(key, value)
            except Exception:
                first, state.over = not state.over, True
                if first:  # nobody listens to the others
                    raise
            finally:
                state.running -= 1

    return PatientStore
