"""Jobs of filters, medians and lines from bench/results, for the tables of docs/scripts/speed.py."""

import math

NAMES = {"tamis": "tamis", "opencv": "OpenCV", "opencv_stack": "OpenCV", "diplib": "DIPlib", "scipy": "SciPy",
         "scipy_binary": "SciPy", "skimage": "scikit-image"}
TYPES = {"uint8": "u8", "uint16": "u16", "float32": "f32", "bool": "bits"}
SQUARES = ("square:3", "square:7", "square:15", "square:41")


def named(seconds):
    return {NAMES[name]: value for name, value in seconds.items()}


def edges(shape):
    """"2048²", "200³" or "128x128x1000"."""
    parts = shape.split("x")
    return f"{parts[0]}{'²³'[len(parts) - 2]}" if len(set(parts)) == 1 else shape


def filters(results):
    """Openings by squares, erosions by other elements, volumes, bits, and small images."""
    for part in ("squares", "masks", "volumes", "binary", "small"):
        for row in results[part]:
            if part == "squares" and (row["operation"] != "open" or row["element"] not in SQUARES):
                continue
            seconds = {name: row[name]["ms"] / 1e3 for name in NAMES if name in row}
            yield f"{row['operation']} {row['element']}, {TYPES[row['type']]}, {edges(row['shape'])}", named(seconds)


def medians(results):
    """Windows that others have too: on two threads where they have some, otherwise on one."""
    for row in results["rows"]:
        for threads in ("threads_2", "threads_1"):
            rates = {name: rate for name, rate in row.get(threads, {}).items() if name in NAMES}
            if len(rates) > 1:
                samples = math.prod(map(int, row["shape"].split("x")))
                words = "" if threads == "threads_2" else ", one thread"
                yield (f"{row['window']}, {TYPES[row['type']]}, {edges(row['shape'])}{words}",
                       named({name: samples / rate / 1e6 for name, rate in rates.items()}))
                break


def lines(results):
    """Openings by segments at 27 degrees and others, one thread each."""
    samples = results["edge"] ** 2
    for row in results["openings"]:
        yield (f"open {row['element']}, {TYPES[row['type']]}, {results['edge']}², one thread",
               {"tamis": samples / row["tamis_mpx_s"] / 1e6, "OpenCV": samples / row["opencv_mpx_s"] / 1e6})


def families(load):
    """(heading, date, jobs) of each family."""
    for heading, jobs, name in (("Filters", filters, "morphology_2048"), ("Medians", medians, "median"), ("Lines", lines, "line")):
        results = load(f"{name}_epyc_zen4_2_cores.json")
        yield heading, results["date"], jobs(results)
