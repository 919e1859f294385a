"""Figures 2, 5, 8, 9, 10, 11 and table 2 of Karas et al. (2015)."""

from study import AMBER, BLUE, GREY, ORANGE, PINK, measure_lines, number, panel, say, table
from harness import svg_page

RESULTS = "karas"
LARGEST = 8192

# Table 2 of Karas et al. (2015), ms: CPU (Bartovsky), CPU (Morard), GPU (Bartovsky).
PAPER_TABLE_2 = {"Fingerprint": (3768.7, 3129.2, 115.9), "D15": (2425.8, 2014.0, 58.0), "D47": (2397.7, 2014.0, 55.1),
                 "Music1": (5830.0, 4840.7, 129.3), "Music2": (7297.1, 4958.8, 136.5)}
NAMES = {"basic_morard": "basic Morard", "basic_bartovsky": "basic Bartovsky", "morard": "Morard",
         "bartovsky": "Bartovsky", "tamis": "tamis", "tamis_sums": "tamis, sums only"}
ORIENTATIONS = {0: "horizontal", 45: "diagonal", 90: "vertical"}
CPU_NAMES = {"anchor": "anchors", "vanherk": "van Herk, Gil and Werman", "morard": "Morard", "bartovsky": "Bartovsky",
             "auto": "tamis"}


def add_options(parser):
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--only", default="", help='"figure 5", "table 2", check')


def describe(row):
    where = f"figure {row['figure']}" if "figure" in row else f"table {row['table']}, {row['image']}"
    return (f"{where}: {row['width']} x {row['height']}, length {row['length']}, {row['version']}: "
            f"{row['median_ms']:.4g} ms, {row['gpx_per_s']:.4g} Gpx/s")


def measure(arguments, results, keep):
    results.update(checked=0, table=[], figures=[])

    def take(line):
        if "figure" in line or "table" in line:
            results["figures" if "figure" in line else "table"].append(line)
            say(describe(line))
        else:
            results.update(line)

    measure_lines(arguments, "karas", "--repetitions", arguments.repetitions, "--largest", arguments.largest,
                  *(("--only", arguments.only) if arguments.only else ()), take=take)


def rows_of(results, figure):
    return [row for row in results["figures"] if row["figure"] == figure]


def label(row):
    return row["version"] + (" by table 1" if "configuration" in row else "")


def cases(rows):
    """Rates of all versions at each size, orientation and length, in their order."""
    found = {}
    for row in rows:
        found.setdefault((row["width"], row["angle"], row["length"]), {})[label(row)] = row
    return found


def cpu_rates(results):
    """Gpx/s of Bartovsky's algorithm on a core, by edge and angle."""
    return {(row["edge"], angle): row["bartovsky"] / 1e3 for angle, name in ((0, "horizontal"), (90, "vertical"))
            for row in results.get("figure_2", {}).get(name, [])}


def cpu_table(figure_2):
    rows = [[f"{row['edge']}²", direction, str(row["length"]), *(number(row[name]) for name in CPU_NAMES)]
            for direction in ("horizontal", "vertical") for row in figure_2.get(direction, [])]
    return (f"Figure 2: one thread of a CPU, segments of 5 % of the width; {figure_2['unit']}\n\n"
            + table(["image", "direction", "length", *CPU_NAMES.values()], rows))


def rate_table(results, figure, title):
    rows = rows_of(results, figure)
    if not rows:
        return ""
    versions = list(dict.fromkeys(label(row) for row in rows))
    on_cpu = cpu_rates(results) if figure == "8" else {}
    head = ["width", "orientation", "length", *(NAMES.get(version, version) for version in versions)]
    lines = []
    for (width, angle, length), found in cases(rows).items():
        cells = [number(found[version]["gpx_per_s"]) if version in found else "" for version in versions]
        if on_cpu:
            cells.append(number(on_cpu.get((width, angle))))
        lines.append([str(width), ORIENTATIONS.get(angle, f"{angle}°"), str(length), *cells])
    return f"{title}, Gpx/s\n\n" + table(head + (["CPU (Bartovsky)"] if on_cpu else []), lines)


