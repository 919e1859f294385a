#!/usr/bin/env python3
"""The tables of papers/<author>/README.md, from bench/results: the papers' numbers beside those of today.

Prints what differs; --write puts the tables into the pages. Tables of a study are those of its papers/<author>/study."""

import argparse
import importlib.util
import json
import re
import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parents[1]
PAGES = DOCS.parent / "papers"
BENCH = DOCS.parent / "bench"
TABLE = re.compile(r"(<!-- table: (\w+) -->)\n.*?<!-- end of table -->", re.DOTALL)


def load(name):
    return json.loads((BENCH / "results" / f"{name}.json").read_text())


def report(author, name="report"):
    """papers/<author>/study/<name>.py, several of which have the same name."""
    if str(BENCH) not in sys.path:
        sys.path.insert(0, str(BENCH))
    spec = importlib.util.spec_from_file_location(f"{author}_{name}", DOCS.parent / "papers" / author / "study" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def table(head, rows):
    return "\n".join([f"| {' | '.join(head)} |", "|---|" + "---:|" * (len(head) - 1),
                      *(f"| {' | '.join(row)} |" for row in rows)])


def number(value):
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def ms(seconds):
    return number(1000 * seconds)


def where(results):
    return f"{results['machine']['gpu']}, driver {results['machine']['driver']}, {results['date']}"


# ---- Boulos et al. --------------------------------------------------------------------------------------------------


def boulos():
    results = load("granulometry_nvidia_h200")
    volumes, sweeps = results["volumes"], results["sweeps"]
    head = ["foam", "sizes", "paper's scheme, GPU, ms", "tamis, GPU, ms", "times", f"tamis, {results['machine']['cpu_threads']} CPU threads, ms",
            "CPU over GPU"]
    whole = [[f"{row['shape_zyx'][0]}³", str(row["sizes"]), ms(row["paper"]["device"]["median_s"]), ms(row["ours"]["device"]["median_s"]),
              number(row["ratios"]["paper_over_ours"]), ms(row["cpu"]["median_s"]), number(row["ratios"]["cpu_over_ours"])]
             for row in volumes]
    axes = {axis: {row[axis]: row for row in sweeps[axis]["rows"]} for axis in "xyz"}
    steps = [[axis, *(f"{ms(axes[axis][edge]['paper_s'])} / {ms(axes[axis][edge]['ours_s'])}" for edge in EDGES),
              f"{sweeps[axis]['fit']['paper']['largest_deviation']:.0%} / {sweeps[axis]['fit']['ours']['largest_deviation']:.0%}"]
             for axis in "yxz"]
    speedup = [[f"{row['x']}³", number(row["paper_speedup"]), number(row["speedup"]), number(row["speedup_with_copy"])]
               for row in sweeps["openings"]["rows"]]
    return {
        "where": f"{where(results)}; {results['machine']['cpu']} beside it.",
        "volumes": table(head, whole),
        "steps": table(["axis that varies, ms", *map(str, EDGES), "worst deviation from a line"], steps),
        "speedup": table(["cube, 50 openings", "paper's scheme", "tamis", "tamis, bits copied from the host"], speedup),
    }


EDGES = (448, 480, 512, 544, 992, 1024)


# ---- Izmantoko and Choi ---------------------------------------------------------------------------------------------


def izmantoko():
    results, made = load("izmantoko_nvidia_h200"), report("izmantoko")
    times = made.by_version(results["table"])
    present = [version for version in made.TODAY if any(version in now for now in times.values())]
    machine = results["machine"]
    return {
        "where": f"{machine['gpu']}; {machine['cpu']}, {results['processor']}; {results['date']}.",
        "times": made.time_table(times, present),
        "speedups": made.speedup_table(times, present),
        "small": made.small_table(results["small"]),
    }


# ---- Karas et al. ---------------------------------------------------------------------------------------------------


def karas():
    results, cpu, made = load("karas_gpu_nvidia_h200"), load("karas_figure2_epyc_zen4_2_cores"), report("karas", "gpu_report")
    names = {"anchor": "anchors", "vanherk": "van Herk, Gil and Werman", "morard": "Morard", "bartovsky": "Bartovsky", "auto": "tamis"}
    rows = [[f"{row['edge']}²", direction, str(row["length"]), *(number(row[name]) for name in names)]
            for direction in ("horizontal", "vertical") for row in cpu[direction]]

    def without_title(text):
        return text.split("\n\n", 1)[1]

    return {
        "where": f"{where(results)}.",
        "cpu": table(["image", "direction", "length", *names.values()], rows),
        "cpu_where": f"{cpu['machine']}, {cpu['date']}; {cpu['unit']}.",
        "basic": without_title(made.rate_table(results, "5", "")),
        "optimised": without_title(made.rate_table(results, "8", "")),
        "orientations": without_title(made.rate_table(results, "9", "")),
        "zones": without_title(made.zone_table(results)),
        "angles": without_title(made.angle_table(results)),
    }


# ---- Perrot ---------------------------------------------------------------------------------------------------------


def perrot():
    measured, made = load("perrot_nvidia_h200"), report("perrot")
    results = made.Results(measured)
    tables = {"reference": made.reference_table, "histograms": made.histogram_table, "kernels": made.kernel_table,
              "smoother": made.smoother_table}
    return {"where": f"{where(measured)}.", **{name: make(results).split("\n\n", 1)[1] for name, make in tables.items()}}


# ---- pages ----------------------------------------------------------------------------------------------------------

STUDIES = {"boulos": boulos, "izmantoko": izmantoko, "karas": karas, "perrot": perrot}


def page(name, text):
    tables = STUDIES[name]()
    return TABLE.sub(lambda match: f"{match[1]}\n{tables[match[2]]}\n\n<!-- end of table -->", text)


def wanted():
    return {PAGES / name / "README.md": page(name, (PAGES / name / "README.md").read_text()) for name in STUDIES}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="put the tables into the pages")
    arguments = parser.parse_args()
    for path, text in wanted().items():
        if path.read_text() != text:
            print(path if arguments.write else f"{path}: not of these results; --write makes it so")
            if arguments.write:
                path.write_text(text)


if __name__ == "__main__":
    main()
