#!/usr/bin/env python3
"""Times of distances and of granulometry by balls on the CPU, stage by stage as the program reports them, beside edt,
SciPy and PoreSpy where they are installed. Answers of distances are compared first. Least of several runs; everything in
one run of this script. Results: bench/results/balls_<name>.json.

The floor is the time of copying what must be read and written once: bits in, two bytes a voxel out."""

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path

import numpy
from scipy import ndimage

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from harness import BIN, RESULTS, call_program, new_results, save, say  # noqa: E402


def noise(edge):
    return numpy.random.default_rng(1).random((edge,) * 3) > 0.1


def field(edge):
    return ndimage.gaussian_filter(numpy.random.default_rng(2).normal(size=(edge,) * 3), 4) > 0


def slabs(edge):
    object = numpy.zeros((edge,) * 3, bool)
    for thickness in range(1, 20):
        first = thickness * (thickness + 1) // 2 + thickness
        object[:, :, first:first + thickness] = True
    return object


def one_hole(edge):
    object = numpy.ones((edge,) * 3, bool)
    object[edge // 2, edge // 2, edge // 2] = False
    return object


def least(measure, runs):
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        measure()
        times.append(time.perf_counter() - start)
    return min(times)


def copy_rate():
    samples = numpy.ones(1 << 28, numpy.uint8)
    out = numpy.zeros_like(samples)
    return 2 * samples.size / least(lambda: numpy.copyto(out, samples), 5)


def stages(tamis, path, *words, runs):
    """The least time of each stage, and of the whole command."""
    best = {}
    for _ in range(runs):
        report = path.with_suffix(".json")
        start = time.perf_counter()
        call_program(tamis, "granulometry", path, "--element", "ball", "--json", report, "--quiet", *words)
        whole = time.perf_counter() - start
        times = json.loads(report.read_text())["times"]
        for stage, seconds in [*times.items(), ("command", whole)]:
            best[stage] = min(best.get(stage, seconds), seconds)
    return best


def our_squares(tamis, path):
    squares = path.with_suffix(".npy")
    call_program(tamis, "distance", path, squares, "--squared", "--border", "neutral", "--quiet")
    return numpy.load(squares)


def distance_peers(object, ours):
    """Seconds on one thread of those that give our squares; the border is not background there."""
    rows = {}
    calls = {"scipy": lambda: ndimage.distance_transform_edt(object)}
    try:
        import edt

        calls["edt"] = lambda: edt.edt(object, parallel=1)
    except ImportError:
        say("edt is not installed")
    for name, call in calls.items():
        answer = numpy.rint(numpy.square(call().astype(float)))
        rows[name] = least(call, 1) if numpy.array_equal(answer, ours) else "another answer"
    return rows


def thickness_peers(object):
    try:
        from porespy.filters import local_thickness
    except ImportError:
        say("PoreSpy is not installed")
        return {}
    return {"porespy local_thickness dt": least(lambda: local_thickness(object, method="dt"), 1)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=Path, default=BIN, help="where tamis is")
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder for the results")
    parser.add_argument("--name", help="of the machine, in the name of the file")
    parser.add_argument("--no-porespy", action="store_true", help="it takes a minute")
    arguments = parser.parse_args()
    tamis = arguments.bin / "tamis"
    results = new_results({}, copy_bytes_per_s=copy_rate(), rows=[], peers_256=[])
    with tempfile.TemporaryDirectory() as folder:
        cases = {f"foam {edge}": edge for edge in (256, 512)}
        for name, edge in cases.items():
            call_program(tamis, "phantom", "foam", Path(folder) / f"{name.replace(' ', '')}_{edge}x{edge}x{edge}_u8.raw",
                         "--size", edge, "--max-radius", 50, "--quiet")
        for name, make in {"noise 10 %": noise, "Gaussian field": field, "slabs": slabs, "one hole": one_hole}.items():
            path = Path(folder) / f"{make.__name__}_256x256x256_u8.raw"
            make(256).astype(numpy.uint8).tofile(path)
        for path in sorted(Path(folder).glob("*.raw")):
            edge = 512 if "512" in path.name else 256
            floor = edge**3 * (1 / 8 + 2) / results["copy_bytes_per_s"]
            for threads in (1, 2):
                times = stages(tamis, path, "--threads", threads, runs=3)
                results["rows"].append({"volume": path.name[: path.name.index(f"_{edge}x")], "edge": edge, "threads": threads,
                                        "floor_s": floor, **times})
                say(results["rows"][-1])
        path = next(Path(folder).glob("foam256*.raw"))
        foam = numpy.fromfile(path, numpy.uint8).reshape((256,) * 3) > 0
        peers = distance_peers(foam, our_squares(tamis, path)) | ({} if arguments.no_porespy else thickness_peers(foam))
        results["peers_256"] = [{"peer": name, "seconds": seconds} for name, seconds in peers.items()]
    print(save(arguments, "balls", results))


if __name__ == "__main__":
    main()
