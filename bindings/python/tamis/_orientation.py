"""The orientation of an image: maps, spectra, pictures."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy

from ._drawing import LINE, MARKED, pyplot
from ._native import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike, NDArray


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Orientation:
    """Where lines run in an image, as `orientation` gives it.

    Angles are in degrees, counter-clockwise as the picture is seen, 0 to the right.
    """

    orientation: NDArray[numpy.float32]
    """At each sample the angle, in [0, 180), whose opening is the highest, the middle of those that tie; NaN where all
    tie. float32, shape of the image."""
    enhanced: NDArray[Any]
    """Supremum of the openings (dark: infimum of the closings), type and shape of the image."""
    contrast: NDArray[Any]
    """Supremum - infimum of the openings (closings), type and shape of the image; int16 saturates."""
    angles: NDArray[numpy.float64]
    """The directions, as they were asked for."""
    range: tuple[float, float]
    """What the angles divide evenly; the end is left out."""
    lengths: NDArray[numpy.float64]
    """Of the segments, as they were asked for."""
    spectrum: NDArray[numpy.float64]
    """Sum of image - opening (dark: closing - image) at each angle, smallest along the lines; of several lengths a row
    for each."""
    sum: NDArray[numpy.float64]
    """Sum of the openings (closings) themselves, formula 6 of Karas et al. 2015; shape of `spectrum`."""
    histogram: NDArray[numpy.float64]
    """Contrast of the samples at each angle, summed; angles with the same digital segment share theirs evenly."""
    dominants: tuple[float | None, ...]
    """For each length the angle of the smallest `spectrum`, refined by a parabola through its neighbours, in [0, 180);
    None where all angles are the same."""
    mean: float | None
    """The axial mean of the histogram, in [0, 180): half the angle of the sum of its directions at twice their angles, for 0
    and 180 degrees are one. None where they balance."""
    resultant: float
    """The length of that sum over that of the weights: from 0, no direction before others, to 1, all the same."""
    dark: bool
    lines: str
    border: str
    device: str
    """What computed it: 'cpu', 'cuda:0'."""

    @property
    def length(self) -> float:
        """The longest, that of the maps and the histogram."""
        return float(self.lengths.max())

    @property
    def dominant(self) -> float | None:
        """The angle of the longest segments; None where all angles are the same."""
        return self.dominants[int(self.lengths.argmax())]

    def __repr__(self) -> str:
        angle = "no dominant angle" if self.dominant is None else f"dominant {self.dominant:.2f} degrees"
        lengths = ", ".join(f"{length:g}" for length in self.lengths)
        return f"<tamis.Orientation: {len(self.angles)} angles, length {lengths}, {angle}>"

    def _repr_html_(self) -> str:
        from ._notebook import orientation_html

        return orientation_html(self)

    def picture(self, image: ArrayLike) -> NDArray[numpy.uint8]:
        """The image in colour, uint8, with a last axis of 3: hue the angle, half a turn once round the circle;
        saturation the contrast, full at the 99th percentile of its slice; value the image, its negative if dark. Grey
        where there is no orientation."""
        image = numpy.asarray(image)
        if image.shape != self.orientation.shape:
            raise InputError(f"image: got shape {image.shape}; wanted {self.orientation.shape}, that of the maps")
        slices = (image, self.contrast, self.orientation)
        if image.ndim == 2:
            return _colours(*slices, self.dark)
        return numpy.stack([_colours(*planes, self.dark) for planes in zip(*slices, strict=True)])

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draws the angular spectra, a line for each length. Returns the axes; without `ax` of a new figure."""
        if ax is None:
            ax = pyplot("plots of an orientation need").figure(figsize=(7, 4), layout="constrained").add_subplot()
        removed = numpy.atleast_2d(self.spectrum) / self.orientation.size
        order = numpy.argsort(self.lengths)
        for rank, row in enumerate(order):
            longest = rank + 1 == len(order)
            colour = LINE if longest else pyplot().get_cmap("viridis")(0.92 - 0.75 * rank / len(order))
            label = f"L = {self.lengths[row]:g}" if len(order) > 1 else None
            ax.plot(self.angles, removed[row], color=colour, linewidth=2 if longest else 1.3, label=label)
        if self.dominant is not None:
            step = (self.range[1] - self.range[0]) / len(self.angles)
            at = self.range[0] - step / 2 + (self.dominant - self.range[0] + step / 2) % 180
            label = f"dominant: {self.dominant:.1f}°"
            ax.axvline(at, color=MARKED, linestyle=(0, (3, 3)), linewidth=1.4, label=label)
        if ax.get_legend_handles_labels()[1]:
            ax.legend(frameon=False, loc="upper left", bbox_to_anchor=(1, 1))
        ax.set_xlim(self.range)
        if self.range[1] - self.range[0] > 90:
            ax.set_xticks(numpy.arange(self.range[0], self.range[1] + 1e-9, 15))
        ax.set_xlabel("angle (degrees, counter-clockwise, 0 to the right)")
        ax.set_ylabel("mean of closing - image" if self.dark else "mean of image - opening")
        ax.spines[["top", "right"]].set_visible(False)
        return ax

    def rose(self, ax: Axes | None = None) -> Axes:
        """Draws the histogram as a rose of sectors of about 5 degrees, each in both of its directions, coloured as the
        picture; dashed the dominant angle, at which openings remove least and which need not be the longest sector. Returns
        the axes; `ax` has to be a polar one, without it there is a new figure."""
        if ax is None:
            figure = pyplot("plots of an orientation need").figure(figsize=(5, 5), layout="constrained")
            ax = figure.add_subplot(projection="polar")
        if not hasattr(ax, "set_theta_zero_location"):
            raise InputError("ax: no polar axes; wanted figure.add_subplot(projection='polar')")
        step = (self.range[1] - self.range[0]) / len(self.angles)
        together = max(1, int(5 / step + 1e-9))
        first = numpy.arange(0, len(self.angles), together)
        total = self.histogram.sum() or 1.0
        percent = 100 * numpy.add.reduceat(self.histogram, first) / total
        width = numpy.minimum(together, len(self.angles) - first) * step
        middle = self.angles[first] + (width - step) / 2
        shade = [_hsv(numpy.array(m / 180), 0.85, 0.88) / 255 for m in middle]
        for turn in (0, 180):
            ax.bar(numpy.radians(middle + turn), percent, numpy.radians(width), color=shade, edgecolor="w",
                   linewidth=0.5)  # fmt: skip
        if self.dominant is not None:
            towards = numpy.radians([self.dominant, self.dominant + 180])
            reach = ax.get_ylim()[1]
            for angle in towards:
                ax.plot([angle, angle], [0, reach], color="#222222", linestyle=(0, (3, 3)), linewidth=1.4)
            ax.set_ylim(0, reach)
            ax.set_title(f"dashed: dominant {self.dominant:.1f}°, where {'closings add' if self.dark else 'openings remove'} least")
        ax.set_xticks(numpy.radians(numpy.arange(0, 360, 30)), [f"{angle % 180}°" for angle in range(0, 360, 30)])
        ax.set_yticks(_rings(ax.get_ylim()[1]))
        ax.yaxis.set_major_formatter("{x:g} %")
        ax.tick_params(axis="y", labelsize="small", labelcolor="#777777")
        ax.grid(color="#d4d4d4", linewidth=0.8)
        ax.spines["polar"].set_color("#d4d4d4")
        ax.set_axisbelow(True)
        return ax


