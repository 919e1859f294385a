// Where a sample lies, in words.
#pragma once

#include <cstdint>
#include <string>

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

}  // namespace tamis
