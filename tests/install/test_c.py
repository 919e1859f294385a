"""A program of C finds the library of an installed tree, as C99 without a warning, and gets right answers."""

import re
import textwrap

import numpy as np
import pytest

from installed_tree import ROOT, run

HERE = ROOT / "tests" / "install"
STRICT = ("-std=c99", "-Wall", "-Wextra", "-Wconversion", "-pedantic", "-Werror")
ANSWERS = """\
0.1.0, ABI 1 and 1
0999 0000 0000 0000
size: 0 1 2 3
width [um]: 2 6 10 14
volume: 25 25 25 0
fraction: 1 1 1 0
spectrum: 0 0 25 0
map 1 3
1
1: opne: no such operation; did you mean open?
1: memory=a little: wanted a size such as 4G or 512M
3: interrupted, 1
"""


@pytest.fixture(scope="module")
def interface(installed, tmp_path_factory):
    program = tmp_path_factory.mktemp("interface") / "interface"
    run(
        "cc",
        *STRICT,
        HERE / "interface.c",
        "-o",
        program,
        *installed.flags("tamis"),
        f"-Wl,-rpath,{installed.libraries}",
    )
    return program


def test_a_program_of_c_gets_what_the_header_promises(interface):
    assert run(interface) == ANSWERS


def test_the_header_is_one_of_cpp_too(installed, tmp_path):
    source = tmp_path / "header.cpp"
    source.write_text("#include <tamis/tamis.h>\nint main() { return tamis_abi() - TAMIS_ABI; }\n")
    run(
        installed.compile(
            source, tmp_path / "header", "-Wall", "-Wextra", "-pedantic", "-Werror", *installed.flags("tamis")
        )
    )


def test_a_cmake_project_of_c_finds_the_component(installed, tmp_path):
    (tmp_path / "CMakeLists.txt").write_text(f"""
        cmake_minimum_required(VERSION 3.25)
        project(interface LANGUAGES C)
        find_package(tamis 0.1 REQUIRED COMPONENTS c)
        add_executable(interface {HERE / "interface.c"})
        target_link_libraries(interface PRIVATE tamis::c)""")
    assert run(installed.build(tmp_path, tmp_path / "build") / "interface") == ANSWERS


@pytest.fixture(scope="module")
def pore_sizes(installed, tmp_path_factory):
    program = tmp_path_factory.mktemp("example") / "pore_sizes"
    run(
        "cc",
        *STRICT,
        ROOT / "examples" / "pore_sizes.c",
        "-o",
        program,
        *installed.flags("tamis"),
        f"-Wl,-rpath,{installed.libraries}",
    )
    return program


def test_the_example_says_what_the_program_says(pore_sizes, tmp_path):
    z, y, x = np.ogrid[-8:9, -8:9, -8:9]
    np.save(tmp_path / "pore.npy", np.where(abs(z) + abs(y) + abs(x) <= 5, 10, 200).astype(np.uint8))
    lines = run(pore_sizes, tmp_path / "pore.npy", tmp_path / "map.npy").splitlines()
    assert [line.split() for line in lines[1:]] == [[str(n), str(2 * n + 1), str(231 * (n < 6))] for n in range(7)]
    assert np.load(tmp_path / "map.npy").max() == 6


def test_the_page_shows_what_the_example_is():
    page = (ROOT / "docs" / "c.md").read_text()
    blocks = re.findall(r"<!-- (examples/\w+\.c) -->\n```c\n(.*?)```", page, re.DOTALL)
    assert blocks and len(blocks) == page.count("```c\n")
    for name, code in blocks:
        source = (ROOT / name).read_text()
        indents = {line[: len(line) - len(line.lstrip())] for line in source.splitlines()}
        assert any(textwrap.indent(code, indent) in source for indent in indents), code