# The package shows it as its own, for pickle too.
Orientation.__module__ = "tamis"


def made(removed: list[Any], left: list[Any], dominant: list[float | None], longest: int, **facts: Any) -> Orientation:
    """What the compiled part has found."""
    spectrum, total = (rows[0] if len(rows) == 1 else numpy.stack(rows) for rows in (removed, left))
    return Orientation(spectrum=spectrum, sum=total, dominants=tuple(dominant), **facts)


def _rings(reach: float) -> list[float]:
    """About four shares, 1, 2 or 5 times a power of ten apart."""
    power = 10 ** numpy.floor(numpy.log10(reach / 4))
    ring = next(lead * power for lead in (1, 2, 5, 10) if reach <= 5 * lead * power)
    return [float(f"{n * ring:.6g}") for n in range(1, int(reach / ring) + 1)]


def _hsv(hue: NDArray[Any], saturation: Any, value: Any) -> NDArray[numpy.uint8]:
    """uint8 in a last axis of 3; hue in turns."""
    at = (numpy.array([5, 3, 1]) + 6 * (hue - numpy.floor(hue))[..., None]) % 6
    part = numpy.clip(numpy.minimum(at, 4 - at), 0, 1)
    colour = numpy.asarray(value)[..., None] * (1 - numpy.asarray(saturation)[..., None] * part)
    rounded: NDArray[Any] = numpy.floor(255 * colour + 0.5)
    return rounded.astype(numpy.uint8)


def _colours(image: NDArray[Any], contrast: NDArray[Any], angle: NDArray[Any], dark: bool) -> NDArray[numpy.uint8]:
    """The picture of one slice, as the program draws it."""

    def value_at(values: NDArray[Any], share: float) -> float:
        return float(numpy.sort(values, axis=None)[int(share * (values.size - 1))])

    grey = image.astype(numpy.float32)
    low = value_at(grey, 0.005)
    high = max(value_at(grey, 0.995), float(numpy.nextafter(numpy.float32(low), numpy.float32(numpy.inf))))
    full = value_at(contrast.astype(numpy.float32), 0.99)
    value = numpy.clip((grey - numpy.float32(low)) / (numpy.float32(high) - numpy.float32(low)), 0, 1)
    saturation = numpy.minimum(contrast / numpy.float32(full), 1) if full > 0 else numpy.ones_like(grey)
    oriented = ~numpy.isnan(angle)
    value = 1 - value.astype(float) if dark else value.astype(float)
    return _hsv(numpy.where(oriented, angle, 0) / 180.0, numpy.where(oriented, saturation, 0), value)
