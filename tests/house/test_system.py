"""What only POSIX and Linux have stays in a few folders, so that another system is a matter of these."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SYSTEM = re.compile(r"#include <(sys/|unistd|fcntl|pthread|signal|dirent|poll|sched|spawn|dlfcn|linux|link\.h)")

FOLDERS = {
    "src/core/system": "descriptors, mapped and shared memory, trees of files, their attributes: for all",
    "src/io/output": "how files appear: hidden names, locks, renames",
    "src/io/confined": "processes that decode: sockets, seccomp, limits",
}
FILES = {
    "src/core/cpu/parallel.cpp": "on how many cores may this process run?",
    "src/core/memory.cpp": "memory in huge pages, which both libraries allocate",
    "src/io/dicom/process.cpp": "a program that decodes, beside its format",
    "src/io/zarr/store.cpp": "a folder that no link may lead out of, part by part",
    "bindings/cli/command/bench.cpp": "becomes another program",
    "bindings/cli/doctor/build.cpp": "which libraries have been loaded",
    "bindings/cli/doctor/machine.cpp": "says which system this is",
    "bindings/cli/input/files.hpp": "is an output an input by another name?",
    "bindings/cli/output/files.cpp": "the same",
    "bindings/cli/output/workbook.cpp": "the library for workbooks wants a file and talks",
    "bindings/cli/plot/child_process.cpp": "gnuplot",
    "bindings/cli/progress.cpp": "is it a terminal?",
    "bindings/cli/signals.cpp": "Ctrl-C, and files that another program shortens",
    "bindings/mpi/parts.cpp": "is a file ours alone?",
    "bindings/mpi/work.cpp": "on how many cores may this rank run?",
}


def test_the_system_is_called_from_its_folders():
    found = set()
    for folder in ("src", "bindings", "include"):
        for file in (ROOT / folder).rglob("*"):
            name = str(file.relative_to(ROOT))
            if file.suffix not in (".cpp", ".hpp", ".cu", ".cuh", ".c", ".h") or "/test/" in name:
                continue
            if SYSTEM.search(file.read_text()) and not any(name.startswith(f"{known}/") for known in FOLDERS):
                found.add(name)
    assert found == set(FILES)
