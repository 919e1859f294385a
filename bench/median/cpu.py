#!/usr/bin/env python3
"""Medians on the CPU against OpenCV 5, SciPy and scikit-image, on one thread and on two; see README.md. Prints a table,
and writes JSON.

Needs NumPy, the peers (tests/requirements.txt) and a build with benchmarks (`make`)."""

import argparse
import ctypes
import json
import os
import sys
import time
from datetime import date
from pathlib import Path

import cv2
import numpy
import scipy
import skimage

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench" / "morphology"))
from library import Library  # noqa: E402

LARGE, SMALL, VOLUME = (2048, 2048), (512, 512), (96, 96, 96)  # SciPy takes seconds for a megapixel
BORDERS = {"reflect": 1, "nearest": 2}  # numbers of tamis::Border::Kind
LEAST_ROUNDS = 2

# Type, window, shape and peers. Most important first.
CASES = [
    ("uint8", "square:3", LARGE, ["opencv"]),
    ("uint8", "square:5", LARGE, ["opencv"]),
    ("uint8", "square:7", LARGE, ["opencv"]),
    ("uint8", "square:31", LARGE, ["opencv"]),
    ("float32", "square:7", SMALL, ["scipy"]),
    ("float32", "square:15", SMALL, ["scipy"]),
    ("uint16", "square:3", LARGE, ["opencv"]),
    ("uint16", "square:5", LARGE, ["opencv"]),
    ("uint16", "square:7", LARGE, []),
    ("uint16", "square:15", LARGE, []),
    ("uint16", "square:31", LARGE, []),
    ("uint8", "cube:5", VOLUME, ["scipy"]),
    ("uint8", "cube:3", VOLUME, ["scipy"]),
    ("float32", "cube:5", VOLUME, ["scipy"]),
    ("uint8", "square:15", LARGE, ["opencv"]),
    ("uint8", "square:75", LARGE, ["opencv"]),
    ("float32", "square:3", LARGE, ["opencv"]),
    ("float32", "square:5", LARGE, ["opencv"]),
    ("float32", "square:15", LARGE, []),
    ("float32", "square:31", LARGE, []),
    ("uint16", "square:7", SMALL, ["scipy"]),
    ("uint8", "square:15", SMALL, ["scipy", "rank"]),
    ("uint8", "square:31", SMALL, ["rank"]),
    ("uint8", "disk:7", SMALL, ["scipy", "rank"]),
    ("uint8", "smooth:55", LARGE, []),
    ("float32", "smooth:55", LARGE, []),
]


class Medians(Library):
    """The library with the medians of bench/median/calls.cpp."""

    def __init__(self, build):
        super().__init__(build)
        self.medians = ctypes.CDLL(str(build / "lib" / "libmedian_calls.so"))
        self.medians.bench_median.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_double,
                                              ctypes.c_int, ctypes.c_int]
        self.medians.bench_smooth.argtypes = [ctypes.c_void_p, ctypes.c_void_p, *[ctypes.c_int] * 3]

    def median(self, source, target, window, border, threads):
        name, _, edge = window.partition(":")
        if name == "smooth":
            failed = self.medians.bench_smooth(source.handle, target.handle, int(edge), BORDERS[border], threads)
        else:
            failed = self.medians.bench_median(source.handle, target.handle, window.encode(), 50, BORDERS[border],
                                               threads)
        if failed:
            raise RuntimeError(f"{window} failed")


def mask_of(window):
    """Of squares, cubes and disks."""
    name, _, size = window.partition(":")
    if name == "disk":
        reach = int(size)
        y, x = numpy.ogrid[-reach:reach + 1, -reach:reach + 1]
        return x * x + y * y <= reach * reach
    return numpy.ones((int(size),) * (3 if name == "cube" else 2), bool)


# ---- peers: the call, the border that is theirs, the samples along each border that count for nothing, and whether they
# ---- take more than one thread ------------------------------------------------------------------------------------


def opencv(image, window):
    edge = int(window.partition(":")[2])
    out = numpy.empty_like(image)
    return lambda: cv2.medianBlur(image, edge, dst=out), "nearest", 0, True


def of_scipy(image, window):
    mask = mask_of(window)
    shape = {"size": mask.shape} if mask.all() else {"footprint": mask}
    out = numpy.empty_like(image)
    return lambda: scipy.ndimage.median_filter(image, mode="reflect", output=out, **shape), "reflect", 0, False


def rank(image, window):
    """scikit-image's local histograms; what lies outside is left out."""
    mask = mask_of(window).astype(numpy.uint8)
    out = numpy.empty_like(image)
    return lambda: skimage.filters.rank.median(image, mask, out=out), "reflect", mask.shape[0] // 2, False


