"""Filters of volumes that are larger than the memory they may take: in slabs, from file to file, in several runs."""

import json
import os
import signal
import subprocess
import time

import numpy
import pytest
import tifffile

# Filter, its flags. Every way that one has to reach along z.
CALLS = [
    ("open", ["--element", "ball:3"]),
    ("close", ["--element", "cube:5", "--border", "reflect"]),
    ("gradient", ["--element", "square:7"]),
    ("tophat", ["--element", "box:3x5x9"]),
    ("median", ["--size", "3x3x3"]),
    ("median", ["--size", "5x5x7", "--iterations", "2", "--border", "nearest"]),
    ("smooth", ["--size", "9"]),
]


@pytest.fixture(scope="session")
def noise():
    return numpy.random.default_rng(5).integers(0, 256, (120, 180, 200), numpy.uint8)


def write_raw(path, array):
    z, y, x = array.shape
    name = f"noise_{x}x{y}x{z}_u8.raw"
    (path / name).write_bytes(array.tobytes())
    return name


@pytest.mark.parametrize("command, flags", CALLS, ids=lambda value: " ".join(value) if isinstance(value, list) else value)
def test_slabs_are_the_whole(tamis, noise, tmp_path, command, flags):
    source = write_raw(tmp_path, noise)
    tamis(command, source, "whole.raw", *flags)
    told = tamis(command, source, "slabs.raw", *flags, "--memory", "6M", "--json", "slabs.json")
    assert (tmp_path / "slabs.raw").read_bytes() == (tmp_path / "whole.raw").read_bytes()
    count = json.loads((tmp_path / "slabs.json").read_text())["slabs"]
    assert count > 1
    assert f"slabs         {count} of " in told.stdout
    assert not list(tmp_path.glob("*ledger*")) and not list(tmp_path.glob(".*"))


@pytest.mark.parametrize("name", ["out.tif", "out.npy", "out.raw.gz", "out.h5", "out.nrrd"])
def test_every_format_is_written_in_slabs(tamis, noise, samples, tmp_path, name):
    source = write_raw(tmp_path, noise)
    if tamis("open", source, "probe" + name[3:], "--element", "cube:3", check=False).returncode != 0:
        pytest.skip("this build does not write it")
    tamis("open", source, "whole.npy", "--element", "cube:3")
    flags = ["--shape", "200x180x120", "--dtype", "u8"] if name == "out.raw.gz" else []
    tamis("open", source, name, "--element", "cube:3", "--memory", "2M")
    tamis("convert", name, "back.npy", *flags)
    assert (numpy.load(tmp_path / "back.npy") == numpy.load(tmp_path / "whole.npy")).all()


def test_compressed_input_is_read_in_slabs(tamis, noise, tmp_path):
    tifffile.imwrite(tmp_path / "in.tif", noise, compression="zlib")
    tamis("median", "in.tif", "whole.raw", "--size", "3x3x5")
    tamis("median", "in.tif", "slabs.raw", "--size", "3x3x5", "--memory", "2M")
    assert (tmp_path / "slabs.raw").read_bytes() == (tmp_path / "whole.raw").read_bytes()


def test_a_stack_has_no_halo(tamis, noise, tmp_path):
    source = write_raw(tmp_path, noise)
    tamis("median", source, "whole.raw", "--size", "9", "--batch")
    told = tamis("median", source, "slabs.raw", "--size", "9", "--batch", "--memory", "2M")
    assert (tmp_path / "slabs.raw").read_bytes() == (tmp_path / "whole.raw").read_bytes()
    assert "with 0 more on either side" in told.stdout


def test_what_is_not_local_says_what_it_needs(tamis, refused, noise, tmp_path):
    source = write_raw(tmp_path, noise)
    refused("open", source, "out.raw", "--element", "cube:5", "--by-reconstruction", "--memory", "6M",
            words=["where a result may depend on the whole volume, takes ", " MiB of memory, got 6 MiB"])
    refused("reconstruct", source, source, "out.raw", "--memory", "6M", words=["MiB of memory, got 6 MiB"])


def test_slabs_that_cannot_be_thin_enough_say_what_they_need(refused, noise, tmp_path):
    source = write_raw(tmp_path, noise)
    refused("open", source, "out.raw", "--element", "ball:20", "--memory", "2M",
            words=["in slabs of one slice and 40 on either side takes ", " MiB of memory, got 2 MiB"])


