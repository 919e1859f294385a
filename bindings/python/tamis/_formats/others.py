"""The formats that need no more than a call of a library: .npy, NIfTI, DICOM, pictures, PFM."""

from __future__ import annotations

import io
import math
import os
import re
from pathlib import Path
from typing import Any

import numpy

from .._calibrated import as_float, calibrated, number_in
from .._channel import take_channel
from .._foreign import CODEC_RATIO, DEFLATE_RATIO, check_expansion, check_memory, need, one_line, reading, shown
from .._native import InputError

# The first bytes of pictures. Pillow would try other formats too, which a stranger could put under these names; one
# of them has a program of its own run (EPS).
_PICTURE_HEADS = {
    (".png",): (b"\x89PNG\r\n\x1a\n",),
    (".jpg", ".jpeg"): (b"\xff\xd8\xff",),
    (".pgm", ".pbm", ".ppm", ".pnm"): (b"P1", b"P2", b"P3", b"P4", b"P5", b"P6"),
    (".bmp",): (b"BM",),
    (".gif",): (b"GIF87a", b"GIF89a"),
}
PICTURES = tuple(ending for endings in _PICTURE_HEADS for ending in endings)


def numbers(name: str, array: Any) -> Any:
    """The array, if it holds what an image can."""
    if array.dtype.kind not in "biufc":
        raise InputError(f"{shown(name)}: holds {one_line(array.dtype)}; wanted bool, integers or floats")
    if 0 in array.shape:
        raise InputError(f"{shown(name)}: shape {array.shape} is empty; wanted at least one sample along each axis")
    return array


def read_npy(name: str, lazy: bool) -> numpy.ndarray:
    with reading(name), open(name, "rb") as file:
        if file.read(6) != b"\x93NUMPY":
            raise InputError(f"{shown(name)}: no .npy file by its first bytes")
        # Mapping holds the shape against the length of the file.
        mapped: numpy.memmap = numbers(name, numpy.load(name, mmap_mode="r", allow_pickle=False))
        if lazy:
            return mapped
        check_memory(name, mapped.nbytes)
        file.seek(mapped.offset)
        read = numpy.fromfile(file, mapped.dtype, mapped.size)
        return read.reshape(mapped.shape, order="C" if mapped.flags.c_contiguous else "F")


def read_nifti(name: str, lazy: bool) -> numpy.ndarray:
    with reading(name):
        image = need("nibabel").load(name)
        stored = image.dataobj
        kind = image.get_data_dtype()
        if kind.kind not in "biufc" or min(image.shape) < 1:
            raise InputError(f"{shown(name)}: shape {image.shape} of {one_line(kind)}; wanted numbers")
        packed = name.lower().endswith(".gz")
        wanted = math.prod(map(int, image.shape)) * kind.itemsize
        check_expansion(name, wanted, os.path.getsize(name), DEFLATE_RATIO if packed else 1)
        samples: numpy.ndarray = numpy.asanyarray(stored)
        # NIfTI has x first; the samples stay where they are.
        return samples.T if lazy else calibrated(samples.T, _nifti_edges(image.header, samples.ndim), "mm")


def _nifti_edges(header: Any, rank: int) -> list[float | None]:
    """In mm. Ones without a unit and without a place in space are what a program writes that knows none."""
    lengths = [number_in(length) for length in header["pixdim"][1 : rank + 1]]
    said = int(header["xyzt_units"]) & 7
    placed = int(header["qform_code"]) > 0 or int(header["sform_code"]) > 0
    if not said and not placed and all(length == 1 for length in lengths):
        return []
    millimetres = {1: 1e3, 3: 1e-3}.get(said, 1.0)  # 1: metres, 3: micrometres
    return [length and as_float(length * millimetres) for length in reversed(lengths)]


def read_dicom(name: str, lazy: bool) -> numpy.ndarray:
    with reading(name):
        data = need("pydicom").dcmread(name)
        counts = [int(data.get(key) or 1) for key in ("Rows", "Columns", "NumberOfFrames", "SamplesPerPixel")]
        wanted = math.prod(counts) * int(data.get("BitsAllocated") or 8) // 8
        check_expansion(name, wanted, os.path.getsize(name), CODEC_RATIO)
        samples: numpy.ndarray = numbers(name, data.pixel_array)
        return calibrated(samples, _dicom_edges(data, samples.ndim), "mm")


def _dicom_edges(data: Any, rank: int) -> list[float | None]:
    """Edges of a pixel, and between frames their distance, where the file says them."""
    pixel = data.get("PixelSpacing") or data.get("ImagerPixelSpacing") or ()
    depth = [data.get("SpacingBetweenSlices")] if rank == 3 else []
    return [number_in(length) for length in (*depth, *pixel)]


def dicom_depth(paths: list[Path]) -> float | None:
    """The distance of the slices of a series in mm; None where they do not say it, or it is uneven."""
    pydicom = need("pydicom")
    heads = [pydicom.dcmread(path, stop_before_pixels=True) for path in paths]
    try:
        across = numpy.asarray(heads[0].ImageOrientationPatient, float)
        normal = numpy.cross(across[:3], across[3:])
        steps = numpy.diff([numpy.dot(numpy.asarray(head.ImagePositionPatient, float), normal) for head in heads])
    except (AttributeError, TypeError, ValueError):
        return None
    even = steps.size > 0 and numpy.allclose(steps, steps[0], rtol=1e-3)
    return number_in(as_float(abs(float(steps[0])))) if even else None


def read_pfm(name: str, lazy: bool) -> numpy.ndarray:
    """Grey floats; the last row comes first, and a scale below 0 says little endian."""
    with reading(name), open(name, "rb") as file:
        head = re.match(rb"Pf\s+(\d{1,9})\s+(\d{1,9})\s+([-+.\deE]{1,40})\s", file.read(200))
        scale = float(head[3]) if head else 0.0
        if head is None or scale == 0 or not math.isfinite(scale):
            raise InputError(f"{shown(name)}: no grey .pfm file by its first bytes")
        shape = (int(head[2]), int(head[1]))
        check_expansion(name, 4 * math.prod(shape), os.path.getsize(name) - head.end(), 1)
        file.seek(head.end())
        rows = numpy.fromfile(file, "<f4" if scale < 0 else ">f4", math.prod(shape)).reshape(shape)
        return numpy.ascontiguousarray(rows[::-1], numpy.float32)


def read_picture(name: str, lazy: bool, channel: Any) -> numpy.ndarray:
    library = need("imageio.v3")
    with reading(name):
        ending = os.path.splitext(name)[1].lower()
        heads = next(heads for endings, heads in _PICTURE_HEADS.items() if ending in endings)
        content = Path(name).read_bytes()
        if not content.startswith(heads):
            raise InputError(f"{shown(name)}: no {ending} file by its first bytes")
        # As bytes, and by Pillow: a name could be an address on the network, and other plugins run programs.
        with library.imopen(io.BytesIO(content), "r", plugin="pillow", extension=ending) as file:
            # Without a look at the samples, which are not read yet.
            about = file.properties()
            wanted = math.prod(about.shape) * numpy.dtype(about.dtype).itemsize
            check_expansion(name, wanted, len(content), CODEC_RATIO)
            array = numbers(name, numpy.asarray(file.read()))
        if array.dtype == numpy.int32:  # what Pillow makes of a .pgm of 16 bits
            array = array.astype(numpy.uint16)
        return take_channel(name, array, channel, array.ndim > 2 and array.shape[-1] in (2, 3, 4))
