"""``python -m tamis.bench``: compares the answers, takes the times, and shows both as table, JSON and plot."""

from __future__ import annotations

import argparse
import functools
import itertools
import json
import os
import statistics
import sys
import time
from datetime import date
from typing import Any

from tamis.doctor import examine

from .calls import Call, Row, installed, reason, rows
from .gpu_calls import installed_on_gpu, rows_on_gpu, why_no_gpu

SECONDS, QUICK_SECONDS = 1.5, 0.15  # for each call, beside at least one turn
MARKS = {  # of each library in every plot: shape and colour, told apart without colours too
    "tamis, GPU": ("o", "#d55e00"), "OpenCV": ("s", "#3a86c8"), "SciPy": ("^", "#0a9b70"), "scikit-image": ("D", "#b0812a"),
    "DIPlib": ("X", "#9069c6"), "PoreSpy": ("*", "#c75a92"), "CuPy": ("v", "#0a9b70"), "cuCIM": ("d", "#b0812a"),
    "NPP": ("P", "#5f8f2f"),
}  # fmt: skip


def differs(row: Row, wanted: Any, got: Any) -> str:
    """How an answer is another one than that of tamis; empty where it is not."""
    wanted, got = row.fetch(wanted), row.fetch(got)
    if wanted.shape != got.shape:
        return f"gives shape {got.shape}, wanted {wanted.shape}"
    if row.margin:
        inside = (slice(row.margin, -row.margin),) * wanted.ndim
        wanted, got = wanted[inside], got[inside]
    share = float((wanted != got).mean())
    return f"differs in {100 * share:.2g} % of the samples" if share else ""


def once(row: Row, call: Call) -> float:
    start = time.perf_counter()
    call()
    row.wait()
    return time.perf_counter() - start


def measure(row: Row, seconds: float, with_gpu: bool = False) -> dict[str, Any]:
    """Answers first; then all libraries take turns, and the median of each counts. `with_gpu`: tamis on the GPU too, with
    the arrays of the host that the others take."""
    ours = functools.partial(row.tamis, device="auto" if row.on_gpu else "cpu")
    wanted = ours()
    calls: dict[str, Call] = {"tamis": ours}
    left_out = {}
    others = {"tamis, GPU": functools.partial(row.tamis, device="cuda")} if with_gpu and not row.on_gpu else {}
    for name, call in (others | row.peers).items():
        try:
            why = differs(row, wanted, call())
        except Exception as problem:  # of whatever class: a peer that fails is no reason to lose the rest
            why = f"fails: {reason(problem)}"
        if why:
            left_out[name] = why
        else:
            calls[name] = call
    times: dict[str, list[float]] = {name: [] for name in calls}
    for name, call in calls.items():
        while not times[name] or (sum(times[name]) < seconds and len(times[name]) < 25):
            times[name].append(once(row, call))
    return {
        "call": row.name,
        "arrays": "GPU" if row.on_gpu else "host",
        "ms": {name: round(1e3 * statistics.median(each), 4) for name, each in times.items()},
        "left_out": left_out,
    }


def table(results: list[dict[str, Any]], title: str) -> str:
    """One line a call: milliseconds, and how many times as fast as the fastest other library tamis is."""
    names = libraries(results)
    lines = [f"{title:28}" + "".join(f"{name:>14}" for name in names) + f"{'tamis is':>14}"]
    for result in results:
        ms = result["ms"]
        left_out = dict.fromkeys(result["left_out"], "not timed")
        cells = [f"{ms[name]:14.4g}" if name in ms else f"{left_out.get(name, ''):>14}" for name in names]
        others = [value for name, value in ms.items() if not name.startswith("tamis")]
        ratio = f"{min(others) / ms['tamis']:12.2f} x" if others else ""
        lines.append(f"{result['call']:28}" + "".join(cells) + f"{ratio:>14}")
    return "\n".join(lines)


def named(result: dict[str, Any]) -> str:
    return f"{result['call']}{', GPU arrays' if result['arrays'] == 'GPU' else ''}"


def libraries(results: list[dict[str, Any]]) -> list[str]:
    """That take part in any of them, tamis first."""
    return list(dict.fromkeys(name for result in results for name in ["tamis", *result["ms"], *result["left_out"]]))


