#!/usr/bin/env python3
"""One GPU against several of a host: granulometries of large volumes, stacks of images, a whole command.

Needs nothing but Python and the programs. See README.md."""

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path[0] = str(Path(__file__).resolve().parents[1])
from harness import gpu_parser, new_results, save, say, show_or_measure  # noqa: E402

PROGRAM = "several_gpus_bench"


def rows_of(programs, *words):
    """What the program prints; what it refuses is no reason to lose the rest."""
    start = time.perf_counter()
    done = subprocess.run([str(programs / PROGRAM), *map(str, words)], capture_output=True, text=True)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    for row in rows:
        say(describe(row))
    if done.returncode != 0:
        say(f"left out: {done.stderr.strip()[:200] or done.returncode}")
        rows.append({"what": words[0], "left_out": done.stderr.strip()[:200] or f"exit code {done.returncode}"})
    say(f"  ({' '.join(map(str, words))}: {time.perf_counter() - start:.0f} s in all)")
    return rows


def command(programs, path, volume, gpus, times):
    """The whole program, the start of CUDA included, from a raw file in the page cache."""
    rows, curves = [], []
    for count in (gpus, 1):
        out = path.with_suffix(f".{count}.csv")
        words = [programs / "tamis", "granulometry", path, "--quiet", "--csv", out, "--device",
                 "cuda:" + ",".join(map(str, range(count)))]
        seconds = []
        for _ in range(times):
            start = time.perf_counter()
            done = subprocess.run(list(map(str, words)), capture_output=True, text=True)
            if done.returncode != 0:
                return rows + [{"what": "whole command", "left_out": done.stderr.strip()[:200]}]
            seconds.append(time.perf_counter() - start)
        curves.append(out.read_text().splitlines()[1:])
        rows.append({"what": "raw u8 in the page cache to curve, whole command", "volume": volume, "gpus": count,
                     "median_s": statistics.median(seconds), "min_s": min(seconds), "times": times})
        say(describe(rows[-1]))
    if any(curve != curves[0] for curve in curves):
        sys.exit("tamis granulometry: one GPU and several differ")
    return rows


def scratch_folder(bytes_needed):
    """In memory where there is room, otherwise here."""
    shared = Path("/dev/shm")
    if shared.is_dir() and shutil.disk_usage(shared).free > bytes_needed * 1.05:
        return shared
    return Path.cwd()


def measure(arguments):
    programs, gpus = arguments.bin, arguments.gpus
    machine = json.loads(subprocess.run([str(programs / PROGRAM), "machine"], capture_output=True, text=True,
                                        check=True).stdout)
    gpus = min(gpus, machine["gpus"])
    edge, slices = arguments.edge, arguments.edge * gpus // 4
    results = new_results(machine, cores=os.cpu_count(), rows=[])
    rows = results["rows"]
    for small in (1024, 2048):
        rows += rows_of(programs, "device", small, gpus)
        save(arguments, "several_gpus", results)
    rows += rows_of(programs, "bits", edge, edge, gpus)
    save(arguments, "several_gpus", results)
    rows += rows_of(programs, "stack", 256, gpus)
    save(arguments, "several_gpus", results)
    with tempfile.TemporaryDirectory(dir=scratch_folder(edge * edge * slices)) as folder:
        path = Path(folder) / f"foam_{edge}x{edge}x{slices}_u8.raw"
        rows += rows_of(programs, "samples", edge, slices, gpus, path)
        results["file_in"] = folder
        save(arguments, "several_gpus", results)
        if path.exists():
            rows += command(programs, path, f"{edge}x{edge}x{slices}", gpus, 3)
    return save(arguments, "several_gpus", results)


def describe(row):
    if "left_out" in row:
        return f"{row['what']}: left out, {row['left_out']}"
    seconds = row.get("median_s", row.get("seconds"))
    return (f"{row['what']:<50} {row['volume']:<16} {row.get('gpus', ''):>2} {seconds * 1e3:10.1f} ms"
            + (f", packed by {row['packed_by']} in {row['bits_s'] * 1e3:.0f} ms" if "packed_by" in row else "")
            + (f", {row['sizes']} sizes, {row['computed_twice']:.1%} computed twice" if "computed_twice" in row else ""))


def table(results):
    lines = [f"{results['machine']['gpu']} x {results['machine']['gpus']}, {results['cores']} cores"]
    ones = {(row["what"], row["volume"], row.get("packed_by")): row["median_s"] for row in results["rows"]
            if row.get("gpus") == 1}
    for row in results["rows"]:
        line = describe(row)
        one = ones.get((row.get("what"), row.get("volume"), row.get("packed_by")))
        if one and row["gpus"] > 1:
            line += f", {one / row['median_s']:.2f} times one GPU"
            if "computed_twice" in row:
                line += f", {one / row['median_s'] / row['gpus'] * (1 + row['computed_twice']):.0%} of ideal beside the halo"
        lines.append(line)
    return "\n".join(lines)


def main():
    parser = gpu_parser(__doc__, "several_gpus", PROGRAM)
    parser.add_argument("--gpus", type=int, default=2, help="at most so many")
    parser.add_argument("--edge", type=int, default=4096, help="of the large volume")
    show_or_measure(parser.parse_args(), PROGRAM, table, measure)


if __name__ == "__main__":
    main()
