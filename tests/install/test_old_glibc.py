"""What wheels are linked against: scripts/old_glibc.py."""

import ctypes
import re
import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "scripts/old_glibc.py"
# What newer systems have in newer versions, or in another library: threads, mathematics, files, the C++ runtime.
SOURCE = """
#include <cmath>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <sys/stat.h>
#include <thread>
extern "C" int work(double x) {
  int caught = 0;
  std::thread([&] {
    try { throw std::runtime_error("of a thread"); } catch (const std::exception&) { caught = 1; }
  }).join();
  struct stat of_stdin;
  return fstat(0, &of_stdin) + caught + int(std::pow(x, 2.0) + std::log2(x)) + std::filesystem::exists("/");
}
"""


def test_a_library_asks_for_nothing_newer_than_glibc_2_28_and_brings_its_cpp_runtime(tmp_path):
    if not shutil.which("g++"):
        pytest.skip("no g++")
    options = subprocess.run([SCRIPT, tmp_path / "names"], check=True, capture_output=True, text=True).stdout.split()
    (tmp_path / "work.cpp").write_text(SOURCE)
    library = tmp_path / "work.so"
    subprocess.run(["g++", "-std=c++20", "-O2", "-fPIC", "-shared", tmp_path / "work.cpp", "-o", library, *options], check=True)
    told = subprocess.run(["objdump", "-T", library], check=True, capture_output=True, text=True).stdout
    wanted = {tuple(map(int, version.split("."))) for version in re.findall(r"\*UND\*.*GLIBC_([0-9.]+)", told)}
    assert wanted and max(wanted) <= (2, 28)
    assert "GLIBCXX" not in told
    assert ctypes.CDLL(library).work(ctypes.c_double(4)) == 20


def test_what_came_later_is_an_error_of_the_linker(tmp_path):
    if not shutil.which("g++"):
        pytest.skip("no g++")
    options = subprocess.run([SCRIPT, tmp_path / "names"], check=True, capture_output=True, text=True).stdout.split()
    (tmp_path / "late.c").write_text("int closefrom(int);\nint work(void) { closefrom(9); return 0; }\n")  # glibc 2.34
    done = subprocess.run(["gcc", "-shared", "-fPIC", tmp_path / "late.c", "-o", tmp_path / "late.so", *options, "-Wl,-z,defs"],
                          capture_output=True, text=True)  # fmt: skip
    assert done.returncode != 0 and "closefrom" in done.stderr


PROGRAM = """
#include <cstdio>
#include <random>
#include <thread>
struct Object {
  Object() { std::puts("made"); }
  ~Object() { std::puts("ended"); }
} object;
__attribute__((constructor)) void first(int count, char** words, char**) { std::printf("%d %s\\n", count, words[1]); }
int main() {
  std::thread([] { std::puts("run"); }).join();
  return std::random_device()() == 0;
}
"""


def test_a_program_runs_its_constructors_and_asks_for_nothing_newer(tmp_path):
    """On this glibc; on an older one: test_wheel.py."""
    if not shutil.which("g++"):
        pytest.skip("no g++")
    options = subprocess.run([SCRIPT, "--program", tmp_path / "names"], check=True, capture_output=True, text=True).stdout.split()
    (tmp_path / "work.cpp").write_text(PROGRAM)
    program = tmp_path / "work"
    subprocess.run(["g++", "-std=c++20", "-O2", tmp_path / "work.cpp", "-o", program, *options], check=True)
    told = subprocess.run(["objdump", "-T", program], check=True, capture_output=True, text=True).stdout
    wanted = {tuple(map(int, version.split("."))) for version in re.findall(r"\*UND\*.*GLIBC_([0-9.]+)", told)}
    assert wanted and max(wanted) <= (2, 28)
    said = subprocess.run([program, "word"], check=True, capture_output=True, text=True).stdout
    assert said.splitlines() == ["2 word", "made", "run", "ended"] or said.splitlines() == ["made", "2 word", "run", "ended"]
