#!/usr/bin/env python3
"""Repeats the tables of Perrot (2013) on this machine, with tamis beside them; see README.md.

Needs a build with CUDA; the plot needs gnuplot."""

import json
import shutil
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parents[2] / "bench"))
import report  # noqa: E402
from harness import ROOT, gpu_parser, new_results, rows_of_program, save, say  # noqa: E402


def describe(row):
    window = f"{row['version']} {row['edge']}x{row['edge']}"
    pixels = f", {row['outputs']} pixels a thread" if row.get("outputs") == 2 else ""
    where = f"{row['threads']} threads" if row["part"] == "cpu" else f"transfers: {row['transfers']}"
    return (f"{row['image']:5}^2 {window}{pixels}, {where}: {row['mean_ms']:.4g} ms, {row['mpx_per_s']:.4g} Mpx/s, "
            f"{row['calls']} calls")


def measure(arguments):
    words = ["--calls", arguments.calls, "--seconds", arguments.seconds, "--largest", arguments.largest]
    words += ["--only", arguments.only] if arguments.only else []
    results = new_results(checked=0, rows=[])

    def take(line):
        if "part" in line:
            results["rows"].append(line)
            say(describe(line))
        else:
            results.update(line)
            say(line)

    if code := rows_of_program(arguments.bin / "perrot_bench", *words, take=take):
        sys.exit(f"perrot_bench: exit code {code}")
    return results


def main():
    parser = gpu_parser(__doc__, "perrot", "perrot_bench")
    parser.add_argument("--images", type=Path, help="folder for the plot; default: docs/images, or that of --out")
    parser.add_argument("--calls", type=int, default=1000, help="of which the mean is taken")
    parser.add_argument("--seconds", type=float, default=0.2, help="for them; slow cases make fewer calls")
    parser.add_argument("--largest", type=int, default=report.LARGEST, help="edge of the largest image")
    parser.add_argument("--only", default="", help="kernels, smoother, cpu or check")
    parser.add_argument("--readme", action="store_true", help="put the tables into README.md")
    arguments = parser.parse_args()
    results = json.loads(arguments.show.read_text()) if arguments.show else measure(arguments)
    if not arguments.show:
        say(save(arguments, "perrot", results))
    if arguments.only == "check":
        return
    print(report.tables(results))
    if arguments.readme:
        report.fill(HERE / "README.md", results)
    in_repository = arguments.out.resolve() == (ROOT / "bench/results").resolve()
    images = arguments.images or (ROOT / "docs/images" if in_repository else arguments.out)
    if shutil.which("gnuplot") and not arguments.only:
        print(report.draw(results, images))
    else:
        say("no plot; --show JSON draws it where gnuplot is")


if __name__ == "__main__":
    main()
