#!/usr/bin/env python3
"""Openings on a GPU against a copy of the same bytes, CuPy and NPP; see README.md.

Needs NumPy and a build with CUDA; CuPy and NPP take part where they are installed."""

import sys
import time
from pathlib import Path

sys.path[0] = str(Path(__file__).resolve().parents[1])
from harness import (EDGE, Peers, call_program, compared, gpu_parser, new_results, noise,  # noqa: E402
                     rows_of_program, save, say, show_or_measure, with_cupy)

PROGRAM = "morphology_gpu_bench"
# Type, elements, edge of a volume or images of EDGE^2, and who takes part. Masks and the longest windows, which peers
# look up sample by sample, on one image.
PEER_CASES = [
    ("u8", ["square:3", "square:7", "square:15"], 8, ["cupy", "npp"]),
    ("u8", ["square:3", "square:15"], 1, ["cupy", "npp"]),  # one image stays in the L2 of a large GPU
    ("f32", ["square:3", "square:15"], 2, ["cupy", "npp"]),
    ("u16", ["square:3", "square:15"], 4, ["cupy", "npp"]),
    ("u8", ["disk:15", "disk:5", "line:41@30"], 1, ["cupy"]),
    ("bool", ["cross:1", "cube:3", "cube:15"], "1024^3", ["cupy"]),
    ("u8", ["cube:5", "cube:15", "ball:5"], "512^3", ["cupy"]),
    ("u8", ["square:41"], 1, ["cupy", "npp"]),
    ("f32", ["square:41"], 1, ["cupy", "npp"]),
    ("u8", ["square:201"], 1, ["cupy"]),
    ("f32", ["square:7", "square:201"], 1, ["cupy"]),
    ("u16", ["square:7", "square:41", "square:201"], 1, ["cupy"]),
]


# ---- ours -----------------------------------------------------------------------------------------------------------


def ours(arguments):
    """The machine and a row a case, from the program, as it prints them."""
    machine, rows = {}, []

    def take(line):
        if "machine" in line:
            machine.update(line["machine"])
            return
        rows.append(line)
        say(f"{line['type']:5} {line['element']:12} {line['opening']['median_ms']:9.4f} ms "
            f"{line['opening']['gpx_per_s']:8.1f} Gpx/s, {line['times_copy']:.2f} times a copy")

    words = ["--check", "--repetitions", arguments.repetitions, *(["--only", arguments.only] if arguments.only else [])]
    if code := rows_of_program(arguments.bin / PROGRAM, *words, take=take):
        sys.exit(f"{PROGRAM}: exit code {code}")
    return machine, rows


# ---- peers ----------------------------------------------------------------------------------------------------------


class Openings:
    """Openings by the peers, until the time is over."""

    def __init__(self, programs, folder, seconds, results):
        self.programs, self.folder, self.end = programs, folder, time.perf_counter() + seconds
        self.peers = Peers(results)

    def mask(self, element):
        import numpy

        if element.startswith("cross"):  # the program's mask is that for images; here it is one for volumes
            reach = int(element.partition(":")[2])
            return numpy.abs(numpy.indices((2 * reach + 1,) * 3) - reach).sum(axis=0) <= reach
        path = self.folder / "mask.npy"
        call_program(self.programs / "tamis", "element", element, path)
        return numpy.load(path) != 0

    def answer(self, image_path, element, stack):
        import numpy

        out = self.folder / "answer.npy"
        call_program(self.programs / "tamis", "open", image_path, out, "--element", element, "--device", "cuda",
                     "--quiet", *(["--batch"] if stack else []))
        return numpy.load(out)

    def group(self, kind, elements, size, names):
        """Cases on one image; those for which no time is left are named."""
        import numpy

        if self.late(kind, elements, names):
            return
        image, path = noise(kind, size), self.folder / "image.npy"
        numpy.save(path, image)
        for element in elements:
            if not self.late(kind, [element], names):
                self.case(kind, element, size, names, image, path)

    def late(self, kind, elements, names):
        if time.perf_counter() < self.end:
            return False
        for element in elements:
            self.peers.leave_out(f"{kind} {element}: {', '.join(names)}", "no time left")
        return True

    def case(self, kind, element, size, names, image, path):
        from morphology.gpu_peers import PEERS

        boxes = element.startswith(("square", "cube"))
        mask = None if boxes else self.mask(element)
        wanted = self.answer(path, element, stack=not isinstance(size, str) and size > 1)
        shape = size if isinstance(size, str) else f"{size} x {EDGE}^2"
        for name in names:
            self.peers.time(f"{kind:5} {element:12}", name,
                            lambda: compared(PEERS[name](image, element, mask), wanted),
                            type=kind, element=element, image=shape)


# ---- results --------------------------------------------------------------------------------------------------------


def images_of(row):
    z, _, x = row["shape_zyx"]
    return f"{z} x {x}^2" if row["stack"] else f"{row['volumes']} x {x}^3"


def table(results):
    machine = results["machine"]
    lines = [f"Openings, device memory to device memory, {machine['gpu']}, {results['date']}; peers in Gpx/s, and how "
             "many times as fast tamis is.", "",
             "| type | element | images | ms | Gpx/s | copy, Gpx/s | times a copy | CuPy | NPP |",
             "|---|---|---|---:|---:|---:|---:|---:|---:|"]
    slowest_first = sorted(results.get("peers", []), key=lambda row: row["gpx_per_s"])
    peers = {(row["peer"], row["type"], row["element"]): row for row in slowest_first}  # so that the best one stays
    for row in results["tamis"]:
        cells = [row["type"], row["element"], images_of(row), f"{row['opening']['median_ms']:.3f}",
                 f"{row['opening']['gpx_per_s']:.0f}", f"{row['copy']['gpx_per_s']:.0f}", f"{row['times_copy']:.2f}"]
        for name in ("cupy", "npp"):
            peer = peers.get((name, row["type"], row["element"]))
            cells.append(f"{peer['gpx_per_s']:.3g} ({row['opening']['gpx_per_s'] / peer['gpx_per_s']:.0f} x)"
                         if peer else "")
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def measure(arguments):
    machine, rows = ours(arguments)
    results = new_results(machine, tamis=rows)
    save(arguments, "morphology", results)

    def run_peers(folder):
        openings = Openings(arguments.bin, folder, arguments.peers_seconds, results)
        for kind, elements, size, names in PEER_CASES:
            chosen = [element for element in elements if f"{kind} {element}".startswith(arguments.only)]
            if chosen:
                openings.group(kind, chosen, size, names)
                save(arguments, "morphology", results)

    if arguments.peers_seconds > 0:
        with_cupy(arguments, results, run_peers)
    return save(arguments, "morphology", results)


def main():
    parser = gpu_parser(__doc__, "morphology", PROGRAM)
    parser.add_argument("--repetitions", type=int, default=11)
    parser.add_argument("--only", default="", help='cases whose name begins so: "u8 square", "bool"')
    parser.add_argument("--peers-seconds", type=float, default=60, help="no peer's case begins later; 0: no peers")
    parser.add_argument("--scratch", type=Path, help="folder for images of 1 GiB; default: the system's")
    show_or_measure(parser.parse_args(), PROGRAM, table, measure)


if __name__ == "__main__":
    main()
