#!/usr/bin/env python3
"""Repeats the GPU part of Karas et al. (2015) on this machine, with tamis beside it; see gpu_README.md.

Needs a build with CUDA; the plot needs gnuplot."""

import json
import shutil
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parents[2] / "bench"))
import gpu_report  # noqa: E402
from harness import ROOT, gpu_parser, new_results, rows_of_program, save, say  # noqa: E402


def describe(row):
    where = f"figure {row['figure']}" if "figure" in row else f"table {row['table']}, {row['image']}"
    return (f"{where}: {row['width']} x {row['height']}, length {row['length']}, {row['version']}: "
            f"{row['median_ms']:.4g} ms, {row['gpx_per_s']:.4g} Gpx/s")


def measure(arguments):
    words = ["--repetitions", arguments.repetitions, "--largest", arguments.largest]
    words += ["--only", arguments.only] if arguments.only else []
    results = new_results(checked=0, table=[], figures=[])

    def take(line):
        if "figure" in line or "table" in line:
            results["figures" if "figure" in line else "table"].append(line)
            say(describe(line))
        else:
            results.update(line)
            say(line)

    if code := rows_of_program(arguments.bin / "karas_gpu_bench", *words, take=take):
        sys.exit(f"karas_gpu_bench: exit code {code}")
    return results


def main():
    parser = gpu_parser(__doc__, "karas_gpu", "karas_gpu_bench")
    parser.add_argument("--images", type=Path, help="folder for the plot; default: docs/images, or that of --out")
    parser.add_argument("--cpu", type=Path, metavar="JSON", help="results of karas_figure2, for a column in figure 8")
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--largest", type=int, default=8192, help="edge of the largest image")
    parser.add_argument("--only", default="", help='"figure 5", "table 2", check')
    arguments = parser.parse_args()
    results = json.loads(arguments.show.read_text()) if arguments.show else measure(arguments)
    if not arguments.show:
        say(save(arguments, "karas_gpu", results))
    print(gpu_report.tables(results, json.loads(arguments.cpu.read_text()) if arguments.cpu else None))
    in_repository = arguments.out.resolve() == (ROOT / "bench/results").resolve()
    images = arguments.images or (ROOT / "docs/images" if in_repository else arguments.out)
    if shutil.which("gnuplot") and not arguments.only:
        print(gpu_report.draw(results, images))
    else:
        say("no plot; --show JSON draws it where gnuplot is")


if __name__ == "__main__":
    main()
