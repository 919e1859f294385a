"""Tables 1 and 2 of Izmantoko and Choi (2013), with today's peers, and the plot of growth.

OpenCV, CuPy and NPP take part where they are installed."""

import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

import numpy

from harness import call_program, on_gpu, svg_page
from izmantoko.study import slices
from izmantoko.study.peers import ON_GPU, PEERS
from study import AMBER, BLUE, GREY, ORANGE, PINK, SKY, measure_lines, number, panel, say, table

RESULTS = "izmantoko"
LARGEST = 8192
OPERATIONS = {"erode": "Erosion", "dilate": "Dilation", "open": "Opening", "close": "Closing"}
VERSIONS = ("sequential", "naive", "global", "shared")
TODAY = {"tamis_cpu": "tamis CPU", "opencv": "OpenCV CPU", "tamis_gpu": "tamis GPU",
         "tamis_transfers": "tamis GPU, with copies", "npp": "NPP", "cupy": "CuPy"}

# Table 1 of Izmantoko and Choi (2013), ms: CPU, naive, global, shared.
PAPER = {
    ("512x512", "erode"): (89.584, 11.352, 32.992, 3.097),
    ("512x512", "dilate"): (73.838, 20.95, 20.702, 21.31),
    ("512x512", "open"): (159.739, 32.335, 53.763, 24.029),
    ("512x512", "close"): (159.661, 35.42, 54.614, 24.026),
    ("1024x1024", "erode"): (326.545, 44.771, 130.581, 11.226),
    ("1024x1024", "dilate"): (289.739, 76.809, 81.947, 80.843),
    ("1024x1024", "open"): (621.268, 122.076, 212.501, 92.141),
    ("1024x1024", "close"): (618.391, 122.089, 212.578, 92.197),
    ("2048x2048", "erode"): (1226.743, 189.297, 527.8, 45.162),
    ("2048x2048", "dilate"): (1133.518, 313.792, 330.197, 329.672),
    ("2048x2048", "open"): (2362.877, 503.15, 857.784, 374.922),
    ("2048x2048", "close"): (2361.636, 503.187, 858.035, 374.296),
}
OURS = ("tamis_cpu", "tamis_gpu", "tamis_transfers")
TABLE_EDGES = (512, 1024, 2048)
PIXEL_EDGES = (128, 256, 512, 1024, 2048, 4096, 8192)
ELEMENT_EDGES = (3, 5, 7, 9, 11, 15, 21, 31, 41, 51, 71, 101)
ELEMENT_IMAGE = 2048
MOST_SEQUENTIAL_STEPS = 3e9  # pixels times pixels of the square: some seconds


def add_options(parser):
    data = os.environ.get("TAMIS_DATA")
    parser.add_argument("--mri", default=f"{data}/mri/ch2.nii.gz" if data else None,
                        help="NIfTI volume or picture; default: mri/ch2.nii.gz in TAMIS_DATA, or one that is drawn")
    parser.add_argument("--slice", type=int, default=90, help="of a volume")
    parser.add_argument("--batches", type=int, default=21)
    parser.add_argument("--small", type=int, default=10000, help="images of 128^2")


class Bench:
    def __init__(self, arguments, folder):
        self.arguments, self.folder, self.batches = arguments, Path(folder), arguments.batches

    def tamis(self, *words):
        return call_program(self.arguments.bin / "tamis", *words)

    def save(self, name, image):
        path = self.folder / f"{name}.npy"
        numpy.save(path, image)
        return path

    def answer(self, operation, path, edge):
        out = self.folder / "answer.npy"
        self.tamis(operation, path, out, "--element", f"square:{edge}", "--device", "cpu", "--quiet")
        return numpy.load(out)

    def case(self, path, image, operations, edge, versions, peers):
        """Rows of times: ours and the paper's from the program, peers here; answers compared before."""
        rows = []
        measure_lines(self.arguments, "izmantoko", path, "--operation", ",".join(operations), "--edge", edge, "--version",
                      ",".join(versions), take=rows.append)
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
        batch = batches_on_gpu(call) if name in ON_GPU else on_host(call)
        return self.times(batch)

    def times(self, batch):
        """As tamis-papers: batches of calls of 2 ms and more."""
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


