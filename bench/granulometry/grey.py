#!/usr/bin/env python3
"""Grey granulometry against loops of DIPlib, OpenCV and scikit-image; answers first, then times, in turns.

    PYTHONPATH=build/python build/venv/bin/python bench/granulometry/grey.py [--image photo.npy] [--out results.json]

All arrays are in memory, the border is neutral, sizes are 0 ... 20. Peers do what their users do: an opening for each
size and a sum. Those that are not installed are left out. The image is u8; without one, smooth noise of 2048 x 2048.
"""

import argparse
import json
import os
import statistics
import time
from datetime import date

import numpy
import tamis

SIZES = 20


def footprint(element, n):
    if element == "square":
        return numpy.ones((2 * n + 1, 2 * n + 1), numpy.uint8)
    return tamis.Element(f"{element}:{n}").mask().astype(numpy.uint8)


def looped(open_by):
    def curve(image, element):
        lowest = image.size * int(image.min())
        sums = [int(image.sum(dtype=numpy.int64))]
        for n in range(1, SIZES + 1):
            sums.append(int(open_by(image, element, n).sum(dtype=numpy.int64)))
        return [value - lowest for value in sums]

    return curve


def peers():
    """Name and curve of what is installed."""
    found = {}
    try:
        import diplib

        shapes = {"square": "rectangular", "cross": "diamond"}

        def by_diplib(image, element, n):
            kernel = (diplib.SE([2 * n + 1, 2 * n + 1], shapes[element]) if element in shapes
                      else diplib.SE(diplib.Image(footprint(element, n))))
            return numpy.asarray(diplib.Opening(diplib.Image(image), kernel))

        found["diplib"] = looped(by_diplib)
    except ImportError:
        pass
    try:
        import cv2

        found["opencv"] = looped(lambda image, element, n: cv2.morphologyEx(image, cv2.MORPH_OPEN,
                                                                           footprint(element, n)))
    except ImportError:
        pass
    try:
        from skimage import morphology

        def by_skimage(image, element, n):
            if element == "square":
                parts = morphology.footprint_rectangle((2 * n + 1, 2 * n + 1), decomposition="separable")
            elif element == "cross":
                parts = morphology.diamond(n, decomposition="sequence")
            else:
                parts = footprint(element, n)
            return morphology.opening(image, parts, mode="ignore")

        found["skimage"] = looped(by_skimage)
    except ImportError:
        pass
    return found


def ours(image, element):
    return tamis.granulometry(image, grey=True, element=element, border="neutral", max_size=SIZES).curve.tolist()


def timed(call):
    start = time.perf_counter()
    value = call()
    return time.perf_counter() - start, value


def smooth_noise():
    generator = numpy.random.default_rng(1)
    image = sum(numpy.kron(generator.integers(0, 80, (2048 // edge, 2048 // edge)), numpy.ones((edge, edge), int))
                for edge in (2, 8, 32))
    return image.astype(numpy.uint8)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--image")
    parser.add_argument("--out")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--elements", nargs="*", default=["square", "cross", "disk"])
    arguments = parser.parse_args()
    image = numpy.load(arguments.image) if arguments.image else smooth_noise()
    results = {"machine": tamis.devices()[0]["name"], "cores": os.cpu_count(),
               "date": str(date.today()), "shape": image.shape, "sizes": SIZES, "elements": {}}
    for element in arguments.elements:
        _, expected = timed(lambda: ours(image, element))
        times = {name: [] for name in ("tamis", *peers())}
        differs = set()
        for _ in range(arguments.rounds):
            times["tamis"].append(timed(lambda: ours(image, element))[0])
            for name, curve in peers().items():
                seconds, value = timed(lambda: curve(image, element))
                times[name].append(seconds)
                if value != expected:
                    differs.add(name)
        medians = {name: statistics.median(values) for name, values in times.items() if name not in differs}
        results["elements"][element] = {
            "seconds": {name: round(value, 4) for name, value in medians.items()},
            "ratio": {name: round(value / medians["tamis"], 1) for name, value in medians.items() if name != "tamis"},
            "answers_differ": sorted(differs)}
        print(element, json.dumps(results["elements"][element]), flush=True)
    if arguments.out:
        with open(arguments.out, "w") as file:
            json.dump(results, file, indent=2)
            file.write("\n")


if __name__ == "__main__":
    main()
