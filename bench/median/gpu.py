#!/usr/bin/env python3
"""Medians on a GPU: rates, frames, and CuPy and NPP in the same run; see README.md.

Needs NumPy and a build with CUDA; CuPy and NPP take part where they are installed."""

import sys
import time
from pathlib import Path

sys.path[0] = str(Path(__file__).resolve().parents[1])
from harness import (Peers, call_program, compared, gpu_parser, new_results, noise, rows_of_program,  # noqa: E402
                     save, say, show_or_measure, with_cupy)

PROGRAM = "median_gpu_bench"

SHARE_OF_OURS = 0.6  # of the seconds; the rest is for peers

# Type, windows, images of 4096^2 or the edge of a volume, and who takes part. Most important first. One image stays in
# the L2 of a large GPU; the table has the best rate of each peer.
PEER_CASES = [
    ("u8", ["square:3", "square:5", "square:7", "square:15"], 1, ["cupy", "npp"]),
    ("f32", ["square:3", "square:5", "square:7", "square:15"], 1, ["cupy", "npp"]),
    ("u16", ["square:3", "square:5", "square:7", "square:15"], 1, ["cupy", "npp"]),
    ("u8", ["cube:3", "cube:5"], "512^3", ["cupy"]),
    ("u8", ["square:3"], 16, ["cupy", "npp"]),
    ("f32", ["square:3"], 4, ["cupy", "npp"]),
    ("u16", ["square:3"], 8, ["cupy", "npp"]),
    ("u8", ["square:9", "square:11"], 1, ["cupy", "npp"]),
    ("u8", ["square:5 percentile:30", "disk:7"], 1, ["cupy"]),
    ("u8", ["square:31"], 1, ["npp"]),
]


def case_name(row):
    """As the program and PEER_CASES have it, without what is the default."""
    words = [row["window"]]
    words += [f"percentile:{row['percentile']:.0f}"] if row.get("percentile", 50) != 50 else []
    words += [row["border"]] if row.get("border", "reflect") != "reflect" else []
    return " ".join(words + (["smooth image"] if row.get("image") == "smooth" else []))


def describe(row):
    if row["part"] == "rates":
        return (f"{row['type']:4} {case_name(row):34} {row['median']['gpx_per_s']:9.2f} Gpx/s, "
                f"{row['times_copy']:.2f} times a copy")
    return (f"frames {row['type']} {row['window']} {row['shape_yx']}: {row['frames']['median_ms']:.3f} ms, "
            f"{row['times_slower_one']:.3f} times the slower of bus and median")


# ---- ours -----------------------------------------------------------------------------------------------------------


def ours(arguments, seconds, results):
    """The machine and the rows of the program, as it prints them. A case that fails does not end it."""

    def take(line):
        if "machine" in line:
            results.update(line)
        elif "left_out" in line:
            results["left_out"].append(line["left_out"])
            say(f"left out: {line['left_out']}")
        else:
            results["tamis"].append(line)
            say(describe(line))

    words = ["--repetitions", arguments.repetitions, "--seconds", seconds,
             *(["--only", arguments.only] if arguments.only else [])]
    code = rows_of_program(arguments.bin / PROGRAM, *words, take=take)
    if not results["machine"]:
        sys.exit(f"{PROGRAM}: exit code {code}")
    return code == 0


# ---- peers ----------------------------------------------------------------------------------------------------------


class Medians:
    """Medians of the peers, until the time is over."""

    def __init__(self, arguments, folder, end, results):
        self.programs, self.folder, self.end, self.peers = arguments.bin, folder, end, Peers(results)

    def group(self, kind, windows, size, names):
        """Cases on one image."""
        import numpy

        for window in windows:
            if time.perf_counter() > self.end:
                self.peers.leave_out(f"{kind} {window}", "no time left")
                continue
            if window == windows[0]:
                image = noise(kind, size)
                numpy.save(self.folder / "image.npy", image)
            self.case(kind, window, size, names, image)

    def case(self, kind, text, size, names, image):
        from median.gpu_peers import PEERS

        element, _, percentile = text.partition(" percentile:")
        window = self.window(element, int(percentile or 50))
        wanted = self.answer(element, window.percentile, stack=not isinstance(size, str) and size > 1)
        shape = size if isinstance(size, str) else f"{size} x 4096^2"
        for name in names:
            self.peers.time(f"{kind:4} {text:34}", name, lambda: compared(PEERS[name](image, window), wanted),
                            type=kind, window=text, image=shape)

    def window(self, element, percentile):
        import numpy

        from median.gpu_peers import Window

        shape, _, size = element.partition(":")
        rank = 3 if shape == "cube" else 2
        if shape in ("square", "cube"):
            return Window(rank=rank, edge=int(size), percentile=percentile)
        path = self.folder / "mask.npy"
        call_program(self.programs / "tamis", "element", element, path)
        return Window(rank=rank, mask=numpy.load(path) != 0, percentile=percentile)

    def answer(self, element, percentile, stack):
        import numpy

        out = self.folder / "answer.npy"
        call_program(self.programs / "tamis", "median", self.folder / "image.npy", out, "--element", element,
                     "--percentile", percentile, "--device", "cuda", "--quiet", *(["--batch"] if stack else []))
        return numpy.load(out)


