#!/usr/bin/env python3
"""Draws docs/images/speed.svg and writes the numbers of README.md and docs/speed.md, from bench/results.

    docs/scripts/speed.py            says whether they are those of the results
    docs/scripts/speed.py --write    makes them so

The results of everyday calls are left out where they are not there yet (bench/everyday/run.py measures them)."""

import argparse
import json
import statistics
import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path

import speed_plot
from speed_families import families

DOCS = Path(__file__).resolve().parents[1]
RESULTS = DOCS.parent / "bench" / "results"
EVERYDAY = RESULTS / "everyday_epyc_zen4_2_cores.json"
PLOT = DOCS / "images" / "speed.svg"
PAGES = {DOCS.parent / "README.md": "lines", DOCS / "speed.md": "tables"}
MACHINE = "AMD EPYC (Zen 4), two shared virtual cores"
PLURAL = {"square": "squares", "cross": "diamonds", "disk": "disks"}
BEGIN, END = "<!-- speed -->\n", "<!-- end of speed -->"


@dataclass
class Row:
    """A job, and the seconds that tamis and others take for it."""

    name: str
    seconds: dict

    @property
    def peer(self):
        """The fastest of the others."""
        return min((name for name in self.seconds if name != "tamis"), key=self.seconds.get)

    @property
    def ratio(self):
        return self.seconds[self.peer] / self.seconds["tamis"]


def load(name):
    return json.loads((RESULTS / name).read_text())


def granulometries():
    """Of foams and a photograph. Where tamis was timed beside each of the others its longest time counts."""
    crosses = load("granulometry_epyc_zen4_2_cores.json")["small"]
    peers = crosses["peers"]
    rows = [Row(f"octahedra, {crosses['rows']} sizes, foam of {crosses['size']}³",
                {"tamis": max(times["tamis_job_s"] for times in peers.values()),
                 "SciPy": peers["scipy"]["peer_s"], "DIPlib": peers["diplib"]["peer_s"]})]
    balls = load("balls_epyc_zen4_2_cores.json")
    foam = {row["threads"]: row for row in balls["rows"] if row["volume"] == "foam256"}
    other = {row["peer"]: row["seconds"] for row in balls["peers_256"]}
    rows.append(Row("balls: local thickness, foam of 256³",
                    {"tamis": foam[2]["command"], "PoreSpy": other["porespy local_thickness dt"]}))
    rows.append(Row("distances, foam of 256³, one thread",
                    {"tamis": foam[1]["distance"], "SciPy": other["scipy"], "edt": other["edt"]}))
    grey = load("grey_granulometry_epyc_zen4_2_cores.json")
    names = {"tamis": "tamis", "diplib": "DIPlib", "opencv": "OpenCV", "skimage": "scikit-image"}
    for element, found in grey["elements"].items():
        rows.append(Row(f"grey values, {PLURAL[element]}, {grey['sizes']} sizes, photo of {grey['shape'][0]}²",
                        {names[name]: seconds for name, seconds in found["seconds"].items()
                         if name not in found["answers_differ"]}))
    return rows


def everyday():
    """(size, row) of each everyday call, each in a process of its own; nothing where they are not measured yet."""
    if not EVERYDAY.exists():
        return []
    return [(found["size"].replace("^2", "²").replace("^3", "³"), everyday_row(found)) for found in load(EVERYDAY.name)["rows"]]


def everyday_row(found):
    times = {name: ms / 1000 for name, ms in found["own_process"]["ms_of_all"].items() if name != "copy"}
    return Row(found["call"], times)


def plot():
    parts = [("Sizes", granulometries())]
    calls = everyday()
    for size, what in (("2048²", "Everyday calls from Python, images of 2048²"), ("256³", "and volumes of 256³")):
        if rows := [row for at, row in calls if at == size]:
            parts.append((what, rows))
    return speed_plot.draw(parts)


# ---- words ----------------------------------------------------------------------------------------------------------


def digits(value, count=2):
    """So many significant digits, and no exponent."""
    rounded = float(f"{value:.{count}g}")
    return f"{rounded:,.0f}" if rounded >= 10 ** (count - 1) else f"{rounded:g}"


def time(seconds, count=2):
    if seconds < 0.9995e-3:
        return f"{digits(seconds * 1e6, count)} µs"
    return f"{digits(seconds * 1e3, count)} ms" if seconds < 0.9995 else f"{digits(seconds, count)} s"


def lines():
    """What the README says below the plot."""
    return [line for words in (sizes_words(), gpu_words(), everyday_words()) for line in
            textwrap.wrap(words, 118, initial_indent="- ", subsequent_indent="  ", break_on_hyphens=False)]


