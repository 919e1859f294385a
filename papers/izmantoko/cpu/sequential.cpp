#include "papers/izmantoko/cpu/sequential.hpp"

#include <algorithm>

namespace tamis::izmantoko::cpu {
namespace {

struct Window {
  std::int64_t y0, y1, x0, x1;
};

/// The square around a pixel as far as it lies inside.
Window window_of(const Shape& shape, std::int64_t y, std::int64_t x, int radius) {
  return {std::max<std::int64_t>(y - radius, 0), std::min<std::int64_t>(y + radius, shape.y - 1),
          std::max<std::int64_t>(x - radius, 0), std::min<std::int64_t>(x + radius, shape.x - 1)};
}

Image eroded(const Image& image, int radius) {
  const Shape& shape = image.shape();
  Image out(Type::U8, shape);
  for (std::int64_t y = 0; y < shape.y; ++y) {
    for (std::int64_t x = 0; x < shape.x; ++x) {
      const Window window = window_of(shape, y, x, radius);
      std::int64_t counter = 0;
      for (std::int64_t j = window.y0; j <= window.y1; ++j) {
        const auto* row = image.row<std::uint8_t>(0, j);
        for (std::int64_t i = window.x0; i <= window.x1; ++i) counter += row[i] == 1;
      }
      out.row<std::uint8_t>(0, y)[x] = counter == (window.y1 - window.y0 + 1) * (window.x1 - window.x0 + 1);
    }
  }
  return out;
}

Image dilated(const Image& image, int radius) {
  const Shape& shape = image.shape();
  Image out(Type::U8, shape);
  for (std::int64_t y = 0; y < shape.y; ++y) {
    for (std::int64_t x = 0; x < shape.x; ++x) {
      if (image.row<std::uint8_t>(0, y)[x] != 1) continue;
      const Window window = window_of(shape, y, x, radius);
      for (std::int64_t j = window.y0; j <= window.y1; ++j) {
        auto* row = out.row<std::uint8_t>(0, j);
        for (std::int64_t i = window.x0; i <= window.x1; ++i) row[i] = 1;
      }
    }
  }
  return out;
}

}  // namespace

bool is_binary_image(const Image& image) {
  const auto* samples = image.row<std::uint8_t>(0, 0);
  return image.type() == Type::U8 && image.shape().z == 1 &&
         std::all_of(samples, samples + image.shape().count(), [](std::uint8_t sample) { return sample <= 1; });
}

Image sequential(Operation operation, const Image& image, int radius) {
  if (operation == Operation::Erode) return eroded(image, radius);
  if (operation == Operation::Dilate) return dilated(image, radius);
  if (operation == Operation::Open) return dilated(eroded(image, radius), radius);
  return eroded(dilated(image, radius), radius);
}

}  // namespace tamis::izmantoko::cpu
