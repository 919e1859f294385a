"""The times and figures of Boulos et al. (2012), section III: single volumes against floors and peers, and the time against
the size. With CuPy that peer runs too."""

import csv
import json
import statistics
import sys
import tempfile
import time
from pathlib import Path

from harness import call_program, say, svg_page
from study import BLUE, GREEN, ORANGE, block, number, quoted, table

RESULTS = "boulos"
LARGEST = 1024
SWEEPS = ("cube", "y", "x", "z", "openings")
COMMANDS = {"tamis_cuda": "tamis, GPU", "tamis_cpu": "tamis, CPU", "paper_cpu": "the paper's scheme, CPU"}
EXTRAPOLATED_FROM = 1024  # edge from which the CuPy loop is not run to its end
PASSES = 20


def add_options(parser):
    parser.add_argument("--scratch", type=Path, help="folder for volumes of 1 GiB; default: the system's")


# ---- measuring ------------------------------------------------------------------------------------------------------


def sweep(papers, which):
    """Rows, the affine fit if there is one, and how long it took."""
    start = time.perf_counter()
    printed = papers("sweep", which)
    lines = [json.loads(line) for line in printed.splitlines()]
    rows = [line for line in lines if "voxels" in line]
    for row in rows:
        del row["sweep"]
    fits = [{key: line[key] for key in ("fit_from", "ours", "paper")} for line in lines if "fit_from" in line]
    return {**({"fit": fits[0]} if fits else {}), "rows": rows, "bench_s": time.perf_counter() - start}


def foam(programs, folder, edge):
    path = Path(folder) / f"foam_{edge}x{edge}x{edge}_u8.raw"
    if not path.exists():
        call_program(programs / "tamis", "phantom", "foam", path, "--size", edge, "--max-radius", 40, "--seed", 7,
                     "--quiet")
    return path


def curve_of(path):
    with open(path) as file:
        return [int(row["volume"]) for row in csv.DictReader(file)]


def commands(programs, folder, edge, gpu, repetitions=3):
    """Whole processes, the start of CUDA included, from a raw file in the page cache."""
    path, row, curves = foam(programs, folder, edge), {"size": edge}, {}
    for name in COMMANDS:
        program, device = name.split("_")
        if device == "cuda" and not gpu:
            continue
        out = path.with_name(f"{name}.csv")
        words = ["tamis", "granulometry", "--quiet"] if program == "tamis" else ["tamis-papers", "boulos", "granulometry"]
        seconds = []
        for _ in range(repetitions + 1):  # the first one fills the page cache
            start = time.perf_counter()
            call_program(programs / words[0], *words[1:], path, "--device", device, "--csv", out)
            seconds.append(time.perf_counter() - start)
        curves[name] = curve_of(out)
        if curves[name] != curves["tamis_cpu" if "tamis_cpu" in curves else name]:
            sys.exit(f"{COMMANDS[name]}: another curve than tamis on the CPU")
        row[name] = {"median_s": statistics.median(seconds[1:]), "min_s": min(seconds[1:]), "max_s": max(seconds[1:])}
    return {**row, "sizes": len(curves["tamis_cpu"]) - 1}


def cupy_peer(programs, folder, edge, sizes):
    """What a CuPy user does. Large volumes: a few passes, the rest by multiplication."""
    import cupy
    import numpy
    from granulometry.peers import cupy_curve, cupy_seconds_of_a_pass

    path = foam(programs, folder, edge)
    volume = cupy.asarray(numpy.fromfile(path, numpy.uint8).reshape(edge, edge, edge)) > 127
    erosion, dilation = cupy_seconds_of_a_pass(volume, PASSES)
    results = {"size": edge, "cupy": cupy.__version__, "erosion_s": erosion, "dilation_s": dilation}
    if edge >= EXTRAPOLATED_FROM:
        seconds = sizes * erosion + sizes * (sizes - 1) / 2 * dilation
        return {**results, "curve_s": seconds, "how": f"extrapolated from {PASSES} passes of each kind"}
    out = path.with_name("cpu.csv")
    call_program(programs / "tamis", "granulometry", path, "--quiet", "--device", "cpu", "--csv", out)
    start = time.perf_counter()
    curve = cupy_curve(volume)
    seconds = time.perf_counter() - start
    if curve != curve_of(out):
        sys.exit(f"CuPy and tamis differ at {edge}^3")
    return {**results, "curve_s": seconds, "how": "measured"}


