"""What all benchmarks do here: call programs, name the machine, write results; and on GPUs, time CuPy and NPP.

A benchmark's own file says what is measured and how it is shown."""

import argparse
import json
import platform
import re
import statistics
import subprocess
import sys
import tempfile
from datetime import date
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
IN_BUNDLE = (ROOT / "bin").is_dir()  # the repository has it in build/
BIN = ROOT / ("bin" if IN_BUNDLE else "build/bin")
RESULTS = Path.cwd() if IN_BUNDLE else ROOT / "bench/results"
EDGE = 4096  # of the images that GPUs are timed on


def say(text):
    print(text, file=sys.stderr, flush=True)


def svg_page(width, height, letters):
    """The first lines of a gnuplot script that draws an SVG. As the program's own plots it has no background and letters
    in a grey that is told from white and from black, so that it is read on light and on dark pages."""
    return f"""set encoding utf8
set terminal svg size {width},{height} font 'sans-serif,{letters}'
ink = '#737981'
faint = '#b0808080'
set border 3 lc rgb ink
set tics nomirror textcolor rgb ink
set key textcolor rgb ink
set title textcolor rgb ink
set xlabel textcolor rgb ink
set ylabel textcolor rgb ink
set grid lc rgb faint
"""


# ---- programs -------------------------------------------------------------------------------------------------------


def call_program(path, *words):
    """Standard output of a program; its error message ends this one."""
    done = subprocess.run([str(path), *map(str, words)], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{path.name} {' '.join(map(str, words))}: {done.stderr.strip() or f'exit code {done.returncode}'}")
    return done.stdout


def rows_of_program(path, *words, take):
    """Calls take(row) for each line of JSON, as the program prints it; returns the exit code."""
    with subprocess.Popen([str(path), *map(str, words)], stdout=subprocess.PIPE, text=True) as program:
        for line in map(json.loads, program.stdout):
            take(line)
    return program.returncode


# ---- results --------------------------------------------------------------------------------------------------------


def cpu_name():
    """With family and model: in a virtual machine the name alone often says little."""
    lines = Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []
    fields = {key.strip(): value.strip() for key, _, value in (line.partition(":") for line in lines)}
    if "model name" not in fields:
        return platform.machine()
    return f"{fields['model name']} family {fields.get('cpu family')} model {fields.get('model')}"


def new_results(machine=None, **parts):
    return {"date": date.today().isoformat(), "machine": machine, "processor": cpu_name(),
            "system": platform.platform(), **parts}


def rounded(value):
    """Five digits: more than any time here repeats."""
    if isinstance(value, float):
        return float(f"{value:.5g}")
    if isinstance(value, dict):
        return {key: rounded(item) for key, item in value.items()}
    return [rounded(item) for item in value] if isinstance(value, list) else value


def has_rows(value):
    if isinstance(value, dict):
        return any(has_rows(item) for item in value.values())
    return isinstance(value, list) and bool(value) and isinstance(value[0], (dict, str))


def text_of(value, margin=""):
    """JSON with one line a row, so that a change of one number is a change of one line."""
    inner = margin + " "
    if isinstance(value, dict) and has_rows(value):
        items = [f"{inner}{json.dumps(key)}: {text_of(item, inner)}" for key, item in value.items()]
        return "{\n" + ",\n".join(items) + f"\n{margin}}}"
    if has_rows(value):
        return "[\n" + ",\n".join(inner + json.dumps(item) for item in value) + f"\n{margin}]"
    return json.dumps(value)


def save(arguments, what, results):
    """To the file of `what` on this GPU, or CPU; says which."""
    machine = results["machine"].get("gpu") or "cpu"
    name = arguments.name or re.sub(r"[^a-z0-9]+", "_", machine.lower()).strip("_")
    arguments.out.mkdir(parents=True, exist_ok=True)
    path = arguments.out / f"{what}_{name}.json"
    path.write_text(text_of(rounded(results)) + "\n")
    return path


# ---- on a GPU -------------------------------------------------------------------------------------------------------


def gpu_parser(text, what, program):
    """The options that benchmarks on a GPU share."""
    parser = argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=Path, default=BIN, help=f"where tamis and {program} are")
    parser.add_argument("--out", type=Path, default=RESULTS, help=f"folder for {what}_<gpu>.json")
    parser.add_argument("--name", help="instead of the name of the GPU in that")
    parser.add_argument("--show", type=Path, metavar="JSON", help="measure nothing: the tables of these results")
    return parser