def zone_table(results):
    rows = rows_of(results, "11")
    if not rows:
        return ""
    lines = [[str(row["height"]), str(row["length"]), str(row["zones"]), number(row["gpx_per_s"]),
              f"{row['speedup']:.2f}", f"{row['formula_5']:.2f}"] for row in rows]
    return ("Figure 11: zones, vertical, optimised Bartovsky\n\n"
            + table(["height", "length", "Z", "Gpx/s", "faster than Z = 1", "formula 5"], lines))


def angle_table(results):
    rows = results["table"]
    if not rows:
        return ""
    versions = list(dict.fromkeys(row["version"] for row in rows))
    times = {}
    for row in rows:
        times.setdefault(row["image"], {"row": row})[row["version"]] = row["median_ms"]
    head = ["image", "size", "angles", "length", "paper: CPU (Bart)", "CPU (Mor)", "GPU (Bart)",
            *(NAMES[version] for version in versions)]
    lines = []
    for image, found in times.items():
        row = found["row"]
        lines.append([image, f"{row['width']} × {row['height']}", str(row["angles"]), str(row["length"]),
                      *(number(time) for time in PAPER_TABLE_2[image]),
                      *(number(found.get(version)) for version in versions)])
    return "Table 2: openings at all angles, ms; the paper's own times beside those of today\n\n" + table(head, lines)


def tables(results):
    machine = results["machine"]
    parts = [f"{machine.get('gpu') or machine['cpu']}, {results['date']}", cpu_table(results["figure_2"]) if "figure_2" in results else "",
             rate_table(results, "5", "Figure 5: basic versions, length 5 % of the width"),
             rate_table(results, "8", "Figure 8: optimised versions, length 5 % of the width"),
             rate_table(results, "9", "Figure 9: image sizes and orientations"),
             rate_table(results, "10", "Figure 10: lengths and orientations"), zone_table(results),
             angle_table(results)]
    return "\n\n".join(part for part in parts if part) + "\n"


# ---- the plot -------------------------------------------------------------------------------------------------------

COLOURS = {"basic_morard": PINK, "basic_bartovsky": ORANGE, "morard": GREY, "bartovsky": AMBER, "tamis": BLUE}
DASHES = {0: 1, 45: 3, 90: 2}
STYLE = svg_page(1100, 440, 13) + """set logscale xy
set tmargin at screen 0.90
set bmargin at screen 0.13
set yrange [0.05:3000]
set multiplot
"""


def panel_of(name, rows, x_of, title, axis, where, key):
    """A line for each version and orientation."""
    curves = []
    for version, colour in COLOURS.items():
        for angle, dash in DASHES.items():
            # tamis is in both figures: the later one of two at the same place.
            points = {x_of(row): row["gpx_per_s"] for row in rows if label(row) == version and row["angle"] == angle}
            curves.append((f"{NAMES[version]}, {ORIENTATIONS[angle]}", colour, sorted(points.items()), f"lw 2 dt {dash} pt 7 ps 0.4"))
    xs = [x_of(row) for row in rows] or [1]
    return panel(name, curves, title, axis, where, f"set xrange [{min(xs) / 1.2:.6g}:{max(xs) * 1.2:.6g}]\n{key}")


def figures(results):
    both = [row for row in rows_of(results, "5") + rows_of(results, "8") if "configuration" not in row]
    lengths = [row for row in rows_of(results, "10") if row["width"] == 4096]
    width, length = (lambda row: row["width"]), (lambda row: row["length"])
    if not both:
        return {}
    return {"karas_gpu": (
        STYLE + "set ylabel 'Gpx/s'\nset xtics (512, 1024, 2048, 4096, 8192)\n"
        + panel_of("sizes", both, width, "figures 5 and 8: length 5 % of the width", "width", (0.09, 0.36),
                   "set key at screen 0.75,0.90 left top Left reverse samplen 2")
        + "unset ylabel\nset format y ''\nset xtics (5, 11, 21, 41, 101, 201, 500)\n"
        + panel_of("lengths", lengths, length, "figure 10: 4096 × 4096", "length", (0.42, 0.73),
                   "set key at screen 0.75,0.36 left top Left reverse samplen 2")
        + "unset multiplot\n")}
