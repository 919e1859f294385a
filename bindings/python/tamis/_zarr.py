"""Zarr stores, which are written by tasks that go on after one of them has failed."""

from __future__ import annotations

import time
from typing import Any

import numpy

from ._foreign import need


def save_zarr(path: str, array: numpy.ndarray) -> None:
    """When it returns or throws, nothing is being written any more."""
    zarr = need("zarr")
    if not hasattr(zarr, "storage") or not hasattr(zarr.storage, "LocalStore"):
        zarr.save_array(path, array)  # before version 3 chunks are written one after the other
        return
    state = _State()
    try:
        zarr.save_array(_patient_store(zarr, state)(path), array)
    finally:
        state.over = True
        while state.running:
            time.sleep(0.001)


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
