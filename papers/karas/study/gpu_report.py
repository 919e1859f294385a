"""The paper's figures and table as text, with tamis beside them, and the plot."""

import subprocess

from harness import svg_page

# Table 2 of Karas et al. (2015), ms: CPU (Bartovsky), CPU (Morard), GPU (Bartovsky).
PAPER_TABLE_2 = {"Fingerprint": (3768.7, 3129.2, 115.9), "D15": (2425.8, 2014.0, 58.0), "D47": (2397.7, 2014.0, 55.1),
                 "Music1": (5830.0, 4840.7, 129.3), "Music2": (7297.1, 4958.8, 136.5)}
NAMES = {"basic_morard": "basic Morard", "basic_bartovsky": "basic Bartovsky", "morard": "Morard",
         "bartovsky": "Bartovsky", "tamis": "tamis", "tamis_sums": "tamis, sums only"}
ORIENTATIONS = {0: "horizontal", 45: "diagonal", 90: "vertical"}


def number(value):
    return "" if value is None else f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


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


def cpu_rates(cpu):
    """Gpx/s of Bartovsky's algorithm on a core, from the results of figure 2, by edge and angle."""
    return {(row["edge"], angle): row["bartovsky"] / 1e3 for angle, name in ((0, "horizontal"), (90, "vertical"))
            for row in cpu.get(name, []) if "bartovsky" in row}


def rate_table(results, figure, title, cpu=None):
    rows = rows_of(results, figure)
    if not rows:
        return ""
    versions = list(dict.fromkeys(label(row) for row in rows))
    on_cpu = cpu_rates(cpu or {})
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


def tables(results, cpu=None):
    where = f"{results['machine']['gpu']}, {results['date']}"
    parts = [where, rate_table(results, "5", "Figure 5: basic versions, length 5 % of the width"),
             rate_table(results, "8", "Figure 8: optimised versions, length 5 % of the width", cpu),
             rate_table(results, "9", "Figure 9: image sizes and orientations"),
             rate_table(results, "10", "Figure 10: lengths and orientations"), zone_table(results),
             angle_table(results)]
    return "\n\n".join(part for part in parts if part) + "\n"


# ---- the plot -------------------------------------------------------------------------------------------------------

# Colours that stay apart for colour-blind readers; the paper's versions warm, ours blue.
COLOURS = {"basic_morard": "#cc79a7", "basic_bartovsky": "#d55e00", "morard": "#999999", "bartovsky": "#e69f00",
           "tamis": "#0072b2"}
DASHES = {0: 1, 45: 3, 90: 2}
STYLE = svg_page(1100, 440, 13) + """set logscale xy
set tmargin at screen 0.90
set bmargin at screen 0.13
set yrange [0.05:3000]
set multiplot
"""


def curves(name, rows, x_of):
    """Data blocks and what plots them: a line for each version and orientation."""
    script, plots = "", []
    for version, colour in COLOURS.items():
        for angle, dash in DASHES.items():
            # tamis is in both figures: the later one of two at the same place.
            points = {x_of(row): row["gpx_per_s"] for row in rows
                      if label(row) == version and row["angle"] == angle}
            if not points:
                continue
            block = f"${name}_{version}_{angle}"
            script += f"{block} << EOD\n" + "".join(f"{x:.6g} {y:.6g}\n" for x, y in sorted(points.items())) + "EOD\n"
            plots.append(f"{block} using 1:2 with linespoints lc rgb '{colour}' lw 2 dt {dash} pt 7 ps 0.4 "
                         f"title '{NAMES[version]}, {ORIENTATIONS[angle]}'")
    return script, plots


def panel(name, rows, x_of, title, axis, left, right, key):
    script, plots = curves(name, rows, x_of)
    if not plots:
        return ""
    xs = [x_of(row) for row in rows]
    return (script + f"set lmargin at screen {left}\nset rmargin at screen {right}\nset title '{title}'\n"
            f"set xlabel '{axis}'\nset xrange [{min(xs) / 1.2:.6g}:{max(xs) * 1.2:.6g}]\n{key}\n"
            "plot " + ", \\\n  ".join(plots) + "\n")


def script_of(results):
    both = [row for row in rows_of(results, "5") + rows_of(results, "8") if "configuration" not in row]
    lengths = [row for row in rows_of(results, "10") if row["width"] == 4096]
    width, length = (lambda row: row["width"]), (lambda row: row["length"])
    return (STYLE + "set ylabel 'Gpx/s'\nset xtics (512, 1024, 2048, 4096, 8192)\n"
            + panel("sizes", both, width, "figures 5 and 8: length 5 % of the width", "width", 0.09, 0.36,
                    "set key at screen 0.75,0.90 left top Left reverse samplen 2")
            + "unset ylabel\nset format y ''\nset xtics (5, 11, 21, 41, 101, 201, 500)\n"
            + panel("lengths", lengths, length, "figure 10: 4096 × 4096", "length", 0.42, 0.73,
                    "set key at screen 0.75,0.36 left top Left reverse samplen 2")
            + "unset multiplot\n")


def draw(results, folder):
    folder.mkdir(parents=True, exist_ok=True)
    picture = folder / "karas_gpu.svg"
    quoted = str(picture).replace("'", "''")
    done = subprocess.run(["gnuplot"], input=f"set output '{quoted}'\n" + script_of(results), text=True,
                          capture_output=True)
    if done.returncode != 0 or "warning" in done.stderr:
        raise SystemExit(f"gnuplot, {picture.name}: {done.stderr.strip()}")
    return picture
