#include "papers/perrot/cpu/sequential.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace tamis::perrot {

void sequential_identity(const Image& image, Image& out) {
  for (std::int64_t y = 0; y < image.shape().y; ++y) {
    const auto* const from = image.row<std::uint16_t>(0, y);
    auto* const to = out.row<std::uint16_t>(0, y);
    for (std::int64_t x = 0; x < image.shape().x; ++x) to[x] = from[x];
  }
}

void sequential_histogram(const Image& image, int edge, Image& out) {
  constexpr int grey_levels = 256;
  const std::int64_t width = image.shape().x, height = image.shape().y;
  const int radius = edge / 2, middle = edge * edge / 2;
  for (std::int64_t y = 0; y < height; ++y) {
    for (std::int64_t x = 0; x < width; ++x) {
      std::array<int, grey_levels> counts = {};
      for (std::int64_t j = y - radius; j <= y + radius; ++j) {
        const auto* const row = image.row<std::uint16_t>(0, std::clamp<std::int64_t>(j, 0, height - 1));
        for (std::int64_t i = x - radius; i <= x + radius; ++i)
          ++counts[row[std::clamp<std::int64_t>(i, 0, width - 1)]];
      }
      int seen = 0;
      std::size_t level = 0;
      while (seen <= middle) seen += counts[level++];
      out.row<std::uint16_t>(0, y)[x] = static_cast<std::uint16_t>(level - 1);
    }
  }
}

}  // namespace tamis::perrot
