#!/usr/bin/env python3
"""Granulometry against what users have: answers first, then times, all in one run. See README.md beside this file."""

import argparse
import json
import platform
import statistics
import subprocess
import sys
import time
from datetime import date
from pathlib import Path

import numpy

sys.path.append(str(Path(__file__).resolve().parents[1]))
from granulometry.peers import diplib_curve, scipy_curve  # noqa: E402
from harness import ROOT, cpu_name  # noqa: E402


def program_seconds(arguments):
    start = time.perf_counter()
    subprocess.run(arguments, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def foam(build, folder, size):
    path = folder / f"foam_{size}x{size}x{size}_u8.raw"
    if not path.exists():
        subprocess.run([build / "bin/tamis", "phantom", "foam", path, "--size", str(size), "--max-radius", "40",
                        "--seed", "7", "--quiet"], check=True)
    path.read_bytes()[-1]  # into the page cache
    return path


def our_curve(build, path, *options):
    out = path.with_suffix(".csv")
    subprocess.run([build / "bin/tamis", "granulometry", path, "--csv", out, "--quiet", *options], check=True)
    return [int(line.split(",")[2]) for line in out.read_text().splitlines()[1:]]


def small(build, folder, size, repetitions):
    """Whole processes of ours against one peer loop each, on a volume a peer can finish."""
    path = foam(build, folder, size)
    volume = numpy.fromfile(path, numpy.uint8).reshape(size, size, size) > 127
    ours = our_curve(build, path)
    results = {"size": size, "rows": len(ours), "peers": {}}
    for name, peer in (("scipy", scipy_curve), ("diplib", diplib_curve)):
        start = time.perf_counter()
        curve = peer(volume)
        seconds = time.perf_counter() - start
        if curve is None:
            continue
        if curve != ours:
            sys.exit(f"{name} and tamis differ")
        command = [build / "bin/tamis", "granulometry", path, "--quiet"]
        process = statistics.median(program_seconds(command) for _ in range(repetitions))
        benchmark = subprocess.run([build / "bin/granulometry_bench", path, "15"], check=True, capture_output=True)
        job = json.loads(benchmark.stdout)["curve_s"]
        results["peers"][name] = {"peer_s": round(seconds, 3), "tamis_process_s": round(process, 4),
                                  "tamis_job_s": job, "ratio_process": round(seconds / process, 1),
                                  "ratio_job": round(seconds / job, 1)}
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    parser.add_argument("--large", type=int, default=1024, help="edge of the volume timed against copying")
    parser.add_argument("--small", type=int, default=256, help="edge of the volume timed against peers")
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--out", type=Path, help="write the JSON here; else it is printed")
    arguments = parser.parse_args()
    folder = arguments.build / "bench"
    folder.mkdir(exist_ok=True)
    large = subprocess.run([arguments.build / "bin/granulometry_bench", foam(arguments.build, folder, arguments.large),
                            str(arguments.repetitions)], check=True, capture_output=True, text=True)
    results = {"date": date.today().isoformat(), "processor": cpu_name(), "python": platform.python_version(),
               "large": json.loads(large.stdout),
               "small": small(arguments.build, folder, arguments.small, arguments.repetitions)}
    text = json.dumps(results, indent=2) + "\n"
    if arguments.out:
        arguments.out.write_text(text)
    print(text, end="")


if __name__ == "__main__":
    main()
