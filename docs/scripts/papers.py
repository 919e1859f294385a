#!/usr/bin/env python3
"""The tables of papers/<author>/README.md, from bench/results: the papers' numbers beside those of today.

Prints what differs; --write puts the tables into the pages. Tables of a study are those of its papers/<author>/study."""

import argparse
import importlib
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


def report(author):
    """papers/<author>/study/report.py."""
    sys.path[:0] = [str(folder) for folder in (BENCH, PAGES) if str(folder) not in sys.path]
    return importlib.import_module(f"{author}.study.report")


def right(text):
    """A table whose numbers stand at the right."""
    head, rule, rows = text.split("\n", 2)
    return "\n".join([head, "|---|" + "---:|" * (rule.count("|") - 2), rows])


def where(results):
    return f"{results['machine']['gpu']}, driver {results['machine']['driver']}, {results['date']}"


# ---- Boulos et al. --------------------------------------------------------------------------------------------------


def boulos():
    results, made = load("boulos_nvidia_h200"), report("boulos")
    return {
        "where": f"{where(results)}; {results['machine']['cpu']} beside it.",
        "volumes": right(made.volume_table(results)),
        "steps": right(made.step_table(results["sweeps"])),
        "speedup": right(made.speedup_table(results["sweeps"])),
    }


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
    results, cpu, made = load("karas_nvidia_h200"), load("karas_figure2_epyc_zen4_2_cores"), report("karas")

    def without_title(text):
        return text.split("\n\n", 1)[1]

    return {
        "where": f"{where(results)}.",
        "cpu": right(without_title(made.cpu_table(cpu))),
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
