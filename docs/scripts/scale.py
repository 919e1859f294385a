#!/usr/bin/env python3
"""The tables of scale.md: bytes and seconds of a granulometry on 1 to 1,024 GPUs, from rates that were measured on one.

Prints them, or with --write puts them into the page."""

import argparse
import re
from dataclasses import dataclass
from pathlib import Path

PAGE = Path(__file__).resolve().parents[1] / "scale.md"
COUNTS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)
GIB = 2**30
GPUS_OF_HOST = 8


@dataclass
class Rates:
    """What one GPU, its bus, a host and the links between hosts do. The first two were measured (see the page)."""

    voxels: float = 2048**3 / 0.0945  # a second on one GPU, bits to counts
    packed: float = 1 * GIB / 0.020  # bytes of samples a second over a GPU's bus, packed into bits
    host: float = 300e9  # bytes a second out of a host's memory, for all its GPUs
    link: float = 50e9  # bytes a second between two hosts
    files: float = 100e9  # bytes a second of the file system, for all
    file_of_host: float = 20e9  # and for one host


@dataclass
class Volume:
    edge: int
    largest: int = 64  # distance: half of the widest object

    @property
    def voxels(self):
        return self.edge**3

    @property
    def halo(self):
        """Slices of bits that a slab needs on either side."""
        return 2 * self.largest


def cost(volume, gpus, rates):
    """Seconds of each kind of work, and bytes of halos that one GPU takes."""
    slab = volume.edge / gpus
    sides = 0 if gpus == 1 else 1 if gpus == 2 else 2
    halo = min(sides * volume.halo, volume.edge - slab)
    own = volume.voxels / gpus
    hosts = max(1, gpus // GPUS_OF_HOST)
    on_host = min(gpus, GPUS_OF_HOST)
    halo_bytes = halo * volume.edge**2 / 8
    return {
        "reading": max(volume.voxels / rates.files, volume.voxels / hosts / rates.file_of_host),
        "bus": max(own / rates.packed, own * on_host / rates.host),
        "halos": halo_bytes / rates.link if hosts > 1 else 0.0,
        "computing": (slab + halo) * volume.edge**2 / rates.voxels,
        "halo bytes": halo_bytes,
        "twice": halo / slab,
    }


def seconds(value):
    return f"{value:.3g}" if value < 100 else f"{value:.0f}"


def table(volume, rates=None):
    rates = rates or Rates()
    lines = ["| GPUs | samples from files | bus and packing | halos, bytes a GPU | halos | computing | computed twice | from memory to curve | computing: of ideal |",
             "|---:|---:|---:|---:|---:|---:|---:|---:|---:|"]
    one = cost(volume, 1, rates)
    for gpus in COUNTS:
        now = cost(volume, gpus, rates)
        whole = max(now["bus"], now["computing"]) + now["halos"]
        ideal = one["computing"] / gpus / now["computing"]
        lines.append(f"| {gpus} | {seconds(now['reading'])} s | {seconds(now['bus'])} s | {now['halo bytes'] / 2**20:.0f} MiB | "
                     f"{seconds(now['halos'] * 1e3)} ms | {seconds(now['computing'])} s | {now['twice']:.0%} | "
                     f"{seconds(whole)} s | {ideal:.0%} |")
    return "\n".join(lines)


def page(text):
    """The page with its tables made anew: each stands between two comments that name its volume."""

    def fill(match):
        edge, largest = int(match[2]), int(match[3])
        return f"{match[1]}\n{table(Volume(edge, largest))}\n<!-- end -->"

    return re.sub(r"(<!-- table: (\d+), largest distance (\d+) -->)\n.*?<!-- end -->", fill, text, flags=re.DOTALL)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="put the tables into the page")
    arguments = parser.parse_args()
    text = page(PAGE.read_text())
    if arguments.write:
        PAGE.write_text(text)
    else:
        print(text)


if __name__ == "__main__":
    main()
