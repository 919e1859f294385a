#!/usr/bin/env python3
"""Chunks of a volume on two workers of Dask, against the plain call on the same two cores."""

import argparse
import statistics
import sys
import tempfile
import time
from pathlib import Path

import dask
import numpy
import tamis
import tamis.dask
import zarr
from distributed import Client, LocalCluster

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import harness  # noqa: E402

CALLS = {
    "granulometry cross": ("granulometry", {"threshold": 128}),
    # Its type is settled before anything is known of the volume: without max_size maps of 512^3 have two bytes a voxel.
    "size_map cross": ("size_map", {"threshold": 128, "max_size": 100}),
    "open ball:3": ("open", {"element": "ball:3"}),
    "median 3": ("median", {"size": 3}),
    "median 9": ("median", {"size": 9}),
}


def make_volume(path, edge, chunk):
    volume = tamis.phantom("foam", edge, max_radius=20).astype("u1") * numpy.uint8(150)
    volume += numpy.random.default_rng(1).integers(0, 100, volume.shape, "u1")
    store = zarr.create_array(path, shape=volume.shape, chunks=(chunk, edge, edge), dtype="u1", compressors=None)
    store[:] = volume


def plain(name, keywords, source, target):
    array = zarr.open_array(source, mode="r")
    if name == "granulometry":
        return tamis.granulometry(array, threads=2, **keywords)
    result = getattr(tamis, name)(array[:], threads=2, **keywords)
    out = zarr.create_array(target, shape=result.shape, chunks=array.chunks, dtype=result.dtype, compressors=None, overwrite=True)
    out[:] = result
    return None


def chunked(name, keywords, source, target):
    result = getattr(tamis.dask, name)(dask.array.from_zarr(source), **keywords)
    if name == "granulometry":
        return result.compute()
    out = zarr.create_array(target, shape=result.shape, chunks=result.chunksize, dtype=result.dtype, compressors=None, overwrite=True)
    dask.array.store(result, out, lock=False)
    return None


def seconds_of(way, *arguments):
    start = time.perf_counter()
    answer = way(*arguments)
    return time.perf_counter() - start, answer


def measure(folder, edge, chunk, times):
    source = folder / "volume.zarr"
    make_volume(source, edge, chunk)
    for label, (name, keywords) in CALLS.items():
        pairs = []
        for _ in range(times + 1):
            one, known = seconds_of(plain, name, keywords, source, folder / "plain.zarr")
            two, found = seconds_of(chunked, name, keywords, str(source), folder / "chunked.zarr")
            pairs.append((one, two))
        same = known == found
        if name != "granulometry":
            same = (zarr.open_array(folder / "plain.zarr")[:] == zarr.open_array(folder / "chunked.zarr")[:]).all()
        if not same:
            sys.exit(f"{label}: chunks give another answer")
        row = {
            "call": label, "volume": f"{edge}^3 u8, chunks {chunk}x{edge}x{edge}",
            "plain_s": statistics.median(a for a, _ in pairs[1:]), "dask_s": statistics.median(b for _, b in pairs[1:]),
            "ratio": statistics.median(b / a for a, b in pairs[1:]), "times": times,
        }  # fmt: skip
        print(f"{label:<20} plain {row['plain_s']:6.2f} s, Dask {row['dask_s']:6.2f} s, ratio {row['ratio']:.2f}", flush=True)
        yield row


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--edge", type=int, default=512)
    parser.add_argument("--chunk", type=int, default=256)
    parser.add_argument("--times", type=int, default=5)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    with (
        tempfile.TemporaryDirectory(dir=arguments.folder) as folder,
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, local_directory=folder) as cluster,
        Client(cluster),
    ):
        rows = list(measure(Path(folder), arguments.edge, arguments.chunk, arguments.times))
    arguments.out.write_text(harness.text_of(harness.rounded(harness.new_results("2 cores", calls=rows))) + "\n")


if __name__ == "__main__":
    main()
