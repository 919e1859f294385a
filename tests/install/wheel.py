"""Tries an installed wheel: every family, errors, Ctrl-C, threads, files; scripts/wheel_test.sh runs it in empty environments.

wheel.py [--device cuda] [--cupy] [--files FOLDER]: on a GPU results are compared with those of the CPU, otherwise those of the machine's best
instructions with those of the portable form. --cupy passes arrays of CuPy too. --files has what wheel_files.py makes. Needs
NumPy and nothing else."""

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy
import tamis

rng = numpy.random.default_rng(3)
IMAGE = rng.integers(0, 256, (75, 131)).astype(numpy.uint8)
FLOATS = rng.random((9, 40, 67), dtype=numpy.float32)
FOAM = tamis.phantom("foam", (40, 50, 60), max_radius=7, seed=2)
PAGE = numpy.full((200, 300), 255, numpy.uint8)
PAGE[20:180:12, 30:270] = 0

BY_ELEMENT = ("erode", "dilate", "open", "close", "gradient", "tophat", "bothat")
# A name and a call: of the array and of keywords that say where it is computed. What `ON_CPU` lists takes arrays of the
# host only.
CALLS = {f"{name} {element}": (array, lambda a, name=name, element=element, **how: getattr(tamis, name)(a, element, **how))
         for name in BY_ELEMENT for array, element in ((IMAGE, "square:5"), (IMAGE, "disk:4"), (IMAGE, "line:9@30"),
                                                       (FLOATS, "cube:3"), (FOAM, "cross:2"), (FOAM, "ball:2.5"))}
