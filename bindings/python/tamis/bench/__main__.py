"""``python -m tamis.bench``: compares the answers, takes the times, and shows both as table, JSON and plot."""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable
from datetime import date
from typing import Any

import numpy

from tamis.doctor import examine

from .calls import Row, installed, rows

SECONDS, QUICK_SECONDS = 1.5, 0.15  # for each call, beside at least one turn


def differs(row: Row, wanted: Any, got: Any) -> str:
    """How an answer is another one than that of tamis; empty where it is not."""
    wanted, got = numpy.asarray(wanted), numpy.asarray(got)
    if wanted.shape != got.shape:
        return f"shape {got.shape}, wanted {wanted.shape}"
    if row.margin:
        inside = (slice(row.margin, -row.margin),) * wanted.ndim
        wanted, got = wanted[inside], got[inside]
    share = float((wanted != got).mean())
    return f"{100 * share:.2g} % of the samples" if share else ""


def once(call: Callable[[], Any]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def measure(row: Row, seconds: float) -> dict[str, Any]:
    """Answers first; then all libraries take turns, and the median of each counts."""
    wanted = row.tamis()
    calls, left_out = {"tamis": row.tamis}, {}
    for name, call in row.peers.items():
        try:
            why = differs(row, wanted, call())
        except Exception as problem:  # of whatever class: a peer that fails is no reason to lose the rest
            why = " ".join(str(problem).split())[:200] or type(problem).__name__
        if why:
            left_out[name] = why
        else:
            calls[name] = call
    times: dict[str, list[float]] = {name: [] for name in calls}
    for name, call in calls.items():
        while not times[name] or (sum(times[name]) < seconds and len(times[name]) < 25):
            times[name].append(once(call))
    return {
        "call": row.name,
        "ms": {name: round(1e3 * statistics.median(each), 4) for name, each in times.items()},
        "left_out": left_out,
    }


def table(results: list[dict[str, Any]], names: list[str]) -> str:
    """One line a call: milliseconds, and how many times as fast as the fastest other library tamis is."""
    lines = [f"{'milliseconds':28}" + "".join(f"{name:>14}" for name in names) + f"{'tamis is':>14}"]
    for result in results:
        ms = result["ms"]
        cells = [f"{ms[name]:14.4g}" if name in ms else f"{'differs' if name in result['left_out'] else '':>14}" for name in names]
        others = [value for name, value in ms.items() if name != "tamis"]
        ratio = f"{min(others) / ms['tamis']:12.2f} x" if others else ""
        lines.append(f"{result['call']:28}" + "".join(cells) + f"{ratio:>14}")
    return "\n".join(lines)


def plot(results: list[dict[str, Any]], names: list[str], path: str) -> None:
    """Bars of how many times as long as tamis each library takes, on a scale of powers; readable on light and dark."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    grey = "#737981"
    with pyplot.rc_context({"text.color": grey, "axes.edgecolor": grey, "axes.labelcolor": grey, "xtick.color": grey,
                            "ytick.color": grey, "svg.fonttype": "none"}):  # fmt: skip
        figure, axes = pyplot.subplots(figsize=(9, 0.5 * len(results) + 1.5), layout="constrained")
        for order, name in enumerate(name for name in names if name != "tamis"):
            found = [(place, result["ms"][name] / result["ms"]["tamis"]) for place, result in enumerate(results)
                     if name in result["ms"]]  # fmt: skip
            axes.plot([ratio for _, ratio in found], [place for place, _ in found], "osD^v"[order % 5], label=name)
        axes.axvline(1, color=grey)
        axes.set_xscale("log")
        axes.set_yticks(range(len(results)), [result["call"] for result in results])
        axes.invert_yaxis()
        axes.set_xlabel("times as long as tamis takes")
        axes.grid(axis="x", color=grey, alpha=0.3)
        figure.legend(loc="outside upper center", ncols=5, frameon=False)
        figure.savefig(path, transparent=True)
        pyplot.close(figure)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tamis.bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="smaller images and fewer repetitions: within 30 s")
    parser.add_argument("--json", metavar="FILE", help="the times, what was left out and why, and the machine")
    parser.add_argument("--plot", metavar="FILE", help="a picture; wants matplotlib; the ending chooses svg, png or pdf")
    asked = parser.parse_args(arguments)
    if asked.plot:
        try:
            import matplotlib  # noqa: F401
        except ImportError:
            print("tamis.bench: --plot needs matplotlib: pip install 'tamis[plot]'", file=sys.stderr)
            return 2
    names = ["tamis", *installed()]
    results = []
    for row in rows(asked.quick):
        results.append(measure(row, QUICK_SECONDS if asked.quick else SECONDS))
        print(f"{row.name}: {results[-1]['ms']['tamis']:.4g} ms", file=sys.stderr)
    print(table(results, names))
    for result in results:
        for name, why in result["left_out"].items():
            print(f"{name} gives another answer for {result['call']}, and is not timed: {why}")
    if asked.json:
        with open(asked.json, "w") as file:
            json.dump({"date": date.today().isoformat(), "calls": results, "machine": examine()}, file, indent=1)
    if asked.plot:
        plot(results, names, asked.plot)
    return 0


if __name__ == "__main__":
    sys.exit(main())
