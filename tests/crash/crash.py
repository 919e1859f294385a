#!/usr/bin/env python3
"""Whatever goes wrong while a file is written: under its name stands the old file or the new one, never another.

A fault at every system call that writes, makes, names or removes a file, for every writer: an error of the system, or
the end of the process before, in the middle of and after the call. After an error all outputs of the run are the old
ones; after an end by force each is one or the other, and the next run leaves nothing behind. Then an error of the system
at every call that looks for a file, opens it to read, or reads; a file size limit of any size, a full disk, and inputs
that another program shortens while they are read.
"""

import argparse
import collections
import errno
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import h5py
import numpy

HERE = Path(__file__).resolve().parent
ERRORS = {"ENOSPC": errno.ENOSPC, "EIO": errno.EIO, "EDQUOT": errno.EDQUOT}
READ_ERRORS = {name: getattr(errno, name) for name in ("EMFILE", "ENFILE", "EIO", "ESTALE", "EACCES")}
ENDS = ["before", "half", "after"]
OLD = b"what stood here before\n"


@dataclass
class Case:
    """A command, and the files that it writes."""

    name: str
    command: list
    outputs: list
    own_input: str = ""  # made for this case alone: "name_XxYxZ_u8.raw"
    resumes: bool = False  # what an ended run has left, another goes on with


GRANULOMETRY = ["granulometry", "in.tif", "--threshold", "100", "-q"]
CASES = [
    Case("raw", ["convert", "in.tif", "out.raw", "-q"], ["out.raw"]),
    Case("raw.gz", ["convert", "in.tif", "out.raw.gz", "-q"], ["out.raw.gz"]),
    Case("tif", ["convert", "in.tif", "out.tif", "-q"], ["out.tif"]),
    Case("deflate", ["convert", "in.tif", "out.tif", "-q", "--compress", "deflate"], ["out.tif"]),
    Case("zstd", ["convert", "in.tif", "out.tif", "-q", "--compress", "zstd"], ["out.tif"]),
    Case("nii.gz", ["convert", "in.tif", "out.nii.gz", "-q"], ["out.nii.gz"]),
    Case("zarr 3", ["convert", "in.tif", "out.zarr", "-q", "--ome-zarr", "0.5"], ["out.zarr"]),
    Case("npy", ["convert", "in.tif", "out.npy", "-q"], ["out.npy"]),
    Case("h5", ["convert", "in.tif", "out.h5", "-q"], ["out.h5"]),
    Case("zarr", ["convert", "in.tif", "out.zarr", "-q"], ["out.zarr"]),
    Case("nrrd", ["convert", "in.tif", "out.nrrd", "-q"], ["out.nrrd"]),
    Case("mha", ["convert", "in.tif", "out.mha", "-q"], ["out.mha"]),
    Case("nii", ["convert", "in.tif", "out.nii", "-q"], ["out.nii"]),
    Case("png", ["convert", "slice.pgm", "out.png", "-q"], ["out.png"]),
    Case("pgm", ["convert", "slice.pgm", "out.pgm", "-q"], ["out.pgm"]),
    Case("pbm", ["convert", "bits.npy", "out.pbm", "-q"], ["out.pbm"]),
    Case("csv", [*GRANULOMETRY, "--csv", "out.csv"], ["out.csv"]),
    Case("xlsx", [*GRANULOMETRY, "--csv", "out.xlsx"], ["out.xlsx"]),
    Case("json", [*GRANULOMETRY, "--json", "out.json"], ["out.json"]),
    Case("svg", [*GRANULOMETRY, "--plot", "out.svg"], ["out.svg"]),
    Case("picture", [*GRANULOMETRY, "--picture", "out.png"], ["out.png"]),
    Case("tables and map", [*GRANULOMETRY, "--csv", "out.csv", "--json", "out.json", "--map", "map.tif", "--map-width",
                            "width.h5"], ["out.csv", "out.json", "map.tif", "width.h5"]),
    Case("filter", ["open", "in.tif", "out.tif", "--element", "cube:3", "-q", "--json", "out.json"],
         ["out.tif", "out.json"]),
    Case("filter in slabs", ["median", "large_200x150x50_u8.raw", "out.raw", "--memory", "1", "--threads", "1", "-q"],
         ["out.raw"], own_input="large_200x150x50_u8.raw", resumes=True),
]
# Inputs of every kind, each written to the same file.
READS = [Case(f"from {name}", ["convert", name, "out.raw", "-q", *more], ["out.raw"]) for name, *more in (
    ["slice.pgm"], ["in.npy"], ["in.tif"], ["in.zarr"], ["in.h5"], ["in_50x40x7_u8.raw.gz"], ["slices"],
    ["in.npy", "--as", "f32"])]
