#!/usr/bin/env python3
"""What the shared libraries in a folder export, one a line: docs/abi.md. Inline functions and templates, which every
program that uses them has too, are no part of the list; --all adds them."""

import argparse
import subprocess
from pathlib import Path


def exported(library, everything=False):
    lines = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True).stdout
    names = [line.split()[1:] for line in lines.splitlines()]
    # A is the name of the version, which stands behind all others: name@@tamis_0.1.
    wanted = "".join(f"{name.split('@')[0]}\n" for kind, name in names if kind != "A" and (everything or kind not in "WVu"))
    return sorted(set(subprocess.run(["c++filt"], input=wanted, capture_output=True, text=True,
                                     check=True).stdout.splitlines()))


def listed(folder, everything=False):
    """Lines of all libraries of tamis in the folder: "core tamis::median(...)"."""
    for component, library in (("core", "libtamis-core.so"), ("io", "libtamis-io.so"), ("c", "libtamis.so")):
        for name in exported(Path(folder) / library, everything):
            yield f"{component} {name}"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder")
    parser.add_argument("--all", action="store_true")
    arguments = parser.parse_args()
    print("\n".join(listed(arguments.folder, arguments.all)))
