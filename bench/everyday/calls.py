"""The calls of the benchmark: what people do every day, by tamis and by what they have.

A row is one call on one image. `tamis` and each peer are functions without arguments that give an array; `apart` is by how
much answers may differ in how large a share of the samples (0: they are the same bytes)."""

import math
from dataclasses import dataclass

import cv2
import diplib
import numpy
import skimage
import tamis
from scipy import ndimage

EDGES = (64, 512, 2048)
VOLUME = 256
THREADS = 2
ANGLE = 7.0


@dataclass
class Row:
    name: str
    moved_bytes: int  # read and written once
    tamis: object
    peers: dict
    apart: float = 0.0
    share: float = 0.0
    margin: int = 0  # of samples at the sides, where borders differ, that are not compared


def use_threads():
    cv2.setNumThreads(THREADS)
    diplib.SetNumberOfThreads(THREADS)


def grey(shape, dtype):
    """Smooth shapes with noise, of the whole range of the type; f32 from 0 to 1."""
    random = numpy.random.default_rng(7)
    smooth = ndimage.gaussian_filter(random.normal(size=shape), 3)
    values = smooth / (6 * smooth.std()) + 0.5 + 0.03 * random.normal(size=shape)
    values = values.clip(0, 1)
    if dtype == numpy.float32:
        return values.astype(dtype)
    return (values * numpy.iinfo(dtype).max).round().astype(dtype)


def dip(function, image, *words, **keywords):
    """DIPlib takes a view of the array, and gives its own image, which is an array without a copy."""
    return lambda: numpy.asarray(function(diplib.Image(image), *words, **keywords))


def morphology_rows(edge):
    u8, f32 = grey((edge, edge), numpy.uint8), grey((edge, edge), numpy.float32)
    bits = u8 > 127
    as_bytes = bits.view(numpy.uint8)
    three, fifteen = (numpy.ones((n, n), numpy.uint8) for n in (3, 15))
    disk = tamis.disk(5)
    round_mask = disk.mask().astype(numpy.uint8)
    yield Row("erode u8 3x3", 2 * u8.nbytes, lambda: tamis.erode(u8, "square:3"), {
        "OpenCV": lambda: cv2.erode(u8, three),
        "SciPy": lambda: ndimage.grey_erosion(u8, (3, 3), mode="constant", cval=255),
        "scikit-image": lambda: skimage.morphology.erosion(u8, three, mode="ignore"),
        "DIPlib": dip(diplib.Erosion, u8, diplib.SE(3, "rectangular")),
    }, margin=1)
    yield Row("dilate f32 3x3", 2 * f32.nbytes, lambda: tamis.dilate(f32, "square:3"), {
        "OpenCV": lambda: cv2.dilate(f32, three),
        "SciPy": lambda: ndimage.grey_dilation(f32, (3, 3), mode="constant", cval=-math.inf),
        "DIPlib": dip(diplib.Dilation, f32, diplib.SE(3, "rectangular")),
    }, margin=1)
    yield Row("open u8 15x15", 2 * u8.nbytes, lambda: tamis.open(u8, "square:15"), {
        "OpenCV": lambda: cv2.morphologyEx(u8, cv2.MORPH_OPEN, fifteen),
        "DIPlib": dip(diplib.Opening, u8, diplib.SE(15, "rectangular")),
    }, margin=15)
    yield Row("close u8 disk:5", 2 * u8.nbytes, lambda: tamis.close(u8, disk), {
        "OpenCV": lambda: cv2.morphologyEx(u8, cv2.MORPH_CLOSE, round_mask),
    }, margin=10)
    yield Row("open bits 3x3", 2 * bits.nbytes, lambda: tamis.open(bits, "square:3"), {
        "OpenCV": lambda: cv2.morphologyEx(as_bytes, cv2.MORPH_OPEN, three).view(bool),
        "SciPy": lambda: ndimage.binary_opening(bits, three),
        "DIPlib": dip(diplib.BinaryOpening, bits, 2, 1),
    }, margin=2)


def median_rows(edge):
    u8, f32 = grey((edge, edge), numpy.uint8), grey((edge, edge), numpy.float32)
    yield Row("median u8 5x5", 2 * u8.nbytes, lambda: tamis.median(u8, 5, border="nearest"), {
        "OpenCV": lambda: cv2.medianBlur(u8, 5),
        "SciPy": lambda: ndimage.median_filter(u8, 5, mode="nearest"),
        "DIPlib": dip(diplib.MedianFilter, u8, diplib.Kernel(5, "rectangular")),
    }, margin=2)
    yield Row("median f32 3x3", 2 * f32.nbytes, lambda: tamis.median(f32, 3, border="nearest"), {
        "OpenCV": lambda: cv2.medianBlur(f32, 3),
        "SciPy": lambda: ndimage.median_filter(f32, 3, mode="nearest"),
    }, margin=1)


