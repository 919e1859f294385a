#!/usr/bin/env python3
"""How exactly the skew of pages is found, beside jdeskew and deskew of PyPI; see README.md. Prints JSON."""

import argparse
import json
import multiprocessing
import os
import statistics
import sys
import time
from datetime import date
from importlib.metadata import version

import deskew
import jdeskew.estimator
import numpy
import pages
import tamis

LIMIT = 15.0


def of_tamis(method):
    def estimate(page):
        return tamis.skew(page, LIMIT, method=method, threads=1).angle

    return estimate


def of_jdeskew(page):
    return -jdeskew.estimator.get_angle(page, angle_max=LIMIT)


def of_deskew(page):
    """A tenth of its default between angles: with that no answer is better than half a degree."""
    angle = deskew.determine_skew(page, min_angle=-LIMIT, max_angle=LIMIT, min_deviation=0.1)
    return None if angle is None else -float(angle)


METHODS = {"tamis": of_tamis("fused"), "tamis projection": of_tamis("projection"), "tamis closing": of_tamis("closing"),
           "jdeskew": of_jdeskew, "deskew": of_deskew}
# Calls of deskew take seconds; fused is projection wherever that is decided. These see every fourth angle.
EVERY = {"deskew": 4, "tamis projection": 4}


def measure(task):
    """Every method on one page at every angle."""
    name, data, count = task
    page = pages.all_pages(data)[name]
    page.load()
    random = numpy.random.default_rng(sum(name.encode()))
    angles = random.uniform(-LIMIT, LIMIT, count)
    found = {method: [] for method in METHODS}
    seconds = {method: [] for method in METHODS}
    for turn, angle in enumerate(angles):
        image = page.at(float(angle))
        for method, estimate in METHODS.items():
            if turn % EVERY.get(method, 1):
                continue
            start = time.perf_counter()
            answer = estimate(image)
            seconds[method].append(time.perf_counter() - start)
            found[method].append((float(angle), answer))
    print(name, file=sys.stderr)
    return {"page": name, "size": f"{image.shape[1]}x{image.shape[0]}", "drawn": isinstance(page, pages.Drawn),
            "found": found, "seconds": seconds}


def differences(measured, method):
    return [answer - angle for angle, answer in measured["found"][method] if answer is not None]


def reference(measured):
    """What a scan has more than its name says: the median of what each method that knows the page says, over all
    angles. Drawn pages are exact."""
    if measured["drawn"]:
        return 0.0
    said = []
    for method in ("tamis projection", "tamis closing", "jdeskew", "deskew"):
        found = differences(measured, method)
        if len(found) > len(measured["found"][method]) / 2:
            said.append(statistics.median(found))
    return statistics.median(said)


def summary(errors, count):
    """Of absolute errors in degrees."""
    if not errors:
        return {"pages": count, "undecided": count}
    return {"pages": count, "mean": round(float(numpy.mean(errors)), 4), "p95": round(float(numpy.percentile(errors, 95)), 4),
            "max": round(float(numpy.max(errors)), 4), "undecided": count - len(errors)}


def report(measured):
    rows, every = [], {method: [] for method in METHODS}
    for page in measured:
        truth = reference(page)
        row = {key: page[key] for key in ("page", "size", "drawn")} | {"reference": round(truth, 4), "methods": {}}
        for method in METHODS:
            found = differences(page, method)
            errors = [abs(difference - truth) for difference in found]
            own = [abs(difference - statistics.median(found)) for difference in found]
            count = len(page["found"][method])
            every[method] += errors + [None] * (count - len(errors))
            row["methods"][method] = summary(errors, count) | {
                "about_own_median": summary(own, len(own)),
                "seconds": round(statistics.median(page["seconds"][method]), 4)}
        rows.append(row)
    overall = {method: summary([e for e in errors if e is not None], len(errors)) for method, errors in every.items()}
    return {"overall": overall, "pages": rows}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--angles", type=int, default=100, help="of each page (%(default)s)")
    parser.add_argument("--processes", type=int, default=os.cpu_count(), help="pages at a time (%(default)s)")
    parser.add_argument("--machine", default="", help="what it ran on, for the result")
    parser.add_argument("--raw", help="where to keep every answer, JSON")
    arguments = parser.parse_args()
    data = os.environ.get("TAMIS_DATA")
    if not data:
        print("TAMIS_DATA is not set: drawn pages only", file=sys.stderr)
    tasks = [(name, data, arguments.angles) for name in pages.all_pages(data)]
    with multiprocessing.get_context("spawn").Pool(arguments.processes) as pool:
        measured = pool.map(measure, tasks, chunksize=1)
    if arguments.raw:
        with open(arguments.raw, "w", encoding="utf-8") as file:
            json.dump(measured, file)
    facts = {"date": date.today().isoformat(), "machine": arguments.machine, "angles_a_page": arguments.angles,
             "range_degrees": LIMIT, "tamis": tamis.__version__, "jdeskew": version("jdeskew"),
             "deskew": version("deskew"), "opencv": version("opencv-python-headless")}
    print(json.dumps(facts | report(measured), indent=1))


if __name__ == "__main__":
    main()
