"""Static libraries: configured with BUILD_SHARED_LIBS=OFF (make test-static), by CMake and by pkg-config."""

import re

import pytest

from installed_tree import run

SOURCE = """
#include <iostream>
#include <tamis/tamis.hpp>
int main(int, char** arguments) {
  tamis::Image image(tamis::Type::U8, {.z = 1, .y = 9, .x = 9, .rank = 2});
  *image.row<unsigned char>(0, 4) = 200;
  const std::string path = std::string(arguments[1]) + "/image.tif";
  tamis::write(tamis::dilate({}, image, {.element = "square:3"}), path);
  std::cout << int{tamis::read(path).row<unsigned char>(0, 3)[1]} << tamis::version();
}"""
OF_C = """
#include <stdio.h>
#include <tamis/tamis.h>
int main(void) {
  unsigned char samples[81] = {0};
  tamis_view view = {0};
  tamis_result* result = NULL;
  view.data = samples;
  view.size[0] = 1;
  view.size[1] = view.size[2] = 9;
  view.type = TAMIS_U8;
  view.rank = 2;
  if (tamis_run(NULL, "median", NULL, &view, 1, &result) != TAMIS_OK) return 1;
  tamis_result_free(result);
  puts(tamis_version());
  return 0;
}"""


@pytest.fixture
def static(installed):
    if not (installed.libraries / "libtamis-core.a").exists():
        pytest.skip("shared libraries were built")
    return installed


def needs_none_of_ours(program):
    assert not re.search("libtamis", run("ldd", program))


def test_cmake_links_all_that_static_libraries_stand_on(static, tmp_path):
    (tmp_path / "CMakeLists.txt").write_text("""
        cmake_minimum_required(VERSION 3.25)
        project(stands_alone LANGUAGES C CXX)
        find_package(tamis 0.1 REQUIRED COMPONENTS core io c)
        add_executable(of_cpp main.cpp)
        target_link_libraries(of_cpp PRIVATE tamis::tamis)
        add_executable(of_c main.c)
        target_link_libraries(of_c PRIVATE tamis::c)""")
    (tmp_path / "main.cpp").write_text(SOURCE)
    (tmp_path / "main.c").write_text(OF_C)
    build = static.build(tmp_path, tmp_path / "build")
    assert run(build / "of_cpp", tmp_path) == "2000.1.0"
    assert run(build / "of_c") == "0.1.0\n"
    needs_none_of_ours(build / "of_cpp")
    needs_none_of_ours(build / "of_c")


def test_pkg_config_names_all_that_static_libraries_stand_on(static, tmp_path):
    (tmp_path / "main.cpp").write_text(SOURCE)
    (tmp_path / "main.c").write_text(OF_C)
    program = static.compile(tmp_path / "main.cpp", tmp_path / "of_cpp", *static.flags("tamis"))
    assert run(program, tmp_path) == "2000.1.0"
    needs_none_of_ours(program)
    run("cc", tmp_path / "main.c", "-o", tmp_path / "of_c", *static.flags("tamis"))
    assert run(tmp_path / "of_c") == "0.1.0\n"


def test_the_program_runs_without_libraries_of_ours(static):
    needs_none_of_ours(static.prefix / "bin" / "tamis")
    assert "0.1.0" in run(static.prefix / "bin" / "tamis", "--version")
