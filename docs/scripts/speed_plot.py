"""The plot of docs/scripts/speed.py as an SVG: seconds of each job on one logarithmic axis, a mark for each library.

No ground and inks of middle lightness, so that it is read on light and on dark pages. Every mark has a title, which browsers
show and the tests read."""

import math
from html import escape

INK = "#737981"  # as in the program's own plots
OURS = "#d55e00"
LIBRARIES = {  # colour and shape: told apart without colours too
    "tamis": (OURS, "circle"), "OpenCV": ("#3a86c8", "square"), "SciPy": ("#0a9b70", "triangle"),
    "scikit-image": ("#b0812a", "diamond"), "DIPlib": ("#9069c6", "cross"), "PoreSpy": ("#c75a92", "star"),
    "NumPy": ("#5f8f2f", "bar"), "edt": ("#4f9aa8", "down"),
}
LEFT, RIGHT, LINE = 340, 70, 22  # room for names and ratios, height of a row
WIDTH, TOP = 900, 64
SHAPES = {
    "square": "M-4-4H4V4H-4z", "triangle": "M0-5L5 4H-5z", "diamond": "M0-5.5L5.5 0L0 5.5L-5.5 0z",
    "cross": "M-4.5-3L-3-4.5L0-1.5L3-4.5L4.5-3L1.5 0L4.5 3L3 4.5L0 1.5L-3 4.5L-4.5 3L-1.5 0z",
    "star": "M0-6L1.8-1.9L6 0L1.8 1.9L0 6L-1.8 1.9L-6 0L-1.8-1.9z", "bar": "M-2-5.5H2V5.5H-2z", "down": "M0 5L5-4H-5z",
}


def text(x, y, words, anchor="start", colour=INK, weight="normal", size=13):
    return (f'<text x="{x:.1f}" y="{y:.1f}" fill="{colour}" text-anchor="{anchor}" font-size="{size}" '
            f'font-weight="{weight}">{escape(words)}</text>')


def mark(x, y, name, title):
    colour, shape = LIBRARIES[name]
    at = f'transform="translate({x:.1f} {y:.1f})" fill="{colour}"'
    inner = '<circle r="5.5"/>' if shape == "circle" else f'<path d="{SHAPES[shape]}"/>'
    return f"<g {at}><title>{escape(title)}</title>{inner}</g>"


def exact(seconds):
    return f"{1000 * seconds:.6g} ms"


def shown(ratio):
    return f"{ratio:.0f}×" if ratio >= 10 else f"{ratio:.2g}×"


class Axis:
    """Seconds to places: whole decades that hold all of them."""

    def __init__(self, seconds):
        self.low = math.floor(math.log10(min(seconds)))
        self.high = math.ceil(math.log10(max(seconds)))

    def __call__(self, seconds):
        share = (math.log10(seconds) - self.low) / (self.high - self.low)
        return LEFT + share * (WIDTH - RIGHT - LEFT)

    def drawn(self, top, bottom):
        parts = []
        for power in range(self.low, self.high + 1):
            x = self(10.0**power)
            words = f"{10**power} s" if power >= 0 else f"{10 ** (power + 3)} ms" if power >= -3 else f"{10 ** (power + 6)} µs"
            parts.append(f'<path d="M{x:.1f} {top}V{bottom}" stroke="{INK}" stroke-opacity="0.35"/>' + text(x, top - 6, words, "middle", size=12))
        return parts


def legend(names):
    parts, x = [], 8.0
    for name in names:
        parts.append(mark(x + 6, 16, name, name) + text(x + 17, 20.5, name, weight="bold" if name == "tamis" else "normal"))
        x += 36 + 8 * len(name)
    return parts


def drawn_row(axis, row, y):
    places = {name: axis(seconds) for name, seconds in row.seconds.items()}
    parts = [text(LEFT - 14, y + 4.5, row.name, "end"),
             f'<path d="M{min(places.values()):.1f} {y}H{max(places.values()):.1f}" stroke="{INK}" stroke-opacity="0.6"/>']
    for name in sorted(places, key=lambda name: name == "tamis"):  # ours on top
        parts.append(mark(places[name], y, name, f"{row.name}: {name} {exact(row.seconds[name])}"))
    ahead = row.ratio >= 1
    return [*parts, text(WIDTH - 6, y + 4.5, shown(row.ratio), "end", OURS if ahead else INK, "bold" if ahead else "normal")]


def draw(parts):
    """Of (heading, rows) for each part."""
    rows = [row for _, found in parts for row in found]
    axis = Axis([seconds for row in rows for seconds in row.seconds.values()])
    present = {name for row in rows for name in row.seconds}
    body, y = [], TOP
    for heading, found in parts:
        y += LINE
        body.append(text(8, y + 4.5, heading, weight="bold"))
        for row in found:
            y += LINE
            body += drawn_row(axis, row, y)
    bottom = y + LINE // 2
    head = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{bottom + 8}" viewBox="0 0 {WIDTH} {bottom + 8}" '
            'font-family="DejaVu Sans,Arial,sans-serif" role="img" aria-label="Times of tamis and of other libraries">',
            *legend([name for name in LIBRARIES if name in present]),
            text(WIDTH - 6, TOP - 24, "times the fastest other", "end", size=12)]
    return "\n".join([*head, *axis.drawn(TOP, bottom), *body, "</svg>"]) + "\n"