# ---- results --------------------------------------------------------------------------------------------------------


def images_of(row):
    z, _, x = row["shape_zyx"]
    return f"{row['volumes']} x {x}^3" if row["window"].startswith("cube") else f"{z} x {x}^2"


def rates_table(results):
    slowest_first = sorted(results.get("peers", []), key=lambda row: row["gpx_per_s"])
    peers = {(row["peer"], row["type"], row["window"]): row for row in slowest_first}  # so that the best one stays
    lines = ["| window | type | images | Gpx/s | copy, Gpx/s | times a copy | CuPy | NPP |",
             "|---|---|---|---:|---:|---:|---:|---:|"]
    for row in results["tamis"]:
        if row["part"] != "rates":
            continue
        own = row["median"]["gpx_per_s"]
        cells = [case_name(row), row["type"], images_of(row), f"{own:.3g}", f"{row['copy']['gpx_per_s']:.0f}",
                 f"{row['times_copy']:.2f}"]
        for name in ("cupy", "npp"):
            peer = peers.get((name, row["type"], case_name(row)))
            cells.append(f"{peer['gpx_per_s']:.3g} ({own / peer['gpx_per_s']:.3g} x)" if peer else "")
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def frames_table(results):
    lines = ["| frames | window | type | ms | bus alone | median alone | times the slower |",
             "|---|---|---|---:|---:|---:|---:|"]
    for row in results["tamis"]:
        if row["part"] != "frames":
            continue
        height, width = row["shape_yx"]
        lines.append(f"| {width} x {height} | {row['window']} | {row['type']} | {row['frames']['median_ms']:.3f} | "
                     f"{row['bus']['median_ms']:.3f} | {row['on_device']['median_ms']:.3f} | "
                     f"{row['times_slower_one']:.3f} |")
    return lines


def table(results):
    lines = [f"Medians, device memory to device memory, {results['machine']['gpu']}, {results['date']}; peers in "
             "Gpx/s, and how many times as fast tamis is.", "", *rates_table(results)]
    if any(row["part"] == "frames" for row in results["tamis"]):
        lines += ["", "Frames from page-locked memory and back, three in flight, ms a frame.", "",
                  *frames_table(results)]
    if results["left_out"]:
        lines += ["", "Left out: " + "; ".join(results["left_out"]) + "."]
    return "\n".join(lines)


def measure(arguments):
    end = time.perf_counter() + arguments.seconds
    results = new_results(cupy=None, tamis=[], peers=[], left_out=[])
    all_well = ours(arguments, arguments.seconds * (1 if arguments.no_peers else SHARE_OF_OURS), results)
    save(arguments, "median", results)

    def run_peers(folder):
        medians = Medians(arguments, folder, end, results)
        for group in PEER_CASES:
            medians.group(*group)
            save(arguments, "median", results)

    if not arguments.no_peers:
        with_cupy(arguments, results, run_peers)
    path = save(arguments, "median", results)
    if not all_well:
        print(table(results))
        sys.exit(f"some of our cases failed: see what is left out in {path}")
    return path


def main():
    parser = gpu_parser(__doc__, "median", PROGRAM)
    parser.add_argument("--repetitions", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=130, help="no case begins later, ours or a peer's")
    parser.add_argument("--only", default="", help='ours whose name begins so: "rates u8 square", "frames"')
    parser.add_argument("--no-peers", action="store_true")
    parser.add_argument("--scratch", type=Path, help="folder for images; default: the system's")
    show_or_measure(parser.parse_args(), PROGRAM, table, measure)


if __name__ == "__main__":
    main()
