"""Size distributions as tables, texts and pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy

from ._native import ResourceError, Sizes

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes

# Okabe and Ito: told apart by every kind of colour vision.
_BAR, _MARKED, _LINE, _SECOND = "#56B4E9", "#D55E00", "#737981", "#009E73"
_LEFT = "_tamis_left"  # what an axis remembers of the second axis that belongs to it


def to_pandas(sizes: Sizes) -> pandas.DataFrame:
    """The table, with the size as index; element and border are its `attrs`."""
    try:
        import pandas
    except ImportError as error:
        raise ResourceError("to_pandas needs pandas: pip install pandas") from error
    width = numpy.full(len(sizes), numpy.nan) if sizes.width is None else sizes.width
    columns = {"width": width, "volume": sizes.curve, "fraction": sizes.fraction, "spectrum": sizes.spectrum}
    table = pandas.DataFrame(columns, index=pandas.Index(sizes.size, name="size"))
    table.attrs = {"element": sizes.element, "border": sizes.border}
    return table


def unit_text(sizes: Sizes) -> str:
    """The unit as people write it."""
    return {"um": "µm", "": "voxels"}.get(sizes.unit, sizes.unit)


def _size_text(sizes: Sizes, size: int | None) -> str:
    """ "8 (17 µm)": a size and the extent of its element."""
    if size is None:
        return "-"
    if sizes.width is None:
        return f"{size}"
    return f"{size} ({sizes.width[sizes.size.searchsorted(size)]:.6g} {unit_text(sizes)})"


def _mean_text(sizes: Sizes) -> str:
    """Sizes and their lengths: widths go with sizes in proportion."""
    mean, std = sizes.mean, sizes.std
    if mean is None or std is None or sizes.width is None or len(sizes) < 2:
        return f"{_number(mean)}, standard deviation {_number(std)}"
    first, unit = float(sizes.width[0]), unit_text(sizes)
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
        return f"mean {_number(mean)}, standard deviation {deviation}, maximum {_number(largest)} {unit_text(sizes)}"

    return [
        ("thickness 2R", f"{words(found.mean_diameter, found.largest_diameter)} (the measure of BoneJ and Fiji)"),
        ("width 2R - 1", words(found.mean_width, found.largest_width)),
    ]


def text(sizes: Sizes) -> str:
    """The str: a line for each figure."""
    return "\n".join(f"{label:<18}{words}" for label, words in figures(sizes))


def _percent(sizes: Sizes) -> numpy.ndarray:
    percent = 100 * sizes.spectrum / (sizes.curve[0] or 1)
    if sizes.unsieved_share > 0:
        percent[-1] = 0  # no size, and all bars beside it would be low
    return percent


def plot(sizes: Sizes, ax: Axes | None = None) -> Axes:
    """Spectrum as bars, what is left as a line against the right axis.

    On an axis that has a distribution already both stay readable: translucent bars, a dashed line, limits for both.
    """
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ResourceError("plot needs matplotlib: pip install 'tamis[plot]'") from error
    if ax is None:
        ax = pyplot.figure(figsize=(7, 4), layout="constrained").add_subplot()
    width = sizes.width if sizes.unit else None  # widths in voxels would say no more than sizes do
    by_width = width is not None
    at = sizes.size if width is None else width
    step = numpy.diff(at).min() if len(at) > 1 else 1
    percent, marked = _percent(sizes), sizes.predominant
    left = getattr(ax, _LEFT, None)  # the second axis of distributions that are there already
    if left is None:
        colours = [_MARKED if n == marked else _BAR for n in sizes.size]
        ax.bar(at, percent, width=0.82 * step, color=colours, linewidth=0)
    else:  # what lies below has to be seen
        ax.bar(at, percent, width=0.82 * step, color=_SECOND, alpha=0.5, edgecolor=_LINE, linewidth=0.8)
    wide = "n" if sizes.element.startswith("line@") else "2n+1"
    element = f"{sizes.element}, border {sizes.border}"
    width_label, size_label = f"width ({unit_text(sizes)}) of the {element}", f"size n of the {element} ({wide} voxels wide)"
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
        words = f"mean {mean:.4g} {unit_text(sizes)}" if by_width else f"mean n = {mean:.4g}"
        ax.axvline(mean, color=_LINE if left is None else _SECOND, linestyle=(0, (3, 3)), linewidth=1.2)
        ax.annotate(words, (mean, 1), (4, -4), xycoords=("data", "axes fraction"), textcoords="offset points", va="top", color=_LINE)
    _draw_what_is_left(ax, left, sizes, at)
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def _name_the_predominant(ax: Axes, sizes: Sizes, at: numpy.ndarray, percent: numpy.ndarray, by_width: bool) -> None:
    n = sizes.predominant
    assert n is not None
    row = sizes.size.searchsorted(n)
    words = f"{at[row]:.4g} {unit_text(sizes)}" if by_width else f"n = {n}"
    ax.annotate(
        words, (at[row], percent[row]), (0, 5), textcoords="offset points", ha="center", color=_MARKED, fontweight="bold"
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


def svg(sizes: Sizes, width: int = 420, height: int = 120) -> str:
    """A small picture of the spectrum, without a library."""
    percent = _percent(sizes)
    top = max(float(percent.max()), 1e-9)
    step = width / len(percent)
    bars = "".join(
        f'<rect x="{n * step:.2f}" y="{height * (1 - value / top):.2f}" width="{0.82 * step:.2f}" '
        f'height="{height * value / top:.2f}" fill="{_MARKED if sizes.size[n] == sizes.predominant else _BAR}"/>'
        for n, value in enumerate(percent)
        if value > 0
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height + 18}" role="img" '
        f'aria-label="pattern spectrum">{bars}'
        f'<path d="M0 {height + 0.5}H{width}" stroke="currentColor" stroke-width="0.6"/>'
        f'<g font-size="11" fill="currentColor"><text x="0" y="{height + 14}">0</text>'
        f'<text x="{width}" y="{height + 14}" text-anchor="end">size {sizes.size[-1]}</text></g></svg>'
    )


def html(sizes: Sizes) -> str:
    """What a notebook shows: picture, figures and, to unfold, the table."""
    facts = "".join(f"<tr><th style='text-align:left'>{a}</th><td style='text-align:left'>{b}</td></tr>"
                    for a, b in figures(sizes))  # fmt: skip
    width = [""] * len(sizes) if sizes.width is None else [f"{w:.6g}" for w in sizes.width]
    rows = "".join(
        f"<tr><td>{n}</td><td>{w}</td><td>{volume}</td><td>{fraction:.6f}</td><td>{spectrum}</td></tr>"
        for n, w, volume, fraction, spectrum in zip(sizes.size, width, sizes.curve, sizes.fraction, sizes.spectrum, strict=True)
    )
    return (
        f"<div>{svg(sizes)}<table>{facts}</table><details><summary>{len(sizes)} sizes</summary><table>"
        f"<tr><th>size</th><th>width ({unit_text(sizes)})</th><th>volume</th><th>fraction</th><th>spectrum</th></tr>"
        f"{rows}</table></details></div>"
    )
