#include "median/cpu/varied_parts.hpp"

#include <algorithm>

namespace tamis::median_detail::cpu {
namespace {

constexpr std::int64_t cell_rows = 16, cell_columns = 32;

/// Without leaving early, which compilers cannot do for many at a time.
bool differ(const std::int32_t* ranks, std::int64_t count, std::int64_t rank) {
  std::int32_t bits = 0;
  for (std::int64_t i = 0; i < count; ++i) bits |= ranks[i] ^ static_cast<std::int32_t>(rank);
  return bits != 0;
}

/// The part without columns of one rank at its ends.
void trim(BandPart& part, const std::int32_t* ranks, std::int64_t nx, std::int64_t rank) {
  const std::int64_t rows = part.band.y1 - part.band.y0;
  const auto varies = [&](std::int64_t x) {
    for (std::int64_t row = 0; row < rows; ++row) {
      if (ranks[row * nx + x] != rank) return true;
    }
    return false;
  };
  while (!varies(part.x0)) ++part.x0;
  while (!varies(part.x1 - 1)) --part.x1;
}

}  // namespace

std::vector<BandPart> varied_parts(const std::int32_t* ranks, const Band& band, std::int64_t nx, std::int64_t rank) {
  std::vector<BandPart> parts;
  std::vector<bool> varies(static_cast<std::size_t>((nx + cell_columns - 1) / cell_columns));
  for (std::int64_t z = band.z0; z < band.z1; ++z) {
    for (std::int64_t y0 = band.y0; y0 < band.y1; y0 += cell_rows) {
      const std::int64_t y1 = std::min(y0 + cell_rows, band.y1);
      const std::int32_t* const first = ranks;
      const std::size_t before = parts.size();
      std::fill(varies.begin(), varies.end(), false);
      for (std::int64_t y = y0; y < y1; ++y, ranks += nx) {
        for (std::int64_t x0 = 0; x0 < nx; x0 += cell_columns) {
          if (differ(ranks + x0, std::min(cell_columns, nx - x0), rank)) {
            varies[static_cast<std::size_t>(x0 / cell_columns)] = true;
          }
        }
      }
      for (std::int64_t x0 = 0; x0 < nx; x0 += cell_columns) {
        if (!varies[static_cast<std::size_t>(x0 / cell_columns)]) continue;
        const std::int64_t x1 = std::min(x0 + cell_columns, nx);
        if (!parts.empty() && parts.back().x1 == x0 && parts.back().band.y0 == y0 && parts.back().band.z0 == z) {
          parts.back().x1 = x1;
        } else {
          parts.push_back({{z, z + 1, y0, y1}, x0, x1});
        }
      }
      for (std::size_t i = before; i < parts.size(); ++i) trim(parts[i], first, nx, rank);
    }
  }
  return parts;
}

}  // namespace tamis::median_detail::cpu