def batches_on_gpu(call):
    return lambda calls: on_gpu(call, calls) * calls / 1e3


# ---- the study ------------------------------------------------------------------------------------------------------


def binary_images(bench, arguments, edges):
    """The slice at each edge, bytes 0 and 1; the threshold is Otsu's of the 512^2 image."""
    read = slices.read_slice(arguments.mri, arguments.slice) if arguments.mri else slices.drawn_head()
    original = slices.bilinear(slices.square(read), 512)
    path = bench.save("slice", original)
    bench.tamis("threshold", path, bench.folder / "object.npy", "--method", "otsu", "--quiet")
    threshold = int(original[numpy.load(bench.folder / "object.npy") == 0].max())
    images = {edge: (slices.bilinear(original, edge) > threshold).astype(numpy.uint8) for edge in edges}
    about = {"file": Path(arguments.mri).name if arguments.mri else "drawn", "slice": arguments.slice, "threshold": threshold,
             "object_share": float((original > threshold).mean())}
    return images, {edge: bench.save(f"binary_{edge}", image) for edge, image in images.items()}, about


def sequential_too(pixels, edge):
    return ("sequential",) if pixels * edge * edge <= MOST_SEQUENTIAL_STEPS else ()


def measure(arguments, results, keep):
    with tempfile.TemporaryDirectory() as folder:
        measure_parts(arguments, Bench(arguments, folder), results, keep)


