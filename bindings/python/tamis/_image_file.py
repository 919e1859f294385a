"""A file that stays where it is: slices are read as they are asked for."""

from __future__ import annotations

import math
import os
import warnings
from typing import Any

import numpy

from . import _native
from ._calibrated import CalibratedArray, Placement, placed
from ._errors import opening, shown
from ._native import InputError

_PIECE = 64 << 20  # bytes that are read at a time


class ImageFile:
    """An image or volume in a file, as `tamis.open_file` gives it. Every operation takes it as an image, `tamis.dask` too.

    It is indexed as an array is and gives arrays: `file[10:20]` reads ten slices. `numpy.asarray(file)` reads all. Several
    threads may read, one after the other; a copy that is sent to another process opens the file again. `close()`, or the end
    of a `with` block, gives back what it holds; a later use opens it once more.

    Attributes
    ----------
    path : str
    shape : tuple of int
        (y, x) or (z, y, x); of colour the channels are the last axis.
    dtype : numpy.dtype
    spacing : tuple of float or None
        Edges of a voxel in the order of the axes, without that of channels; None where the file does not say them.
    unit : str
        'um', 'mm' ...; '' where the size of a voxel is not known.
    placement : Placement or None
        Where the first voxel lies and how the axes run, where the file says it.
    description : str
        What was understood of the file: 'TIFF, 250 pages, LZW'.
    files : list of str
        All that its samples come from.
    chunks : tuple of int
        What is read at a time when all is read in order, for Dask.

    Examples
    --------
    >>> import numpy, tamis
    >>> tamis.write("made.npy", numpy.arange(60).reshape(3, 4, 5))
    >>> with tamis.open_file("made.npy") as file:
    ...     print(file[1:, 0, ::2].tolist())
    [[20, 22, 24], [40, 42, 44]]
    """

    def __init__(self, path: str, options: dict[str, Any]) -> None:
        self.path = path
        self._options = options
        self._file: Any = None
        self._process = 0
        file = self._opened()
        self.shape: tuple[int, ...] = file.shape
        self.dtype = numpy.dtype(file.dtype)
        voxel: tuple[tuple[float, ...], str] | None = file.voxel
        self.spacing = None if voxel is None else voxel[0]
        self.unit = "" if voxel is None else voxel[1]
        self.placement = None if file.placement is None else Placement(*file.placement)
        if self.spacing is None and "spacing" in options:
            raise InputError(f"spacing={options['spacing']!r}: wanted a unit too, spacing='2.5um'")
        self.description: str = file.description
        if file.remark:
            warnings.warn(f"{shown(path)}: {file.remark}", stacklevel=3)
        self.files = sorted({os.fsdecode(name) for name in file.files})
        self._in_colour = file.channels > 1
        self._is_volume = len(self.shape) - self._in_colour == 3
        self.chunks = self._chunks(file.layer)

    def _opened(self) -> Any:
        """The file in this process: one that a fork has brought shares its decoder with the parent."""
        if self._file is None or self._process != os.getpid():
            with opening(self.path):
                self._file, self._process = _native._File(os.fsencode(self.path), self._options), os.getpid()
        return self._file

    def _chunks(self, layer: int) -> tuple[int, ...]:
        if not self._is_volume:
            return self.shape
        slice_bytes = self.nbytes // self.shape[0]
        layers = max(1, _PIECE // max(1, layer * slice_bytes))
        return (min(self.shape[0], layers * layer), *self.shape[1:])

    def close(self) -> None:
        self._file = None

    def __enter__(self) -> ImageFile:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    @property
    def nbytes(self) -> int:
        return int(self.size * self.dtype.itemsize)

    def __len__(self) -> int:
        return self.shape[0]

    def __repr__(self) -> str:
        voxel = "" if self.spacing is None else f", voxels of {self.spacing} {self.unit}"
        return f"<{self.path!r}: {self.description}, {self.shape} of {self.dtype}{voxel}>"

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> numpy.ndarray:
        return numpy.asarray(self[...], dtype)

    def __getitem__(self, index: Any) -> Any:
        parts = index if isinstance(index, tuple) else (index,)
        if not self._is_volume or not parts or not isinstance(parts[0], (int, numpy.integer, slice)) or isinstance(parts[0], bool):
            return self._slices(0, self.shape[0] if self._is_volume else 1)[index]
        rest = parts[1:]
        if not isinstance(parts[0], slice):
            z = range(self.shape[0])[parts[0]]
            return self._slices(z, 1)[(0, *rest)]
        wanted = range(*parts[0].indices(self.shape[0]))
        if not wanted or not rest:
            low, count = (min(wanted), max(wanted) - min(wanted) + 1) if wanted else (0, 1)
            inside = slice(0, 0) if not wanted else slice(None, None, wanted.step)
            return self._slices(low, count)[(inside, *rest)]
        return self._regions(wanted, rest)

    def _regions(self, wanted: range, rest: tuple[Any, ...]) -> Any:
        """Parts of slices: no more is in memory than a few whole ones, and the parts."""
        pieces = []
        rising = wanted if wanted.step > 0 else wanted[::-1]
        step, at_once = rising.step, self.chunks[0]
        for first in range(0, len(rising), max(1, at_once // step)):
            some = rising[first : first + max(1, at_once // step)]
            pieces.append(self._slices(some[0], some[-1] - some[0] + 1)[(slice(None, None, step), *rest)])
        whole = pieces[0]
        if len(pieces) > 1:
            joined = numpy.concatenate([numpy.asarray(piece) for piece in pieces]).view(CalibratedArray)
            joined._take(whole)
            whole = joined
        return whole if wanted.step > 0 else whole[::-1]

    def _slices(self, z0: int, count: int) -> CalibratedArray:
        try:
            samples = self._opened().read(z0, count)
        except BaseException:
            self.close()  # what was interrupted, or has failed, is not used again
            raise
        samples = samples if self._is_volume else samples[0]
        placement = self.placement
        if placement is not None and self._is_volume and self.spacing is not None:
            placement = placement._shifted(2, z0 * self.spacing[0])
        return placed(samples, self.spacing or (), self.unit, placement, self._in_colour)

    def __reduce__(self) -> Any:
        return ImageFile, (os.path.abspath(self.path), self._options)

    def __dask_tokenize__(self) -> Any:
        """Another file of the same name is another array."""
        status = [os.stat(name) for name in self.files if os.path.exists(name)]
        return os.path.abspath(self.path), sorted(self._options.items()), [(one.st_mtime_ns, one.st_size, one.st_ino) for one in status]


# The package shows it as its own, for pickle too.
ImageFile.__module__ = "tamis"
