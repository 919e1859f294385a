"""What notebooks show of objects: small pictures and tables, without a library."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

import numpy

from ._drawing import BAR, LINE, MARKED, unit_name
from ._sizes import figures, percent_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ._native import Element, Sizes, Skew
    from ._orientation import Orientation

_MOST_SLICES = 9
_WIDTH, _HEIGHT = 420, 120  # of a chart


def element_svg(element: Element) -> str:
    """The samples of an element, of a volume slice by slice, with a dot on its origin."""
    mask, origin = element.mask(), element.origin()
    if mask.ndim == 2:
        mask, origin = mask[None], (0, *origin)
    shown = numpy.unique(numpy.linspace(0, len(mask) - 1, min(len(mask), _MOST_SLICES)).round().astype(int))
    high, wide = mask.shape[1:]
    cell = min(14.0, 180 / max(high, wide, 1))
    step = wide * cell + 12
    parts = []
    for place, z in enumerate(shown):
        path = "".join(f"M{x * cell:.6g} {y * cell:.6g}h{n * cell:.6g}v{cell:.6g}h{-n * cell:.6g}z" for y, x, n in _runs(mask[z]))
        if cell >= 4:
            path += "".join(f"M{x * cell:.6g} {y * cell:.6g}v{cell:.6g}" for y, x in zip(*mask[z].nonzero(), strict=True))
        dot = ""
        if z == origin[0] and 0 <= origin[1] < high and 0 <= origin[2] < wide:
            at = ((origin[2] + 0.5) * cell, (origin[1] + 0.5) * cell)
            dot = f'<circle cx="{at[0]:.6g}" cy="{at[1]:.6g}" r="{max(1.5, 0.25 * cell):.6g}" fill="{MARKED}"/>'
        parts.append(
            f'<g transform="translate({1 + place * step:.6g} 1)"><rect width="{wide * cell:.6g}" height="{high * cell:.6g}" '
            f'fill="none" stroke="currentColor" stroke-width="0.4"/><path d="{path}" fill="{BAR}" stroke="#ffffff" '
            f'stroke-width="0.4"/>{dot}</g>'
        )
    words = f"{element.spec}, {int(mask.sum())} offsets"
    width = max(len(shown) * step, 6.5 * len(words))
    return _svg(width, high * cell + 18, words, "".join(parts) + _text(1, high * cell + 14, words))


def _runs(plane: Any) -> Iterable[tuple[int, int, int]]:
    """y, x and length of the samples that follow each other."""
    for y, row in enumerate(plane):
        edges = numpy.flatnonzero(numpy.diff(numpy.concatenate([[0], row.astype(numpy.int8), [0]])))
        yield from ((y, int(x), int(end - x)) for x, end in zip(edges[::2], edges[1::2], strict=True))


def sizes_html(sizes: Sizes) -> str:
    """The spectrum, the figures and, to unfold, the table."""
    percent = percent_of(sizes)
    top, step = max(float(percent.max()), 1e-9), _WIDTH / len(percent)
    bars = "".join(
        f'<rect x="{n * step:.2f}" y="{_HEIGHT * (1 - value / top):.2f}" width="{0.82 * step:.2f}" '
        f'height="{_HEIGHT * value / top:.2f}" fill="{MARKED if sizes.size[n] == sizes.predominant else BAR}"/>'
        for n, value in enumerate(percent)
        if value > 0
    )
    width = [""] * len(sizes) if sizes.width is None else [f"{w:.6g}" for w in sizes.width]
    rows = "".join(
        f"<tr><td>{n}</td><td>{w}</td><td>{volume}</td><td>{fraction:.6f}</td><td>{spectrum}</td></tr>"
        for n, w, volume, fraction, spectrum in zip(sizes.size, width, sizes.curve, sizes.fraction, sizes.spectrum, strict=True)
    )
    return (
        f"<div>{_framed(bars, 'pattern spectrum', '0', f'size {sizes.size[-1]}')}{_table(figures(sizes))}"
        f"<details><summary>{len(sizes)} sizes</summary><table><tr><th>size</th><th>width ({unit_name(sizes.unit)})</th>"
        f"<th>volume</th><th>fraction</th><th>spectrum</th></tr>{rows}</table></details></div>"
    )


def skew_html(skew: Skew) -> str:
    """Scores over angles, and the answer."""
    angle = "undecided" if skew.angle is None else f"{skew.angle:.3f}°, counter-clockwise as the page is seen"
    facts = [("angle", angle), ("confidence", f"{skew.confidence:.3g}"), ("method", skew.method),
             ("text runs", "up or down the page" if skew.sideways else "along the page")]  # fmt: skip
    chart = _chart(skew.angles, [skew.scores], skew.angle, "score of each angle, degrees")
    return f"<div>{chart}{_table(facts)}</div>"


def orientation_html(found: Orientation) -> str:
    """Spectra over angles, and the directions."""
    angles = ["none" if angle is None else f"{angle:.2f}°" for angle in found.dominants]
    facts = [(f"dominant, L = {length:g}", angle) for length, angle in zip(found.lengths, angles, strict=True)]
    facts += [("angles", f"{len(found.angles)} from {found.range[0]:g}° to {found.range[1]:g}°"),
              ("lines", f"{'dark' if found.dark else 'bright'}, {found.lines}, border {found.border}"),
              ("maps", f"{' x '.join(map(str, found.orientation.shape))}: orientation, enhanced, contrast")]  # fmt: skip
    chart = _chart(found.angles, numpy.atleast_2d(found.spectrum), found.dominant, "what openings remove, degrees")
    return f"<div>{chart}{_table(facts)}</div>"


def _chart(x: Any, rows: Any, marked: float | None, words: str) -> str:
    """Lines over numbers that rise, and a line at the marked one."""
    if len(x) < 2:
        return ""
    low, high = float(x[0]), float(x[-1])
    values = numpy.asarray(rows, float)
    bottom, top = float(values.min()), float(values.max())

    def across(number: float) -> float:
        return _WIDTH * (number - low) / (high - low)

    lines = "".join(
        '<polyline fill="none" stroke="{}" stroke-width="1.5" points="{}"/>'.format(
            LINE, " ".join(f"{across(a):.2f},{_HEIGHT * (1 - (v - bottom) / ((top - bottom) or 1)):.2f}" for a, v in zip(x, row, strict=True)))
        for row in values
    )  # fmt: skip
    if marked is not None and low <= marked <= high:
        lines += f'<path d="M{across(marked):.2f} 0V{_HEIGHT}" stroke="{MARKED}" stroke-dasharray="4 3"/>'
    return _framed(lines + _text(_WIDTH / 2, _HEIGHT + 14, words, "middle"), words, f"{low:g}", f"{high:g}")


def _framed(content: str, label: str, first: str, last: str) -> str:
    """A chart on its axis, which ends in these words."""
    axis = f'<path d="M0 {_HEIGHT + 0.5}H{_WIDTH}" stroke="currentColor" stroke-width="0.6"/>'
    below = _text(0, _HEIGHT + 14, first) + _text(_WIDTH, _HEIGHT + 14, last, "end")
    return _svg(_WIDTH, _HEIGHT + 18, label, content + axis + below)


def _svg(width: float, height: float, label: str, content: str) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.6g}" height="{height:.6g}" role="img" '
        f'aria-label="{escape(label)}">{content}</svg>'
    )


def _text(x: float, y: float, words: str, anchor: str = "start") -> str:
    return f'<text x="{x:.6g}" y="{y:.6g}" font-size="11" fill="currentColor" text-anchor="{anchor}">{escape(words)}</text>'


def _table(facts: Iterable[tuple[str, str]]) -> str:
    cell = "style='text-align:left'"
    rows = "".join(f"<tr><th {cell}>{escape(name)}</th><td {cell}>{escape(words)}</td></tr>" for name, words in facts)
    return f"<table>{rows}</table>"
