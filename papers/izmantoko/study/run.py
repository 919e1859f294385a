#!/usr/bin/env python3
"""Repeats the study of Izmantoko and Choi (2013) on this machine, with tamis and today's peers beside it; README.md.

Needs NumPy; OpenCV, CuPy and NPP take part where they are installed."""

import argparse
import json
import os
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path

import numpy

import report
import slices
from peers import ON_GPU, PEERS

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parents[2] / "bench"))
from harness import BIN, RESULTS, ROOT, call_program, new_results, save  # noqa: E402

OPERATIONS = ("erode", "dilate", "open", "close")
PAPER = ("sequential", "naive", "global", "shared")
OURS = ("tamis_cpu", "tamis_gpu", "tamis_transfers")
TABLE_EDGES = (512, 1024, 2048)
PIXEL_EDGES = (128, 256, 512, 1024, 2048, 4096, 8192)
ELEMENT_EDGES = (3, 5, 7, 9, 11, 15, 21, 31, 41, 51, 71, 101)
ELEMENT_IMAGE = 2048
MOST_SEQUENTIAL_STEPS = 3e9  # pixels times pixels of the square: some seconds
SMALL = 10000


class Bench:
    def __init__(self, programs, folder, batches):
        self.programs, self.folder, self.batches = programs, Path(folder), batches

    def program(self, name, *words):
        return call_program(self.programs / name, *words)

    def save(self, name, image):
        path = self.folder / f"{name}.npy"
        numpy.save(path, image)
        return path

    def answer(self, operation, path, edge):
        out = self.folder / "answer.npy"
        self.program("tamis", operation, path, out, "--element", f"square:{edge}", "--device", "cpu", "--quiet")
        return numpy.load(out)

    def case(self, path, image, operations, edge, versions, peers):
        """Rows of times: ours and the paper's from the program, peers here; answers compared before."""
        lines = self.program("izmantoko_bench", path, ",".join(operations), edge, ",".join(versions)).splitlines()
        rows = [json.loads(line) for line in lines]
        first = dict(rows[0])
        for operation in operations:
            wanted = self.answer(operation, path, edge) if peers else None
            for name in peers:
                times = self.peer(name, operation, image, edge, wanted)
                if times:
                    rows.append({**first, "operation": operation, "version": name, **times})
        for row in rows:
            say(f"{row['image']:>14} {row['operation']:6} {row['edge']:3}  {row['version']:15} "
                f"{row['median_ms']:.4g} ms")
        return rows

    def peer(self, name, operation, image, edge, wanted):
        made = PEERS[name](operation, image, edge)
        if made is None:
            return None
        call, answer = made
        try:
            call()
        except RuntimeError as error:  # what a peer refuses is no reason to lose the rest
            say(f"left out: {error}")
            return None
        if not numpy.array_equal(answer(), wanted):
            sys.exit(f"{name}: {operation} by a square of {edge} differs from tamis; nothing is timed")
        batch = on_gpu(call) if name in ON_GPU else on_host(call)
        return self.times(batch)

    def times(self, batch):
        """As izmantoko_bench: batches of calls of 2 ms and more."""
        once = batch(1)
        calls = max(1, int(2e-3 / max(once, 1e-7)))
        wanted = min(max(3, int(1 / (once * calls))), self.batches)
        seconds = [batch(calls) / calls * 1e3 for _ in range(wanted)]
        return {"median_ms": statistics.median(seconds), "min_ms": min(seconds), "max_ms": max(seconds),
                "calls": calls}


def on_host(call):
    def batch(calls):
        start = time.perf_counter()
        for _ in range(calls):
            call()
        return time.perf_counter() - start

    return batch


def on_gpu(call):
    import cupy

    start, stop = cupy.cuda.Event(), cupy.cuda.Event()

    def batch(calls):
        start.record()
        for _ in range(calls):
            call()
        stop.record()
        stop.synchronize()
        return cupy.cuda.get_elapsed_time(start, stop) / 1e3

    return batch


def say(text):
    print(text, file=sys.stderr, flush=True)


# ---- the study ------------------------------------------------------------------------------------------------------


