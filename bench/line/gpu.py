#!/usr/bin/env python3
"""Openings along lines on a GPU: rates, sweeps over angles, frames, and CuPy and NPP in the same run; see README.md.

Needs NumPy and a build with CUDA; CuPy and NPP take part where they are installed."""

import argparse
import json
import platform
import subprocess
import sys
import tempfile
import time
from datetime import date
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
IN_BUNDLE = (ROOT / "bin").is_dir()  # the repository has it in build/
sys.path[0] = str(ROOT / "bench")
from morphology.gpu import call_program, cpu_name, noise, save, say, times  # noqa: E402

# Type, lengths, angles and who takes part, on one image of 4096^2. Peers look up sample by sample.
PEER_CASES = [
    ("u8", (41,), (0, 45, 90, 30), ("cupy", "npp")),
    ("f32", (41,), (0, 45), ("cupy", "npp")),
    ("u16", (41,), (45,), ("cupy", "npp")),
    ("u8", (255,), (0, 45), ("cupy", "npp")),
    ("f32", (255,), (45,), ("cupy",)),
]


def describe(row):
    if row["part"] == "openings":
        return (f"{row['type']:4} {row['lines']:9} {row['length']:4} {row['gpx_per_s']:8.1f} Gpx/s "
                f"({row['slowest_gpx_per_s']:.0f} to {row['fastest_gpx_per_s']:.0f}), "
                f"{row['times_copy']:.2f} times a copy")
    if row["part"] == "sweeps":
        return (f"{row['case']:12} {row['traced']['median_ms']:.3f} ms on the device, "
                f"{row['call_traced']['median_ms']:.3f} from and to the host")
    return f"frames of {row['shape_yx']}: {row['times_bus']:.3f} times the bus alone"


def ours(arguments):
    """The machine and the rows of the program, as it prints them."""
    words = [arguments.bin / "line_gpu_bench", "--repetitions", arguments.repetitions]
    words += ["--only", arguments.only] if arguments.only else []
    machine, rows = None, []
    with subprocess.Popen([str(word) for word in words], stdout=subprocess.PIPE, text=True) as program:
        for line in map(json.loads, program.stdout):
            if "machine" in line:
                machine = line["machine"]
            else:
                rows.append(line)
                say(describe(line))
    if program.returncode != 0:
        sys.exit(f"line_gpu_bench: exit code {program.returncode}")
    return machine, rows


# ---- peers ----------------------------------------------------------------------------------------------------------


def answer(arguments, folder, element):
    """The mask of an element, and our opening by it of the image in the folder."""
    import numpy

    mask, out = folder / "mask.npy", folder / "answer.npy"
    call_program(arguments.bin / "tamis", "element", element, mask)
    call_program(arguments.bin / "tamis", "open", folder / "image.npy", out, "--element", element, "--device", "cuda",
                 "--quiet")
    return numpy.load(mask) != 0, numpy.load(out)


def compared(made, wanted):
    """Times, if the peer is here and gives our answer."""
    import numpy

    if made is None:
        raise RuntimeError("not installed")
    call, get, margin = made
    call()
    inside = (slice(margin, -margin or None),) * 2
    if not numpy.array_equal(get()[inside], wanted[inside]):
        raise RuntimeError("another answer than tamis, not timed")
    return times(call, wanted.size)


def run_peers(arguments, folder, end, rows, left_out):
    import numpy

    from line.gpu_peers import PEERS

    for kind, lengths, angles, names in PEER_CASES:
        image = noise(kind, 1)
        numpy.save(folder / "image.npy", image)
        for element in [f"line:{length}@{angle}" for length in lengths for angle in angles]:
            if time.perf_counter() > end:
                left_out.append(f"{kind} {element}: no time left")
                continue
            mask, wanted = answer(arguments, folder, element)
            for name in names:
                try:
                    measured = compared(PEERS[name](image, mask), wanted)
                except Exception as error:  # what a peer refuses, of whatever class, is no reason to lose the rest
                    left_out.append(f"{kind} {element}: {name}: {' '.join(str(error).split())[:200]}")
                    say(f"left out: {left_out[-1]}")
                    continue
                rows.append({"peer": name, "type": kind, "element": element, "image": "4096^2", **measured})
                say(f"{kind:4} {element:12} {measured['gpx_per_s']:8.2f} Gpx/s, {name}")


