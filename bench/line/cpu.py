#!/usr/bin/env python3
"""Openings along lines on the CPU against OpenCV, and sweeps over angles; see README.md. Prints JSON, or writes it.

Needs NumPy, OpenCV (opencv-python 5) and tamis (`make`, `make python`, PYTHONPATH=build/python). Segments against OpenCV are
timed in the library, into memory that is there; what is along traced lines and sweeps as users of Python call them."""

import argparse
import json
import sys
import time
from datetime import date
from pathlib import Path

import cv2
import numpy
import tamis

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench" / "morphology"))
from library import Library  # noqa: E402

EDGE = 2048


def least_ms(calls, repetitions):
    """The least time of each, one after the other in turn, so that they share the machine's moods."""
    times = [[] for _ in calls]
    for _ in range(repetitions):
        for own, call in zip(times, calls):
            start = time.perf_counter()
            call()
            own.append(1e3 * (time.perf_counter() - start))
    return [min(own) for own in times]


def mask_of(element):
    offsets = tamis.element(element).offsets()
    reach = int(numpy.abs(offsets).max())
    mask = numpy.zeros((2 * reach + 1, 2 * reach + 1), numpy.uint8)
    for y, x in offsets:
        mask[y + reach, x + reach] = 1
    return mask


def openings(library, image, repetitions):
    source, target = library.image(image), library.image(numpy.zeros_like(image))
    for length in (21, 41, 101, 201):
        element = f"line:{length}@27"
        mask = mask_of(element)
        theirs = numpy.empty_like(image)

        def opencv():
            cv2.morphologyEx(image, cv2.MORPH_OPEN, mask, dst=theirs, borderType=cv2.BORDER_CONSTANT)

        def own():
            library.run("open", source, target, element, threads=1)

        own(), opencv()
        assert (target.array() == theirs).all(), element
        tamis_ms, opencv_ms = least_ms([own, opencv], repetitions)
        yield {"element": element, "type": image.dtype.name, "tamis_mpx_s": image.size / tamis_ms / 1e3,
               "opencv_mpx_s": image.size / opencv_ms / 1e3, "times_opencv": opencv_ms / tamis_ms}


def traced(image, repetitions):
    out = numpy.empty_like(image)
    for length in (21, 255, 1000):
        for angle in (0, 27, 44, 63, 90):
            ms, = least_ms([lambda: tamis.open(image, f"line:{length}@{angle}", lines="traced", threads=1, out=out)],
                           repetitions)
            yield {"length": length, "angle": angle, "type": image.dtype.name, "mpx_s": image.size / ms / 1e3}


def sweeps(repetitions):
    image = numpy.random.default_rng(1).integers(0, 256, (640, 640), numpy.uint8)
    for lines in ("traced", "invariant"):
        ms, = least_ms([lambda: tamis.orientation(image, length=41, angles=180, lines=lines)], repetitions)
        yield {"case": "orientation of 640x640 at 180 angles, length 41", "lines": lines, "ms": ms}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repetitions", type=int, default=15)
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    parser.add_argument("--out", type=Path)
    arguments = parser.parse_args()
    cv2.setNumThreads(1)
    library = Library(arguments.build)
    random = numpy.random.default_rng(3)
    results = {"date": str(date.today()), "machine": library.machine(), "edge": EDGE,
               "opencv": cv2.__version__, "openings": [], "traced": [], "sweeps": []}
    for dtype in (numpy.uint8, numpy.uint16, numpy.float32):
        image = cv2.GaussianBlur(random.random((EDGE, EDGE)).astype(numpy.float32), (0, 0), 1.5)
        image = cv2.normalize(image, None, 0, 250, cv2.NORM_MINMAX).astype(dtype)
        if dtype != numpy.uint16:
            results["openings"] += openings(library, image, arguments.repetitions)
        results["traced"] += traced(image, arguments.repetitions)
    results["sweeps"] += sweeps(arguments.repetitions)
    text = json.dumps(results, indent=1)
    if arguments.out:
        arguments.out.write_text(text + "\n")
    for part in ("openings", "traced", "sweeps"):
        for row in results[part]:
            print(" ".join(f"{v:.2f}" if isinstance(v, float) else str(v) for v in row.values()))


if __name__ == "__main__":
    main()