def sample_rows(edge):
    u8, u16 = grey((edge, edge), numpy.uint8), grey((edge, edge), numpy.uint16)
    f32 = grey((edge, edge), numpy.float32)
    yield Row("threshold u8", 2 * u8.nbytes, lambda: tamis.threshold(u8, 127), {
        "NumPy": lambda: u8 > 127,
        "OpenCV": lambda: cv2.threshold(u8, 127, 1, cv2.THRESH_BINARY)[1].view(bool),
    })
    yield Row("threshold u8 otsu", 3 * u8.nbytes, lambda: tamis.threshold(u8, "otsu"), {
        "OpenCV": lambda: cv2.threshold(u8, 0, 1, cv2.THRESH_OTSU)[1].view(bool),
        "scikit-image": lambda: u8 > skimage.filters.threshold_otsu(u8),
    })
    # OpenCV and NumPy round another way where a value lies between two.
    scale = 255 / 65535
    yield Row("convert u16 u8", u16.nbytes + u8.nbytes, lambda: tamis.convert(u16, "u8", (0, 65535)), {
        "OpenCV": lambda: cv2.convertScaleAbs(u16, alpha=scale),
        "NumPy": lambda: (u16 * numpy.float32(scale) + numpy.float32(0.5)).astype(numpy.uint8),
    }, apart=1, share=0.001)
    yield Row("convert f32 u8", f32.nbytes + u8.nbytes, lambda: tamis.convert(f32, "u8", (0, 1)), {
        "OpenCV": lambda: cv2.convertScaleAbs(f32, alpha=255),
        "NumPy": lambda: (f32 * numpy.float32(255) + numpy.float32(0.5)).astype(numpy.uint8),
        "scikit-image": lambda: skimage.util.img_as_ubyte(f32),
    }, apart=1, share=0.001)
    # OpenCV turns with 5 bits of a place and another cubic, SciPy by splines; they are near.
    turn = cv2.getRotationMatrix2D(((edge - 1) / 2, (edge - 1) / 2), ANGLE, 1)
    yield Row("rotate u8", 2 * u8.nbytes, lambda: tamis.rotate(u8, ANGLE), {
        "OpenCV": lambda: cv2.warpAffine(u8, turn, (edge, edge), flags=cv2.INTER_CUBIC),
        "SciPy": lambda: ndimage.rotate(u8, ANGLE, reshape=False, order=3),
    }, apart=12, share=0.02)


def volume_rows():
    u8 = grey((VOLUME,) * 3, numpy.uint8)
    bits = u8 > 127
    cube = numpy.ones((3, 3, 3), bool)
    yield Row("erode u8 3x3x3", 2 * u8.nbytes, lambda: tamis.erode(u8, "cube:3"), {
        "SciPy": lambda: ndimage.grey_erosion(u8, (3, 3, 3), mode="constant", cval=255),
        "DIPlib": dip(diplib.Erosion, u8, diplib.SE(3, "rectangular")),
    }, margin=1)
    yield Row("open bits 3x3x3", 2 * bits.nbytes, lambda: tamis.open(bits, "cube:3"), {
        "SciPy": lambda: ndimage.binary_opening(bits, cube),
        "DIPlib": dip(diplib.BinaryOpening, bits, 3, 1),
    }, margin=2)
    yield Row("median u8 3x3x3", 2 * u8.nbytes, lambda: tamis.median(u8, 3), {
        "SciPy": lambda: ndimage.median_filter(u8, 3),
        "DIPlib": dip(diplib.MedianFilter, u8, diplib.Kernel(3, "rectangular")),
    }, margin=1)
    yield Row("threshold u8", 2 * u8.nbytes, lambda: tamis.threshold(u8, 127), {
        "NumPy": lambda: u8 > 127,
        "DIPlib": dip(diplib.FixedThreshold, u8, 128),
    })


def groups():
    """(size, what makes its rows), so that images are made only for rows that are asked for."""
    for edge in EDGES:
        for rows in (morphology_rows, median_rows, sample_rows):
            yield f"{edge}^2", lambda rows=rows, edge=edge: rows(edge)
    yield f"{VOLUME}^3", volume_rows