def with_peers(arguments, results):
    try:
        import cupy
    except ImportError:
        say("CuPy is not installed: the peers are left out")
        return
    results["cupy"] = cupy.__version__
    results["peers"], results["left_out"] = [], []
    with tempfile.TemporaryDirectory(dir=arguments.scratch) as folder:
        run_peers(arguments, Path(folder), time.perf_counter() + arguments.peers_seconds, results["peers"],
                  results["left_out"])


# ---- results --------------------------------------------------------------------------------------------------------


def openings_table(rows):
    lines = ["| type | lines | length | Gpx/s, mean over angles | slowest | fastest | copy | times a copy |",
             "|---|---|---:|---:|---:|---:|---:|---:|"]
    for row in rows:
        lines.append(f"| {row['type']} | {row['lines']} | {row['length']} | {row['gpx_per_s']:.0f} | "
                     f"{row['slowest_gpx_per_s']:.0f} | {row['fastest_gpx_per_s']:.0f} | "
                     f"{row['copy']['gpx_per_s']:.0f} | {row['times_copy']:.2f} |")
    return lines


def sweeps_table(rows):
    calls = ("traced", "call_traced", "call_invariant", "call_traced_cpu")
    lines = ["| sweep, ms | traced, on the device | traced, host to host | invariant, host to host | traced, CPU |",
             "|---|---:|---:|---:|---:|"]
    for row in rows:
        height, width = row["shape_yx"]
        lines.append(f"| {row['angles']} x {width} x {height}, length {row['length']} | "
                     + " | ".join(f"{row[call]['median_ms']:.3g}" for call in calls) + " |")
    return lines


def table(results):
    machine = results["machine"]
    part = lambda name: [row for row in results["tamis"] if row["part"] == name]  # noqa: E731
    lines = [f"Openings along lines, {machine['gpu']}, {results['date']}", "", *openings_table(part("openings")), "",
             *sweeps_table(part("sweeps")), "", "| frames, u8 | ms | bus alone, ms |", "|---|---:|---:|"]
    for row in part("frames"):
        height, width = row["shape_yx"]
        lines.append(f"| {width} x {height} | {row['filter']['median_ms']:.3f} | {row['bus']['median_ms']:.3f} |")
    if results.get("peers"):
        lines += ["", "| translation-invariant, peers | type | Gpx/s |", "|---|---|---:|"]
        lines += [f"| {row['peer']} {row['element']} | {row['type']} | {row['gpx_per_s']:.3g} |"
                  for row in results["peers"]]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=Path, default=ROOT / ("bin" if IN_BUNDLE else "build/bin"),
                        help="where tamis and line_gpu_bench are")
    parser.add_argument("--out", type=Path, default=Path.cwd() if IN_BUNDLE else ROOT / "bench/results",
                        help="folder for line_<gpu>.json")
    parser.add_argument("--name", help="instead of the name of the GPU in that")
    parser.add_argument("--repetitions", type=int, default=7)
    parser.add_argument("--only", default="", help='ours whose name begins so: "openings u8 traced", "sweeps"')
    parser.add_argument("--peers-seconds", type=float, default=20, help="no peer's case begins later; 0: no peers")
    parser.add_argument("--scratch", type=Path, help="folder for images; default: the system's")
    parser.add_argument("--show", type=Path, metavar="JSON", help="measure nothing: the tables of these results")
    arguments = parser.parse_args()
    if arguments.show:
        print(table(json.loads(arguments.show.read_text())))
        return
    if not (arguments.bin / "line_gpu_bench").exists():
        sys.exit(f"{arguments.bin} has no line_gpu_bench; wanted the programs of a build with CUDA (--bin)")
    machine, rows = ours(arguments)
    results = {"date": date.today().isoformat(), "machine": machine, "processor": cpu_name(),
               "system": platform.platform(), "tamis": rows}
    save(arguments, "line", results)
    if arguments.peers_seconds > 0:
        with_peers(arguments, results)
    path = save(arguments, "line", results)
    print(table(results))
    say(path)


if __name__ == "__main__":
    main()
