#!/usr/bin/env python3
"""What a call from Python costs above the same call from C++, on an array of 64x64.

    PYTHONPATH=build/python python bench/python/overhead.py build/bin/python_overhead_bench [results.json]

Both run in turns, several times; the ratio of a run counts, not its times. The C++ program starts from the same samples
and ends with bits or an image; Python also takes the array, parses the keywords, and makes an array of the result.
"""

import datetime
import json
import platform
import statistics
import subprocess
import sys
import time

import numpy

import tamis

ROUNDS = 7


def nanoseconds(call, repetitions=300, calls=20):
    """Median over repetitions of the mean of a few calls."""
    times = []
    for _ in range(repetitions):
        start = time.perf_counter_ns()
        for _ in range(calls):
            call()
        times.append((time.perf_counter_ns() - start) / calls)
    return statistics.median(times)


def pattern():
    y, x = numpy.ogrid[:64, :64]
    return ((x * x + 3 * y * y) % 251).astype(numpy.uint8)


def import_seconds():
    """tamis beyond NumPy, which everybody has loaded; and all of it."""
    code = "import time; t = time.perf_counter(); import {}; print(time.perf_counter() - t)"
    both = [[float(subprocess.run([sys.executable, "-c", code.format(name)], capture_output=True, check=True).stdout)
             for _ in range(ROUNDS)] for name in ("numpy", "tamis")]
    return [statistics.median(times) for times in both]


def above(rounds, name):
    return round(statistics.median(r[f"{name}_python_us"] - r[f"{name}_cpp_us"] for r in rounds), 2)


def main():
    program = sys.argv[1]
    image = pattern()
    disk = tamis.disk(5)
    rounds = []
    for _ in range(ROUNDS):
        cpp = json.loads(subprocess.run([program], capture_output=True, check=True).stdout)
        rounds.append({
            "threshold_cpp_us": cpp["threshold_ns"] / 1000,
            "threshold_python_us": nanoseconds(lambda: tamis.threshold(image, 100)) / 1000,
            "granulometry_cpp_us": cpp["granulometry_ns"] / 1000,
            "granulometry_python_us": nanoseconds(lambda: tamis.granulometry(image, 100)) / 1000,
            "erode_cpp_us": cpp["erode_ns"] / 1000,
            "erode_python_us": nanoseconds(lambda: tamis.erode(image, "square:3")) / 1000,
            "open_cpp_us": cpp["open_ns"] / 1000,
            "open_python_us": nanoseconds(lambda: tamis.open(image, disk)) / 1000,
        })
    numpy_s, tamis_s = import_seconds()
    result = {
        "date": datetime.date.today().isoformat(),
        "machine": tamis.devices()[0]["name"],
        "python": platform.python_version(),
        "numpy": numpy.__version__,
        "array": "64x64 u8, threshold 100; erosion by square:3, opening by disk:5",
        **{key: round(statistics.median(r[key] for r in rounds), 2) for key in rounds[0]},
        **{f"{name}_above_cpp_us": above(rounds, name) for name in ("threshold", "granulometry", "erode", "open")},
        "import_numpy_s": round(numpy_s, 3),
        "import_tamis_s": round(tamis_s, 3),
    }
    text = json.dumps(result, indent=2)
    print(text)
    if len(sys.argv) > 2:
        with open(sys.argv[2], "w") as file:
            file.write(text + "\n")


if __name__ == "__main__":
    main()
