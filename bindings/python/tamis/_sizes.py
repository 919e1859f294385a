"""Size distributions as tables, texts and pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy

from ._drawing import BAR, MARKED, SECOND, needed, pyplot, unit_name
from ._native import Sizes

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes

_LINE = "#737981"  # read on light and on dark pages
_LEFT = "_tamis_left"  # what an axis remembers of the second axis that belongs to it


def to_pandas(sizes: Sizes) -> pandas.DataFrame:
    """The table, with the size as index; element and border are its `attrs`."""
    pandas = needed("pandas", "to_pandas needs pandas: pip install pandas")
    width = numpy.full(len(sizes), numpy.nan) if sizes.width is None else sizes.width
    columns = {"width": width, "volume": sizes.curve, "fraction": sizes.fraction, "spectrum": sizes.spectrum}
    table = pandas.DataFrame(columns, index=pandas.Index(sizes.size, name="size"))
    table.attrs = {"element": sizes.element, "border": sizes.border}
    return table


def _size_text(sizes: Sizes, size: int | None) -> str:
    """ "8 (17 µm)": a size and the extent of its element."""
    if size is None:
        return "-"
    if sizes.width is None:
        return f"{size}"
    return f"{size} ({sizes.width[sizes.size.searchsorted(size)]:.6g} {unit_name(sizes.unit)})"


def _mean_text(sizes: Sizes) -> str:
    """Sizes and their lengths: widths go with sizes in proportion."""
    mean, std = sizes.mean, sizes.std
    if mean is None or std is None or sizes.width is None or len(sizes) < 2:
        return f"{_number(mean)}, standard deviation {_number(std)}"
    first, unit = float(sizes.width[0]), unit_name(sizes.unit)
    step = float(sizes.width[1] - first) / int(sizes.size[1] - sizes.size[0])
    width = first + step * (mean - int(sizes.size[0]))
    return f"{_number(mean)} ({width:.6g} {unit}), standard deviation {_number(std)} ({step * std:.6g} {unit})"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.4g}"


def _amount(sizes: Sizes) -> str:
    """What 100 % are."""
    return f"{sizes.curve[0]} voxels" if sizes.grey_base is None else f"grey values sum to {sizes.curve[0]:.8g}"


def _whole(sizes: Sizes) -> str:
    return "object" if sizes.grey_base is None else "grey values"


def one_line(sizes: Sizes) -> str:
    """The repr."""
    return (
        f"<tamis.Sizes: {len(sizes)} sizes of {sizes.element}, predominant {_size_text(sizes, sizes.predominant)}, "
        f"mean {_number(sizes.mean)} ± {_number(sizes.std)}, {_amount(sizes)}>"
    )


def figures(sizes: Sizes) -> list[tuple[str, str]]:
    """What there is to say of a distribution, in the words of the command line."""
    deciles = [_size_text(sizes, n) for n in (sizes.d10, sizes.d50, sizes.d90)]
    rows = [
        (_whole(sizes), _amount(sizes)),
        ("sizes", f"0 to {sizes.size[-1]} of the {sizes.element}, border {sizes.border}"),
        ("predominant size", _size_text(sizes, sizes.predominant)),
        ("mean size", _mean_text(sizes)),
        ("D10, D50, D90", ", ".join(deciles)),
        *_thickness(sizes),
        ("at the border", f"{100 * sizes.border_share:.2f} % of the {_whole(sizes)}"),
    ]
    left = 100 * sizes.unsieved_share
    if sizes.never_empties:
        rows.append(("note", f"{left:.4g} % never erodes (border neutral); the figures leave it out"))
    elif sizes.limited:
        rows.append(("note", f"{left:.4g} % is left after the last opening; the figures are of the rest"))
    return rows


def _thickness(sizes: Sizes) -> list[tuple[str, str]]:
    """Of balls: by diameters, and by the widths of slabs that they fill."""
    found = sizes.thickness
    if found is None:
        return []

    def words(mean: float, largest: float) -> str:
        deviation = _number(found.std_diameter)
        return f"mean {_number(mean)}, standard deviation {deviation}, maximum {_number(largest)} {unit_name(sizes.unit)}"

    return [
        ("thickness 2R", f"{words(found.mean_diameter, found.largest_diameter)} (the measure of BoneJ and Fiji)"),
        ("width 2R - 1", words(found.mean_width, found.largest_width)),
    ]


def text(sizes: Sizes) -> str:
    """The str: a line for each figure."""
    return "\n".join(f"{label:<18}{words}" for label, words in figures(sizes))


def percent_of(sizes: Sizes) -> numpy.ndarray:
    """The pattern spectrum, and 0 for what is left."""
    percent = 100 * sizes.spectrum / (sizes.curve[0] or 1)
    if sizes.unsieved_share > 0:
        percent[-1] = 0  # no size, and all bars beside it would be low
    return percent


def plot(sizes: Sizes, ax: Axes | None = None) -> Axes:
    """Spectrum as bars, what is left as a line against the right axis.

    On an axis that has a distribution already both stay readable: translucent bars, a dashed line, limits for both.
    """
    if ax is None:
        ax = pyplot().figure(figsize=(7, 4), layout="constrained").add_subplot()
    width = sizes.width if sizes.unit else None  # widths in voxels would say no more than sizes do
    by_width = width is not None
    at = sizes.size if width is None else width
    step = numpy.diff(at).min() if len(at) > 1 else 1
    percent, marked = percent_of(sizes), sizes.predominant
    left = getattr(ax, _LEFT, None)  # the second axis of distributions that are there already
    if left is None:
        colours = [MARKED if n == marked else BAR for n in sizes.size]
        ax.bar(at, percent, width=0.82 * step, color=colours, linewidth=0)
    else:  # what lies below has to be seen
        ax.bar(at, percent, width=0.82 * step, color=SECOND, alpha=0.5, edgecolor=_LINE, linewidth=0.8)
    wide = "n" if sizes.element.startswith("line@") else "2n+1"
    element = f"{sizes.element}, border {sizes.border}"
    width_label, size_label = f"width ({unit_name(sizes.unit)}) of the {element}", f"size n of the {element} ({wide} voxels wide)"
    ax.set_xlabel(width_label if by_width else size_label)
    ax.set_ylabel(f"pattern spectrum (% of the {_whole(sizes)})")
    # Room above the tallest bar for the words on it.
    top, first, last = 1.16 * max(float(percent.max()), 1e-9), at[0] - 0.8 * step, at[-1] + 0.8 * step
    if left is not None:
        top, first, last = max(top, ax.get_ylim()[1]), min(first, ax.get_xlim()[0]), max(last, ax.get_xlim()[1])
    ax.set_ylim(0, top)
    ax.set_xlim(first, last)
    if not by_width:
        ax.locator_params(axis="x", integer=True)
    if marked is not None:
        _name_the_predominant(ax, sizes, at, percent, by_width)
    if sizes.mean is not None:
        mean = float(numpy.interp(sizes.mean, sizes.size, at))
        words = f"mean {mean:.4g} {unit_name(sizes.unit)}" if by_width else f"mean n = {mean:.4g}"
        ax.axvline(mean, color=_LINE if left is None else SECOND, linestyle=(0, (3, 3)), linewidth=1.2)
        ax.annotate(words, (mean, 1), (4, -4), xycoords=("data", "axes fraction"), textcoords="offset points", va="top", color=_LINE)
    _draw_what_is_left(ax, left, sizes, at)
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def _name_the_predominant(ax: Axes, sizes: Sizes, at: numpy.ndarray, percent: numpy.ndarray, by_width: bool) -> None:
    n = sizes.predominant
    assert n is not None
    row = sizes.size.searchsorted(n)
    words = f"{at[row]:.4g} {unit_name(sizes.unit)}" if by_width else f"n = {n}"
    ax.annotate(
        words, (at[row], percent[row]), (0, 5), textcoords="offset points", ha="center", color=MARKED, fontweight="bold"
    )


def _draw_what_is_left(ax: Axes, left: Axes | None, sizes: Sizes, at: numpy.ndarray) -> None:
    from matplotlib.patheffects import withStroke

    style = "-" if left is None else "--"
    if left is None:
        left = ax.twinx()
        setattr(ax, _LEFT, left)
    halo = [withStroke(linewidth=3.5, foreground="white")]  # the line has to be seen on the bars as well
    marker = "o" if len(sizes) <= 30 else None  # more of them hide the line
    left.plot(at, 100 * sizes.fraction, color=_LINE, linewidth=1.5, linestyle=style, marker=marker, markersize=3, path_effects=halo)
    left.set_ylim(0, 103)
    left.set_ylabel("left after the opening (%)", color=_LINE)
    left.tick_params(axis="y", colors=_LINE)
    left.spines[["top", "left", "bottom"]].set_visible(False)
    left.spines["right"].set_color(_LINE)
