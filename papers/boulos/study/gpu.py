#!/usr/bin/env python3
"""Granulometry on a GPU: single volumes against floors and peers, and the figures of Boulos et al. 2012, section III.

Needs nothing but Python; with CuPy that peer runs too, with gnuplot the figures are drawn. See README.md."""

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path[0] = str(Path(__file__).resolve().parents[3] / "bench")
from harness import BIN, RESULTS, ROOT, call_program, new_results, save, say, svg_page  # noqa: E402

SWEEPS = ("cube", "y", "x", "z", "openings")
EXTRAPOLATED_FROM = 1024  # edge from which the CuPy loop is not run to its end
PASSES = 20


# ---- measuring ------------------------------------------------------------------------------------------------------


def sweep(programs, which):
    """Rows, the affine fit if there is one, and how long it took."""
    start = time.perf_counter()
    printed = call_program(programs / "granulometry_gpu_bench", "sweep", which)
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


def command(programs, folder, edge, repetitions=5):
    """Whole processes, the start of CUDA included, from a raw file in the page cache."""
    path = foam(programs, folder, edge)
    results, curves = {"size": edge}, {}
    for device in ("cuda", "cpu"):
        out = path.with_name(f"{device}.csv")
        words = [programs / "tamis", "granulometry", path, "--quiet", "--device", device, "--csv", out]
        seconds = []
        for _ in range(repetitions + 1):  # the first one fills the page cache
            start = time.perf_counter()
            call_program(*words)
            seconds.append(time.perf_counter() - start)
        seconds = seconds[1:]
        curves[device] = [line.split(",")[2] for line in out.read_text().splitlines()[1:]]
        results[device] = {"median_s": statistics.median(seconds), "min_s": min(seconds), "max_s": max(seconds)}
    if curves["cuda"] != curves["cpu"]:
        sys.exit("tamis granulometry: --device cuda and --device cpu differ")
    return results


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
    if curve != [int(line.split(",")[2]) for line in out.read_text().splitlines()[1:]]:
        sys.exit(f"CuPy and tamis differ at {edge}^3")
    return {**results, "curve_s": seconds, "how": "measured"}


def measure(arguments):
    programs = arguments.bin
    edges = [256, 512, 1024] + ([2048] if arguments.large else [])
    results = new_results()
    volumes = results["volumes"] = []
    for edge in edges:
        volumes.append(json.loads(call_program(programs / "granulometry_gpu_bench", "one", f"foam:{edge}")))
        results["machine"] = volumes[-1].pop("machine")
        say(f"{edge}^3: {volumes[-1]['ours']['device']['median_s'] * 1e3:.2f} ms")
    path = save(arguments, "granulometry", results)
    results["sweeps"] = {}
    for which in SWEEPS:
        results["sweeps"][which] = sweep(programs, which)
        save(arguments, "granulometry", results)
        fit = results["sweeps"][which].get("fit")
        worst = f", ours within {100 * abs(fit['ours']['largest_deviation']):.1f} % of an affine fit" if fit else ""
        say(f"sweep {which}: measured in {results['sweeps'][which]['bench_s']:.0f} s{worst}")
    with tempfile.TemporaryDirectory(dir=arguments.scratch) as folder:
        results["command"] = command(programs, folder, 1024)
        save(arguments, "granulometry", results)
        say(f"command: {results['command']['cuda']['median_s']:.2f} s")
        try:
            import cupy  # noqa: F401
        except ImportError:
            say("CuPy is not installed: that peer is left out")
            return path
        results["cupy"] = []
        for volume, edge in zip(volumes, (edge for edge in edges if edge <= 1024)):
            peer = cupy_peer(programs, folder, edge, volume["sizes"])
            peer["ratio"] = peer["curve_s"] / volume["ours"]["device"]["median_s"]
            results["cupy"].append(peer)
            save(arguments, "granulometry", results)
            say(f"CuPy {edge}^3: {peer['curve_s']:.2f} s, {peer['how']}")
    return path


# ---- the figures ----------------------------------------------------------------------------------------------------

