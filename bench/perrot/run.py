#!/usr/bin/env python3
"""Repeats the tables of Perrot (2013) on this machine, with tamis beside them; see README.md.

Needs a build with CUDA; the plot needs gnuplot."""

import argparse
import json
import platform
import shutil
import subprocess
import sys
from datetime import date
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
IN_BUNDLE = (ROOT / "bin").is_dir()  # the repository has it in build/
sys.path.append(str(ROOT / "bench"))
import report  # noqa: E402
from morphology.gpu import cpu_name, save, say  # noqa: E402


def describe(row):
    window = f"{row['version']} {row['edge']}x{row['edge']}"
    pixels = f", {row['outputs']} pixels a thread" if row.get("outputs") == 2 else ""
    where = f"{row['threads']} threads" if row["part"] == "cpu" else f"transfers: {row['transfers']}"
    return (f"{row['image']:5}^2 {window}{pixels}, {where}: {row['mean_ms']:.4g} ms, {row['mpx_per_s']:.4g} Mpx/s, "
            f"{row['calls']} calls")


def measure(arguments):
    words = [arguments.bin / "perrot_bench", "--calls", arguments.calls, "--seconds", arguments.seconds, "--largest",
             arguments.largest]
    words += ["--only", arguments.only] if arguments.only else []
    results = {"date": date.today().isoformat(), "machine": None, "processor": cpu_name(),
               "system": platform.platform(), "checked": 0, "rows": []}
    with subprocess.Popen([str(word) for word in words], stdout=subprocess.PIPE, text=True) as program:
        for line in map(json.loads, program.stdout):
            if "part" in line:
                results["rows"].append(line)
                say(describe(line))
            else:
                results.update(line)
                say(line)
    if program.returncode != 0:
        sys.exit(f"perrot_bench: exit code {program.returncode}")
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=Path, default=ROOT / ("bin" if IN_BUNDLE else "build/bin"),
                        help="where perrot_bench is")
    parser.add_argument("--out", type=Path, default=Path.cwd() if IN_BUNDLE else ROOT / "bench/results",
                        help="folder for perrot_<gpu>.json")
    parser.add_argument("--name", help="instead of the name of the GPU in that")
    parser.add_argument("--images", type=Path, help="folder for the plot; default: docs/images, or that of --out")
    parser.add_argument("--calls", type=int, default=1000, help="of which the mean is taken")
    parser.add_argument("--seconds", type=float, default=0.2, help="for them; slow cases make fewer calls")
    parser.add_argument("--largest", type=int, default=report.LARGEST, help="edge of the largest image")
    parser.add_argument("--only", default="", help="kernels, smoother, cpu or check")
    parser.add_argument("--show", type=Path, metavar="JSON", help="measure nothing: tables and plot of these results")
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
