#!/usr/bin/env python3
"""Porosimetry against the size map of the same volume, and against another build of the program (--before), in one run;
invasion maps of both builds are compared first. Seconds of all cores together, least of several runs: on a shared machine
they say more than the clock. Results: bench/results/porosimetry_<name>.json."""

import argparse
import resource
import sys
import tempfile
from pathlib import Path

import numpy
from scipy import ndimage

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from harness import BIN, RESULTS, call_program, new_results, save, say  # noqa: E402
from run import field  # noqa: E402


def rock(edge):
    return ndimage.gaussian_filter(numpy.random.default_rng(3).normal(size=(edge,) * 3), 2) > 0.03


def core_seconds(runs, *command):
    def used():
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    best = float("inf")
    for _ in range(runs):
        before = used()
        call_program(*command)
        best = min(best, used() - before)
    return best


def invasion(tamis, path, inlet):
    out = path.with_suffix(".npy")
    call_program(tamis, "porosimetry", path, "--inlet", inlet, "--map", out, "--quiet")
    return numpy.load(out)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=Path, default=BIN, help="where tamis is")
    parser.add_argument("--before", type=Path, help="another build's folder of tamis")
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder for the results")
    parser.add_argument("--name", help="of the machine, in the name of the file")
    parser.add_argument("--edge", type=int, default=256)
    arguments = parser.parse_args()
    programs = {"now": arguments.bin / "tamis"}
    if arguments.before:
        programs["before"] = arguments.before / "tamis"
    results = new_results({}, edge=arguments.edge, rows=[])
    with tempfile.TemporaryDirectory() as folder:
        size = "x".join([str(arguments.edge)] * 3)
        paths = [Path(folder) / f"{name}_{size}_u8.raw" for name in ("foam", "rock", "field")]
        call_program(programs["now"], "phantom", "foam", paths[0], "--size", arguments.edge, "--max-radius", 50, "--quiet")
        for path, make in zip(paths[1:], (rock, field), strict=True):
            make(arguments.edge).astype(numpy.uint8).tofile(path)
        for path in paths:
            sizes = core_seconds(3, programs["now"], "granulometry", path, "--element", "ball", "--threads", 1, "--quiet")
            for inlet in ("z-", "x-", "all"):
                maps = [invasion(tamis, path, inlet) for tamis in programs.values()]
                if any(not numpy.array_equal(maps[0], other) for other in maps[1:]):
                    sys.exit(f"{path.name} from {inlet}: the builds disagree")
                row = {"volume": path.name.split("_")[0], "inlet": inlet, "granulometry_core_s": sizes}
                for name, tamis in programs.items():
                    row[f"{name}_core_s"] = core_seconds(3, tamis, "porosimetry", path, "--inlet", inlet, "--threads", 1,
                                                         "--quiet")  # fmt: skip
                row["times_of_granulometry"] = row["now_core_s"] / sizes
                results["rows"].append(row)
                say(row)
    print(save(arguments, "porosimetry", results))


if __name__ == "__main__":
    main()