def show_or_measure(arguments, program, table, measure):
    """measure() returns the path of its results."""
    if arguments.show:
        print(table(json.loads(arguments.show.read_text())))
        return
    if not (arguments.bin / program).exists():
        sys.exit(f"{arguments.bin} has no {program}; wanted the programs of a build with CUDA (--bin)")
    path = measure(arguments)
    print(table(json.loads(path.read_text())))
    say(path)


def noise(kind, size):
    """As the programs': whole numbers from 0 to 65535 for f32, 7 bits in 8 set. `size`: images, or "512^3"."""
    import numpy

    if isinstance(size, str):
        shape = (int(size.partition("^")[0]),) * 3
    else:
        shape = (size, EDGE, EDGE) if size > 1 else (EDGE, EDGE)
    count = int(numpy.prod(shape, dtype=numpy.int64))
    random = numpy.random.default_rng(7)
    if kind in ("u8", "bool"):
        samples = numpy.frombuffer(random.bytes(count), numpy.uint8)
        return (samples if kind == "u8" else samples < 224).reshape(shape)
    samples = numpy.frombuffer(random.bytes(2 * count), numpy.uint16)
    return samples.astype(numpy.uint16 if kind == "u16" else numpy.float32).reshape(shape)


def on_gpu(call, calls):
    """Milliseconds of one of so many calls."""
    import cupy

    start, stop = cupy.cuda.Event(), cupy.cuda.Event()
    start.record()
    for _ in range(calls):
        call()
    stop.record()
    stop.synchronize()
    return cupy.cuda.get_elapsed_time(start, stop) / calls


def times(call, samples):
    """Medians of up to 7 batches of 2 ms and more, of as many as fit into a second, of one at least."""
    once = on_gpu(call, 1)
    calls = max(1, int(2 / max(once, 1e-3)))
    batches = min(max(int(1000 / (once * calls)), 1), 7)
    each = [on_gpu(call, calls) for _ in range(batches)]
    median = statistics.median(each)
    return {"median_ms": median, "min_ms": min(each), "max_ms": max(each), "batches": batches,
            "gpx_per_s": samples / median / 1e6}


def compared(made, wanted):
    """Times of a peer, if it is here and gives our answer; as far as it says, what is near the edge does not count."""
    import numpy

    if made is None:
        raise RuntimeError("not installed, or not offered")
    call, answer, *rest = made
    margin = rest[0] if rest else 0
    call()
    inside = (..., *(slice(margin, -margin or None),) * 2)
    if not numpy.array_equal(answer()[inside], wanted[inside]):
        raise RuntimeError("another answer than tamis, not timed")
    return times(call, wanted[inside].size)


class Peers:
    """Rows of peers, and what was left out and why."""

    def __init__(self, results):
        self.rows, self.left_out = results.setdefault("peers", []), results.setdefault("left_out", [])

    def time(self, case, name, measure, **row):
        """measure() gives the times of peer `name`. What it refuses is no reason to lose the rest."""
        try:
            measured = measure()
        except Exception as problem:  # of whatever class
            self.leave_out(f"{case}: {name}", problem)
            return
        self.rows.append({"peer": name, **row, **measured})
        say(f"{case} {measured['median_ms']:9.4f} ms {measured['gpx_per_s']:8.2f} Gpx/s, {name}")

    def leave_out(self, case, problem):
        self.left_out.append(f"{case}: {' '.join(str(problem).split())[:200]}")
        say(f"left out: {self.left_out[-1]}")


def with_cupy(arguments, results, run):
    """Calls run(a folder for images) where CuPy is installed."""
    try:
        import cupy
    except ImportError:
        say("CuPy is not installed: the peers are left out")
        return
    results["cupy"] = cupy.__version__
    with tempfile.TemporaryDirectory(dir=arguments.scratch) as folder:
        run(Path(folder))