PEERS = {"opencv": opencv, "scipy": of_scipy, "rank": rank}


# ---- measuring ------------------------------------------------------------------------------------------------------


def least_seconds(calls, seconds):
    """The least time of each, in turn, so that they share the machine's moods."""
    least = [float("inf")] * len(calls)
    end, rounds = time.perf_counter() + seconds, 0
    while rounds < LEAST_ROUNDS or time.perf_counter() < end:
        for i, call in enumerate(calls):
            start = time.perf_counter()
            call()
            least[i] = min(least[i], time.perf_counter() - start)
        rounds += 1
    return least


def compared(library, image, source, target, window, peer, name):
    """The peer's call, once it has given our answer, and whether it takes threads."""
    call, border, margin, threaded = peer(image, window)
    theirs = numpy.asarray(call())
    library.median(source, target, window, border, 0)
    inside = (slice(margin, -margin or None),) * image.ndim
    if not numpy.array_equal(theirs[inside], target.array()[inside]):
        sys.exit(f"{image.dtype} {window}: {name} gives another answer")
    return call, threaded


def measure(library, case, seconds, most_threads):
    """A row for each number of threads."""
    kind, window, shape, names = case
    random = numpy.random.default_rng(5)
    image = (random.random(shape) * 65536).astype(kind) if kind != "uint8" else random.integers(0, 256, shape, kind)
    source, target = library.image(image), library.image(numpy.zeros_like(image))
    cv2.setNumThreads(1)
    peers = {name: compared(library, image, source, target, window, PEERS[name], name) for name in names}
    row = {"type": kind, "window": window, "shape": "x".join(map(str, reversed(shape)))}
    for threads in range(1, most_threads + 1):
        cv2.setNumThreads(threads)
        taking_part = {name: call for name, (call, threaded) in peers.items() if threaded or threads == 1}
        own = lambda: library.median(source, target, window, "reflect", threads)  # noqa: E731, B023
        own()
        least = least_seconds([own, *taking_part.values()], seconds)
        row[f"threads_{threads}"] = {name: image.size / 1e6 / each
                                     for name, each in zip(["tamis", *taking_part], least)}
    return row


def cells_of(row, most_threads):
    one, most = row["threads_1"], row[f"threads_{most_threads}"]
    cells = [row["type"], row["window"], row["shape"], f"{one['tamis']:.4g}", f"{most['tamis'] / one['tamis']:.2f}"]
    for name in PEERS:
        cells.append(f"{one[name]:.4g} ({one['tamis'] / one[name]:.3g} x)" if name in one else "")
    return cells


def table(results):
    lines = [f"Medians, {results['machine']}, {results['date']}: Mpx/s on one thread, peers with how many "
             f"times as fast tamis is, and what {results['threads']} threads gain.", "",
             "| type | window | image | tamis | more threads | OpenCV | SciPy | scikit-image, rank |",
             "|---|---|---|---:|---:|---:|---:|---:|"]
    lines += ["| " + " | ".join(cells_of(row, results["threads"])) + " |" for row in results["rows"]]
    if results["left_out"]:
        lines += ["", "Left out: " + "; ".join(results["left_out"]) + "."]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    parser.add_argument("--threads", type=int, default=2, help="and all numbers below")
    parser.add_argument("--seconds", type=float, default=1.0, help="for each case and number of threads")
    parser.add_argument("--most-seconds", type=float, default=150, help="no case begins later")
    parser.add_argument("--only", default="", help='cases that begin so: "uint8 square"')
    parser.add_argument("--out", type=Path, help="write JSON here")
    parser.add_argument("--show", type=Path, metavar="JSON", help="measure nothing: the table of these results")
    arguments = parser.parse_args()
    if arguments.show:
        print(table(json.loads(arguments.show.read_text())))
        return
    library = Medians(arguments.build)
    results = {"date": str(date.today()), "machine": library.machine(), "threads": arguments.threads,
               "opencv": cv2.__version__, "scipy": scipy.__version__, "scikit_image": skimage.__version__, "rows": [], "left_out": []}
    end = time.perf_counter() + arguments.most_seconds
    for case in CASES:
        text = f"{case[0]} {case[1]}"
        if not text.startswith(arguments.only):
            continue
        if time.perf_counter() > end:
            results["left_out"].append(f"{text}: no time left")
            continue
        results["rows"].append(measure(library, case, arguments.seconds, arguments.threads))
        print("  ".join(cell for cell in cells_of(results["rows"][-1], arguments.threads) if cell), file=sys.stderr,
              flush=True)
    results["load_after"] = os.getloadavg()[0]
    if arguments.out:
        arguments.out.write_text(json.dumps(results, indent=1) + "\n")
    print(table(results))


if __name__ == "__main__":
    main()
