// Fuzzers cannot wait for the process with ITK. What it would say is what our own reading of the header has found:
// the linker sends two calls here first (--wrap, CMakeLists.txt), that of open_place(), which knows our reading, and
// the question to ITK within it. So all that stands behind ITK's answer is fuzzed too.
#include <array>
#include <string>
#include <utility>

#include "io/itk_client.hpp"
#include "io/itk_place.hpp"

namespace tamis::io {
namespace {

thread_local ItkHeader answer;

}  // namespace

std::unique_ptr<Source> real_open_place(ItkPlace place) __asm__("__real__ZN5tamis2io10open_placeENS0_8ItkPlaceE");
std::unique_ptr<Source> wrapped_open_place(ItkPlace place) __asm__("__wrap__ZN5tamis2io10open_placeENS0_8ItkPlaceE");
ItkHeader wrapped_header(ItkClient* self, ItkFormat format, const std::string& path) __asm__(
    "__wrap__ZN5tamis2io9ItkClient6headerENS0_9ItkFormatERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE");

std::unique_ptr<Source> wrapped_open_place(ItkPlace place) {
  const Shape& s = place.layout.shape;
  answer = {};
  answer.type = place.layout.type;
  answer.sizes = {s.x, s.y, s.z};
  answer.spacing = {1.5, 0.5, 2};
  return real_open_place(std::move(place));
}

ItkHeader wrapped_header(ItkClient*, ItkFormat, const std::string&) { return answer; }

}  // namespace tamis::io
