"""Tables 1 and 2 of the paper with today's times beside them, and the plot of growth."""

import subprocess

from harness import svg_page

SIZES = ("512x512", "1024x1024", "2048x2048")
OPERATIONS = {"erode": "Erosion", "dilate": "Dilation", "open": "Opening", "close": "Closing"}
VERSIONS = ("sequential", "naive", "global", "shared")
TODAY = {"tamis_cpu": "tamis CPU", "opencv": "OpenCV CPU", "tamis_gpu": "tamis GPU",
         "tamis_transfers": "tamis GPU, with copies", "npp": "NPP", "cupy": "CuPy"}

# Table 1 of Izmantoko and Choi (2013), ms: CPU, naive, global, shared.
PAPER = {
    ("512x512", "erode"): (89.584, 11.352, 32.992, 3.097),
    ("512x512", "dilate"): (73.838, 20.95, 20.702, 21.31),
    ("512x512", "open"): (159.739, 32.335, 53.763, 24.029),
    ("512x512", "close"): (159.661, 35.42, 54.614, 24.026),
    ("1024x1024", "erode"): (326.545, 44.771, 130.581, 11.226),
    ("1024x1024", "dilate"): (289.739, 76.809, 81.947, 80.843),
    ("1024x1024", "open"): (621.268, 122.076, 212.501, 92.141),
    ("1024x1024", "close"): (618.391, 122.089, 212.578, 92.197),
    ("2048x2048", "erode"): (1226.743, 189.297, 527.8, 45.162),
    ("2048x2048", "dilate"): (1133.518, 313.792, 330.197, 329.672),
    ("2048x2048", "open"): (2362.877, 503.15, 857.784, 374.922),
    ("2048x2048", "close"): (2361.636, 503.187, 858.035, 374.296),
}


def number(value):
    return "" if value is None else f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def by_version(rows):
    found = {}
    for row in rows:
        found.setdefault((row["image"], row["operation"]), {})[row["version"]] = row["median_ms"]
    return found


def time_table(times, present):
    """Each of the paper's versions: then / now."""
    rows = []
    for size, operation in PAPER:
        now = times.get((size, operation), {})
        pairs = [f"{number(then)} / {number(now.get(version))}"
                 for version, then in zip(VERSIONS, PAPER[size, operation])]
        rows.append([size, OPERATIONS[operation], *pairs, *(number(now.get(version)) for version in present)])
    return table(["Image size", "Operation", "CPU", "Naive", "Global", "Shared", *(TODAY[v] for v in present)], rows)


def speedup_table(times, present):
    rows = []
    for size, operation in PAPER:
        then, now = PAPER[size, operation], times.get((size, operation), {})
        cpu = now.get("sequential")
        over = lambda version: number(cpu / now[version]) if cpu and version in now else ""  # noqa: E731
        pairs = [f"{then[0] / then[i]:.3g} / {over(VERSIONS[i])}" for i in (1, 2, 3)]
        rows.append([size, OPERATIONS[operation], *pairs, *(over(version) for version in present)])
    return table(["Image size", "Operation", "Naive", "Global", "Shared", *(TODAY[v] for v in present)], rows)


def small_table(rows):
    times = by_version(rows)
    present = [version for version in TODAY if any(version in now for now in times.values())]
    lines = [[image, *(number(now.get(version)) for version in present)] for (image, _), now in times.items()]
    return table(["Opening by square 7, ms", *(TODAY[v] for v in present)], lines)


def tables(results):
    times = by_version(results["table"])
    present = [version for version in TODAY if any(version in now for now in times.values())]
    machine = results["machine"]
    where = f"{machine['gpu'] or 'no GPU'}; {machine['cpu']} ({results['processor']}), {results['date']}"
    parts = [f"Table 1, ms: the paper's time / the same version today ({where})", time_table(times, present),
             "Table 2: speed over the sequential version of the same day, the paper's / today's",
             speedup_table(times, present)]
    if results.get("small"):
        parts += ["Small images, grey", small_table(results["small"])]
    return "\n\n".join(parts) + "\n"


# ---- the plot -------------------------------------------------------------------------------------------------------

