"""What the shared libraries are called, export and need."""

import re
import subprocess

import pytest

from installed_tree import ROOT, run
from exported_symbols import listed

LIST = ROOT / "tests" / "install" / "exported_symbols.txt"
# What files need, and nothing else does.
OF_FILES = re.compile(r"lib(hdf5|png|jpeg|tiff|deflate|z|bz2|curl|krb5|ssl|crypto|sz|aec|gdcm\w*|nghttp2)\b", re.IGNORECASE)


@pytest.mark.parametrize("name", ["libtamis-core", "libtamis-io", "libtamis"])
def test_a_name_carries_the_version_that_may_change(installed, name):
    library = installed.libraries / f"{name}.so"
    assert f"[{name}.so.0.1]" in run("readelf", "-d", library)


def test_exported_names_are_those_of_the_list(installed):
    """docs/abi.md says how the list is written again."""
    assert list(listed(installed.libraries)) == LIST.read_text().splitlines()


def test_what_is_exported_a_public_header_declares(installed):
    headers = "".join(path.read_text() for path in (installed.prefix / "include" / "tamis").rglob("*.hpp"))
    declared = set(re.findall(r"\w+", headers))
    for line in listed(installed.libraries, everything=True):
        component, name = line.split(" ", 1)
        if component == "c":
            continue
        assert "tamis::" in name, line
        assert not re.search(r"^(?:[\w ]+ for )?tamis::\w*(?:_detail|cuda|io)::", name), line
        words = re.sub(r"::operator[^(\w]+\(", "(", name.replace("[abi:cxx11]", ""))
        function = re.search(r"(\w+)(?:<.*>)?\(", words)
        of_type = re.search(r" for tamis::(\w+)", words)
        word = (of_type or function or re.search(r"(\w+)$", words))[1]
        assert word in declared, line


def test_the_c_interface_exports_what_its_header_declares(installed):
    header = (installed.prefix / "include" / "tamis" / "tamis.h").read_text()
    declared = {f"c {name}" for name in re.findall(r"^TAMIS_API [^;(]*?(\w+)\(", header, re.MULTILINE)}
    assert declared == {line for line in listed(installed.libraries, everything=True) if line.startswith("c ")}


@pytest.fixture(scope="module")
def median(installed, tmp_path_factory):
    """A program that computes a median and opens no file."""
    folder = tmp_path_factory.mktemp("median")
    (folder / "CMakeLists.txt").write_text("""
        cmake_minimum_required(VERSION 3.25)
        project(noise LANGUAGES CXX)
        find_package(tamis 0.1 REQUIRED COMPONENTS core)
        add_executable(noise noise.cpp)
        target_link_libraries(noise PRIVATE tamis::core)""")
    (folder / "noise.cpp").write_text("""
        #include <iostream>
        #include <tamis/median.hpp>
        int main() {
          tamis::Image image(tamis::Type::U8, {.z = 1, .y = 9, .x = 9, .rank = 2});
          *image.row<unsigned char>(0, 4) = 200;
          const tamis::Image clean = tamis::median({}, image);
          std::cout << int{*clean.row<unsigned char>(0, 4)};
        }""")
    return installed.build(folder, folder / "build") / "noise"


def test_a_median_needs_no_library_of_files(median):
    assert run(median) == "0"
    libraries = re.findall(r"(\S+) => ", run("ldd", median))
    assert any(name.startswith("libtamis-core") for name in libraries)
    assert not [name for name in libraries if OF_FILES.match(name) or name.startswith("libtamis-io")]


def test_programs_need_few_libraries(installed, median):
    """Debian's HDF5 alone brings 36: it is in the process that decodes."""
    for file in (installed.prefix / "bin" / "tamis", installed.libraries / "libtamis.so", median):
        assert len(run("ldd", file).splitlines()) <= 25, file


def test_errors_of_the_library_are_caught_by_their_types(installed, tmp_path):
    source = tmp_path / "errors.cpp"
    source.write_text("""
        #include <iostream>
        #include <tamis/tamis.hpp>
        int main() {
          try {
            static_cast<void>(tamis::read("none.tif"));
          } catch (const tamis::InputError&) {
            std::cout << "input ";
          }
          try {
            static_cast<void>(tamis::median({}, tamis::Image(tamis::Type::F64, {})));
          } catch (const tamis::Error&) {
            std::cout << "error";
          }
        }""")
    assert run(installed.compile(source, tmp_path / "errors", *installed.flags("tamis"))) == "input error"


def test_the_program_finds_the_libraries_beside_it(installed):
    libraries = run("ldd", installed.prefix / "bin" / "tamis")
    for component in ("core", "io"):
        assert f"{installed.libraries}/libtamis-{component}.so.0.1" in libraries.replace("/bin/../", "/")


def test_the_script_that_lists_names_is_a_program(installed):
    done = subprocess.run([ROOT / "tests" / "install" / "exported_symbols.py", installed.libraries],
                          capture_output=True, text=True, check=True)
    assert done.stdout == LIST.read_text()
