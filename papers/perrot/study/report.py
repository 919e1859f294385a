"""The tables of Perrot (2013) and the plot of throughput."""

from study import AMBER, BLUE, GREY, ORANGE, PINK, SKY, measure_lines, number, panel, say, table
from harness import svg_page

RESULTS = "perrot"
SIZES = (512, 1024, 2048, 4096)
LARGEST = SIZES[-1]
TRANSFERS = {"none": "on the device", "pinned": "pinned", "pageable": "pageable"}

# Perrot (2013). Table 1, histograms, ms with transfers: GTX 280, C2070, one thread of a Xeon E31245.
PAPER_HISTOGRAM = {
    (512, 3): (11.50, 7.58, 19.25), (512, 5): (19.10, 8.60, 18.49), (512, 7): (31.30, 10.60, 20.27),
    (1024, 3): (44.50, 29.60, 75.49), (1024, 5): (71.10, 33.00, 73.88), (1024, 7): (114.50, 39.10, 77.40),
    (2048, 3): (166.00, 115.20, 296.18), (2048, 5): (261.00, 128.20, 294.55), (2048, 7): (411.90, 143.30, 303.48),
    (4096, 3): (523.80, 435.00, 1184.16), (4096, 5): (654.10, 460.20, 1158.26), (4096, 7): (951.30, 509.60, 1213.55)}
# The text and table 2, Mpx/s with transfers on the C2070, 4096^2.
PAPER_KERNELS = {("identity", 1, 1): 1300, ("forgetful", 3, 1): 1000, ("forgetful", 3, 2): 1155,
                 ("forgetful", 5, 1): 551, ("forgetful", 5, 2): 738, ("forgetful_shared", 5, 1): 540}
PAPER_CPU_IDENTITY = 130
# Table 3, Mpx/s with transfers on the C2070, 4096^2, two pixels a thread.
PAPER_SMOOTHER = {41: 54, 81: 27, 111: 20, 121: 18}

NAMES = {"identity": "identity", "sort": "full sort", "forgetful": "forgetful selection",
         "forgetful_shared": "forgetful selection, shared memory", "histogram": "histogram",
         "histogram_shared": "histogram, shared memory", "smoother": "smoother", "tamis": "tamis"}


def add_options(parser):
    parser.add_argument("--calls", type=int, default=1000, help="of which the mean is taken")
    parser.add_argument("--seconds", type=float, default=0.2, help="for them; slow cases make fewer calls")
    parser.add_argument("--only", default="", help="kernels, smoother, cpu or check")


def describe(row):
    window = f"{row['version']} {row['edge']}x{row['edge']}"
    pixels = f", {row['outputs']} pixels a thread" if row.get("outputs") == 2 else ""
    where = f"{row['threads']} threads" if row["part"] == "cpu" else f"transfers: {row['transfers']}"
    return (f"{row['image']:5}^2 {window}{pixels}, {where}: {row['mean_ms']:.4g} ms, {row['mpx_per_s']:.4g} Mpx/s, "
            f"{row['calls']} calls")


def measure(arguments, results, keep):
    results.update(checked=0, rows=[])

    def take(line):
        if "part" in line:
            results["rows"].append(line)
            say(describe(line))
        else:
            results.update(line)

    measure_lines(arguments, "perrot", "--calls", arguments.calls, "--seconds", arguments.seconds, "--largest", arguments.largest,
                  *(("--only", arguments.only) if arguments.only else ()), take=take)


def told(value):
    return number(value, 100, "not measured yet")


class Results:
    """What was measured, by case; None for what was not."""

    def __init__(self, results):
        self.rows = {}
        for row in results["rows"] if results else []:
            where = row["threads"] if row["part"] == "cpu" else row["transfers"]
            self.rows[row["version"], row["edge"], row.get("outputs"), row["image"], where, row["part"]] = row

    def of(self, version, edge, outputs, image, transfers, part="kernels", what="mpx_per_s"):
        row = self.rows.get((version, edge, outputs, image, transfers, part))
        return row[what] if row else None

    def cpu(self, version, edge, image, threads=1, what="mpx_per_s"):
        return self.of(version, edge, None, image, threads, "cpu", what)


def reference_table(results):
    rows = [[f"{size}²", *(told(results.of("identity", 1, 1, size, transfers)) for transfers in TRANSFERS),
             told(results.cpu("identity", 1, size))] for size in SIZES]
    return ("Reference throughput, Mpx/s: the identity. The paper: 1,300 on the C2070 and 800 on the GTX 280 with "
            f"transfers, {PAPER_CPU_IDENTITY} on its CPU\n\n"
            + table(["image", *TRANSFERS.values(), "CPU, one thread"], rows))


