"""The installed tree: a project of its own finds the library, and the program runs, wherever the tree is moved."""

import subprocess

import numpy as np
import pytest
from PIL import Image

from installed_tree import BUILD, CLEAN, ROOT, run

EXAMPLE = ROOT / "tests" / "install"


@pytest.fixture(scope="module")
def octahedron(tmp_path_factory):
    """A file with one octahedron of radius 5 (231 voxels), and what the example says of it."""
    z, y, x = np.ogrid[-8:9, -8:9, -8:9]
    volume = np.where(abs(z) + abs(y) + abs(x) <= 5, 200, 10).astype(np.uint8)
    path = tmp_path_factory.mktemp("data") / "octahedron_17x17x17_u8.raw"
    volume.tofile(path)
    return path, "threshold 10, 231 voxels, predominant size 5\n"


def test_a_cmake_project_finds_the_package_and_runs(installed, octahedron, tmp_path):
    path, answer = octahedron
    assert run(installed.build(EXAMPLE, tmp_path) / "pore_size", path) == answer


@pytest.mark.parametrize("flags", ["pkg-config tamis", "pkg-config tamis-io", "-ltamis-io -ltamis-core"])
def test_a_compiler_finds_the_libraries(installed, octahedron, tmp_path, flags):
    if flags.startswith("pkg-config "):
        words = installed.flags(flags.split()[1])
    else:
        words = [f"-I{installed.prefix / 'include'}", f"-L{installed.libraries}", *flags.split()]
    path, answer = octahedron
    assert run(installed.compile(EXAMPLE / "main.cpp", tmp_path / "pore_size", *words), path) == answer


def refusal_of_find_package(prefix, folder, wanted):
    (folder / "CMakeLists.txt").write_text(
        f"cmake_minimum_required(VERSION 3.25)\nproject(wrong LANGUAGES CXX)\nfind_package(tamis {wanted} REQUIRED)\n")
    done = subprocess.run(["cmake", "-S", folder, "-B", folder / "build", f"-DCMAKE_PREFIX_PATH={prefix}"],
                          capture_output=True, text=True, env=CLEAN)
    assert done.returncode != 0
    return " ".join(done.stderr.split())


@pytest.mark.parametrize("version", ["99", "0.2", "0.0"])
def test_the_package_of_another_version_is_refused(prefix, tmp_path, version):
    assert "version: 0.1.0" in refusal_of_find_package(prefix, tmp_path, version)


def test_a_component_that_is_none_is_refused(prefix, tmp_path):
    assert "components core, io and c, no gui" in refusal_of_find_package(prefix, tmp_path, "0.1 COMPONENTS core gui")


def test_the_program_runs_from_the_prefix(prefix, octahedron):
    assert run(prefix / "bin" / "tamis", "--version").strip()
    assert "17" in run(prefix / "bin" / "tamis", "info", octahedron[0])


@pytest.fixture(scope="module")
def picture(tmp_path_factory):
    path = tmp_path_factory.mktemp("picture") / "a.png"
    grey = np.arange(600, dtype=np.uint8).reshape(20, 30)
    Image.fromarray(np.dstack([grey, np.full_like(grey, 255)])).save(path)  # with alpha, which is left to libpng
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


def headers_in(include):
    """As they are included: "tamis/image/view.hpp"."""
    return sorted(str(path.relative_to(include)) for path in (include / "tamis").rglob("*.hpp"))


@pytest.mark.parametrize("header", headers_in(ROOT / "include"))
def test_every_header_compiles_alone_without_warning(prefix, header, tmp_path):
    source = tmp_path / "alone.cpp"
    source.write_text(f"#include <{header}>\n")
    run("g++", "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror",
        f"-I{prefix / 'include'}", source)


@pytest.mark.whole
def test_as_cpp17_every_header_says_what_it_needs_and_no_more(prefix, tmp_path):
    source = tmp_path / "old.cpp"
    for header in headers_in(prefix / "include"):
        source.write_text(f"#include <{header}>\nint main() {{ tamis::Context context; }}\n")
        done = subprocess.run(["g++", "-std=c++17", "-fsyntax-only", f"-I{prefix / 'include'}", source],
                              capture_output=True, text=True, env=CLEAN)
        assert done.stderr.count('error: #error "tamis needs C++20"') == 1, header
        assert done.stderr.count("error: ") == 2, header  # the other one ends the compilation


def test_versions_of_headers_and_library_are_the_same(installed, tmp_path):
    source = tmp_path / "version.cpp"
    source.write_text("""
        #include <iostream>
        #include <tamis/version.hpp>
        int main() {
          std::cout << TAMIS_VERSION_MAJOR << '.' << TAMIS_VERSION_MINOR << '.' << TAMIS_VERSION_PATCH << ' '
                    << TAMIS_VERSION << ' ' << tamis::version();
        }""")
    program = installed.compile(source, tmp_path / "version", *installed.flags("tamis-core"))
    assert run(program) == "0.1.0 0.1.0 0.1.0"
