#!/usr/bin/env python3
"""A paper's tables and figures on this machine, with tamis beside them: what `tamis-papers AUTHOR study` runs.

papers/<author>/study/report.py measures, says what came out in tables, and how its figures are drawn; README.md beside it
has the rules. Without a GPU that tamis can use it is the CPU's part. The figures want gnuplot."""

import argparse
import importlib
import json
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "bench"))
from harness import BIN, RESULTS, ROOT, call_program, new_results, rows_of_program, save, say  # noqa: E402

# Colours that stay apart for colour-blind readers: the papers' versions warm, ours blue.
BLUE, SKY, ORANGE, AMBER, PINK, GREEN, GREY = "#0072b2", "#56b4e9", "#d55e00", "#e69f00", "#cc79a7", "#009e73", "#999999"


def number(value, whole_from=1000, unknown=""):
    return unknown if value is None else f"{value:,.0f}" if value >= whole_from else f"{value:.3g}"


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def quoted(text):
    return "'" + str(text).replace("'", "''") + "'"


def block(name, rows):
    """Numbers that a script of gnuplot plots as $name."""
    return f"${name} << EOD\n" + "".join(" ".join(f"{value:.6g}" for value in row) + "\n" for row in rows) + "EOD\n"


def panel(name, curves, title, axis, where, head="", more=()):
    """A part of a figure: `curves` are (title, colour, points, style), those without points left out; `where` is from
    which share of the page to which. `more` is plotted behind them."""
    script, plots = "", []
    for i, (label, colour, points, style) in enumerate(curves):
        points = [point for point in points if point[1] is not None]
        if points:
            script += block(f"{name}{i}", points)
            plots.append(f"${name}{i} using 1:2 with linespoints lc rgb '{colour}' {style} title {quoted(label)}")
    if not plots:
        return ""
    return (script + f"set lmargin at screen {where[0]}\nset rmargin at screen {where[1]}\nset title {quoted(title)}\n"
            + f"set xlabel {quoted(axis)}\n{head}\nplot " + ", \\\n  ".join([*plots, *more]) + "\n")


def draw(picture, script):
    done = subprocess.run(["gnuplot"], input=f"set output {quoted(picture)}\n" + script, text=True, capture_output=True)
    if done.returncode != 0 or "warning" in done.stderr:
        sys.exit(f"gnuplot, {picture.name}: {done.stderr.strip()}")
    print(picture)


def measure_lines(arguments, author, *words, take):
    """Calls take(line) for each line that the program prints."""
    if code := rows_of_program(arguments.bin / "tamis-papers", author, "measure", *words, take=take):
        sys.exit(f"tamis-papers {author} measure: exit code {code}")


def measured(study, arguments):
    machine = json.loads(call_program(arguments.bin / "tamis-papers", "machine"))
    results = new_results(machine)
    if machine["no_gpu"]:
        say(f"no GPU: {machine['no_gpu']}; the CPU's part")
    keep = lambda: save(arguments, study.RESULTS, results)  # noqa: E731
    study.measure(arguments, results, keep)
    print(path := keep())
    return json.loads(path.read_text())


def show(study, results, folder):
    print(study.tables(results))
    figures = study.figures(results)
    if figures and not shutil.which("gnuplot"):
        say("gnuplot is not installed: no figures; --show JSON draws them elsewhere")
        return
    folder.mkdir(parents=True, exist_ok=True)
    for name, script in figures.items():
        draw(folder / f"{name}.svg", script)


def main():
    authors = sorted(path.parents[1].name for path in Path(__file__).parent.glob("*/study/report.py"))
    if sys.argv[1:2] == [] or sys.argv[1] not in authors:
        sys.exit(f"study.py: wanted the name of an author first: {', '.join(authors)}")
    author = sys.argv[1]
    try:
        study = importlib.import_module(f"{author}.study.report")
    except ModuleNotFoundError as missing:
        sys.exit(f"{missing.name} is missing in {sys.executable}; wanted for this study: pip install {missing.name}")
    parser = argparse.ArgumentParser(prog=f"tamis-papers {author} study", description=study.__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=Path, default=BIN, help="where tamis and tamis-papers are")
    parser.add_argument("--out", type=Path, default=RESULTS, help=f"folder for {study.RESULTS}_<machine>.json")
    parser.add_argument("--name", help="instead of the name of the machine in that")
    parser.add_argument("--images", type=Path, help="folder for the figures; default: docs/images, or that of --out")
    parser.add_argument("--show", type=Path, metavar="JSON", help="measure nothing: tables and figures of these results")
    parser.add_argument("--largest", type=int, default=study.LARGEST, help="edge of the largest image or volume (%(default)s)")
    study.add_options(parser)
    arguments = parser.parse_args(sys.argv[2:])
    in_repository = arguments.out.resolve() == (ROOT / "bench/results").resolve()
    results = json.loads(arguments.show.read_text()) if arguments.show else measured(study, arguments)
    show(study, results, arguments.images or (ROOT / "docs/images" if in_repository else arguments.out))


if __name__ == "__main__":
    main()