def measure(arguments, results, keep):
    programs, gpu = arguments.bin, not results["machine"]["no_gpu"]
    with tempfile.TemporaryDirectory(dir=arguments.scratch) as folder:
        results["commands"] = []
        for edge in (edge for edge in (64, 128, 256, 512, 1024) if edge <= arguments.largest and (gpu or edge <= 256)):
            results["commands"].append(commands(programs, folder, edge, gpu))
            say(f"{edge}^3: {results['commands'][-1]['tamis_cpu']['median_s']:.3f} s on the CPU")
        if gpu:
            measure_on_gpu(arguments, folder, results, keep)


def measure_on_gpu(arguments, folder, results, keep):
    papers = lambda *words: call_program(arguments.bin / "tamis-papers", "boulos", *words)  # noqa: E731
    edges = [edge for edge in (256, 512, 1024, 2048) if edge <= arguments.largest]
    volumes, sweeps = results["volumes"], results["sweeps"] = [], {}
    for edge in edges:
        volumes.append(json.loads(papers("one", f"foam:{edge}")))
        say(f"{edge}^3: {volumes[-1]['ours']['device']['median_s'] * 1e3:.2f} ms")
        keep()
    for which in SWEEPS:
        sweeps[which] = sweep(papers, which)
        keep()
        fit = sweeps[which].get("fit")
        worst = f", ours within {100 * abs(fit['ours']['largest_deviation']):.1f} % of an affine fit" if fit else ""
        say(f"sweep {which}: measured in {sweeps[which]['bench_s']:.0f} s{worst}")
    try:
        import cupy  # noqa: F401
    except ImportError:
        say("CuPy is not installed: that peer is left out")
        return
    results["cupy"] = []
    for volume, edge in zip(volumes, (edge for edge in edges if edge <= 1024)):
        peer = cupy_peer(arguments.bin, folder, edge, volume["sizes"])
        peer["ratio"] = peer["curve_s"] / volume["ours"]["device"]["median_s"]
        results["cupy"].append(peer)
        keep()
        say(f"CuPy {edge}^3: {peer['curve_s']:.2f} s, {peer['how']}")


# ---- the tables -----------------------------------------------------------------------------------------------------

EDGES = (448, 480, 512, 544, 992, 1024)


def ms(seconds):
    return number(1000 * seconds)


def command_table(rows):
    present = [name for name in COMMANDS if name in rows[0]]
    return table(["foam, whole commands, ms", "sizes", *(COMMANDS[name] for name in present)],
                 [[f"{row['size']}³", str(row["sizes"]), *(ms(row[name]["median_s"]) for name in present)] for row in rows])


def volume_table(results):
    threads = results["machine"]["cpu_threads"]
    rows = [[f"{row['shape_zyx'][0]}³", str(row["sizes"]), ms(row["paper"]["device"]["median_s"]), ms(row["ours"]["device"]["median_s"]),
             number(row["ratios"]["paper_over_ours"]), ms(row["cpu"]["median_s"]), number(row["ratios"]["cpu_over_ours"])]
            for row in results["volumes"]]
    return table(["foam", "sizes", "paper's scheme, GPU, ms", "tamis, GPU, ms", "times", f"tamis, {threads} CPU threads, ms",
                  "CPU over GPU"], rows)


def step_table(sweeps):
    axes = {axis: {row[axis]: row for row in sweeps[axis]["rows"]} for axis in "xyz"}
    rows = [[axis, *(f"{ms(axes[axis][edge]['paper_s'])} / {ms(axes[axis][edge]['ours_s'])}" for edge in EDGES),
             f"{sweeps[axis]['fit']['paper']['largest_deviation']:.0%} / {sweeps[axis]['fit']['ours']['largest_deviation']:.0%}"]
            for axis in "yxz"]
    return table(["axis that varies, ms", *map(str, EDGES), "worst deviation from a line"], rows)


def speedup_table(sweeps):
    rows = [[f"{row['x']}³", number(row["paper_speedup"]), number(row["speedup"]), number(row["speedup_with_copy"])]
            for row in sweeps["openings"]["rows"]]
    return table(["cube, 50 openings", "paper's scheme", "tamis", "tamis, bits copied from the host"], rows)