def peak_mib(program, arguments, folder):
    """Of the largest process of a run."""
    script = ("import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL); "
              "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024)")
    run = subprocess.run(["python3", "-c", script, program, *arguments], cwd=folder, check=True, capture_output=True)
    return float(run.stdout)


@pytest.mark.parametrize("command, flags", [("open", ["--element", "ball:3"]), ("median", ["--size", "3x3x3"]),
                                            ("smooth", ["--size", "9"])])
def test_the_peak_of_the_process_stays_within_the_limit(tamis_program, tmp_path, command, flags):
    name = "large_400x400x700_u8.raw"
    with open(tmp_path / name, "wb") as file:
        random = numpy.random.default_rng(3)
        for _ in range(70):
            file.write(random.bytes(400 * 400 * 10))
    limit, threads_and_program = 60, 20
    without = peak_mib(tamis_program, ["open", name, "out.raw", "--element", "cube:1", "--crop", "0:9,0:9,0:9"], tmp_path)
    peak = peak_mib(tamis_program, [command, name, "out.raw", *flags, "--memory", f"{limit}M", "--threads", "2"], tmp_path)
    assert peak < without + limit + threads_and_program, f"{peak} MiB, {without} MiB of them for a tiny image"


def kill_when(path, process):
    """Ends a run by force as soon as a file is there."""
    for _ in range(20_000):
        if path.exists():
            process.send_signal(signal.SIGKILL)
            break
        if process.poll() is not None:
            break
        time.sleep(0.001)
    process.wait()
    return process.returncode


# Long enough to be killed in the middle.
SLOW = ["--size", "9x9x9", "--memory", "6M", "--threads", "1"]


@pytest.mark.parametrize("name", ["out.raw", "out.tif"])
def test_a_killed_run_is_gone_on_with(tamis, tamis_program, noise, tmp_path, name):
    source = write_raw(tmp_path, noise)
    tamis("median", source, "whole" + name[3:], "--size", "9x9x9")
    ledger = tmp_path / f"{name}.tamis-ledger"
    process = subprocess.Popen([tamis_program, "median", source, name, *SLOW, "-q"], cwd=tmp_path)
    assert kill_when(ledger, process) == -signal.SIGKILL
    assert not (tmp_path / name).exists() and ledger.exists()
    told = tamis("median", source, name, *SLOW, "--resume", "--json", "told.json")
    done = json.loads((tmp_path / "told.json").read_text())["resumed_at_slice"]
    assert done > 0 and f"resumed       at slice {done}" in told.stdout
    assert (tmp_path / name).read_bytes() == (tmp_path / ("whole" + name[3:])).read_bytes()
    assert not ledger.exists() and not list(tmp_path.glob(".*"))


def test_ctrl_c_keeps_what_is_done_and_says_so(tamis, tamis_program, noise, tmp_path):
    source = write_raw(tmp_path, noise)
    process = subprocess.Popen([tamis_program, "median", source, "out.raw", *SLOW], cwd=tmp_path, text=True,
                               stderr=subprocess.PIPE)
    while not (tmp_path / "out.raw.tamis-ledger").exists():
        assert process.poll() is None
        time.sleep(0.001)
    process.send_signal(signal.SIGINT)
    err = process.communicate()[1]
    assert process.returncode == 130
    last = err.replace("\r", "\n").strip().splitlines()[-1]
    assert "of 120 slices are kept, --resume goes on" in last, err
    # Without being asked to, nothing is gone on with, and nothing is left.
    tamis("median", source, "out.raw", *SLOW)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([source, "out.raw"])


@pytest.fixture
def unfinished(tamis_program, noise, tmp_path):
    """What a killed run has left in a folder; returns its input and its part."""
    source = write_raw(tmp_path, noise)
    process = subprocess.Popen([tamis_program, "median", source, "out.raw", *SLOW, "-q"], cwd=tmp_path)
    kill_when(tmp_path / "out.raw.tamis-ledger", process)
    return source, tmp_path / ".out.raw.tamis-0.part"


