"""The processes that decode foreign formats: refused where they cannot be confined, and their end is one clear error."""

import ctypes
import os
import signal
import struct
import subprocess
import time
from pathlib import Path

import h5py
import numpy
import pytest
from PIL import Image

SYS_SECCOMP = {"x86_64": 317, "aarch64": 277}.get(os.uname().machine)


def without_seccomp():
    """From here on the kernel has no seccomp: the system call that installs a filter is refused by a filter."""
    libc = ctypes.CDLL(None, use_errno=True)
    load, equal, give = 0x20, 0x15, 0x06
    enosys = 0x00050000 | 38
    rules = [(load, 0, 0, 0), (equal, 0, 1, SYS_SECCOMP), (give, 0, 0, enosys), (give, 0, 0, 0x7FFF0000)]
    code = b"".join(struct.pack("HBBI", *rule) for rule in rules)
    memory = ctypes.create_string_buffer(code)
    program = struct.pack("HxxxxxxP", len(rules), ctypes.addressof(memory))
    assert libc.prctl(38, 1, 0, 0, 0) == 0  # PR_SET_NO_NEW_PRIVS
    assert libc.prctl(22, 2, ctypes.create_string_buffer(program), 0, 0) == 0  # PR_SET_SECCOMP


@pytest.fixture
def picture(tmp_path):
    array = numpy.arange(600, dtype=numpy.uint8).reshape(20, 30)
    # With alpha, which is left to libpng.
    Image.fromarray(numpy.dstack([array, numpy.full_like(array, 255)])).save(tmp_path / "a.png")
    return array


def test_a_system_without_confinement_is_refused_unless_the_user_says_otherwise(refused, tamis, tmp_path, picture):
    refused("info", "a.png", words=["a.png", "seccomp", "--unconfined"], preexec_fn=without_seccomp)
    tamis("convert", "a.png", "out.npy", "--unconfined", preexec_fn=without_seccomp)
    assert (numpy.load(tmp_path / "out.npy") == picture).all()


def test_formats_of_our_own_need_no_process(tamis, tmp_path, picture, volume):
    numpy.save(tmp_path / "a.npy", picture)
    for name in ("a.npy", volume("a.tif", numpy.stack([picture] * 3))):
        tamis("info", name, preexec_fn=without_seccomp)


@pytest.fixture(scope="module")
def slow_file(tmp_path_factory):
    """A file that only HDF5 can read, for some seconds."""
    path = tmp_path_factory.mktemp("slow") / "slow.h5"
    with h5py.File(path, "w") as file:
        samples = numpy.random.default_rng(1).integers(0, 4000, (8, 2000, 2000)).astype("u2")
        data = file.create_dataset("data", (160, 2000, 2000), "u2", chunks=(8, 500, 500), scaleoffset=0)
        data[:8] = samples
        # The others are the same, and encoding takes longest.
        for y in range(0, 2000, 500):
            for x in range(0, 2000, 500):
                mask, encoded = data.id.read_direct_chunk((0, y, x))
                for z in range(8, 160, 8):
                    data.id.write_direct_chunk((z, y, x), encoded, mask)
    return path


@pytest.fixture
def slow(slow_file, tmp_path):
    os.link(slow_file, tmp_path / "slow.h5")
    return "slow.h5"


def children(process):
    """The processes that `process` has started."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and (entry / "stat").read_text().rsplit(")", 1)[1].split()[1] == str(process.pid):
                found.append(int(entry.name))
        except (OSError, IndexError):
            continue
    return found


def is_at_work(process):
    """An ended one keeps its number until its new parent looks."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def started(tamis_program, tmp_path, *arguments):
    """The program at work, and the process that decodes for it."""
    process = subprocess.Popen([tamis_program, *arguments], cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    end = time.monotonic() + 20
    while not (found := children(process)):
        assert time.monotonic() < end and process.poll() is None
        time.sleep(0.01)
    time.sleep(0.3)
    return process, found[0]


@pytest.mark.parametrize("how, words", [(signal.SIGKILL, "killed"), (signal.SIGSEGV, "Segmentation fault"),
                                        (signal.SIGXCPU, "computing")])
def test_the_end_of_the_process_is_one_clear_error(tamis_program, tmp_path, slow, how, words):
    process, decoder = started(tamis_program, tmp_path, "convert", slow, "out.npy", "--quiet")
    os.kill(decoder, how)
    _, told = process.communicate(timeout=20)
    assert process.returncode == 2, told
    assert told.count("\n") == 1 and words in told and "slow.h5" in told
    assert sorted(path.name for path in tmp_path.iterdir()) == ["slow.h5"]


def test_an_interrupted_run_takes_the_process_with_it(tamis_program, tmp_path, slow):
    process, decoder = started(tamis_program, tmp_path, "convert", slow, "out.npy", "--quiet")
    begin = time.monotonic()
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=20)
    assert process.returncode == 130
    assert time.monotonic() - begin < 1
    assert not Path(f"/proc/{decoder}").exists()


def test_the_process_ends_with_a_program_that_was_killed(tamis_program, tmp_path, slow):
    process, decoder = started(tamis_program, tmp_path, "convert", slow, "out.npy", "--quiet")
    process.kill()
    process.communicate(timeout=20)
    end = time.monotonic() + 1
    while is_at_work(decoder):
        assert time.monotonic() < end
        time.sleep(0.05)


def test_no_descriptor_of_the_program_reaches_the_process(tamis_program, tmp_path, slow):
    with open(tmp_path / "held", "w") as held:
        os.set_inheritable(held.fileno(), True)
        process = subprocess.Popen([tamis_program, "convert", slow, "out.npy", "--quiet"], cwd=tmp_path,
                                   stderr=subprocess.DEVNULL, pass_fds=[held.fileno()])
        end = time.monotonic() + 20
        while not (found := children(process)):
            assert time.monotonic() < end and process.poll() is None
            time.sleep(0.01)
        time.sleep(0.3)
        names = {os.readlink(f"/proc/{found[0]}/fd/{n}") for n in os.listdir(f"/proc/{found[0]}/fd")}
        process.kill()
        process.wait()
    assert not any(name.endswith("/held") for name in names), names
    assert any("slow.h5" in name for name in names), names
