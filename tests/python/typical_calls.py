"""What people write, for type checkers: mypy --strict looks at this file, and the test runs it."""

from pathlib import Path
from typing import Any, assert_type

import numpy
import tamis
from numpy.typing import NDArray

rng = numpy.random.default_rng(1)
image: NDArray[numpy.uint8] = rng.integers(0, 256, (40, 50)).astype(numpy.uint8)
volume: NDArray[numpy.float32] = rng.random((6, 20, 20), dtype=numpy.float32)
anything: NDArray[Any] = image


def filters() -> None:
    """The type of samples goes through."""
    assert_type(tamis.erode(image, tamis.disk(2)), NDArray[numpy.uint8])
    assert_type(tamis.open(volume, "ball:2", border="reflect"), NDArray[numpy.float32])
    assert_type(tamis.median(image, size=(3, 5), percentile=25), NDArray[numpy.uint8])
    assert_type(tamis.gradient(image > 100, "square:3", kind="inner"), NDArray[numpy.bool_])
    assert_type(tamis.reconstruct(image // 2, image, by="dilation"), NDArray[numpy.uint8])
    assert_type(tamis.erode([[0, 1], [1, 1]], [[1, 1]]), NDArray[Any])
    tamis.dilate(anything, out=anything).mean()
    assert_type(tamis.median(image / 2), NDArray[numpy.float32])
    assert_type(tamis.median(image, as_type="f32"), NDArray[Any])


def sizes() -> None:
    """Granulometries, maps and figures."""
    found = tamis.granulometry(image, "otsu", phase="dark", spacing=(2.0, 2.0), unit="um", max_size=3)
    assert_type(found, tamis.Sizes)
    assert_type(found.size, NDArray[numpy.int64])
    assert_type(found.fraction, NDArray[numpy.float64])
    assert_type(found.width, NDArray[numpy.float64] | None)
    assert_type(found.predominant, int | None)
    assert_type(tamis.size_map(image > 100), NDArray[numpy.unsignedinteger[Any]])
    assert_type(tamis.size_map(image, 100, widths=True), NDArray[numpy.float32])
    diameters, figures = tamis.thickness(image, 100, element="disk", return_figures=True, device="cpu")
    assert_type(diameters, NDArray[numpy.float32])
    assert_type(figures, tamis.Thickness | None)
    assert_type(tamis.distance(image > 100), NDArray[numpy.float32])
    assert_type(tamis.distance(image > 100, squared=True), NDArray[numpy.unsignedinteger[Any]])
    assert_type(tamis.porosimetry(image > 100, inlet="x-", map="radius").saturation, NDArray[numpy.float64])


def grey_values() -> None:
    """Thresholds and types of samples."""
    assert_type(tamis.threshold(image, (20, 200), roi="cylinder"), NDArray[numpy.bool_])
    assert_type(tamis.threshold_value(image, "li"), float)
    assert_type(tamis.convert(volume, "u8", (0, 1)), NDArray[numpy.uint8])
    assert_type(tamis.convert(image, numpy.float32), NDArray[numpy.float32])
    assert_type(tamis.resample(volume, "2um", interpolation="cubic", spacing="1um"), NDArray[numpy.float32])
    assert_type(tamis.convert(image, numpy.dtype(numpy.uint16)), NDArray[numpy.uint16])


def pages() -> None:
    """What a flag changes."""
    bars = numpy.full((200, 300), 255, numpy.uint8)
    bars[20:180:12, 30:270] = 0
    assert_type(tamis.deskew(bars), NDArray[numpy.uint8])
    straight, skew = tamis.deskew(bars, return_skew=True)
    assert_type(straight, NDArray[numpy.uint8])
    assert_type(skew.angle, float | None)
    assert_type(tamis.rotate(bars, 3.5, expand=True), NDArray[numpy.uint8])
    octahedra, spectrum = tamis.phantom("octahedra", (24, 24, 24), max_radius=3, return_spectrum=True)
    assert_type(octahedra, NDArray[numpy.bool_])
    assert_type(spectrum, NDArray[numpy.int64])
    assert_type(tamis.phantom("foam", 24, max_radius=4), NDArray[numpy.bool_])
    assert_type(tamis.orientation(image, length=9, angles=12).dominant, float | None)


def elements() -> None:
    """Elements and files."""
    both = tamis.square(3) + "line:5@0"
    assert_type(both, tamis.Element)
    assert_type(both.mask(), NDArray[numpy.bool_])
    assert_type(tamis.element([[1, 1], [1, 0]], origin=(0, 0)).offsets(), NDArray[numpy.int64])
    name = Path("typical.npy")
    tamis.write(name, image)
    assert tamis.read(name).shape == image.shape
    assert_type(tamis.devices()[0]["device"], Any)
    assert_type(tamis.operations()["operations"][0]["name"], Any)


for show in (filters, sizes, grey_values, pages, elements):
    show()