def compared(results: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The calls for which something beside tamis on the CPU, or on arrays of a GPU, was timed."""
    return [result for result in results if len(result["ms"]) > 1]


def plot(results: list[dict[str, Any]], path: str) -> None:
    """Bars of how many times as long as tamis each library takes, on a scale of powers; readable on light and dark."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    grey = "#737981"
    with pyplot.rc_context({"text.color": grey, "axes.edgecolor": grey, "axes.labelcolor": grey, "xtick.color": grey,
                            "ytick.color": grey, "svg.fonttype": "none"}):  # fmt: skip
        figure, axes = pyplot.subplots(figsize=(9, 0.5 * len(results) + 1.5), layout="constrained")
        for name in libraries(results)[1:]:
            shape, colour = MARKS.get(name, ("p", grey))
            found = [(place, result["ms"][name] / result["ms"]["tamis"]) for place, result in enumerate(results)
                     if name in result["ms"]]  # fmt: skip
            if found:
                axes.plot([ratio for _, ratio in found], [place for place, _ in found], shape, color=colour, label=name)
        axes.axvline(1, color=grey)
        axes.set_xscale("log")
        axes.set_yticks(range(len(results)), [named(result) for result in results])
        axes.set_ylim(len(results) - 0.5, -0.5)  # the first call above, and none on the frame
        axes.set_xlabel("times as long as tamis takes")
        axes.grid(axis="x", color=grey, alpha=0.3)
        figure.legend(loc="outside upper center", ncols=5, frameon=False)
        figure.savefig(path, transparent=True)
        pyplot.close(figure)


def why_not(path: str, ending_of_a_picture: bool) -> str | None:
    """What stands in the way of writing a file, said before anything is measured, for that takes minutes."""
    folder = os.path.dirname(path) or "."
    if os.path.isdir(path):
        return f"{path} is a folder"
    if not os.path.isdir(folder):
        return f"there is no folder {folder}"
    if not os.access(path if os.path.exists(path) else folder, os.W_OK):
        return f"{path} may not be written here"
    if not ending_of_a_picture:
        return None
    try:
        from matplotlib.backend_bases import FigureCanvasBase
    except ImportError:
        return "a picture needs matplotlib: pip install 'tamis[plot]'"
    endings = sorted(FigureCanvasBase.get_supported_filetypes())
    ending = os.path.splitext(path)[1][1:].lower()
    return None if ending in endings else f"{path}: wanted an ending of {', '.join(endings)}"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tamis.bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="smaller images and fewer repetitions: some seconds")
    parser.add_argument("--json", metavar="FILE", help="the times, what was left out and why, and the machine")
    parser.add_argument("--plot", metavar="FILE", help="a picture; wants matplotlib; the ending chooses svg, png or pdf")
    asked = parser.parse_args(arguments)
    for option, path in (("--json", asked.json), ("--plot", asked.plot)):
        if path is not None and (why := why_not(path, option == "--plot")):
            print(f"tamis.bench: {option}: {why}", file=sys.stderr)
            return 2
    here, absent = installed()
    on_gpu, absent_on_gpu = installed_on_gpu()
    with_gpu = why_no_gpu() is None
    results = []
    for row in itertools.chain(rows(asked.quick, here), rows_on_gpu(asked.quick, on_gpu)):
        results.append(measure(row, QUICK_SECONDS if asked.quick else SECONDS, with_gpu))
        print(f"{named(results[-1])}: {results[-1]['ms']['tamis']:.4g} ms", file=sys.stderr)
    for title, arrays in (("milliseconds", "host"), ("milliseconds, GPU arrays", "GPU")):
        if found := [result for result in results if result["arrays"] == arrays]:
            print(table(found, title))
    for result in results:
        for name, why in result["left_out"].items():
            print(f"not timed: {name}, {named(result)}: {why}")
    absent |= absent_on_gpu
    for why in dict.fromkeys(absent.values()):
        print(f"not measured: {', '.join(name for name in absent if absent[name] == why)}: {why}")
    if asked.json:
        with open(asked.json, "w") as file:
            json.dump({"date": date.today().isoformat(), "calls": results, "absent": absent, "machine": examine()},
                      file, indent=1)  # fmt: skip
    if asked.plot and (drawn := compared(results)):
        plot(drawn, asked.plot)
    elif asked.plot:
        print("not drawn: no other library was timed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