# Colours that stay apart for colour-blind readers; the paper's versions warm, ours blue, peers thin, but seen on dark pages too.
LINES = {"sequential": ("the paper’s, on the CPU", "#737981", 2, 5),
         "naive": ("the paper’s naive", "#cc79a7", 2, 9),
         "global": ("the paper’s global", "#d55e00", 2, 9),
         "shared": ("the paper’s shared", "#e69f00", 2, 9),
         "opencv": ("OpenCV, CPU", "#999999", 1.5, 4),
         "cupy": ("CuPy", "#1fae84", 1.5, 6),
         "npp": ("NPP", "#a07fd0", 1.5, 8),
         "tamis_cpu": ("tamis, CPU", "#56b4e9", 2.5, 7),
         "tamis_gpu": ("tamis, GPU", "#0072b2", 2.5, 7)}


def block(name, rows):
    return f"${name} << EOD\n" + "".join(f"{x:.6g} {y:.6g}\n" for x, y in rows) + "EOD\n"


def panel(name, rows, x_of, title, axis, guide):
    script, curves = "", []
    for version, (label, colour, width, point) in LINES.items():
        points = [(x_of(row), row["median_ms"]) for row in rows if row["version"] == version]
        if points:
            script += block(f"{name}_{version}", points)
            curves.append(f"${name}_{version} using 1:2 with linespoints lc rgb '{colour}' lw {width} "
                          f"pt {point} ps 0.6 title '{label}'")
    xs = [x_of(row) for row in rows]
    curves.append(f"[{min(xs):.6g}:{max(xs):.6g}] {guide} with lines lc rgb '#8c8c8c' dt 2 lw 1.5 "
                  "title 'linear (left), square (right)'")
    return script + (f"set title '{title}'\nset xlabel '{axis}'\n"
                     f"set xrange [{min(xs) / 1.2:.6g}:{max(xs) * 1.2:.6g}]\nplot " + ", \\\n  ".join(curves) + "\n")


def guide_through(rows, x_of, version, power):
    """A power law along the last time of a version."""
    points = [(x_of(row), row["median_ms"]) for row in rows if row["version"] == version]
    x, y = points[-1]
    return f"{1.6 * y / x**power:.6g} * x**{power}"


STYLE = svg_page(1060, 460, 14) + """set logscale xy
set format y '10^{%T}'
set samples 200
set tmargin at screen 0.91
set bmargin at screen 0.14
set multiplot
"""


def growth_script(results):
    """Both panels have the same times; the right one has the key of both."""
    pixels, elements = results["pixels"], results["elements"]
    base = "shared" if any(row["version"] == "shared" for row in pixels) else "sequential"
    all_times = [row["median_ms"] for row in pixels + elements]
    tics = ", ".join(f"'{n}²' {n * n}" for n in (128, 512, 2048, 8192))
    edge = results["elements"][0]["image"].split("x")[0]
    image_pixels = lambda row: row["pixels"]  # noqa: E731
    square_edge = lambda row: row["edge"]  # noqa: E731
    return (STYLE + f"set yrange [{min(all_times) / 1.5:.3g}:{max(all_times) * 2:.3g}]\n"
            + f"unset key\nset lmargin at screen 0.07\nset rmargin at screen 0.39\nset xtics ({tics})\n"
            + "set ylabel 'time of an erosion [ms]'\n"
            + panel("pixels", pixels, image_pixels, "by a square of edge 7, growing image", "pixels of the image",
                    guide_through(pixels, image_pixels, base, 1))
            + "set lmargin at screen 0.43\nset rmargin at screen 0.75\nunset ylabel\nset format y ''\n"
            + "set xtics (3, 5, 7, 11, 21, 41, 101)\n"
            + "set key at screen 0.765,0.9 left top Left reverse samplen 2 spacing 1.25\n"
            + panel("elements", elements, square_edge, f"of an image of {edge}², growing square", "edge of the square",
                    guide_through(elements, square_edge, base, 2))
            + "unset multiplot\n")


def draw(results, folder):
    folder.mkdir(parents=True, exist_ok=True)
    picture = folder / "izmantoko_growth.svg"
    quoted = str(picture).replace("'", "''")
    done = subprocess.run(["gnuplot"], input=f"set output '{quoted}'\n" + growth_script(results), text=True,
                          capture_output=True)
    if done.returncode != 0 or "warning" in done.stderr:
        raise SystemExit(f"gnuplot, {picture.name}: {done.stderr.strip()}")
    return picture
