#!/usr/bin/env python3
"""Everyday calls from Python by tamis and by what people have: see README.md of this folder.

    PYTHONPATH=build/python build/venv/bin/python bench/everyday/run.py --name <machine>
"""

import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from harness import BIN, RESULTS, cpu_name, new_results, rows_of_program, save, say  # noqa: E402

TURNS = 25
LEAST_SECONDS = 0.002  # of a measurement: short calls are repeated
RUNS = 3


def seconds(call, repetitions):
    start = time.perf_counter()
    for _ in range(repetitions):
        call()
    return (time.perf_counter() - start) / repetitions


def difference(row, found, wanted):
    """A sentence, or nothing where answers are as near as they have to be."""
    import numpy

    if found.shape != wanted.shape or found.dtype != wanted.dtype:
        return f"{found.shape} of {found.dtype}, tamis {wanted.shape} of {wanted.dtype}"
    inner = tuple(slice(row.margin, edge - row.margin) for edge in found.shape)
    away = numpy.abs(found[inner].astype(float) - wanted[inner].astype(float))
    share = float((away > 0).mean() if row.apart <= 1 else (away > row.apart).mean())
    if (away.size == 0 or away.max() <= row.apart or row.apart > 1) and share <= row.share:
        return ""
    return f"{share:.4%} of the samples differ, by up to {away.max():g}"


def copied(size):
    """A copy between arrays that are there: half of the bytes are read, half written."""
    import numpy

    source = numpy.ones(size // 2, numpy.uint8)
    return lambda target=numpy.zeros_like(source): numpy.copyto(target, source)


def order(names, turn):
    """Each library comes first, and after each other one: what one leaves behind, memory given back to the system or
    threads that still wait, meets the next."""
    step = 1 + turn % (len(names) - 1)
    while math.gcd(step, len(names)) > 1:
        step += 1
    return [names[(turn + i * step) % len(names)] for i in range(len(names))]


def measured(size, row):
    """Of one row: the least seconds of each library, all in turns, so that what the machine does meanwhile meets all."""
    wanted = row.tamis()
    calls, differ = {"tamis": row.tamis}, {}
    for name, call in row.peers.items():
        what = difference(row, call(), wanted)
        if what:
            differ[name] = what
        else:
            calls[name] = call
    calls["copy"] = copied(row.moved_bytes)
    times = {name: [] for name in calls}
    repetitions = {name: max(1, round(LEAST_SECONDS / seconds(call, 2))) for name, call in calls.items()}
    turns = TURNS if seconds(row.tamis, 1) < 0.05 else 5
    slow = {name for name, call in calls.items() if seconds(call, 1) > 0.5}
    for turn in range(turns):
        for name in order(list(calls), turn):
            if name not in slow or turn < 2:
                times[name].append(seconds(calls[name], repetitions[name]))
    return {"size": size, "call": row.name, "ms": {name: 1000 * min(of) for name, of in times.items()}, "differ": differ}


def worker(wanted):
    """Prints a line of JSON for each row, or for the one that is wanted ("512^2 erode u8 3x3")."""
    import calls

    calls.use_threads()
    for size, rows in calls.groups():
        if wanted and not wanted.startswith(size + " "):
            continue
        for row in rows():
            if not wanted or wanted == f"{size} {row.name}":
                print(json.dumps(measured(size, row)), flush=True)


def rows_of_worker(wanted=""):
    done = subprocess.run([sys.executable, __file__, "--worker", wanted], stdout=subprocess.PIPE, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def ratio(row):
    """The best peer over tamis."""
    peers = {name: ms for name, ms in row["ms"].items() if name not in ("tamis", "copy")}
    best = min(peers, key=peers.get)
    return best, peers[best] / row["ms"]["tamis"]


def summary(runs):
    """Of the runs of a row the one with the middle ratio."""
    ordered = sorted(runs, key=lambda row: ratio(row)[1])
    row = ordered[len(ordered) // 2]
    best, times = ratio(row)
    shown = {"ms": row["ms"]["tamis"], "best_peer": best, "best_peer_ms": row["ms"][best], "ratio": times,
             "ratios": [ratio(one)[1] for one in ordered], "copy_ms": row["ms"]["copy"], "ms_of_all": row["ms"]}
    return {**shown, **({"differ": row["differ"]} if row["differ"] else {})}


def table(results):
    lines = [f"{'':26}{'own process':>34}{'all in one':>12}", f"{'call':26}{'tamis':>9}{'best':>9}{'':>9}{'times':>7}"
             f"{'times':>9}{'copy':>9}"]
    for row in results["rows"]:
        own, together = row["own_process"], row["all_in_one"]
        lines.append(f"{row['size']:6}{row['call']:20}{own['ms']:9.3f}{own['best_peer_ms']:9.3f} {own['best_peer']:12}"
                     f"{own['ratio']:5.2f}{together['ratio']:9.2f}{own['copy_ms']:9.3f}")
    ratios = [row["own_process"]["ratio"] for row in results["rows"]]
    return "\n".join([*lines, f"geometric mean {statistics.geometric_mean(ratios):.2f}, least {min(ratios):.2f}"])


def measure(arguments):
    import tamis

    together = {}
    for _ in range(arguments.runs):
        for row in rows_of_worker():
            together.setdefault((row["size"], row["call"]), []).append(row)
    rows = []
    for (size, call), runs in together.items():
        own = [row for _ in range(arguments.runs) for row in rows_of_worker(f"{size} {call}")]
        rows.append({"size": size, "call": call, "own_process": summary(own), "all_in_one": summary(runs)})
        say(f"{size} {call}: {rows[-1]['own_process']['ratio']:.2f}")
    versions = {name: __import__(module).__version__ for name, module in
                (("NumPy", "numpy"), ("OpenCV", "cv2"), ("SciPy", "scipy"), ("scikit-image", "skimage"))}
    results = new_results(tamis.devices()[0]["name"], threads=2, versions=versions, rows=rows)
    return save(arguments, "everyday", {**results, "machine": {"cpu": results["machine"]}})


def measure_views(arguments):
    """The calls from C++: `everyday_views_bench`, which `make benchmarks` makes where OpenCV is."""
    runs = {}
    for _ in range(arguments.runs):
        if rows_of_program(BIN / "everyday_views_bench", take=lambda row: runs.setdefault((row["size"], row["call"]), []).append(row)):
            sys.exit("everyday_views_bench ended with an error")
    rows = [sorted(of, key=lambda row: row["ratio"])[len(of) // 2] for of in runs.values()]
    for row in rows:
        say(f"{row['size']:6}{row['call']:20}{row['ms']:9.3f}{row['peer_ms']:9.3f} {row['peer']:6} {row['ratio']:6.2f}")
    return save(arguments, "everyday_views", new_results({"cpu": cpu_name()}, threads=2, rows=rows))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder for everyday_<name>.json")
    parser.add_argument("--name", default="cpu", help="of the machine, in that")
    parser.add_argument("--runs", type=int, default=RUNS, help=f"processes for each row ({RUNS})")
    parser.add_argument("--show", type=Path, metavar="JSON", help="measure nothing: the table of these results")
    parser.add_argument("--views", action="store_true", help="the calls from C++ through ImageView, beside OpenCV's and ITK's")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:2])
    if arguments.worker is not None:
        return worker(arguments.worker)
    if arguments.views:
        return measure_views(arguments)
    if not arguments.show:
        arguments.show = measure(arguments)
    print(table(json.loads(arguments.show.read_text())))


if __name__ == "__main__":
    main()
