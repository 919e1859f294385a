"""What the libraries with arrays on GPUs call things. Imported for such arrays only."""

from __future__ import annotations

import contextlib
import importlib.util
import sys
from typing import Any

import numpy

from ._native import InputError


class Library:
    """The library that an array comes from, on the array's GPU; CuPy or PyTorch for those that cannot make arrays."""

    def __init__(self, array: Any, gpu: int) -> None:
        root = type(array).__module__.partition(".")[0]
        self._gpu = gpu
        self._name = root if root in ("cupy", "torch") else _installed()
        self._module: Any = importlib.import_module(self._name)
        self._foreign = root != self._name

    def stream(self) -> int:
        """The current stream as a number; 0 is the default one."""
        if self._foreign:
            return 0
        if self._name == "torch":
            return int(self._module.cuda.current_stream(self._gpu).cuda_stream)
        with self._device():  # a stream is current for each GPU
            return int(self._module.cuda.get_current_stream().ptr)

    def empty(self, shape: tuple[int, ...], dtype: str) -> Any:
        """An array that is not written yet."""
        if self._name == "torch":
            return self._module.empty(shape, dtype=getattr(self._module, dtype), device=self._place())
        with self._device():
            return self._module.empty(shape, dtype)

    def upload(self, array: numpy.ndarray) -> Any:
        """A copy of an array of the host."""
        if self._name == "torch":
            return self._module.as_tensor(array, device=self._place())
        with self._device():
            return self._module.asarray(array)

    def download(self, array: Any) -> numpy.ndarray:
        """A copy of an array in host memory."""
        if self._foreign and not hasattr(array, "__cuda_array_interface__"):
            array = self._module.from_dlpack(array)
        copied: numpy.ndarray
        if self._name == "torch":
            copied = self._module.as_tensor(array, device=self._place()).cpu().numpy()
        else:
            with self._device():
                copied = self._module.asnumpy(self._module.asarray(array))
        return copied

    def copy(self, array: Any, out: Any) -> None:
        """The array's samples to those of another one."""
        if self._name == "torch":
            out.copy_(array)
            return
        with self._device():
            out[...] = array

    def widths(self, sizes: Any, table: numpy.ndarray, out: Any) -> Any:
        """table[sizes]."""
        values = self.upload(table)
        if self._name == "torch":
            result = values[sizes.to(self._module.int64)]
            return result if out is None else out.copy_(result)
        with self._device():
            if out is None:
                return values.take(sizes)
            out[...] = values.take(sizes)
            return out

    def _place(self) -> str:
        return f"cuda:{self._gpu}"

    def _device(self) -> contextlib.AbstractContextManager[Any]:
        device: contextlib.AbstractContextManager[Any] = self._module.cuda.Device(self._gpu)
        return device


def _installed() -> str:
    """A library that can hold results for arrays of others: one that is in use, or one that is there."""
    for name in ("cupy", "torch"):
        if name in sys.modules:
            return name
    for name in ("cupy", "torch"):
        if importlib.util.find_spec(name):
            return name
    raise InputError("image: an array on a GPU of a library that tamis does not know; wanted CuPy or PyTorch installed")