def begun_anew(tamis, tmp_path, command, why):
    told = tamis(*command, "--resume")
    assert f"note: out.raw: begun anew, as the unfinished file {why}" in told.stderr, told.stderr
    tamis(*command[:2], "whole.raw", *command[3:])
    assert (tmp_path / "out.raw").read_bytes() == (tmp_path / "whole.raw").read_bytes()
    assert not (tmp_path / "out.raw.tamis-ledger").exists() and not list(tmp_path.glob(".*"))


@pytest.mark.parametrize("other", ["options", "command", "input"])
def test_a_run_that_had_other_work_is_begun_anew_and_said(tamis, unfinished, tmp_path, other):
    source, _ = unfinished
    if other == "input":
        os.utime(tmp_path / source)  # changed since
    command = {"options": ["median", source, "out.raw", "--size", "7x9x9"], "input": ["median", source, "out.raw", *SLOW],
               "command": ["open", source, "out.raw", "--element", "cube:3"]}[other]
    begun_anew(tamis, tmp_path, command, "was made with other options, of another input, or by another version")


def test_a_part_with_a_second_name_is_not_touched(tamis, unfinished, tmp_path):
    """As `cp -al` of an unfinished run makes one: to cut the part would cut the other run's, or somebody's input."""
    source, part = unfinished
    os.link(part, tmp_path / "precious")
    before = (tmp_path / "precious").read_bytes()
    begun_anew(tamis, tmp_path, ["median", source, "out.raw", *SLOW], "has another name, too")
    assert (tmp_path / "precious").read_bytes() == before


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_a_part_of_another_user_is_not_gone_on_with(tamis, unfinished, tmp_path):
    source, part = unfinished
    os.chown(part, 65534, 65534)
    begun_anew(tamis, tmp_path, ["median", source, "out.raw", *SLOW], "belongs to another user")


def test_a_damaged_part_is_begun_anew(tamis, unfinished, tmp_path):
    source, part = unfinished
    with open(part, "r+b") as file:
        file.seek(1000)
        byte = file.read(1)
        file.seek(1000)
        file.write(bytes([byte[0] ^ 1]))
    begun_anew(tamis, tmp_path, ["median", source, "out.raw", *SLOW], "is damaged")


def test_resume_without_a_run_before_begins_anew(tamis, noise, tmp_path):
    source = write_raw(tmp_path, noise)
    tamis("open", source, "whole.raw", "--element", "cube:3")
    told = tamis("open", source, "out.raw", "--element", "cube:3", "--resume")
    assert "resumed" not in told.stdout
    assert (tmp_path / "out.raw").read_bytes() == (tmp_path / "whole.raw").read_bytes()


def test_nan_is_named_where_it_is_in_the_volume(tamis, refused, tmp_path):
    grey = numpy.random.default_rng(2).random((60, 100, 110), numpy.float32)
    grey[41, 7, 9] = numpy.nan
    numpy.save(tmp_path / "in.npy", grey)
    refused("median", "in.npy", "out.npy", "--size", "3x3x3", "--memory", "2M", words=["NaN at x 9, y 7, z 41"])
    tamis("median", "in.npy", "slabs.npy", "--size", "3x3x3", "--nan", "ignore", "--memory", "2M")
    tamis("median", "in.npy", "whole.npy", "--size", "3x3x3", "--nan", "ignore")
    assert (tmp_path / "slabs.npy").read_bytes() == (tmp_path / "whole.npy").read_bytes()


def test_explain_says_the_plan_and_does_nothing(tamis, noise, tmp_path):
    source = write_raw(tmp_path, noise)
    before = sorted(tmp_path.iterdir())
    told = tamis("median", source, "out.raw", "--size", "5x5x5", "--memory", "6M", "--explain").stdout
    slabs = next(line for line in told.splitlines() if line.startswith("  slabs"))
    assert "125 samples" in told and "  memory " in told and "  would run on  CPU" in told and "wrote" not in told
    assert sorted(tmp_path.iterdir()) == before
    # The same words as a run has.
    assert slabs in tamis("median", source, "out.raw", "--size", "5x5x5", "--memory", "6M").stdout


def test_explain_refuses_what_a_run_refuses(tamis, noise, tmp_path):
    source = write_raw(tmp_path, noise)
    told = tamis("median", source, "out.raw", "--size", "5x5x61", "--memory", "1M", "--explain", check=False)
    assert told.returncode == 2 and "wanted more memory or a part of the image" in told.stderr