READS += [Case("resumed", ["median", "large_200x150x50_u8.raw", "out.raw", "--memory", "1", "--threads", "1", "-q",
                           "--resume"], ["out.raw"], own_input="large_200x150x50_u8.raw")]
QUICK_READS = ["from in.zarr", "from slices"]
QUICK = ["tables and map"]  # all that a run with several outputs does, and two formats


def build_shim(folder):
    shim = Path(folder) / "faults.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", shim, HERE / "faults.c", "-ldl"], check=True)
    return shim


def content(path):
    """What of a file does not depend on when it was written; None where there is none."""
    if not path.exists():
        return None
    if path.is_dir():  # a store of Zarr
        files = sorted(file for file in path.rglob("*") if file.is_file())
        return b"".join(file.read_bytes() for file in files)
    data = path.read_bytes()
    if data == OLD or path.suffix not in (".json", ".h5"):
        return data
    if path.suffix == ".h5":  # holds the time
        with h5py.File(path) as file:
            return b"".join(file[name][()].tobytes() for name in sorted(file))
    told = json.loads(data)
    for key in ("times", "seconds"):
        told.pop(key, None)
    return json.dumps(told).encode()


class Bench:
    """A folder with inputs in which one case is run again and again."""

    def __init__(self, program, shim, folder):
        self.program, self.shim, self.folder = str(program), str(shim), Path(folder)
        self.log = self.folder.parent / (self.folder.name + ".log")
        self.folder.mkdir()
        random = numpy.random.default_rng(3)
        grey = random.integers(0, 256, (7, 40, 50), numpy.uint8)
        raw = self.folder / "in_50x40x7_u8.raw"
        raw.write_bytes(grey.tobytes())
        subprocess.run([self.program, "convert", raw, self.folder / "in.tif", "-q"], check=True)
        raw.unlink()
        (self.folder / "slice.pgm").write_bytes(b"P5\n50 40\n255\n" + grey[0].tobytes())
        numpy.save(self.folder / "bits.npy", grey[0] > 100)
        for name in ("in.npy", "in.zarr", "in.h5", "in.raw.gz"):
            subprocess.run([self.program, "convert", "in.tif", name, "-q"], check=True, cwd=self.folder)
        (self.folder / "in.raw.gz").rename(self.folder / "in_50x40x7_u8.raw.gz")
        (self.folder / "slices").mkdir()
        for z, slice_ in enumerate(grey):
            (self.folder / "slices" / f"{z}.pgm").write_bytes(b"P5\n50 40\n255\n" + slice_.tobytes())
        self.inputs = {path.name for path in self.folder.iterdir()}
        self.ended = 0  # runs that left something behind

    def run(self, case, at=None, kind="", more=(), reads=False, **options):
        environment = dict(os.environ)
        if reads:
            environment["FAULT_READS"] = "1"
        if at is not None:
            self.log.unlink(missing_ok=True)
            environment.update(LD_PRELOAD=self.shim, FAULT_AT=str(at), FAULT_KIND=str(kind), FAULT_LOG=str(self.log))
        return subprocess.run([self.program, *case.command, *more], cwd=self.folder, env=environment, capture_output=True,
                              timeout=60, **options)

    def add_input(self, name):
        x, y, z = map(int, name.split("_")[1].split("x"))
        (self.folder / name).write_bytes(numpy.random.default_rng(4).bytes(x * y * z))
        self.inputs.add(name)

    def remove_input(self, name):
        (self.folder / name).unlink()
        self.inputs.remove(name)

    def hit(self):
        """The call that went wrong; None where the run had fewer calls."""
        return self.log.read_text() if self.log.exists() else None

    def reset(self, case, old):
        for path in self.folder.iterdir():
            if path.name not in self.inputs:
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        if old is not None:
            for path in map(self.folder.joinpath, case.outputs):
                if path.suffix == ".zarr":
                    path.mkdir()
                    path /= ".zgroup"
                path.write_bytes(old)

    def contents(self, case):
        return [content(self.folder / name) for name in case.outputs]

    def strangers(self, case):
        return {path.name for path in self.folder.iterdir()} - self.inputs - set(case.outputs)

    def fresh(self, case):
        self.reset(case, None)
        result = self.run(case)
        assert result.returncode == 0, result.stderr
        assert not self.strangers(case)
        return self.contents(case)

    def check(self, case, result, old, new, what):
        """After a run that something has happened to."""
        found = self.contents(case)
        for name, have, fresh in zip(case.outputs, found, new):
            assert have in (old, fresh), f"{what}: {name} is neither the old file nor the new one"
        if result.returncode == -signal.SIGKILL:
            pass
        elif result.returncode == 0:
            assert found == new, f"{what}: said to be well, but an output is missing"
        else:
            assert result.returncode == 2, f"{what}: exit code {result.returncode}: {result.stderr}"
            assert result.stderr.startswith(b"tamis") and result.stderr.count(b"\n") == 1, f"{what}: {result.stderr}"
            assert found == [old] * len(found), f"{what}: failed, but an output has been replaced"
        if self.strangers(case):
            ways = [[], ["--resume"]] if case.resumes else [[]]
            again = self.run(case, more=ways[self.ended % len(ways)])
            self.ended += 1
            assert again.returncode == 0, f"{what}, then again: {again.stderr}"
            assert self.contents(case) == new, f"{what}, then again: not the new files"
            assert not self.strangers(case), f"{what}, then again: {self.strangers(case)} are left"


