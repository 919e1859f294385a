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
0.1.0, ABI 3 and 3
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


def test_the_parameters_of_a_result_can_be_sent_back(installed, tmp_path):
    """Of every filter, as it is without parameters and with some: the same parameters, and the same samples."""
    source = tmp_path / "again.cpp"
    source.write_text(r"""
        #include <cstring>
        #include <iostream>
        #include <string>
        #include <vector>
        #include <nlohmann/json.hpp>
        #include <tamis/tamis.h>

        using Texts = std::vector<std::string>;

        struct Answer {
          nlohmann::json figures;
          std::vector<unsigned char> samples;
        };

        Answer answer(const std::string& operation, std::size_t images, const Texts& texts) {
          static unsigned char samples[40 * 40];
          for (int i = 0; i < 1600; ++i) samples[i] = static_cast<unsigned char>((i * 2654435761U) >> 24);
          tamis_view view{};
          view.data = samples;
          view.size[0] = 1, view.size[1] = view.size[2] = 40;
          view.type = TAMIS_U8;
          view.rank = 2;
          const std::vector<tamis_view> views(images, view);
          std::vector<const char*> words;
          for (const std::string& text : texts) words.push_back(text.c_str());
          words.push_back(nullptr);
          tamis_result* result = nullptr;
          if (tamis_run(nullptr, operation.c_str(), words.data(), views.data(), images, &result) != TAMIS_OK) {
            std::cout << operation << ": " << tamis_message() << "\n";
            return {};
          }
          Answer all{nlohmann::json::parse(tamis_result_json(result)), {}};
          tamis_view out{};
          if (all.figures.contains("parameters") && tamis_result_image(result, 0, nullptr, &out) == TAMIS_OK) {
            const auto* const first = static_cast<const unsigned char*>(out.data);
            all.samples.assign(first, first + 1600);
          }
          tamis_result_free(result);
          return all;
        }

        int main() {
          int tried = 0;
          const auto all = nlohmann::json::parse(tamis_operations());
          for (const auto& operation : all["operations"]) {
            const std::string name = operation["name"];
            Texts texts;
            for (const auto& parameter : operation["parameters"]) {
              const std::string called = parameter["name"];
              if (called == "element") texts = {called, "disk:2"};
            }
            for (const Texts& given : {Texts{}, texts}) {
              const Answer first = answer(name, operation["takes"].size(), given);
              if (!first.figures.contains("parameters")) continue;
              Texts again;
              for (const auto& [key, value] : first.figures["parameters"].items()) {
                again.push_back(key);
                again.push_back(value);
              }
              const Answer second = answer(name, operation["takes"].size(), again);
              if (first.samples != second.samples || first.figures["parameters"] != second.figures["parameters"]) {
                std::cout << name << ": another answer\n";
              }
              ++tried;
            }
          }
          std::cout << (tried > 20 ? "tried" : "too few");
        }""")
    program = installed.compile(source, tmp_path / "again", *installed.flags("tamis"))
    said = [line for line in run(program).splitlines() if ": another answer" in line or "tried" in line or "few" in line]
    assert said == ["tried"]