def histogram_table(results):
    rows = []
    for (size, edge), paper in PAPER_HISTOGRAM.items():
        today = [results.of(version, edge, 1, size, "pinned", what="mean_ms")
                 for version in ("histogram", "histogram_shared")]
        today.append(results.of("tamis", edge, None, size, "pinned", what="mean_ms"))
        today += [results.cpu(version, edge, size, what="mean_ms") for version in ("histogram", "tamis")]
        if size > 1024 and today[3] is None and today[4] is not None:
            # One rate for all sizes, as the paper found.
            smaller = results.cpu("histogram", edge, 1024)
            today[3] = smaller and size * size / smaller / 1e3
        rows.append([f"{size}²", f"{edge}×{edge}", *(f"{time:g}" for time in paper), *(told(time) for time in today)])
    return ("Table 1, histograms, ms, GPU with transfers (pinned): the paper's, then today's. The sequential histogram "
            "above 1024² by its rate there\n\n"
            + table(["image", "window", "GTX 280", "C2070", "Xeon", "histogram", "shared memory", "tamis, GPU",
                     "sequential", "tamis, one thread"], rows))


def kernel_table(results):
    versions = [("identity", 1, 1), ("sort", 3, 1), ("forgetful", 3, 1), ("forgetful", 3, 2), ("tamis", 3, None),
                ("forgetful_shared", 5, 1), ("forgetful", 5, 1), ("forgetful", 5, 2), ("tamis", 5, None),
                ("forgetful", 7, 1), ("forgetful", 7, 2), ("tamis", 7, None), ("forgetful", 9, 1), ("tamis", 9, None)]
    rows = []
    for version, edge, outputs in versions:
        paper = PAPER_KERNELS.get((version, edge, outputs))
        rows.append([f"{edge}×{edge}", NAMES[version], str(outputs or ""), f"{paper:,}" if paper else "",
                     *(told(results.of(version, edge, outputs, LARGEST, transfers)) for transfers in TRANSFERS)])
    return (f"The 3×3 figures and table 2: small windows on {LARGEST}², Mpx/s\n\n"
            + table(["window", "version", "pixels a thread", "C2070, with transfers", *TRANSFERS.values()], rows))


def smoother_table(results):
    edges = sorted({row["edge"] for row in results.rows.values() if row["part"] == "smoother"}) or PAPER_SMOOTHER
    rows = []
    for edge in edges:
        cells = []
        for version, outputs in (("smoother", 1), ("smoother", 2), ("tamis", None)):
            cells += [told(results.of(version, edge, outputs, LARGEST, transfers, "smoother"))
                      for transfers in ("none", "pinned")]
        rows.append([str(edge), str(PAPER_SMOOTHER.get(edge, "")), *cells])
    return (f"Table 3: the separable smoother on {LARGEST}², Mpx/s\n\n"
            + table(["edge", "C2070", "one pixel a thread", "pinned", "two", "pinned", "tamis", "pinned"], rows))


def tables(measured):
    results, machine = Results(measured), measured["machine"]
    return "\n\n".join([f"{machine.get('gpu') or machine['cpu']}, {measured['date']}", reference_table(results), histogram_table(results),
                        kernel_table(results), smoother_table(results)]) + "\n"


# ---- the plot -------------------------------------------------------------------------------------------------------

CURVES = [("identity", 1, 1, GREY), ("sort", 3, 1, PINK), ("forgetful", 3, 1, AMBER), ("forgetful", 3, 2, ORANGE),
          ("tamis", 3, None, BLUE), ("forgetful", 5, 2, "#b8860b"), ("tamis", 5, None, SKY)]
SMOOTHER_CURVES = [("smoother", 1, AMBER), ("smoother", 2, ORANGE), ("tamis", None, BLUE)]
STYLE = svg_page(1200, 500, 13) + """set logscale xy
set format y "10^{%T}"
set tmargin at screen 0.90
set bmargin at screen 0.33
set multiplot
"""
LINE = "lw 2 pt 7 ps 0.4"


def title_of(version, edge, outputs):
    window = "" if version == "identity" else f" {edge}×{edge}"
    return NAMES[version] + window + (", two pixels" if outputs == 2 else "")


def key_at(left):
    return f"set key at screen {left},0.20 left top Left reverse maxrows 4 samplen 2"


def figures(measured):
    results = Results(measured)
    if not any(row["part"] != "cpu" for row in measured["rows"]):
        return {}

    def by_size(transfers):
        return [(title_of(version, edge, outputs), colour,
                 [(size, results.of(version, edge, outputs, size, transfers)) for size in SIZES], LINE)
                for version, edge, outputs, colour in CURVES]

    edges = sorted({row["edge"] for row in results.rows.values() if row["part"] == "smoother"})
    smoothers = [(NAMES[version] + (", two pixels" if outputs == 2 else ""), colour,
                  [(edge, results.of(version, edge, outputs, LARGEST, "none", "smoother")) for edge in edges], LINE)
                 for version, outputs, colour in SMOOTHER_CURVES]
    return {"perrot": (
        STYLE + "set xtics (512, 1024, 2048, 4096)\nset xrange [450:4700]\n"
        + panel("device", by_size("none"), "Mpx/s, on the device", "edge of the image", (0.07, 0.33), key_at(0.07))
        + panel("pinned", by_size("pinned"), "Mpx/s, with transfers, pinned", "edge of the image", (0.40, 0.66), "unset key")
        + "set xtics (3, 5, 9, 15, 31, 55, 121)\nset xrange [2.7:135]\n"
        + panel("smoother", smoothers, f"Mpx/s, smoother, {LARGEST}², on the device", "edge of the window", (0.73, 0.98),
                key_at(0.73))
        + "unset multiplot\n")}
