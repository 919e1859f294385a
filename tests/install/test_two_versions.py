"""The library beside others in one process: another copy of it, a program that has names of its own that are the same, and
programs that unload it."""

import re
import shutil

import pytest

from installed_tree import run

LIBRARIES = ["libtamis-core", "libtamis-io", "libtamis"]


@pytest.mark.parametrize("name", LIBRARIES)
def test_exported_names_carry_the_version(installed, name):
    names = re.findall(r"^\S+ [A-Za-z] (\S+)$", run("nm", "-D", "--defined-only", installed.libraries / f"{name}.so"), re.M)
    assert len(names) > 20
    assert [name for name in names if not name.endswith("@@tamis_0.1") and name != "tamis_0.1"] == []


@pytest.mark.parametrize("name", LIBRARIES)
def test_nothing_is_unique_in_the_process(installed, name):
    """A library with such a name is never unloaded."""
    assert "UNIQUE" not in run("readelf", "-W", "--dyn-syms", installed.libraries / f"{name}.so")


def test_names_of_the_program_do_not_reach_into_the_library(installed, tmp_path):
    """The program has functions of its own that are called as ours, as an older library in the same process would."""
    source = tmp_path / "same_names.cpp"
    source.write_text("""
        #include <cstdlib>
        #include <iostream>
        #include <tamis/median.hpp>
        namespace tamis {
        std::int64_t sample_bytes(Type) { std::abort(); }
        std::string to_string(const Shape&) { std::abort(); }
        }
        int main() {
          tamis::Image image(tamis::Type::U16, {.z = 1, .y = 9, .x = 9, .rank = 2});
          image.row<std::uint16_t>(0, 4)[3] = 200;
          std::cout << tamis::median({}, image).row<std::uint16_t>(0, 4)[3];
        }""")
    program = installed.compile(source, tmp_path / "same_names", "-rdynamic", *installed.flags("tamis-core"))
    assert run(program) == "0"


def test_a_library_is_unloaded_and_two_copies_live_side_by_side(installed, tmp_path):
    copy = tmp_path / "copy"
    copy.mkdir()
    for name in LIBRARIES:
        shutil.copy(installed.libraries / f"{name}.so", copy / f"{name}.so.0.1")
    source = tmp_path / "load.cpp"
    source.write_text(r"""
        #include <dlfcn.h>
        #include <cstdlib>
        #include <cstring>
        #include <fstream>
        #include <iostream>
        #include <string>
        #include <tamis/tamis.h>

        bool is_loaded(const std::string& file) {
          std::ifstream maps("/proc/self/maps");
          for (std::string line; std::getline(maps, line);) {
            if (line.find(file) != std::string::npos) return true;
          }
          return false;
        }

        void run(void* library) {
          const auto run = reinterpret_cast<decltype(&tamis_run)>(dlsym(library, "tamis_run"));
          const auto release = reinterpret_cast<decltype(&tamis_result_free)>(dlsym(library, "tamis_result_free"));
          static unsigned char samples[300 * 300];
          tamis_view view{};
          view.data = samples;
          view.size[0] = 1, view.size[1] = view.size[2] = 300;
          view.type = TAMIS_U8;
          view.rank = 2;
          tamis_result* result = nullptr;
          if (run(nullptr, "median", nullptr, &view, 1, &result) != TAMIS_OK) std::abort();
          release(result);
        }

        int main(int, char** files) {
          void* const first = dlopen(files[1], RTLD_NOW | RTLD_LOCAL);
          void* const second = dlopen(files[2], RTLD_NOW | RTLD_LOCAL);
          if (!first || !second || first == second) return 1;
          if (dlsym(first, "tamis_run") == dlsym(second, "tamis_run")) return 2;
          run(first);
          run(second);
          dlclose(first);
          run(second);
          dlclose(second);
          std::cout << is_loaded(files[1]) << is_loaded("libtamis-core") << is_loaded(files[2]);
        }""")
    program = installed.compile(source, tmp_path / "load", *[word for word in installed.flags("tamis") if word.startswith("-I")],
                                "-ldl")
    assert run(program, installed.libraries / "libtamis.so.0.1", copy / "libtamis.so.0.1") == "000"