STYLE = svg_page(1000, 480, 14) + """set key below center vertical maxrows 3 reverse Left
set bmargin 7
set xrange [0:1056]
set xtics 128
set yrange [0:*]
"""
BLUE, ORANGE, GREEN, GREY = "#0072b2", "#d55e00", "#009e73", "#737981"
FIGURES = {"cube": (6, "n", "edge n of the cube [voxels]"), "y": (9, "y", "y [voxels], x = z = 512"),
           "x": (11, "x", "x [voxels], y = z = 512"), "z": (12, "z", "z [voxels], x = y = 512")}


def block(name, rows):
    return f"${name} << EOD\n" + "".join(" ".join(f"{number:.6g}" for number in row) + "\n" for row in rows) + "EOD\n"


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
            f"  fit_{key}(x) with lines lc rgb '{GREY}' dt 2 lw 1.5 "
            f"title 'affine in voxels from 256 on: within {deviation:.1f} %'\n")


def time_figure(results, which):
    number, column, axis = FIGURES[which]
    data = results["sweeps"][which]
    script = STYLE
    for key in ("paper", "ours"):
        script += block(key, [[row["x" if column == "n" else column]] + [1e3 * row[f"{key}_{what}"]
                              for what in ("s", "min_s", "max_s")] for row in data["rows"]])
    script += "set samples 100\nset multiplot layout 1,2 title " + quoted(
        f"As figure {number} of Boulos et al. 2012: 50 openings, {results['machine']['gpu']}") + " textcolor rgb ink\n"
    script += panel("paper", "the paper’s kernel", ORANGE, data["fit"]["paper"], which, axis)
    script += panel("ours", "tamis", BLUE, data["fit"]["ours"], which, axis)
    return number, script + "unset multiplot\n"


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


def quoted(text):
    return "'" + text.replace("'", "''") + "'"


def draw(path, folder):
    results = json.loads(path.read_text())
    sweeps = results.get("sweeps", {})
    figures = [time_figure(results, which) for which in FIGURES if which in sweeps]
    figures += [speedup_figure(results)] if "openings" in sweeps else []
    folder.mkdir(parents=True, exist_ok=True)
    for number, script in figures:
        image = folder / f"granulometry_gpu_figure_{number}.svg"
        done = subprocess.run(["gnuplot"], input=f"set output {quoted(str(image))}\n" + script, text=True,
                              capture_output=True)
        if done.returncode != 0 or "warning" in done.stderr:
            sys.exit(f"gnuplot, {image.name}: {done.stderr.strip()}")
        print(image)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=Path, default=BIN, help="where tamis and granulometry_gpu_bench are")
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder for granulometry_<gpu>.json")
    parser.add_argument("--name", help="instead of the name of the GPU in that")
    parser.add_argument("--images", type=Path, help="folder for the figures; default: docs/images, or that of --out")
    parser.add_argument("--scratch", type=Path, help="folder for volumes of 1 GiB; default: the system's")
    parser.add_argument("--large", action="store_true", help="2048^3 too: 20 GiB of host memory, 100 GiB on the GPU")
    parser.add_argument("--plots-only", metavar="JSON", type=Path, nargs="?", const=True,
                        help="measure nothing; draw a file of results, or the only one in --out")
    arguments = parser.parse_args()
    in_repository = arguments.out.resolve() == (ROOT / "bench/results").resolve()
    images = arguments.images or (ROOT / "docs/images" if in_repository else arguments.out)
    if arguments.plots_only:
        draw(results_file(arguments), images)
        return
    if not (arguments.bin / "granulometry_gpu_bench").exists():
        sys.exit(f"{arguments.bin} has no granulometry_gpu_bench; wanted the programs of a build with CUDA (--bin)")
    path = measure(arguments)
    print(path)
    if shutil.which("gnuplot"):
        draw(path, images)
    else:
        say("gnuplot is not installed: no figures; --plots-only draws them elsewhere")


def results_file(arguments):
    if not shutil.which("gnuplot"):
        sys.exit("gnuplot is not installed; wanted for --plots-only")
    if arguments.plots_only is not True:
        return arguments.plots_only
    found = [path for path in sorted(arguments.out.glob("granulometry_*.json")) if "sweeps" in path.read_text()]
    if len(found) != 1:
        sys.exit(f"{arguments.out}: {len(found)} files of GPU results; wanted one, or its name after --plots-only")
    return found[0]


if __name__ == "__main__":
    main()
