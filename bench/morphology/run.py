#!/usr/bin/env python3
"""Times erosions and openings against OpenCV, DIPlib, SciPy and scikit-image; see README.md. Prints JSON."""

import argparse
import json
import os
import statistics
import sys
import time
from datetime import date
from pathlib import Path

import numpy

import peers
from library import Library

sys.path.append(str(Path(__file__).resolve().parents[1]))
from harness import ROOT, cpu_name  # noqa: E402

sys.path.insert(0, str(ROOT / "tests"))
import morphology_oracle  # noqa: E402  (the shapes as arrays)

SQUARES = [3, 5, 7, 15, 25, 41]


def mask_of(spec, rank):
    return morphology_oracle.footprint(morphology_oracle.offsets(spec, rank), rank)


def seconds_of(call):
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def inner(array, margin):
    return array[tuple(slice(margin, n - margin) for n in array.shape)]


class Bench:
    def __init__(self, library, repetitions, threads):
        self.library, self.repetitions, self.threads = library, repetitions, threads
        self.rows = []

    def compare(self, image, operation, spec, chosen, stack=False, slow=1, margins=None):
        """Ours and the chosen peers in turn, answers first. `slow`: so many times fewer repetitions. `margins`: peers
        whose border is another one, compared inside."""
        mask = mask_of(spec, 2 if stack else image.ndim)
        source = self.library.image(image, stack)
        target = self.library.image(numpy.zeros_like(image), stack)
        ours = lambda: self.library.run(operation, source, target, spec, threads=self.threads)  # noqa: E731
        ours()
        answer = target.array()
        calls = {}
        for name in chosen:
            call = getattr(peers, name)(operation, image, mask, spec)
            theirs = numpy.asarray(call())
            margin = (margins or {}).get(name, 0)
            if not numpy.array_equal(inner(answer, margin), inner(theirs, margin)):
                sys.exit(f"{operation} {spec} {image.dtype}: {name} gives another answer")
            if hasattr(call, "check"):
                call.check = False
            calls[name] = call
        repetitions = max(3, self.repetitions // slow)
        times = {name: [] for name in ["tamis", *calls]}
        for _ in range(repetitions):
            times["tamis"].append(seconds_of(ours))
            for name, call in calls.items():
                times[name].append(seconds_of(call))
        self.note(image, operation, spec, times)

    def note(self, image, operation, spec, times):
        ours = statistics.median(times["tamis"])
        row = {"operation": operation, "element": spec, "shape": "x".join(map(str, reversed(image.shape))),
               "type": image.dtype.name, "mpx_s": round(image.size / ours / 1e6, 1)}
        for name, all_times in times.items():
            median = statistics.median(all_times)
            row[name] = {"ms": round(median * 1e3, 3), "least_ms": round(min(all_times) * 1e3, 3),
                         "most_ms": round(max(all_times) * 1e3, 3)}
            if name != "tamis":
                row[name]["ratio"] = round(median / ours, 2)
        self.rows.append(row)
        told = "  ".join(f"{name} {row[name]['ms']:.2f} ms x{row[name]['ratio']}" for name in times if name != "tamis")
        print(f"{row['type']:8} {row['shape']:14} {operation:6} {spec:12} {row['tamis']['ms']:9.3f} ms "
              f"{row['mpx_s']:9.1f} Mpx/s  {told}", file=sys.stderr, flush=True)


def noise(shape, dtype):
    random = numpy.random.default_rng(7)
    if dtype == "bool":
        return random.random(shape) < 0.9
    return (random.random(shape) * 250).astype(dtype)


def squares(bench, edge):
    for dtype in ("uint8", "uint16", "float32"):
        image = noise((edge, edge), dtype)
        for n in SQUARES:
            for operation in ("erode", "open"):
                bench.compare(image, operation, f"square:{n}", ["opencv"])


def growth(bench, edge):
    """Cost against the edge of a square, ours alone."""
    image = noise((edge, edge), "uint8")
    for n in (3, 7, 15, 31, 63, 127, 255, 511):
        bench.compare(image, "open", f"square:{n}", [])


def masks(bench, edge):
    image = noise((edge, edge), "uint8")
    for spec in ("cross:1", "cross:3", "disk:2", "disk:3", "disk:5", "disk:7", "disk:15", "octagon:15", "hexagon:15",
                 "circle:7", "line:21@27", "line:41@63"):
        bench.compare(image, "erode", spec, ["opencv"], slow=2)
    for dtype in ("uint16", "float32"):
        for spec in ("disk:3", "disk:7"):
            bench.compare(noise((edge, edge), dtype), "erode", spec, ["opencv"], slow=2)


def volumes(bench, edge):
    for dtype in ("uint8", "float32"):
        image = noise((edge, edge, edge), dtype)
        for spec in ("cube:5", "cube:15"):
            reach = int(spec.split(":")[1])
            bench.compare(image, "open", spec, ["diplib", "scipy", "skimage"], slow=8, margins={"diplib": reach})
        for spec in ("ball:3", "cross:3"):
            bench.compare(image, "open", spec, ["diplib", "scipy", "skimage"], slow=20, margins={"diplib": 8})


def binary(bench, edge):
    image = noise((edge, edge, edge), "bool")
    for spec in ("cross:1", "cube:5"):
        bench.compare(image, "open", spec, ["scipy_binary"], slow=4)


def small(bench):
    for spec in ("square:3", "square:7", "square:15"):
        for operation in ("erode", "open"):
            bench.compare(noise((512, 512), "uint8"), operation, spec, ["opencv"])
    for edge in (1024, 2048):
        bench.compare(noise((edge, edge), "uint8"), "open", "square:7", ["opencv"])
    bench.compare(noise((1000, 128, 128), "uint8"), "open", "square:7", ["opencv_stack"], stack=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    parser.add_argument("--repetitions", type=int, default=15)
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--edge", type=int, default=4096, help="of the images")
    parser.add_argument("--only", help="one part: squares, growth, masks, volumes, binary or small")
    parser.add_argument("--out", type=Path, help="write the JSON here; else it is printed")
    arguments = parser.parse_args()
    if arguments.threads:
        import cv2

        cv2.setNumThreads(arguments.threads)
    library = Library(arguments.build)
    bench = Bench(library, arguments.repetitions, arguments.threads)
    parts = {"squares": lambda: squares(bench, arguments.edge), "growth": lambda: growth(bench, arguments.edge),
             "masks": lambda: masks(bench, arguments.edge // 2), "volumes": lambda: volumes(bench, 200),
             "binary": lambda: binary(bench, 512), "small": lambda: small(bench)}
    results = {"date": date.today().isoformat(), "processor": cpu_name(), "machine": library.machine()}
    for name, part in parts.items():
        if arguments.only in (None, name):
            bench.rows = []
            part()
            results[name] = bench.rows
    results["load_after"] = os.getloadavg()[0]
    text = json.dumps(results, indent=1) + "\n"
    if arguments.out:
        arguments.out.write_text(text)
    else:
        print(text, end="")


if __name__ == "__main__":
    main()
