"""The program of `make gpu-fuzz`: random calls, GPU against CPU."""

import os
import re
import subprocess
from pathlib import Path

import pytest

PROGRAM = Path(os.environ.get("TAMIS_BUILD", Path(__file__).resolve().parents[2] / "build")) / "bin" / "gpu_fuzz"

pytestmark = pytest.mark.skipif(not PROGRAM.exists(), reason="no gpu_fuzz: built without CUDA")


def fuzz(*options):
    return subprocess.run([PROGRAM, *options], capture_output=True, text=True, timeout=300)


@pytest.mark.extra
def test_the_instruction_sets_of_the_cpu_agree_on_random_calls():
    run = fuzz("--cpu", "--cases", "200", "--seed", "3", "--workers", "2")
    assert run.returncode == 0, run.stdout + run.stderr
    assert re.search(r"^gpu-fuzz: 200 cases of seed 3 in \d+ s, 0 mismatches$", run.stdout, re.M)


def test_a_seed_repeats_its_cases():
    first, again = (fuzz("--cpu", "--cases", "30", "--seed", "9", "--workers", "1", "--verbose") for _ in range(2))
    assert first.stderr == again.stderr
    number, what = re.search(r"^case (\d+): (.+)$", first.stderr, re.M).groups()
    assert fuzz("--cpu", "--case", number, "--verbose").stderr == f"case {number}: {what}\n"


@pytest.mark.parametrize("options", [["--seconds"], ["--seconds", "ten"], ["--what", "1"]])
def test_what_it_does_not_know_is_refused(options):
    run = fuzz(*options)
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr.startswith("usage: gpu_fuzz ")


@pytest.mark.gpu
def test_the_gpu_agrees_with_the_cpu_on_random_calls():
    run = fuzz("--seconds", "20")
    assert run.returncode == 0, run.stdout + run.stderr
