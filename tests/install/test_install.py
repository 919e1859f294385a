"""The installed tree: a project of its own finds the library, and the program runs, wherever the tree is moved."""

import os
import shutil
import subprocess
from pathlib import Path

import imageio.v3
import numpy as np
import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
BUILD = Path(os.environ.get("TAMIS_BUILD", ROOT / "build"))
EXAMPLE = HERE
# Nothing that could lead a program to the library of the build folder.
CLEAN = {key: value for key, value in os.environ.items() if not key.startswith("LD_")}


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, env=CLEAN, **options)
    assert done.returncode == 0, f"{command}: exit code {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    """An installed tree, moved after the installation."""
    folder = tmp_path_factory.mktemp("install")
    run("cmake", "--install", BUILD, "--prefix", folder / "first")
    return Path(shutil.move(folder / "first", folder / "moved"))


@pytest.fixture(scope="module")
def octahedron(tmp_path_factory):
    """A file with one octahedron of radius 5 (231 voxels), and what the example says of it."""
    z, y, x = np.ogrid[-8:9, -8:9, -8:9]
    volume = np.where(abs(z) + abs(y) + abs(x) <= 5, 200, 10).astype(np.uint8)
    path = tmp_path_factory.mktemp("data") / "octahedron_17x17x17_u8.raw"
    volume.tofile(path)
    return path, "threshold 10, 231 voxels, predominant size 5\n"


def package_path(prefix):
    return next(prefix.glob("**/pkgconfig/tamis.pc")).parent


def test_a_cmake_project_finds_the_package_and_runs(prefix, octahedron, tmp_path):
    run("cmake", "-S", EXAMPLE, "-B", tmp_path, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}")
    run("cmake", "--build", tmp_path)
    path, answer = octahedron
    assert run(tmp_path / "pore_size", path) == answer


def test_a_compiler_finds_the_library_by_pkg_config(prefix, octahedron, tmp_path):
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", "tamis"], capture_output=True, text=True, check=True,
                              env=dict(CLEAN, PKG_CONFIG_PATH=str(package_path(prefix)))).stdout.split()
    library = package_path(prefix).parent
    run("g++", "-std=c++20", EXAMPLE / "main.cpp", "-o", tmp_path / "pore_size", *flags, f"-Wl,-rpath,{library}")
    path, answer = octahedron
    assert run(tmp_path / "pore_size", path) == answer


def test_the_package_of_another_version_is_refused(prefix, tmp_path):
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(wrong LANGUAGES CXX)\nfind_package(tamis 99 REQUIRED)\n")
    done = subprocess.run(["cmake", "-S", tmp_path, "-B", tmp_path / "build", f"-DCMAKE_PREFIX_PATH={prefix}"],
                          capture_output=True, text=True, env=CLEAN)
    assert done.returncode != 0
    assert "version: 0.1.0" in done.stderr


def test_the_program_runs_from_the_prefix(prefix, octahedron):
    assert run(prefix / "bin" / "tamis", "--version").strip()
    assert "17" in run(prefix / "bin" / "tamis", "info", octahedron[0])


@pytest.fixture(scope="module")
def picture(tmp_path_factory):
    path = tmp_path_factory.mktemp("picture") / "a.png"
    imageio.v3.imwrite(path, np.arange(600, dtype=np.uint8).reshape(20, 30))
    return path


def test_the_moved_program_finds_the_programs_that_decode(prefix, picture):
    assert "PNG" in run(prefix / "bin" / "tamis", "info", picture)


def test_a_missing_program_that_decodes_is_an_error_in_words(prefix, picture):
    folder = prefix / "libexec" / "tamis"
    folder.rename(prefix / "elsewhere")
    try:
        done = subprocess.run([prefix / "bin" / "tamis", "info", picture], capture_output=True, text=True, env=CLEAN)
    finally:
        (prefix / "elsewhere").rename(folder)
    assert done.returncode == 2
    assert "tamis-reader" in done.stderr and "install it again" in done.stderr
    assert done.stderr.count("\n") == 1


def test_programs_use_the_installed_library_only(prefix):
    libraries = run("ldd", prefix / "bin" / "tamis")
    assert str(BUILD) not in libraries
    assert "not found" not in libraries


@pytest.mark.parametrize("header", sorted(path.name for path in (ROOT / "include" / "tamis").glob("*.hpp")))
def test_every_header_compiles_alone_without_warning(prefix, header, tmp_path):
    source = tmp_path / "alone.cpp"
    source.write_text(f"#include <tamis/{header}>\n")
    run("g++", "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror",
        f"-I{prefix / 'include'}", source)


def test_as_cpp17_every_header_says_what_it_needs_and_no_more(prefix, tmp_path):
    source = tmp_path / "old.cpp"
    for header in sorted(path.name for path in (ROOT / "include" / "tamis").glob("*.hpp")):
        source.write_text(f"#include <tamis/{header}>\nint main() {{ tamis::Context context; }}\n")
        done = subprocess.run(["g++", "-std=c++17", "-fsyntax-only", f"-I{prefix / 'include'}", source],
                              capture_output=True, text=True, env=CLEAN)
        assert done.stderr.count('error: #error "tamis needs C++20"') == 1, header
        assert done.stderr.count("error: ") == 2, header  # the other one ends the compilation
