"""--memory holds, or is refused in one line with what is needed, for every command that has it; memory= in Python too."""

import subprocess
import time

import numpy
import pytest
import tamis as package

MEBI = 1 << 20
SLACK = 12 * MEBI  # what threads take for themselves, and the program
VOLUME = "noise_512x512x256_u8.raw"  # 64 MiB
LOW = "low_512x512x256_u8.raw"
PAGE = "page_8192x8192_u8.raw"

COMMANDS = {
    "erode": ["erode", VOLUME, "out.raw", "--element", "ball:2"],
    "iterations": ["open", VOLUME, "out.raw", "--element", "ball:1.5", "--iterations", "3"],
    "sum": ["close", VOLUME, "out.raw", "--element", "line:9@30+disk:3"],
    "traced": ["open", PAGE, "out.raw", "--element", "line:31@33", "--lines", "traced"],
    "gradient": ["gradient", VOLUME, "out.raw"],
    "tophat": ["tophat", VOLUME, "out.raw", "--element", "hexagon:4"],
    "hitmiss": ["hitmiss", VOLUME, "out.raw"],
    "asf": ["asf", VOLUME, "out.raw", "--element", "cube:5"],
    "reconstruct": ["reconstruct", LOW, VOLUME, "out.raw"],
    "rebuilt": ["open", PAGE, "out.raw", "--by-reconstruction", "--crop", "0:8192,0:2000"],
    "median": ["median", VOLUME, "out.raw"],
    "medians": ["median", VOLUME, "out.raw", "--iterations", "2"],
    "far median": ["median", VOLUME, "out.raw", "--element", "shift(square:3,1000000000,0)"],
    "smooth": ["smooth", VOLUME, "out.raw", "--size", "9"],
    "threshold": ["threshold", VOLUME, "out.raw", "--method", "otsu"],
    "info": ["info", VOLUME],
    "granulometry": ["granulometry", VOLUME, "--threshold", "200", "--map", "out.raw"],
    "grey": ["granulometry", VOLUME, "--grey", "--element", "cube", "--max-size", "3"],
    "lines": ["granulometry", PAGE, "--threshold", "200", "--element", "line@30", "--max-size", "9"],
    "orientation": ["orientation", PAGE, "--length", "9", "--angles", "4"],
    "deskew": ["deskew", PAGE, "out.raw"],
    "foam": ["phantom", "foam", "out.raw", "--size", "1024x1024x256", "--max-radius", "40"],
    "octahedra": ["phantom", "octahedra", "out.raw", "--size", "1024x1024x256"],
    "element": ["element", "disk:5000", "out.raw"],
    "solid element": ["element", "ball:200", "out.raw"],
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("memory")
    noise = numpy.random.default_rng(3).integers(0, 255, (256, 512, 512), numpy.uint8)
    noise.tofile(path / VOLUME)
    noise.tofile(path / PAGE)
    (noise // 2).tofile(path / LOW)
    return path


def own_memory(process):
    """Bytes of a process that are no mapped file."""
    try:
        with open(f"/proc/{process.pid}/status") as status:
            return sum(int(line.split()[1]) << 10 for line in status if line.startswith(("RssAnon", "RssShmem")))
    except (OSError, ValueError):
        return 0


def peak_of(process):
    peak = 0
    while process.poll() is None:
        peak = max(peak, own_memory(process))
        time.sleep(0.002)
    return peak


@pytest.mark.sampled(3)
@pytest.mark.parametrize("limit", [30, 100, 170])
@pytest.mark.parametrize("name", COMMANDS)
def test_a_memory_limit_holds_or_is_refused_with_the_figure(tamis_program, folder, name, limit):
    process = subprocess.Popen([tamis_program, *COMMANDS[name], "-q", "--memory", f"{limit}M"], cwd=folder,
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    peak = peak_of(process)
    err = process.communicate()[1]
    out = folder / "out.raw"
    assert process.returncode in (0, 2, 3), err
    assert peak <= limit * MEBI + SLACK, f"{peak >> 20} MiB, exit code {process.returncode} {err}"
    if process.returncode == 2:
        assert err.count("\n") == 1 and " MiB" in err, err
        assert not out.exists()
    out.unlink(missing_ok=True)


@pytest.mark.parametrize("limit", [700, 1000, 1300])
def test_maps_of_angles_hold_larger_limits_too(tamis_program, folder, limit):
    test_a_memory_limit_holds_or_is_refused_with_the_figure(tamis_program, folder, "orientation", limit)


@pytest.mark.parametrize("name, too_little", [("smooth", "1M"), ("reconstruct", "30M")])
def test_as_much_as_a_refusal_says_is_enough(tamis, folder, name, too_little):
    refusal = tamis(*COMMANDS[name], "-q", "--memory", too_little, cwd=folder, check=False)
    assert refusal.returncode == 2
    needed = int(refusal.stderr.split(" MiB")[0].split()[-1])
    tamis(*COMMANDS[name], "-q", "--memory", f"{needed + 2}M", cwd=folder)
    (folder / "out.raw").unlink()


def test_python_refuses_a_limit_in_the_same_way():
    image = numpy.random.default_rng(1).integers(0, 255, (64, 256, 256), numpy.uint8)
    for call in (lambda memory: package.smooth(image, 5, memory=memory),
                 lambda memory: package.reconstruct(image // 2, image, memory=memory),
                 lambda memory: package.asf(image, "cube:5", memory=memory),
                 lambda memory: package.open(image, "disk:2", by_reconstruction=True, memory=memory)):
        with pytest.raises(package.ResourceError, match="MiB of memory needed for .* the memory limit leaves 1 MiB"):
            call("1M")
        call("64M")
