#!/usr/bin/env python3
"""Balls and distances on a GPU: step by step, from the host, and against CuPy where it is installed. See README.md."""

import json
import sys
import tempfile
import time
from pathlib import Path

import numpy

sys.path[0] = str(Path(__file__).resolve().parents[1])
from harness import call_program, gpu_parser, new_results, save, say  # noqa: E402

EDGE = 256


def volumes(folder):
    """Bits of 256^3 voxels, which the benchmark mirrors into larger volumes."""
    from scipy import ndimage

    field = ndimage.gaussian_filter(numpy.random.default_rng(2).normal(size=(EDGE,) * 3), 4) > 0
    noise = numpy.random.default_rng(1).random((EDGE,) * 3) > 0.1
    paths = {}
    for name, bits in {"Gaussian field": field, "10 % noise": noise}.items():
        paths[name] = Path(folder) / name.replace(" ", "_")
        numpy.packbits(bits, axis=-1, bitorder="little").tofile(paths[name])
    return {"foam": "foam", **paths}, field


def cupy_peer(bits, repetitions=5):
    """cupyx's distances, seconds, of the mirrored field at 512^3; None without CuPy."""
    try:
        import cupy
        from cupyx.scipy.ndimage import distance_transform_edt
    except ImportError:
        return None
    volume = cupy.asarray(numpy.pad(bits, ((0, EDGE),) * 3, mode="symmetric"))
    seconds = []
    for _ in range(repetitions + 1):
        cupy.cuda.Device().synchronize()
        start = time.perf_counter()
        squares = distance_transform_edt(volume)
        cupy.cuda.Device().synchronize()
        seconds.append(time.perf_counter() - start)
    del squares
    return {"voxels": "512^3 Gaussian field", "distance_ms": 1000 * sorted(seconds[1:])[repetitions // 2]}


def main():
    parser = gpu_parser(__doc__, "balls", "balls_gpu_bench")
    parser.add_argument("--edges", type=int, nargs="+", default=[256, 512, 1024])
    arguments = parser.parse_args()
    if arguments.show:
        return print(arguments.show.read_text())
    results = new_results(volumes=[])
    with tempfile.TemporaryDirectory() as folder:
        paths, field = volumes(folder)
        for edge in arguments.edges:
            for name, path in paths.items():
                lines = [json.loads(line) for line in
                         call_program(arguments.bin / "balls_gpu_bench", edge, path).splitlines()]
                results["machine"] = lines[0]
                row = {"volume": f"{edge}^3 {name}"}
                for line in lines[1:]:
                    row[line.pop("what")] = {key: value for key, value in line.items() if key != "volume"}
                results["volumes"].append(row)
                say(json.dumps(row))
        results["cupy"] = cupy_peer(field)
    say(save(arguments, "balls", results))


if __name__ == "__main__":
    main()
