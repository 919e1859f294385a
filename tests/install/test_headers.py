"""Public headers in programs of others: each stands alone, has the errors that it throws, and can be read after Xlib.h."""

import pytest

from installed_tree import run


def compiled(installed, tmp_path, text):
    source = tmp_path / "headers.cpp"
    source.write_text(text)
    return installed.compile(source, tmp_path / "headers", "-Wall", "-Wextra", "-Wpedantic", "-Werror",
                             *installed.flags("tamis"))


@pytest.mark.parametrize("header", ["image/view.hpp", "median.hpp", "io.hpp"])
def test_a_header_has_the_errors_that_it_throws(installed, tmp_path, header):
    compiled(installed, tmp_path, f"""
        #include <tamis/{header}>
        int main() {{
          try {{
            throw tamis::InputError("none");
          }} catch (const tamis::Error&) {{
          }}
        }}""")


def test_all_headers_can_be_read_after_xlib(installed, tmp_path):
    """Xlib.h makes these words macros. Its own Bool is there afterwards, for its other headers."""
    program = compiled(installed, tmp_path, """
        #define Bool int
        #define Status int
        #define True 1
        #define False 0
        #define None 0L
        #define Always 2
        #define Success 0
        #include <tamis/tamis.hpp>
        #include <tamis/image/view.hpp>
        #include <tamis/operations.hpp>
        #include <iostream>
        Bool is_there() { return True; }
        int main() {
          tamis::ImageView view;
          std::cout << is_there() << tamis::is_bool(view.type) << tamis::is_bool(tamis::Type::U8);
        }""")
    assert run(program) == "110"


def test_a_file_can_be_finished_twice(installed, tmp_path):
    program = compiled(installed, tmp_path, """
        #include <cstddef>
        #include <iostream>
        #include <vector>
        #include <tamis/tamis.hpp>
        int main(int, char** arguments) {
          const std::vector<std::byte> slice(64);
          for (const char* name : {"a.tif", "a.png", "a.npy", "a.zarr", "a.pgm", "a.h5", "a.raw.gz"}) {
            const std::string path = std::string(arguments[1]) + "/" + name;
            const tamis::Layout layout{tamis::Type::U8, {1, 8, 8, 2}, 1, {}};
            const auto sink = tamis::create(path, layout);
            sink->write(slice.data(), 1);
            sink->finish();
            sink->finish();
            try {
              sink->write(slice.data(), 1);
              std::cout << name;
            } catch (const tamis::InputError&) {
            }
            tamis::OutputFiles files;
            const auto other = files.create(path, layout);
            other->write(slice.data(), 1);
            other->finish();
            other->finish();
            files.commit();
          }
          std::cout << to_string(tamis::Layout{tamis::Type::U16, {4, 5, 6, 3}, 3, {}});
        }""")
    assert run(program, tmp_path) == "6x5x4 u16 with 3 channels"
