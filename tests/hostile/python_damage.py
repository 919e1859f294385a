"""Reads damaged copies of files: python python_damage.py SEED COUNT FILE...; run by test_python_damage.py.

Every copy is either read or refused with one line; anything else is printed. A process of its own, because a library
that crashes or eats the memory must not take the tests along.
"""

import logging
import random
import resource
import sys
import time
import warnings
from pathlib import Path

import numpy
import tamis

LONGEST = 5.0  # seconds for one file of a few kB


def damaged(content, chance):
    """One copy: cut off, or with some bytes changed, most of them in front where headers are."""
    kind = chance.random()
    if kind < 0.3:
        return content[: chance.randrange(len(content))]
    copy = bytearray(content)
    for _ in range(chance.choice((1, 1, 1, 2, 4))):
        end = len(copy) if chance.random() < 0.5 else min(len(copy), 1024)
        copy[chance.randrange(end)] = chance.choice((0, 1, 0x7F, 0x80, 0xFF, chance.randrange(256)))
    if kind > 0.95:
        copy += bytes(chance.randrange(1, 100))
    return bytes(copy)


def attempt(name):
    """What is wrong with the outcome; None if nothing."""
    begin = time.monotonic()
    try:
        for lazy in (False, True):
            array = tamis.read(name, lazy=lazy)
            if isinstance(array, numpy.ndarray) and array.nbytes < 1 << 24:
                array.sum()
    except (tamis.InputError, tamis.ResourceError) as error:
        if "\n" in str(error) or Path(name).name not in str(error):
            return f"the message {str(error)!r}"
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    took = time.monotonic() - begin
    return f"{took:.1f} s" if took > LONGEST else None


def try_copies(file, seed, count):
    content = file.read_bytes()
    last = file.with_name("case")
    for case in range(count):
        file.write_bytes(damaged(content, random.Random(f"{seed} {file.name} {case}")))
        last.write_text(f"{file.name} {seed} {case}")  # for the one that crashes
        wrong = attempt(str(file))
        if wrong:
            print(f"{last.read_text()}: {wrong}", flush=True)


def main():
    warnings.simplefilter("ignore")
    logging.lastResort = None
    for name in sys.argv[3:]:
        try_copies(Path(name), int(sys.argv[1]), int(sys.argv[2]))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    if peak > 1500:
        print(f"{peak} MiB of memory")


if __name__ == "__main__":
    main()
