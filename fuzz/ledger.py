#!/usr/bin/env python3
"""Adds what the logs of a build folder say to fuzz/LEDGER.md, and the sum at its top, when no fuzzer runs there. Logs are
counted once.

Finds, and what became of them, are written there by hand.
"""

import argparse
import os
import re
import sys
from collections import defaultdict
from pathlib import Path

from run import executions_in

LEDGER = Path(__file__).resolve().parent / "LEDGER.md"
ROW = re.compile(r"^\| (\d{4}-\d\d-\d\d) \| (\w+) \| (.+?) \| (\w+) \| ([\d,]+) \| ([\d,]+) \|$")
SUM = re.compile(r"^\*\*.* executions.*\*\*$", re.M)


def machine():
    """The processor in general words."""
    cpu = re.search(r"^model name\s*: (.*)$", Path("/proc/cpuinfo").read_text(), re.M)
    virtual = "a virtual " if "hypervisor" in Path("/proc/cpuinfo").read_text() else "an "
    return f"{os.cpu_count()} cores of {virtual}{cpu[1].strip() if cpu else 'unknown processor'}"


def seconds_in(log):
    started, ended = (re.search(rf"^{word} (\d+)$", log, re.M) for word in ("started", "ended"))
    return int(ended[1]) - int(started[1]) if started and ended else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=Path, help="build folder (preset fuzz)")
    parser.add_argument("--machine", default=machine(), help="in general words (%(default)s)")
    arguments = parser.parse_args()

    rows = defaultdict(lambda: [0, 0])
    lines = LEDGER.read_text().splitlines()
    for line in lines:
        if row := ROW.match(line):
            rows[row.groups()[:4]] = [int(number.replace(",", "")) for number in row.groups()[4:]]
    counted = arguments.build / "logs" / "counted"
    counted.mkdir(parents=True, exist_ok=True)
    for path in sorted((arguments.build / "logs").glob("*.log")):
        log = path.read_text(errors="replace")
        target, stamp = path.name.split(".")[:2]
        commit = re.search(r"^commit (\w+)$", log, re.M)
        row = rows[(f"{stamp[:4]}-{stamp[4:6]}-{stamp[6:8]}", commit[1] if commit else "unknown", arguments.machine,
                    target)]
        row[0] += executions_in(log)
        row[1] += seconds_in(log)
        path.rename(counted / path.name)

    executions = sum(row[0] for row in rows.values())
    hours = sum(row[1] for row in rows.values()) / 3600
    table = [f"| {' | '.join(key)} | {row[0]:,} | {row[1]:,} |" for key, row in sorted(rows.items())]
    first = next((i for i, line in enumerate(lines) if ROW.match(line)), len(lines))
    kept = [line for line in lines if not ROW.match(line)]
    text = "\n".join(kept[:first] + table + kept[first:]) + "\n"
    LEDGER.write_text(SUM.sub(f"**{executions:,} executions in {hours:.1f} hours of one core.**", text))
    print(f"{executions:,} executions")
    return 0


if __name__ == "__main__":
    sys.exit(main())
