#!/usr/bin/env python3
"""Mean angular error of orientation maps on images with known angles: tamis and scikit-image's structure tensor.

    PYTHONPATH=build/python build/venv/bin/python bench/orientation/accuracy.py [--textures FOLDER] [--out results.json]

Both see the same u8 images. Errors are in degrees, over the crests of fringes and the bright parts of fibres. With
--textures also the peaks of angular spectra beside those of Fourier spectra (spectra.py).
"""

import argparse
import json
import os
from datetime import date
from pathlib import Path

import numpy
import skimage
import tamis
from scenes import SCENES, angular_error, noisy
from skimage.feature import structure_tensor
from spectra import TEXTURES, compare

SIGMAS = (0, 20, 40)  # of the noise, grey values; fringes have an amplitude of 60, fibres of 100 to 150
LENGTHS = (15, 21, 31, 41)
SCALES = (1, 2, 4, 6)  # of the tensor, samples


def by_tensor(image, scale):
    """Angles of least change."""
    rows, mixed, columns = structure_tensor(image.astype(float), sigma=scale, order="rc", mode="nearest")
    across = -0.5 * numpy.arctan2(2 * mixed, columns - rows)  # rows grow downwards
    return (numpy.degrees(across) + 90) % 180


def lowest_of_ties(image, length, lines):
    """What the map would hold if ties went to the lowest angle instead of to their middle."""
    return numpy.stack([tamis.open(image, tamis.line(length, angle), lines=lines) for angle in range(180)]).argmax(0)


def errors(found, angle, where):
    error = angular_error(found, angle)[where]
    return round(float(numpy.nanmean(error)), 2)


def measure(make):
    image, angle, where = make()
    rows = []
    for sigma in SIGMAS:
        grey = noisy(image, sigma)
        row = {"noise": sigma, "structure_tensor": {f"sigma {s}": errors(by_tensor(grey, s), angle, where)
                                                    for s in SCALES}}
        for lines in ("invariant", "traced"):
            found = {n: tamis.orientation(grey, n, lines=lines) for n in LENGTHS}
            row[f"tamis_{lines}"] = {f"length {n}": errors(found[n].orientation, angle, where) for n in LENGTHS}
            row[f"lowest_of_ties_{lines}"] = {"length 21": errors(lowest_of_ties(grey, 21, lines), angle, where)}
        rows.append(row)
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--textures", type=Path, help="folder that has brick.png, grass.png ... somewhere in it")
    parser.add_argument("--out", type=Path, help="JSON")
    arguments = parser.parse_args()
    report = {"date": date.today().isoformat(), "cores": os.cpu_count(), "tamis": tamis.__version__,
              "skimage": skimage.__version__, "mean_angular_error_degrees": {}}
    for name, make in SCENES.items():
        report["mean_angular_error_degrees"][name] = measure(make)
        for row in report["mean_angular_error_degrees"][name]:
            print(name, json.dumps(row))
    if arguments.textures:
        report["spectra"] = {}
        for name in TEXTURES:
            report["spectra"][name] = compare(next(arguments.textures.rglob(name)))
            print(name, json.dumps(report["spectra"][name]))
    if arguments.out:
        arguments.out.write_text(json.dumps(report, indent=2) + "\n")


if __name__ == "__main__":
    main()
