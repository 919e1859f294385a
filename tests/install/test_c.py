"""A program of C finds the library of an installed tree, as C99 without a warning, and gets right answers."""

import re
import subprocess
import textwrap

import numpy as np
import pytest

from installed_tree import ROOT, run

HERE = ROOT / "tests" / "install"
STRICT = ("-std=c99", "-Wall", "-Wextra", "-Wconversion", "-pedantic", "-Werror")
ANSWERS = """\
0.1.0, ABI 2 and 2
0999 0000 0000 0000
00099990 0
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
def example(installed, tmp_path_factory):
    """Compiles one of examples/."""
    folder = tmp_path_factory.mktemp("examples")

    def compiled(name):
        program, source = folder / name, ROOT / "examples" / f"{name}.c"
        run("cc", *STRICT, source, "-o", program, *installed.flags("tamis"), f"-Wl,-rpath,{installed.libraries}")
        return program

    return compiled


def test_the_example_says_what_the_program_says(example, tmp_path):
    z, y, x = np.ogrid[-8:9, -8:9, -8:9]
    np.save(tmp_path / "pore.npy", np.where(abs(z) + abs(y) + abs(x) <= 5, 10, 200).astype(np.uint8))
    lines = run(example("pore_sizes"), tmp_path / "pore.npy", tmp_path / "map.npy").splitlines()
    assert [line.split() for line in lines[1:]] == [[str(n), str(2 * n + 1), str(231 * (n < 6))] for n in range(7)]
    assert np.load(tmp_path / "map.npy").max() == 6


def test_the_middle_of_a_page_is_opened_in_place(example):
    page = np.random.default_rng(1).integers(0, 255, (60, 70), np.uint8)
    disk = np.hypot(*np.mgrid[-3:4, -3:4]) <= 3
    wanted = page.copy()
    wanted[16:-16, 16:-16] = opened(page[16:-16, 16:-16], disk)
    done = subprocess.run([example("open_in_place"), "60", "70"], input=page.tobytes(), capture_output=True, check=True)
    assert done.stdout == wanted.tobytes()


def opened(page, disk):
    """With nothing but the page in sight."""
    far = [(y - 3, x - 3) for y, x in np.argwhere(disk)]
    eroded = np.min([shifted(page, y, x, 255) for y, x in far], axis=0)
    return np.max([shifted(eroded, y, x, 0) for y, x in far], axis=0)


def shifted(page, y, x, outside):
    field = np.pad(page, 3, constant_values=outside)
    return field[3 + y : 3 + y + page.shape[0], 3 + x : 3 + x + page.shape[1]]


def test_the_page_shows_what_the_example_is():
    page = (ROOT / "docs" / "c.md").read_text()
    blocks = re.findall(r"<!-- (examples/\w+\.c) -->\n```c\n(.*?)```", page, re.DOTALL)
    assert len({name for name, _ in blocks}) == 2
    for name, code in blocks:
        source = (ROOT / name).read_text()
        indents = {line[: len(line) - len(line.lstrip())] for line in source.splitlines()}
        assert any(textwrap.indent(code, indent) in source for indent in indents), code