def inject(bench, case, kinds, old, tally, reads=False):
    """A fault at every call that writes, or reads: of all kinds of the list at once, or of one after the other in turn."""
    new = bench.fresh(case)
    for at in range(10_000):
        for label, kind in kinds[at % len(kinds)]:
            bench.reset(case, old)
            result = bench.run(case, at, kind, reads=reads)
            call = bench.hit()
            if call is None:
                assert result.returncode == 0, f"{case.name}: no fault at call {at}: {result}"
                return
            bench.check(case, result, old, new, f"{case.name}: {label} at call {at} ({call})")
            tally[call, label] += 1


def limit_sizes(bench, case, tally):
    """Files may grow to so many bytes, and no further."""
    new = bench.fresh(case)
    files = [file for name in case.outputs for path in [bench.folder / name]
             for file in ([path] if path.is_file() else path.rglob("*")) if file.is_file()]
    longest = max(file.stat().st_size for file in files)
    for bytes_ in sorted({0, 1, min(100, longest // 3), longest // 4, longest // 2, longest * 9 // 10}):
        for old in (None, OLD):
            bench.reset(case, old)
            result = bench.run(case, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (bytes_, bytes_)))
            assert result.returncode == 2, f"{case.name}: {bytes_} bytes: {result.returncode}, {result.stderr}"
            assert b"File too large" in result.stderr, result.stderr
            bench.check(case, result, old, new, f"{case.name}: at most {bytes_} bytes")
            tally["limit"] += 1


FILL = """set -e
mount -t tmpfs -o size={size}k tmpfs {folder}
cp -a {inputs}/. {folder}
cd {folder}
head -c {free} /dev/zero > filling 2>/dev/null || true
set +e
"$@" 2> {inputs}.err
echo $? > {inputs}.code
rm -f filling
ls -A > {inputs}.names
"""


def fill_disks(bench, case, tally):
    """A file system of its own that is nearly full. False where this user may not mount one."""
    if subprocess.run(["unshare", "-rm", "mount", "-t", "tmpfs", "tmpfs", "/mnt"], capture_output=True).returncode != 0:
        return False
    bench.reset(case, OLD)
    disk = bench.folder.parent / "disk"
    disk.mkdir(exist_ok=True)
    inputs = bench.folder
    for free in (100, 140, 152, 160):
        script = FILL.format(size=160, folder=disk, inputs=inputs, free=free * 1024)
        subprocess.run(["unshare", "-rm", "sh", "-c", script, "sh", bench.program, *case.command], check=True)
        code = int(Path(f"{inputs}.code").read_text())
        names = set(Path(f"{inputs}.names").read_text().split())
        assert names == bench.inputs | set(case.outputs), names
        assert code in (0, 2), code
        tally["full disk" if code == 2 else "disk that was large enough"] += 1
    return True


def shorten_inputs(bench, tally, rounds):
    """Another program cuts the input while it is read."""
    source = bench.folder / "long_1000x1000x200_u8.raw"
    for i in range(rounds):
        target = bench.folder / ("cut.tif" if i % 2 else "cut.raw.gz")
        target.write_bytes(OLD)
        source.touch()
        os.truncate(source, 200_000_000)
        process = subprocess.Popen([bench.program, "convert", source, target, "-q"], stderr=subprocess.PIPE)
        time.sleep(0.01 * (i + 1))
        os.truncate(source, 4096 * i)
        err = process.communicate(timeout=60)[1]
        if process.returncode == 0:  # it had been read
            assert target.stat().st_size != len(OLD)
        else:
            assert process.returncode == 2 and err.count(b"\n") == 1 and err.startswith(b"tamis"), err
            assert target.read_bytes() == OLD
            tally["shortened"] += 1
        target.unlink()
        assert {path.name for path in bench.folder.iterdir()} - bench.inputs == {source.name}
    source.unlink()


def run(program, quick, folder, only=()):
    """Everything, or what takes seconds, or the cases named. Returns what was counted."""
    tally = collections.Counter()
    bench = Bench(program, build_shim(folder), Path(folder) / "bench")
    kinds = [*ERRORS.items(), *((f"killed {end}", end) for end in ENDS)]
    for case in CASES:
        if (quick and case.name not in QUICK) or (only and case.name not in only):
            continue
        if case.own_input:
            bench.add_input(case.own_input)
        before = tally.total()
        if quick:
            inject(bench, case, [[kind] for kind in kinds], OLD, tally)
        else:
            inject(bench, case, [kinds], OLD, tally)
            inject(bench, case, [kinds], None, tally)
            print(f"{case.name:<16} {tally.total() - before:>6} faults", flush=True)
        limit_sizes(bench, case, tally)
        if case.own_input:
            bench.remove_input(case.own_input)
    for case in READS:
        if (quick and case.name not in QUICK_READS) or (only and case.name not in only):
            continue
        if case.own_input:
            bench.add_input(case.own_input)
        errors = [[kind] for kind in READ_ERRORS.items()] if quick else [list(READ_ERRORS.items())]
        before = tally.total()
        inject(bench, case, errors, OLD, tally, reads=True)
        if not quick:
            print(f"{case.name:<16} {tally.total() - before:>6} faults", flush=True)
        if case.own_input:
            bench.remove_input(case.own_input)
    bench.reset(CASES[0], None)
    can_mount = all([fill_disks(bench, case, tally) for case in CASES if case.name in QUICK])
    if not can_mount:
        print("no right to mount: no disk was filled")
    bench.reset(CASES[0], None)
    shorten_inputs(bench, tally, 4 if quick else 40)
    return tally


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=Path, help="the installed program")
    parser.add_argument("--only", nargs="+", default=(), metavar="CASE", choices=[case.name for case in CASES + READS],
                        help="these writers alone: %(choices)s")
    parser.add_argument("--quick", action="store_true", help="some writers and kinds of faults, in seconds")
    arguments = parser.parse_args()
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        tally = run(arguments.program.resolve(), arguments.quick, folder, arguments.only)
    faults = {key: count for key, count in tally.items() if isinstance(key, tuple)}
    for call in sorted({call for call, _ in faults}):
        print(f"{call:<16}" + "".join(f" {label}: {count}" for (name, label), count in sorted(faults.items())
                                      if name == call))
    others = ", ".join(f"{key}: {count}" for key, count in sorted(tally.items() - faults.items()))
    print(f"{sum(faults.values())} faults injected; {others}; {time.monotonic() - start:.0f} s, all well")


if __name__ == "__main__":
    sys.exit(main())
