"""Ctrl-C ends whatever the program computes within a second, with exit code 130, one line and no file."""

import random
import signal
import subprocess
import time

import numpy
import pytest
import tifffile

MOST = 1.0  # seconds
VOLUME = "noise_512x512x256_u8.raw"
PAGE = "page_6000x8000_u8.raw"
SLOW = ["--threads", "1", "--simd", "portable"]

# Each works for several seconds.
WORK = {
    "a sum of elements": ["element", "ball:30+ball:30+ball:30+ball:30"],
    "an element as a mask": ["element", "ball:400", "out.raw"],
    "an element that is read": ["erode", "small.tif", "out.tif", "--element", "file:hole_1000x1000x1500_u8.raw"],
    "a long plan": ["erode", "small.tif", "out.tif", "--element", "line:5@30", "--iterations", "1000000"],
    "an erosion by many runs": ["erode", PAGE, "out.raw", "--element", "disk:900.5+disk:901", *SLOW],
    "an erosion by points": ["erode", VOLUME, "out.raw", "--element", "file:points.tif", *SLOW],
    "an opening along traced lines": ["open", VOLUME, "out.raw", "--element", "line:301@33", "--lines", "traced",
                                      "--iterations", "3", *SLOW],
    "a gradient": ["gradient", VOLUME, "out.raw", "--element", "ball:9", *SLOW],
    "asf": ["asf", VOLUME, "out.raw", "--element", "ball:9", *SLOW],
    "hitmiss": ["hitmiss", VOLUME, "out.raw", "--hit", "ball:8", "--miss", "circle:20", *SLOW],
    "reconstruct": ["reconstruct", "low_512x512x256_u8.raw", VOLUME, "out.raw", "--threads", "1"],
    "an opening by reconstruction": ["open", VOLUME, "out.raw", "--by-reconstruction", "--threads", "1"],
    "median": ["median", VOLUME, "out.raw", "--size", "15", *SLOW],
    "smooth": ["smooth", VOLUME, "out.raw", "--size", "99", *SLOW],
    "grey granulometry": ["granulometry", VOLUME, "--grey", "--element", "ball", "--csv", "out.csv", *SLOW],
    "grey granulometry of sums": ["granulometry", VOLUME, "--grey", "--element", "cross", "--csv", "out.csv", *SLOW],
    "line granulometry": ["granulometry", VOLUME, "--grey", "--element", "line@33", "--csv", "out.csv", *SLOW],
    "granulometry": ["granulometry", VOLUME, "--threshold", "1", "--element", "ball", "--border", "neutral",
                     "--map", "out.raw", *SLOW],
    "granulometry with a picture": ["granulometry", VOLUME, "--threshold", "1", "--element", "ball", "--border",
                                    "neutral", "--picture", "out.png", *SLOW],
    "orientation": ["orientation", PAGE, "--length", "61", "--picture", "out.png", *SLOW],
    "deskew by projection": ["deskew", PAGE, "out.raw", "--step", "0.0004", "--threads", "1"],
    "deskew by closing": ["deskew", PAGE, "out.raw", "--step", "0.0004", "--method", "closing", "--threads", "1"],
    "foam": ["phantom", "foam", "out.raw", "--size", "1000", "--min-radius", "0", "--max-radius", "1", "--fraction",
             "0.9999"],
    "large foam": ["phantom", "foam", "out.raw", "--size", "1200", "--max-radius", "900", "--fraction", "0.999999999"],
    "octahedra": ["phantom", "octahedra", "out.raw", "--size", "1500", "--max-radius", "300"],
    "threshold": ["threshold", "wide.raw", "out.raw", "--shape", "2048x2048x1024", "--dtype", "f64", "--method", "li",
                  "--threads", "1"],
    "convert": ["convert", "wide.raw", "out.raw", "--shape", "2048x2048x1024", "--dtype", "f64", "--as", "u8"],
    "info": ["info", "wide.raw", "--shape", "2048x2048x1024", "--dtype", "f64", "--threads", "1"],
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("interrupts")
    noise = numpy.random.default_rng(3).integers(1, 255, (256, 512, 512), numpy.uint8)
    noise.tofile(path / VOLUME)
    (noise // 2).tofile(path / "low_512x512x256_u8.raw")
    numpy.resize(noise, (8000, 6000)).tofile(path / PAGE)
    tifffile.imwrite(path / "small.tif", noise[0, :300, :300], photometric="minisblack")
    points = numpy.random.default_rng(4).random((9, 31, 31)) > 0.9
    tifffile.imwrite(path / "points.tif", points.astype(numpy.uint8), photometric="minisblack")
    with open(path / "wide.raw", "wb") as file:  # a file with a hole: much to read, nothing on the disk
        file.truncate(2048 * 2048 * 1024 * 8)
    with open(path / "hole_1000x1000x1500_u8.raw", "wb") as file:
        file.write(b"\1")
        file.truncate(1000 * 1000 * 1500)
    return path


def at_work(tamis_program, folder, name, before):
    """The program in the middle of its work, and how long it has been at it: earlier where a machine is faster."""
    after = random.Random(name).uniform(0.3, 0.9)
    while after > 0.04:
        process = subprocess.Popen([tamis_program, *WORK[name]], cwd=folder, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        time.sleep(after)
        if process.poll() is None:
            return process, after
        told = process.communicate()
        for path in set(folder.iterdir()) - before:
            path.unlink()
        after /= 2
    pytest.fail(f"the work was too short to be interrupted: {told}")


@pytest.mark.parametrize("name", WORK)
def test_ctrl_c_is_heard_within_a_second(tamis_program, folder, name):
    before = set(folder.iterdir())
    process, after = at_work(tamis_program, folder, name, before)
    start = time.monotonic()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    seconds = time.monotonic() - start
    left = {path.name for path in set(folder.iterdir()) - before}
    assert (process.returncode, out, left) == (130, "", set()), err
    assert err.endswith(": interrupted\n") and err.count("\n") == 1, err
    assert seconds < MOST, f"{seconds:.2f} s, interrupted after {after:.2f} s"