def measure_parts(arguments, bench, results, keep):
    """The results are written after each part."""
    edges = [edge for edge in PIXEL_EDGES if edge <= arguments.largest]
    images, paths, about = binary_images(bench, arguments, edges)
    results.update(peers=versions(), image=about)
    erosions = VERSIONS[1:] + OURS[:2]
    largest = min(ELEMENT_IMAGE, arguments.largest)
    parts = {
        "table": lambda: [bench.case(paths[edge], images[edge], OPERATIONS, 7, VERSIONS + OURS, PEERS)
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
        keep()


def small(bench, count):
    """Grey images: a stack of 128^2, then single ones."""
    stack = slices.patches(count, 128)
    yield bench.case(bench.save("stack", stack), stack, ["open"], 7, OURS, ["opencv", "cupy"])
    for edge in (edge for edge in TABLE_EDGES if edge <= bench.arguments.largest):
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


# ---- the tables -----------------------------------------------------------------------------------------------------


def by_version(rows):
    found = {}
    for row in rows:
        found.setdefault((row["image"], row["operation"]), {})[row["version"]] = row["median_ms"]
    return found


def time_table(times, present):
    """Each of the paper's versions: then / now."""
    rows = []
    for size, operation in PAPER:
        now = times.get((size, operation), {})
        pairs = [f"{number(then)} / {number(now.get(version))}"
                 for version, then in zip(VERSIONS, PAPER[size, operation])]
        rows.append([size, OPERATIONS[operation], *pairs, *(number(now.get(version)) for version in present)])
    return table(["Image size", "Operation", "CPU", "Naive", "Global", "Shared", *(TODAY[v] for v in present)], rows)


def speedup_table(times, present):
    rows = []
    for size, operation in PAPER:
        then, now = PAPER[size, operation], times.get((size, operation), {})
        cpu = now.get("sequential")
        over = lambda version: number(cpu / now[version]) if cpu and version in now else ""  # noqa: E731
        pairs = [f"{then[0] / then[i]:.3g} / {over(VERSIONS[i])}" for i in (1, 2, 3)]
        rows.append([size, OPERATIONS[operation], *pairs, *(over(version) for version in present)])
    return table(["Image size", "Operation", "Naive", "Global", "Shared", *(TODAY[v] for v in present)], rows)


def small_table(rows):
    times = by_version(rows)
    present = [version for version in TODAY if any(version in now for now in times.values())]
    lines = [[image, *(number(now.get(version)) for version in present)] for (image, _), now in times.items()]
    return table(["Opening by square 7, ms", *(TODAY[v] for v in present)], lines)


def tables(results):
    times = by_version(results["table"])
    present = [version for version in TODAY if any(version in now for now in times.values())]
    machine = results["machine"]
    where = f"{machine['gpu'] or 'no GPU'}; {machine['cpu']} ({results['processor']}), {results['date']}"
    parts = [f"Table 1, ms: the paper's time / the same version today ({where})", time_table(times, present),
             "Table 2: speed over the sequential version of the same day, the paper's / today's",
             speedup_table(times, present)]
    if results.get("small"):
        parts += ["Small images, grey", small_table(results["small"])]
    return "\n\n".join(parts) + "\n"


# ---- the plot -------------------------------------------------------------------------------------------------------

LINES = {"sequential": ("the paper’s, on the CPU", "#737981", 2, 5),
         "naive": ("the paper’s naive", PINK, 2, 9),
         "global": ("the paper’s global", ORANGE, 2, 9),
         "shared": ("the paper’s shared", AMBER, 2, 9),
         "opencv": ("OpenCV, CPU", GREY, 1.5, 4),
         "cupy": ("CuPy", "#1fae84", 1.5, 6),
         "npp": ("NPP", "#a07fd0", 1.5, 8),
         "tamis_cpu": ("tamis, CPU", SKY, 2.5, 7),
         "tamis_gpu": ("tamis, GPU", BLUE, 2.5, 7)}


def guide_through(rows, x_of, version, power):
    """A power law along the last time of a version."""
    points = [(x_of(row), row["median_ms"]) for row in rows if row["version"] == version]
    x, y = points[-1]
    return f"{1.6 * y / x**power:.6g} * x**{power}"


STYLE = svg_page(1060, 460, 14) + """set logscale xy
set format y '10^{%T}'
set samples 200
set tmargin at screen 0.91
set bmargin at screen 0.14
set multiplot
"""


def growth(name, rows, x_of, title, axis, where, head, power, base):
    """Times of all versions, and a power law beside them."""
    curves = [(text, colour, [(x_of(row), row["median_ms"]) for row in rows if row["version"] == version],
               f"lw {width} pt {point} ps 0.6") for version, (text, colour, width, point) in LINES.items()]
    xs = [x_of(row) for row in rows]
    law = (f"[{min(xs):.6g}:{max(xs):.6g}] {guide_through(rows, x_of, base, power)} with lines lc rgb '#8c8c8c' dt 2 lw 1.5 "
           "title 'linear (left), square (right)'")
    return panel(name, curves, title, axis, where, f"set xrange [{min(xs) / 1.2:.6g}:{max(xs) * 1.2:.6g}]\n{head}", [law])


def figures(results):
    """Both panels have the same times; the right one has the key of both."""
    pixels, elements = results["pixels"], results["elements"]
    base = "shared" if any(row["version"] == "shared" for row in pixels) else "sequential"
    all_times = [row["median_ms"] for row in pixels + elements]
    tics = ", ".join(f"'{n}²' {n * n}" for n in (128, 512, 2048, 8192))
    edge = elements[0]["image"].split("x")[0]
    return {"izmantoko_growth": (
        STYLE + f"set yrange [{min(all_times) / 1.5:.3g}:{max(all_times) * 2:.3g}]\n"
        + f"unset key\nset xtics ({tics})\nset ylabel 'time of an erosion [ms]'\n"
        + growth("pixels", pixels, lambda row: row["pixels"], "by a square of edge 7, growing image", "pixels of the image",
                 (0.07, 0.39), "", 1, base)
        + "unset ylabel\nset format y ''\nset xtics (3, 5, 7, 11, 21, 41, 101)\n"
        + growth("elements", elements, lambda row: row["edge"], f"of an image of {edge}², growing square", "edge of the square",
                 (0.43, 0.75), "set key at screen 0.765,0.9 left top Left reverse samplen 2 spacing 1.25", 2, base)
        + "unset multiplot\n")}