CALLS |= {
    "hitmiss": (IMAGE > 99, lambda a, **how: tamis.hitmiss(a, "rect:2x1", tamis.element([[1]], origin=(0, -1)), **how)),
    "asf": (IMAGE, lambda a, **how: tamis.asf(a, "disk:2", **how)),
    "median 5": (IMAGE, lambda a, **how: tamis.median(a, 5, **how)),
    "median 3x3x3": (FLOATS, lambda a, **how: tamis.median(a, 3, **how)),
    "median of a disk": (IMAGE, lambda a, **how: tamis.median(a, element="disk:5", percentile=30, **how)),
    "smooth": (IMAGE, lambda a, **how: tamis.smooth(a, 3, **how)),
    "remove_outliers": (IMAGE, lambda a, **how: tamis.remove_outliers(a, threshold=20, **how)),
    "threshold": (IMAGE, lambda a, **how: tamis.threshold(a, "otsu", **how)),
    "threshold_value": (IMAGE, lambda a, **how: tamis.threshold_value(a, "li", **how)),
    "granulometry": (FOAM, lambda a, **how: tamis.granulometry(a, **how).curve),
    "granulometry by cubes": (FOAM, lambda a, **how: tamis.granulometry(a, element="cube", **how).curve),
    "granulometry by balls": (FOAM, lambda a, **how: tamis.granulometry(a, element="ball", **how).curve),
    "size_map": (FOAM, lambda a, **how: tamis.size_map(a, **how)),
    "thickness": (FOAM, lambda a, **how: tamis.thickness(a, **how)),
    "distance": (FOAM, lambda a, **how: tamis.distance(a, **how)),
    "porosimetry": (FOAM, lambda a, **how: tamis.porosimetry(a, **how).saturation),
    "reconstruct": (IMAGE, lambda a, **how: tamis.reconstruct(a // 2, a, by="dilation", **how)),
    "convert": (FLOATS, lambda a, **how: tamis.convert(a, "u8", (0, 1), **how)),
    "resample": (FLOATS, lambda a, **how: tamis.resample(a, "2um", interpolation="cubic", spacing="1um", **how)),
    "orientation": (IMAGE, lambda a, **how: tamis.orientation(a, length=9, angles=12, **how).dominant),
    "deskew": (PAGE, lambda a, **how: tamis.deskew(a, **how)),
    "rotate": (PAGE, lambda a, **how: tamis.rotate(a, 3.5, **how)),
}
ON_CPU = {"reconstruct", "convert", "resample", "orientation", "deskew", "rotate"}


def same(name, wanted, got):
    if hasattr(got, "get"):  # of CuPy
        got = got.get()
    numpy.testing.assert_array_equal(numpy.asarray(wanted), numpy.asarray(got), err_msg=name)


def every_family(device, cupy):
    count = 0
    for name, (array, call) in CALLS.items():
        if device == "cpu":
            same(name, call(array, simd="portable"), call(array))
        elif name not in ON_CPU:
            wanted = call(array, device="cpu")
            same(name, wanted, call(array, device=device))
            if cupy:
                same(f"{name} of CuPy", wanted, call(cupy.asarray(array)))
        else:
            call(array)
        count += 1
    print(f"{count} calls")


def fails(kind, words, call):
    try:
        call()
    except kind as error:
        assert words in str(error), str(error)
    else:
        raise AssertionError(f"no {kind.__name__} with {words!r}")


def bad_bar(*_):
    raise RuntimeError("the bar broke")


def errors(device):
    """Of the right class, also from within a loop of threads."""
    for _ in range(20):
        fails(tamis.InputError, "disk", lambda: tamis.erode(IMAGE, "disk:-1"))
        fails(ValueError, "nosuch", lambda: tamis.threshold(IMAGE, "nosuch"))
        fails(tamis.InputError, "NaN", lambda: tamis.open(numpy.full((300, 300), numpy.nan, numpy.float32), "disk:3", device=device))
        fails(RuntimeError, "the bar broke", lambda: tamis.granulometry(FOAM, progress=bad_bar, device=device))
    fails(tamis.ResourceError, "memory", lambda: tamis.size_map(FOAM, memory=1000))
    fails(FileNotFoundError, "no_such_file", lambda: tamis.read("no_such_file.npy"))
    print("errors")


INTERRUPTED = """
import numpy, tamis
image = numpy.ones((400, 400, 400), numpy.uint8)
image[0, 0, 0] = 0
print("begin", flush=True)
try:
    tamis.granulometry(image, grey=True, element="ball", device="cpu")
except KeyboardInterrupt:
    print("interrupted")
assert tamis.granulometry(numpy.ones((5, 5, 5), bool), device="cpu").curve[0] == 125
"""


def cancellation():
    with subprocess.Popen([sys.executable, "-c", INTERRUPTED], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "begin\n"
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        assert process.stdout.read() == "interrupted\n"
    assert process.returncode == 0
    print("Ctrl-C")


def threads(device):
    wanted = tamis.size_map(FOAM, device="cpu")

    def work(i):
        same("size_map", wanted, tamis.size_map(FOAM, threads=i % 3, device=device))
        fails(tamis.InputError, "disk", lambda: tamis.erode(IMAGE, "disk:-1"))
        return threading.get_ident()

    with ThreadPoolExecutor(8) as pool:
        print(f"{len(set(pool.map(work, range(80))))} threads")


WRITTEN = ("out.npy", "out.tif", "out.h5", "out.zarr", "out.nrrd", "out.mha", "out.nii")


def program(*words):
    """That of the wheel, as a shell finds it."""
    subprocess.run(["tamis", *map(str, words), "--quiet"], check=True)


def files(folder):
    """Read and written by Python and by the program."""
    volume = (numpy.arange(3 * 40 * 50) % 4000).astype(numpy.uint16).reshape(3, 40, 50)
    with tempfile.TemporaryDirectory() as place:
        out = Path(place, "read.npy")
        wanted = {path.with_suffix(""): numpy.load(path) for path in sorted(folder.glob("*.npy"))} if folder else {}
        for name in WRITTEN:
            by_python, by_program = Path(place, f"python_{name}"), Path(place, f"program_{name}")
            tamis.write(by_python, volume)
            program("convert", by_python, by_program)
            wanted |= {by_python: volume, by_program: volume}
        for path, array in wanted.items():
            program("convert", path, out)
            same(f"{path.name}, by the program", array, numpy.load(out))
            same(f"{path.name}, by Python", array, tamis.read(path))
    print(f"{len(wanted)} files")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--cupy", action="store_true")
    parser.add_argument("--files", type=Path)
    asked = parser.parse_args()
    cupy = __import__("cupy") if asked.cupy else None
    print(f"tamis {tamis.__version__} of {os.path.dirname(tamis.__file__)}, Python {sys.version.split()[0]}, {asked.device}: "
          f"{tamis.devices()[0]['name']}")
    every_family(asked.device, cupy)
    errors(asked.device)
    cancellation()
    threads(asked.device)
    files(asked.files)


if __name__ == "__main__":
    main()
