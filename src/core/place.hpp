// What people read of an image: places of samples, and units of length.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <tamis/image.hpp>

namespace tamis {

/// "x 3, y 0, z 1", and "x 3, y 0" of an image: places as people count them, x first.
[[nodiscard]] inline std::string place_of(const Shape& shape, std::int64_t z, std::int64_t y, std::int64_t x) {
  return shape.rank == 3 ? fmt::format("x {}, y {}, z {}", x, y, z) : fmt::format("x {}, y {}", x, y);
}
/// The same of the sample with that index, where x runs fastest.
[[nodiscard]] inline std::string place_of(const Shape& shape, std::int64_t index) {
  return place_of(shape, index / shape.x / shape.y, index / shape.x % shape.y, index % shape.x);
}

// Units of length.

/// How many micrometres a unit is; nothing for a unit that is not known.
[[nodiscard]] constexpr std::optional<double> micrometres(std::string_view unit) {
  constexpr std::pair<std::string_view, double> units[] = {{"nm", 1e-3}, {"um", 1},  {"mm", 1e3},
                                                           {"cm", 1e4},  {"m", 1e6}, {"A", 1e-4}};
  for (const auto& [name, size] : units) {
    if (unit == name) return size;
  }
  return std::nullopt;
}

}  // namespace tamis