def tables(results):
    machine = results["machine"]
    parts = [f"{machine['gpu'] or machine['cpu']}, {results['date']}"]
    parts += [command_table(results["commands"])] if results.get("commands") else []
    parts += [volume_table(results), step_table(results["sweeps"]), speedup_table(results["sweeps"])] if "sweeps" in results else []
    return "\n\n".join(parts) + "\n"


# ---- the figures ----------------------------------------------------------------------------------------------------

STYLE = svg_page(1000, 480, 14) + """set key below center vertical maxrows 3 reverse Left
set bmargin 7
set xrange [0:1056]
set xtics 128
set yrange [0:*]
"""
FIGURES = {"cube": (6, "n", "edge n of the cube [voxels]"), "y": (9, "y", "y [voxels], x = z = 512"),
           "x": (11, "x", "x [voxels], y = z = 512"), "z": (12, "z", "z [voxels], x = y = 512")}


def panel(key, title, colour, fit, which, axis):
    """One kernel: its times, least to most, and the line fitted to them."""
    voxels = "x**3" if which == "cube" else "x*512.0**2"
    deviation = 100 * abs(fit["largest_deviation"])
    return (f"set title '{title}' noenhanced\nset xlabel '{axis}'\nset ylabel 'time [ms]'\n"
            f"fit_{key}(x) = x < 256 ? 1/0 : 1e3 * ({fit['constant_s']!r} + {fit['per_voxel_s']!r} * {voxels})\n"
            # gnuplot's own error bars have white rings.
            f"plot ${key} using 1:3:(0):($4-$3) with vectors nohead lc rgb '{colour}' lw 1 notitle, "
            f"${key} using 1:2 with points lc rgb '{colour}' pt 7 ps 0.45 "
            f"title '{title}: median, bars least to most', \\\n"
            f"  fit_{key}(x) with lines lc rgb '#737981' dt 2 lw 1.5 "
            f"title 'affine in voxels from 256 on: within {deviation:.1f} %'\n")


def time_figure(results, which):
    figure, column, axis = FIGURES[which]
    data = results["sweeps"][which]
    script = STYLE
    for key in ("paper", "ours"):
        script += block(key, [[row["x" if column == "n" else column]] + [1e3 * row[f"{key}_{what}"]
                              for what in ("s", "min_s", "max_s")] for row in data["rows"]])
    script += "set samples 100\nset multiplot layout 1,2 title " + quoted(
        f"As figure {figure} of Boulos et al. 2012: 50 openings, {results['machine']['gpu']}") + " textcolor rgb ink\n"
    script += panel("paper", "the paper’s kernel", ORANGE, data["fit"]["paper"], which, axis)
    script += panel("ours", "tamis", BLUE, data["fit"]["ours"], which, axis)
    return figure, script + "unset multiplot\n"


def speedup_figure(results):
    machine = results["machine"]
    rows = results["sweeps"]["openings"]["rows"]
    script = STYLE + block("speedup", [[row["x"], row["speedup"], row["speedup_with_copy"], row["paper_speedup"]]
                                       for row in rows])
    title = (f"As figure 7 of Boulos et al. 2012: 50 openings, {machine['gpu']} against tamis on "
             f"{machine['cpu_threads']} CPU threads")
    script += f"set title {quoted(title)} noenhanced\n"
    script += "set xlabel 'edge of the cube [voxels]'\nset ylabel 'time on the CPU / time on the GPU'\nplot "
    curves = [(2, "tamis, bits on the GPU", BLUE), (3, "tamis, bits copied from the host", GREEN),
              (4, "the paper’s kernel, bits on the GPU", ORANGE)]
    return 7, script + ", \\\n  ".join(
        f"$speedup using 1:{column} with linespoints lc rgb '{colour}' pt 7 ps 0.6 lw 2 title '{title}'"
        for column, title, colour in curves) + "\n"


def figures(results):
    sweeps = results.get("sweeps", {})
    found = [time_figure(results, which) for which in FIGURES if which in sweeps]
    found += [speedup_figure(results)] if "openings" in sweeps else []
    return {f"granulometry_gpu_figure_{figure}": script for figure, script in found}