def binary_images(bench, arguments, edges):
    """The slice at each edge, bytes 0 and 1; the threshold is Otsu's of the 512^2 image."""
    read = slices.read_slice(arguments.mri, arguments.slice) if arguments.mri else slices.drawn_head()
    original = slices.bilinear(slices.square(read), 512)
    path = bench.save("slice", original)
    bench.program("tamis", "threshold", path, bench.folder / "object.npy", "--method", "otsu", "--quiet")
    threshold = int(original[numpy.load(bench.folder / "object.npy") == 0].max())
    images = {edge: (slices.bilinear(original, edge) > threshold).astype(numpy.uint8) for edge in edges}
    about = {"file": Path(arguments.mri).name if arguments.mri else "drawn", "slice": arguments.slice, "threshold": threshold,
             "object_share": float((original > threshold).mean())}
    return images, {edge: bench.save(f"binary_{edge}", image) for edge, image in images.items()}, about


def sequential_too(pixels, edge):
    return ("sequential",) if pixels * edge * edge <= MOST_SEQUENTIAL_STEPS else ()


def measure(arguments, bench):
    """The path of the results, which are written after each part."""
    edges = [edge for edge in PIXEL_EDGES if edge <= arguments.largest]
    images, paths, about = binary_images(bench, arguments, edges)
    machine = json.loads(bench.program("izmantoko_bench", "machine"))
    results = new_results(machine, peers=versions(), image=about)
    erosions = PAPER[1:] + OURS[:2]
    largest = min(ELEMENT_IMAGE, arguments.largest)
    parts = {
        "table": lambda: [bench.case(paths[edge], images[edge], OPERATIONS, 7, PAPER + OURS, PEERS)
                          for edge in TABLE_EDGES if edge in images],
        "pixels": lambda: [bench.case(paths[edge], images[edge], ["erode"], 7,
                                      sequential_too(edge * edge, 7) + erosions, PEERS) for edge in edges],
        "elements": lambda: [bench.case(paths[largest], images[largest], ["erode"], size,
                                        sequential_too(largest * largest, size) + erosions, PEERS)
                             for size in ELEMENT_EDGES],
        "small": lambda: small(bench, arguments.small),
    }
    for name, part in parts.items():
        results[name] = [row for rows in part() for row in rows]
        results["load_after"] = os.getloadavg()[0]
        path = save(arguments, "izmantoko", results)
    return path


def small(bench, count):
    """Grey images: a stack of 128^2, then single ones."""
    stack = slices.patches(count, 128)
    yield bench.case(bench.save("stack", stack), stack, ["open"], 7, OURS, ["opencv", "cupy"])
    for edge in TABLE_EDGES:
        image = slices.patches(1, edge)[0]
        yield bench.case(bench.save("grey", image), image, ["open"], 7, OURS, PEERS)


def versions():
    found = {}
    for name, module in (("opencv", "cv2"), ("cupy", "cupy"), ("numpy", "numpy")):
        try:
            found[name] = __import__(module).__version__
        except ImportError:
            pass
    return found


def show(arguments, path, images):
    results = json.loads(path.read_text())
    print(report.tables(results))
    if shutil.which("gnuplot"):
        print(report.draw(results, images))
    else:
        say("gnuplot is not installed: no plot; --show JSON draws it elsewhere")


def main():
    data = os.environ.get("TAMIS_DATA")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=Path, default=BIN, help="where tamis and izmantoko_bench are")
    parser.add_argument("--mri", default=f"{data}/mri/ch2.nii.gz" if data else None,
                        help="NIfTI volume or picture; default: mri/ch2.nii.gz in TAMIS_DATA, or one that is drawn")
    parser.add_argument("--slice", type=int, default=90, help="of a volume")
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder for izmantoko_<machine>.json")
    parser.add_argument("--name", help="instead of the name of the machine in that")
    parser.add_argument("--images", type=Path, help="folder for the plot; default: docs/images, or that of --out")
    parser.add_argument("--batches", type=int, default=21)
    parser.add_argument("--largest", type=int, default=8192, help="edge of the largest image")
    parser.add_argument("--small", type=int, default=SMALL, help="images of 128^2")
    parser.add_argument("--show", type=Path, metavar="JSON", help="measure nothing: tables and plot of these results")
    arguments = parser.parse_args()
    in_repository = arguments.out.resolve() == (ROOT / "bench/results").resolve()
    images = arguments.images or (ROOT / "docs/images" if in_repository else arguments.out)
    if arguments.show:
        show(arguments, arguments.show, images)
        return
    with tempfile.TemporaryDirectory() as folder:
        path = measure(arguments, Bench(arguments.bin, folder, arguments.batches))
    print(path)
    show(arguments, path, images)


if __name__ == "__main__":
    main()
