#!/usr/bin/env python3
"""Openings on a GPU against a copy of the same bytes, CuPy and NPP; see README.md.

Needs NumPy and a build with CUDA; CuPy and NPP take part where they are installed."""

import argparse
import json
import platform
import re
import statistics
import subprocess
import sys
import tempfile
import time
from datetime import date
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
IN_BUNDLE = (ROOT / "bin").is_dir()  # the repository has it in build/

EDGE = 4096
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


def say(text):
    print(text, file=sys.stderr, flush=True)


def call_program(path, *words):
    done = subprocess.run([str(path), *map(str, words)], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{path.name} {' '.join(map(str, words))}: {done.stderr.strip() or f'exit code {done.returncode}'}")


# ---- ours -----------------------------------------------------------------------------------------------------------


def ours(arguments):
    """The machine and a row a case, from the program, as it prints them."""
    words = [arguments.bin / "morphology_gpu_bench", "--check", "--repetitions", arguments.repetitions]
    words += ["--only", arguments.only] if arguments.only else []
    machine, rows = None, []
    with subprocess.Popen([str(word) for word in words], stdout=subprocess.PIPE, text=True) as program:
        for line in map(json.loads, program.stdout):
            if "machine" in line:
                machine = line["machine"]
                continue
            rows.append(line)
            say(f"{line['type']:5} {line['element']:12} {line['opening']['median_ms']:9.4f} ms "
                f"{line['opening']['gpx_per_s']:8.1f} Gpx/s, {line['times_copy']:.2f} times a copy")
    if program.returncode != 0:
        sys.exit(f"morphology_gpu_bench: exit code {program.returncode}")
    return machine, rows


# ---- peers ----------------------------------------------------------------------------------------------------------


def noise(kind, size):
    """As the program's: whole numbers from 0 to 65535 for f32, 7 bits in 8 set."""
    import numpy

    if isinstance(size, str):
        shape = (int(size.partition("^")[0]),) * 3
    else:
        shape = (size, EDGE, EDGE) if size > 1 else (EDGE, EDGE)
    count = int(numpy.prod(shape, dtype=numpy.int64))
    random = numpy.random.default_rng(7)
    if kind in ("u8", "bool"):
        samples = numpy.frombuffer(random.bytes(count), numpy.uint8)
        return (samples if kind == "u8" else samples < 224).reshape(shape)
    samples = numpy.frombuffer(random.bytes(2 * count), numpy.uint16)
    return samples.astype(numpy.uint16 if kind == "u16" else numpy.float32).reshape(shape)


def on_gpu(call, calls):
    """Milliseconds of one of so many calls."""
    import cupy

    start, stop = cupy.cuda.Event(), cupy.cuda.Event()
    start.record()
    for _ in range(calls):
        call()
    stop.record()
    stop.synchronize()
    return cupy.cuda.get_elapsed_time(start, stop) / calls


def times(call, samples):
    """Medians of up to 7 batches of 2 ms and more, of as many as fit into a second, of one at least."""
    once = on_gpu(call, 1)
    calls = max(1, int(2 / max(once, 1e-3)))
    batches = min(max(int(1000 / (once * calls)), 1), 7)
    each = [on_gpu(call, calls) for _ in range(batches)]
    median = statistics.median(each)
    return {"median_ms": median, "min_ms": min(each), "max_ms": max(each), "batches": batches,
            "gpx_per_s": samples / median / 1e6}


class Peers:
    def __init__(self, programs, folder, seconds):
        self.programs, self.folder, self.end = programs, Path(folder), time.perf_counter() + seconds
        self.rows, self.left_out = [], []

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
        self.left_out += [f"{kind} {element}: {', '.join(names)}: no time left" for element in elements]
        return True

    def case(self, kind, element, size, names, image, path):
        from gpu_peers import PEERS

        boxes = element.startswith(("square", "cube"))
        mask = None if boxes else self.mask(element)
        wanted = self.answer(path, element, stack=not isinstance(size, str) and size > 1)
        for name in names:
            try:
                measured = compared(PEERS[name](image, element, mask), wanted)
            except Exception as error:  # what a peer refuses, of whatever class, is no reason to lose the rest
                self.left_out.append(f"{kind} {element}: {name}: {' '.join(str(error).split())[:200]}")
                say(f"left out: {self.left_out[-1]}")
                continue
            shape = size if isinstance(size, str) else f"{size} x {EDGE}^2"
            self.rows.append({"peer": name, "type": kind, "element": element, "image": shape, **measured})
            say(f"{kind:5} {element:12} {measured['median_ms']:9.4f} ms {measured['gpx_per_s']:8.1f} Gpx/s, {name}, "
                f"{shape}")


def compared(made, wanted):
    """Times, if the peer is here and gives our answer."""
    import numpy

    if made is None:
        raise RuntimeError("not installed")
    call, answer = made
    call()
    if not numpy.array_equal(answer(), wanted):
        raise RuntimeError("another answer than tamis, not timed")
    return times(call, wanted.size)


def with_peers(arguments, results):
    try:
        import cupy
    except ImportError:
        say("CuPy is not installed: the peers are left out")
        return
    results["cupy"] = cupy.__version__
    with tempfile.TemporaryDirectory(dir=arguments.scratch) as folder:
        peers = Peers(arguments.bin, folder, arguments.peers_seconds)
        results["peers"], results["left_out"] = peers.rows, peers.left_out
        for kind, elements, size, names in PEER_CASES:
            chosen = [element for element in elements if f"{kind} {element}".startswith(arguments.only)]
            if chosen:
                peers.group(kind, chosen, size, names)
                save(arguments, "morphology", results)


# ---- results --------------------------------------------------------------------------------------------------------


def rounded(value):
    """Five digits: more than any time here repeats."""
    if isinstance(value, float):
        return float(f"{value:.5g}")
    if isinstance(value, dict):
        return {key: rounded(item) for key, item in value.items()}
    return [rounded(item) for item in value] if isinstance(value, list) else value


def text_of(results):
    """JSON with a line a row."""
    items = []
    for key, value in rounded(results).items():
        rows = isinstance(value, list) and value
        text = "[\n" + ",\n".join("  " + json.dumps(row) for row in value) + "\n ]" if rows else json.dumps(value)
        items.append(f" {json.dumps(key)}: {text}")
    return "{\n" + ",\n".join(items) + "\n}\n"


def save(arguments, what, results):
    """To the file of `what` on this GPU, or CPU; says which."""
    name = arguments.name or re.sub(r"[^a-z0-9]+", "_", results["machine"].get("gpu", "cpu").lower()).strip("_")
    arguments.out.mkdir(parents=True, exist_ok=True)
    path = arguments.out / f"{what}_{name}.json"
    path.write_text(text_of(results))
    return path


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


def cpu_name():
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.machine())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=Path, default=ROOT / ("bin" if IN_BUNDLE else "build/bin"),
                        help="where tamis and morphology_gpu_bench are")
    parser.add_argument("--out", type=Path, default=Path.cwd() if IN_BUNDLE else ROOT / "bench/results",
                        help="folder for morphology_<gpu>.json")
    parser.add_argument("--name", help="instead of the name of the GPU in that")
    parser.add_argument("--repetitions", type=int, default=11)
    parser.add_argument("--only", default="", help='cases whose name begins so: "u8 square", "bool"')
    parser.add_argument("--peers-seconds", type=float, default=60, help="no peer's case begins later; 0: no peers")
    parser.add_argument("--scratch", type=Path, help="folder for images of 1 GiB; default: the system's")
    parser.add_argument("--show", type=Path, metavar="JSON", help="measure nothing: the table of these results")
    arguments = parser.parse_args()
    if arguments.show:
        print(table(json.loads(arguments.show.read_text())))
        return
    if not (arguments.bin / "morphology_gpu_bench").exists():
        sys.exit(f"{arguments.bin} has no morphology_gpu_bench; wanted the programs of a build with CUDA (--bin)")
    machine, rows = ours(arguments)
    results = {"date": date.today().isoformat(), "machine": machine, "processor": cpu_name(),
               "system": platform.platform(), "tamis": rows}
    path = save(arguments, "morphology", results)
    if arguments.peers_seconds > 0:
        with_peers(arguments, results)
        save(arguments, "morphology", results)
    print(table(results))
    say(path)


if __name__ == "__main__":
    main()
