"""Chunks of HDF5 datasets, inflated to their exact length and by several threads.

HDF5 itself leaves what stands in memory behind the end of a chunk that is too short, and that is not the file's.
"""

from __future__ import annotations

import array
import collections
import math
import os
import zlib
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import numpy

from .._foreign import need, shown
from .._native import InputError


def read_chunks(dataset: Any) -> numpy.ndarray:
    """All samples of a dataset, whatever its layout."""
    h5py = need("h5py")
    created = dataset.id.get_create_plist()
    if created.get_layout() != h5py.h5d.CHUNKED or 0 in dataset.shape:
        return numpy.asarray(dataset[()])
    pipeline = _Pipeline(h5py, dataset, created)
    if not pipeline.known:
        return numpy.asarray(dataset[()])  # filters that HDF5 alone knows
    stored = _stored_chunks(dataset)
    if pipeline.is_empty:
        for length in stored[:: dataset.ndim + 1]:
            pipeline.check_length(length)
        return numpy.asarray(dataset[()])
    out = _Output(dataset) if pipeline.decodes else None
    _each(dataset, stored, pipeline, out)
    return numpy.asarray(dataset[()]) if out is None else out.array


class _Pipeline:
    """What was done to the chunks when they were written."""

    def __init__(self, h5py: Any, dataset: Any, created: Any) -> None:
        self._h5z = h5py.h5z
        self._name = f"{shown(dataset.file.filename)}:{shown(dataset.name)}"
        self._filters = [created.get_filter(i) for i in range(created.get_nfilters())]
        codes = {one[0] for one in self._filters}
        self.is_empty = not self._filters
        self.known = codes <= {h5py.h5z.FILTER_DEFLATE, h5py.h5z.FILTER_SHUFFLE, h5py.h5z.FILTER_FLETCHER32}
        stored = dataset.id.get_type()
        self.bytes = math.prod(dataset.chunks) * stored.get_size()
        # Checksums, and samples with fewer bits than their bytes have, are HDF5's business, once the lengths are right.
        plain = stored.equal(h5py.h5t.py_create(dataset.dtype, logical=True))
        self.decodes = plain and h5py.h5z.FILTER_FLETCHER32 not in codes

    def undo(self, raw: bytes, mask: int) -> Any:
        """The samples of a chunk."""
        data: Any = raw
        for i, (code, _, values, _) in reversed(list(enumerate(self._filters))):
            if mask >> i & 1:
                continue
            if code == self._h5z.FILTER_DEFLATE:
                data = self._inflated(data)
            elif code == self._h5z.FILTER_FLETCHER32:
                data = memoryview(data)[:-4]
            elif self.decodes:
                data = _unshuffled(data, values[0])
        self.check_length(len(data))
        return data

    def check_length(self, length: int) -> None:
        if length != self.bytes:
            raise InputError(f"{self._name}: a chunk of {length} bytes; wanted {self.bytes}")

    def _inflated(self, data: Any) -> bytes:
        checksum = 4
        inflater = zlib.decompressobj()
        try:
            inflated = inflater.decompress(data, self.bytes + checksum + 1)
        except zlib.error as error:
            raise InputError(f"{self._name}: a corrupt chunk: {error}") from error
        if not inflater.eof and len(inflated) <= self.bytes:
            raise InputError(f"{self._name}: a chunk that is cut off after {len(inflated)} bytes; wanted {self.bytes}")
        return inflated


def _unshuffled(data: Any, width: int) -> Any:
    if width <= 1:
        return data
    count = len(data) // width
    planes = numpy.frombuffer(data, numpy.uint8)
    samples = numpy.empty(len(data), numpy.uint8)
    rows = samples[: count * width].reshape(count, width)
    for i in range(width):  # several times as fast as the copy of a transposed array
        rows[:, i] = planes[i * count : (i + 1) * count]
    samples[count * width :] = planes[count * width :]
    return samples


class _Output:
    """The array, into which chunks are laid by several threads."""

    def __init__(self, dataset: Any) -> None:
        self._chunks = dataset.chunks
        self._dtype = dataset.dtype
        everywhere = math.prod(-(-edge // chunk) for edge, chunk in zip(dataset.shape, dataset.chunks, strict=True))
        if dataset.id.get_num_chunks() == everywhere:
            self.array = numpy.empty(dataset.shape, dataset.dtype)
        else:
            self.array = numpy.full(dataset.shape, dataset.fillvalue, dataset.dtype)

    def place(self, data: Any, offset: tuple[int, ...]) -> None:
        target = self.array[tuple(slice(at, at + chunk) for at, chunk in zip(offset, self._chunks, strict=True))]
        chunk = numpy.frombuffer(data, self._dtype).reshape(self._chunks)
        target[...] = chunk[tuple(slice(edge) for edge in target.shape)]


def _each(dataset: Any, stored: array.array[int], pipeline: _Pipeline, out: _Output | None) -> None:
    """Reads one chunk after the other (HDF5 does no two things at a time) and decodes several at once."""

    def work(raw: bytes, mask: int, offset: tuple[int, ...]) -> None:
        data = pipeline.undo(raw, mask)
        if out is not None:
            out.place(data, offset)

    row = dataset.ndim + 1
    threads = min(len(os.sched_getaffinity(0)), 16, max(1, len(stored) // row))
    waiting: collections.deque[Future[None]] = collections.deque()
    with ThreadPoolExecutor(threads) as pool:
        try:
            for i in range(0, len(stored), row):
                offset = tuple(stored[i + 1 : i + row])
                mask, raw = dataset.id.read_direct_chunk(offset)
                waiting.append(pool.submit(work, raw, mask, offset))
                if len(waiting) > 2 * threads:
                    waiting.popleft().result()
            while waiting:
                waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()


def _stored_chunks(dataset: Any) -> array.array[int]:
    """Length and offsets of each chunk, one after the other: a file may have many, and numbers take little memory."""
    found = array.array("q")
    name = dataset.file.filename
    length = os.path.getsize(name)

    def note(chunk: Any) -> None:
        if chunk.size > length or len(found) > length * (dataset.ndim + 1):
            raise InputError(f"{shown(name)}: chunks that have more bytes than the file, {length}")
        found.append(chunk.size)
        found.extend(chunk.chunk_offset)

    dataset.id.chunk_iter(note)
    return found