def sizes_words():
    crosses, balls, *_ = rows = granulometries()
    grey = [row.seconds["OpenCV"] / row.seconds["tamis"] for row in rows if row.name.startswith("grey")]
    large = load("granulometry_epyc_zen4_2_cores.json")["large"]
    beyond = (large["peak_mib_with_mapped_file"] - 1024) / 1024
    return (f"**Sizes**, two cores: of a foam of 256^3 by octahedra in {time(crosses.seconds['tamis'])}, by SciPy's loop of erosions "
            f"and dilations in {time(crosses.seconds['SciPy'])}, by DIPlib's in {time(crosses.seconds['DIPlib'])}; local thickness in "
            f"{time(balls.seconds['tamis'])}, by PoreSpy in {time(balls.seconds['PoreSpy'])}; of grey values {digits(min(grey))} to "
            f"{digits(max(grey))} times as fast as by openings of OpenCV. A foam of 1024^3: {time(large['curve_s'])}, "
            f"{beyond:.1f} GiB of memory beyond the mapped file.")


def gpu_words():
    gpu = load("boulos_nvidia_h200.json")
    volumes = {row["volume"]: row["ours"]["host"]["median_s"] for row in gpu["volumes"]}
    cupy = {row["size"]: row["curve_s"] for row in gpu["cupy"]}
    return (f"**On a GPU**, {gpu['machine']['gpu']}, bits there to the curve: 1024^3 in {time(volumes['foam:1024'])}, by CuPy's loop "
            f"in {time(cupy[1024])} (extrapolated); 2048^3 in {time(volumes['foam:2048'])}.")


def everyday_words():
    calls = everyday()
    if not calls:
        return ("**Everyday calls** from Python, erosions, medians, thresholds: `bench/everyday` measures them; there are no "
                "results of this machine yet.")
    small = [row for size, row in calls if size == "64²"]
    rest = [row for size, row in calls if size != "64²"]
    mean = statistics.geometric_mean(row.ratio for row in rest)
    return (f"**Everyday calls** from Python, two cores: {sum(row.ratio > 1 for row in rest)} of {len(rest)} on images from 512^2 on "
            f"and volumes are faster than the fastest other library, all of them {digits(mean)} times in the geometric mean; "
            f"on images of 64^2, a matter of microseconds, {sum(row.ratio > 1 for row in small)} of {len(small)}.")


def table(head, rows):
    text = [f"| {' | '.join(head)} |", "|---|" + "---:|" * (len(head) - 1)]
    return [*text, *(f"| {' | '.join(row)} |" for row in rows), ""]


def job_table(rows, what):
    names = list(dict.fromkeys(name for row in rows for name in row.seconds))
    return table([what, *names, "times the fastest other"],
                 [[row.name, *(time(row.seconds[name], 3) if name in row.seconds else "" for name in names), digits(row.ratio)]
                  for row in rows])


def tables():
    """What docs/speed.md shows."""
    dates = [load(f"{name}_epyc_zen4_2_cores.json")["date"] for name in ("granulometry", "balls", "grey_granulometry")]
    text = ["## Sizes", "", f"{MACHINE}, {dates[0]} (octahedra), {dates[1]} (balls, distances) and {dates[2]} (grey values).", "",
            *job_table(granulometries(), "sizes")]
    for heading, date, rows in families(load):
        text += [f"## {heading}", "", f"{MACHINE}, {date}.", "", *job_table([Row(*row) for row in rows], heading.lower())]
    calls = everyday()
    text += ["## Everyday calls from Python", "",
             f"{MACHINE}, {load(EVERYDAY.name)['date']}; the least time of a whole call, each in a process of its own." if calls
             else "There are no results of this machine yet.", ""]
    for size in dict.fromkeys(size for size, _ in calls):
        text += job_table([row for at, row in calls if at == size], size)
    return text


# ---- files ----------------------------------------------------------------------------------------------------------


def page(text, what):
    """A page with what stands between the two comments made anew."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return before + BEGIN + "\n".join({"lines": lines, "tables": tables}[what]()) + "\n" + END + after


def wanted():
    return {path: page(path.read_text(), what) for path, what in PAGES.items()} | {PLOT: plot()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="write the plot and the numbers of the pages")
    arguments = parser.parse_args()
    if not EVERYDAY.exists():
        print(f"everyday calls are left out: there is no {EVERYDAY.name} in bench/results")
    old = [path for path, text in wanted().items() if not path.exists() or path.read_text() != text]
    if arguments.write:
        for path, text in wanted().items():
            path.write_text(text)
            print(path)
    elif old:
        sys.exit(f"not of these results: {', '.join(path.name for path in old)}; docs/scripts/speed.py --write makes them so")


if __name__ == "__main__":
    main()
