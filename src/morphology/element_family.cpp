#include "morphology/element_family.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string_view>

#include <fmt/format.h>
#include <tamis/error.hpp>

namespace tamis::morphology_detail {
namespace {

constexpr std::string_view by_radius[] = {"cross", "disk", "ball", "octagon", "hexagon"};

}  // namespace

std::vector<std::string> element_family(const std::string& last) {
  const std::size_t colon = last.find(':');
  const std::string name = last.substr(0, colon);
  const bool by_edge = name == "square" || name == "cube";
  if (!by_edge && std::find(std::begin(by_radius), std::end(by_radius), name) == std::end(by_radius)) {
    throw InputError(
        fmt::format("asf: element {}; wanted one that grows: square:N, cube:N, cross:R, disk:R, ball:R, "
                    "octagon:R or hexagon:R",
                    last));
  }
  const std::int64_t first = by_edge ? 3 : 1;
  const std::int64_t step = by_edge ? 2 : 1;
  const char* const end = last.data() + last.size();
  const char* const digits = colon == std::string::npos ? end : last.data() + colon + 1;
  std::int64_t size = 0;
  const auto [stop, fault] = std::from_chars(digits, end, size);
  if (digits == end || fault != std::errc{} || stop != end || size < first || (by_edge && size % 2 == 0)) {
    throw InputError(fmt::format("asf: element {}; wanted {}:{} with a whole number, {}", last, name,
                                 by_edge ? "N" : "R", by_edge ? "odd, 3 or more" : "1 or more"));
  }
  std::vector<std::string> family;
  for (std::int64_t n = first; n <= size; n += step) family.push_back(fmt::format("{}:{}", name, n));
  return family;
}

}  // namespace tamis::morphology_detail
