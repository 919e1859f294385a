#!/usr/bin/env python3
"""Openings along lines on a GPU: rates, sweeps over angles, frames, and CuPy and NPP in the same run; see README.md.

Needs NumPy and a build with CUDA; CuPy and NPP take part where they are installed."""

import sys
import time
from pathlib import Path

sys.path[0] = str(Path(__file__).resolve().parents[1])
from harness import (Peers, call_program, compared, gpu_parser, new_results, noise, rows_of_program,  # noqa: E402
                     save, say, show_or_measure, with_cupy)

PROGRAM = "line_gpu_bench"

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
    machine, rows = {}, []

    def take(line):
        if "machine" in line:
            machine.update(line["machine"])
        else:
            rows.append(line)
            say(describe(line))

    words = ["--repetitions", arguments.repetitions, *(["--only", arguments.only] if arguments.only else [])]
    if code := rows_of_program(arguments.bin / PROGRAM, *words, take=take):
        sys.exit(f"{PROGRAM}: exit code {code}")
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


def run_peers(arguments, folder, end, results):
    import numpy

    from line.gpu_peers import PEERS

    peers = Peers(results)
    for kind, lengths, angles, names in PEER_CASES:
        image = noise(kind, 1)
        numpy.save(folder / "image.npy", image)
        for element in [f"line:{length}@{angle}" for length in lengths for angle in angles]:
            case = f"{kind:4} {element:12}"
            if time.perf_counter() > end:
                peers.leave_out(case, "no time left")
                continue
            mask, wanted = answer(arguments, folder, element)
            for name in names:
                peers.time(case, name, lambda: compared(PEERS[name](image, mask), wanted), type=kind,
                           element=element, image="4096^2")


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


def measure(arguments):
    machine, rows = ours(arguments)
    results = new_results(machine, tamis=rows)
    save(arguments, "line", results)
    if arguments.peers_seconds > 0:
        end = time.perf_counter() + arguments.peers_seconds
        with_cupy(arguments, results, lambda folder: run_peers(arguments, folder, end, results))
    return save(arguments, "line", results)


def main():
    parser = gpu_parser(__doc__, "line", PROGRAM)
    parser.add_argument("--repetitions", type=int, default=7)
    parser.add_argument("--only", default="", help='ours whose name begins so: "openings u8 traced", "sweeps"')
    parser.add_argument("--peers-seconds", type=float, default=20, help="no peer's case begins later; 0: no peers")
    parser.add_argument("--scratch", type=Path, help="folder for images; default: the system's")
    show_or_measure(parser.parse_args(), PROGRAM, table, measure)


if __name__ == "__main__":
    main()
