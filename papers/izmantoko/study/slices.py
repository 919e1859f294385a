"""The images of the study: an axial MRI slice at 512^2, enlarged bilinearly, and thresholded, as in the paper."""

import gzip
import struct
from pathlib import Path

import numpy


def read_slice(path, index):
    """An axial slice of a NIfTI volume of bytes, as it is looked at; or a picture that OpenCV reads."""
    path = Path(path)
    if not path.name.endswith((".nii", ".nii.gz")):
        import cv2

        picture = cv2.imread(str(path), cv2.IMREAD_GRAYSCALE)
        if picture is None:
            raise SystemExit(f"{path}: not a picture; wanted .nii, .nii.gz or what OpenCV reads")
        return picture
    data = (gzip.open if path.name.endswith(".gz") else open)(path, "rb").read()
    nx, ny, nz = struct.unpack_from("<3h", data, 42)
    kind, start = struct.unpack_from("<h", data, 70)[0], int(struct.unpack_from("<f", data, 108)[0])
    if kind != 2 or len(data) < start + nx * ny * nz:
        raise SystemExit(f"{path}: type {kind}, {len(data)} bytes; wanted a whole volume of bytes (type 2)")
    volume = numpy.frombuffer(data, numpy.uint8, nx * ny * nz, start).reshape(nz, ny, nx)
    return volume[index, ::-1]  # y points to the front of the head


def drawn_head():
    """An axial slice as it might be: skull, brain and ventricles, for those who have no scan."""
    y, x = numpy.mgrid[-1:1:217j, -1:1:181j]

    def inside(height, width, dy=0.0, dx=0.0):
        return ((y - dy) / height) ** 2 + ((x - dx) / width) ** 2 <= 1

    picture = numpy.zeros(y.shape, numpy.uint8)
    for shape, grey in [(inside(0.95, 0.85), 90), (inside(0.9, 0.79), 200), (inside(0.85, 0.73), 20),
                        (inside(0.82, 0.7), 130), (inside(0.25, 0.07, -0.1, -0.1), 15), (inside(0.25, 0.07, -0.1, 0.1), 15)]:
        picture[shape] = grey
    folds = 25 * numpy.sin(40 * x + 6 * numpy.sin(9 * y)) * inside(0.82, 0.7)
    return (picture + folds).clip(0, 255).astype(numpy.uint8)


def square(picture):
    """With black sides, so that height and width are equal."""
    height, width = picture.shape
    edge = max(height, width)
    out = numpy.zeros((edge, edge), picture.dtype)
    y, x = (edge - height) // 2, (edge - width) // 2
    out[y:y + height, x:x + width] = picture
    return out


def bilinear(picture, edge):
    """Enlarged to edge^2; pixels are areas, the border is repeated."""
    def blend(array, axis):
        n = array.shape[axis]
        where = numpy.clip((numpy.arange(edge) + 0.5) * n / edge - 0.5, 0, n - 1)
        low = where.astype(int)
        high = numpy.minimum(low + 1, n - 1)
        share = (where - low).astype(numpy.float32)
        share = share.reshape([-1 if a == axis else 1 for a in range(2)])
        return array.take(low, axis) * (1 - share) + array.take(high, axis) * share

    return (blend(blend(picture.astype(numpy.float32), 0), 1) + 0.5).astype(numpy.uint8)


def patches(count, edge):
    """A stack of small grey images. Of what does not matter: these versions take the same time for all."""
    return numpy.random.default_rng(7).integers(0, 250, (count, edge, edge), dtype=numpy.uint8)
