#!/usr/bin/env python3
"""A filter from file to file under a limit of memory, against the same with memory to spare."""

import argparse
import statistics
import sys
import tempfile
from pathlib import Path

import numpy

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import harness  # noqa: E402

FILTERS = [("open", "ball:3"), ("median", "3x3x3")]


def make_volume(path, edge, slices):
    """Noise, of which a block comes again and again: what it holds does not matter to these filters."""
    block = numpy.random.default_rng(1).integers(0, 256, (16, edge, edge), numpy.uint8)
    with open(path, "wb") as file:
        for z in range(0, slices, 16):
            file.write(block[: min(16, slices - z)].tobytes())


def same_files(a, b):
    piece = 64 << 20
    with open(a, "rb") as first, open(b, "rb") as second:
        while True:
            x, y = first.read(piece), second.read(piece)
            if x != y:
                return False
            if not x:
                return True


def measure(folder, edge, slices, mib, times):
    volume = folder / f"v_{edge}x{edge}x{slices}_u8.raw"
    make_volume(volume, edge, slices)
    for name, setting in FILTERS:
        seconds = {"memory": [], "slabs": []}
        facts = {}
        for _ in range(times):
            for way in seconds:
                rows = []
                out = folder / f"{way}.raw"
                out.unlink(missing_ok=True)
                harness.rows_of_program(harness.BIN / "slabs_bench", way, name, setting, volume, out, mib, take=rows.append)
                seconds[way].append(rows[0]["seconds"])
                facts[way] = rows[0]
        if not same_files(folder / "memory.raw", folder / "slabs.raw"):
            sys.exit(f"{name} {setting}: slabs give another file")
        yield {
            "filter": f"{name} {setting}", "volume": f"{edge}x{edge}x{slices} u8", "memory_limit_mib": mib,
            "in_memory_s": statistics.median(seconds["memory"]), "in_slabs_s": statistics.median(seconds["slabs"]),
            "ratio": statistics.median(b / a for a, b in zip(seconds["memory"], seconds["slabs"])),
            "slabs": facts["slabs"]["slabs"], "peak_mib_in_memory": facts["memory"]["peak_mib"],
            "peak_mib_in_slabs": facts["slabs"]["peak_mib"], "times": times,
        }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--edge", type=int, default=1024)
    parser.add_argument("--slices", type=int, default=4096)
    parser.add_argument("--memory", type=int, default=1024, metavar="MIB")
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--folder", type=Path, help="where the volumes go; three times their size")
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        rows = list(measure(Path(folder), arguments.edge, arguments.slices, arguments.memory, arguments.times))
    for row in rows:
        print(f"{row['filter']:<16} in memory {row['in_memory_s']:6.2f} s, in slabs {row['in_slabs_s']:6.2f} s, "
              f"ratio {row['ratio']:.2f}")
    arguments.out.write_text(harness.text_of(harness.rounded(harness.new_results(filters=rows))) + "\n")


if __name__ == "__main__":
    main()
