#!/usr/bin/env python3
"""Runs the fuzzers of a build folder, each for a time, and ends with a table. Exit code 1: something was found.

What is found lies in BUILD/finds/TARGET, what has been learned in BUILD/corpus/TARGET, the logs in BUILD/logs.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

FUZZ = Path(__file__).resolve().parent
# Bytes of an input: small ones are fast, and what a format can do fits. 4096 where nothing is said.
LONGEST = {"element": 256, "c_call": 256, "cpp_call": 256, "option": 64, "plot_text": 128, "unfinished": 512, "part": 1024, "raw_name": 128, "tiff_text": 1024, "hdf5": 8192,
           "raw": 1024, "hdf5_chunk": 1024}
SAME_WORDS = {"nhdr": "nrrd"}  # dictionaries
# Decoded by libraries that have faults of their own, which a process of its own confines: a fault whose innermost
# function lies in one of these libraries is counted, and is no find of ours. They lose memory on damaged files, too.
FOREIGN = {"hdf5": "libhdf5", "png": "libpng", "jpeg": "libjpeg", "tiff": "libtiff", "zarr": "libblosc"}
MOST_FINDS = 5  # then a target is given up until they are mended


@dataclass
class Result:
    """What a target did in its time."""

    target: str
    executions: int = 0
    seconds: float = 0
    coverage: tuple = (0, 0)  # at first, at last
    foreign: int = 0
    finds: list = field(default_factory=list)  # (artifact, words)

    def row(self):
        first, last = self.coverage
        rate = self.executions / self.seconds if self.seconds else 0
        return (f"{self.target:<12} {self.executions:>12,} {self.seconds:>7.0f} s {rate:>9,.0f}/s {last:>6} "
                f"{last - first:>+6} {len(self.finds):>6} {self.foreign:>8}")


HEADER = f"{'target':<12} {'executions':>12} {'time':>9} {'rate':>11} {'edges':>6} {'new':>6} {'finds':>6} {'foreign':>8}"


def executions_in(log):
    """Also of a run that was ended: its last line that counts."""
    final = re.findall(r"stat::number_of_executed_units:\s+(\d+)", log)
    if final:
        return int(final[-1])
    return int(max(re.findall(r"^#(\d+)\t", log, re.M), key=int, default=0))


def coverage_in(log):
    values = [int(value) for value in re.findall(r" cov: (\d+) ", log)]
    at_first = re.search(r"INITED cov: (\d+) ", log)
    return (int(at_first[1]) if at_first else values[0] if values else 0, values[-1] if values else 0)


def is_foreign(log, library):
    """Does the innermost function that is not libFuzzer's, the sanitizer's or the C library's lie in this library?"""
    for frame in re.findall(r"^\s+#\d+ 0x[0-9a-f]+ (.*)$", log, re.M):
        # Without its source a function of the fuzzer's is the sanitizer's.
        if not re.search(r"_fuzz\+0x|/libc|libc\.so|sysdeps/", frame):
            return library in frame
    return False


def words_of(log):
    for pattern in (r"what\(\):\s+(.*)", r"(runtime error: .*)", r"ERROR: (.*)", r"SUMMARY: (.*)"):
        found = re.search(pattern, log)
        if found:
            return found[1][:160]
    return "ended without a word"


def fuzz_once(target, arguments, seconds, log_file, scratch):
    """One run of a fuzzer, which ends at its first find. Returns its log."""
    corpus = arguments.build / "corpus" / target
    finds = arguments.build / "finds" / target
    for folder in (corpus, finds):
        folder.mkdir(parents=True, exist_ok=True)
    own = [FUZZ / target / name for name in ("seeds", "found") if (FUZZ / target / name).is_dir()]
    words = SAME_WORDS.get(target, target)
    dictionary = FUZZ / words / f"{words}.dict"
    command = [arguments.build / "bin" / f"{target}_fuzz", f"-max_total_time={max(1, int(seconds))}",
               f"-max_len={LONGEST.get(target, 4096)}", "-timeout=20", "-malloc_limit_mb=512", "-rss_limit_mb=3000",
               "-print_final_stats=1", "-reload=0", f"-artifact_prefix={finds}/",
               f"-detect_leaks={0 if target in FOREIGN else 1}"]
    if dictionary.is_file():
        command.append(f"-dict={dictionary}")
    with open(log_file, "ab") as log:
        log.write(f"commit {arguments.commit}\nstarted {int(time.time())}\n".encode())
        log.flush()
        process = subprocess.Popen([*command, corpus, *own], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                   env=dict(os.environ, TMPDIR=scratch))
        try:
            process.wait(seconds + 120)
        except (subprocess.TimeoutExpired, KeyboardInterrupt):
            process.kill()
            process.wait()
        log.write(f"\nended {int(time.time())}\n".encode())
    return log_file.read_text(errors="replace")


def fuzz(target, arguments, scratch):
    result = Result(target)
    start = time.monotonic()
    stamp = time.strftime("%Y%m%d-%H%M%S")
    while (left := arguments.seconds - (time.monotonic() - start)) > 0.5:
        crashes = result.foreign + len(result.finds)
        log = fuzz_once(target, arguments, left, arguments.build / "logs" / f"{target}.{stamp}.{crashes}.log", scratch)
        result.executions += executions_in(log)
        first, last = coverage_in(log)
        result.coverage = (result.coverage[0] or first, max(result.coverage[1], last))
        artifact = re.search(r"Test unit written to (\S+)", log)
        if artifact is None:
            break
        if target in FOREIGN and is_foreign(log, FOREIGN[target]):
            result.foreign += 1
            Path(artifact[1]).unlink(missing_ok=True)
            continue
        again = artifact[1] in [found for found, _ in result.finds]
        result.finds.append((artifact[1], words_of(log)))
        # The same again is in what a fuzzer begins with: there is no way past it.
        if again or len(result.finds) >= MOST_FINDS:
            break
    result.seconds = time.monotonic() - start
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=Path, help="build folder (preset fuzz)")
    parser.add_argument("targets", nargs="*", help="which; all where none is named")
    parser.add_argument("--seconds", type=float, default=60, help="for each target (%(default)s)")
    parser.add_argument("--jobs", type=int, default=1, help="how many at a time (%(default)s)")
    arguments = parser.parse_intermixed_args()
    arguments.build = arguments.build.resolve()
    programs = sorted((arguments.build / "bin").glob("*_fuzz"))
    targets = arguments.targets or [program.name.removesuffix("_fuzz") for program in programs]
    (arguments.build / "logs").mkdir(exist_ok=True)
    told = subprocess.run(["git", "-C", FUZZ, "rev-parse", "--short", "HEAD"], capture_output=True, text=True)
    arguments.commit = told.stdout.strip() or "unknown"
    memory = Path("/dev/shm")
    scratch = tempfile.mkdtemp(prefix="tamis-fuzz-", dir=memory if os.access(memory, os.W_OK) else None)
    try:
        with ThreadPoolExecutor(arguments.jobs) as pool:
            results = list(pool.map(lambda target: fuzz(target, arguments, scratch), targets))
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    print(HEADER)
    for result in results:
        print(result.row())
    print(f"{sum(result.executions for result in results):,} executions")
    finds = {(result.target, *find) for result in results for find in result.finds}
    for target, artifact, words in sorted(finds):
        print(f"FOUND {target}: {words}\n  {artifact}")
    return 1 if finds else 0


if __name__ == "__main__":
    sys.exit(main())
