// How the GPU sees a volume: windows of 64 voxels along x, 56 of them its own. The others are a halo of 4 on either
// side, so that four unit steps read nothing from neighbouring windows.
//
// A lane holds one row of a window, as two words: the even voxels and the odd ones. A neighbour along x is then a bit
// of the other word, and one of the two neighbours needs no shift.
#pragma once

#include <cstdint>

#include "core/both.hpp"

namespace tamis::granulometry_detail::gpu {

struct Windows {
  static constexpr int halo = 4;  ///< in x, y and z; also the most steps of a pass
  static constexpr int own_x = 56;
  static constexpr int depth_rows = 8;  ///< rows that share a byte while distances are measured
  static constexpr int peak_rows = 4;   ///< rows that share a largest distance afterwards

  std::int64_t nz = 0, ny = 0, nx = 0;
  int columns = 0;         ///< windows along x
  std::int64_t pitch = 0;  ///< rows of a column in memory, with what lies outside the image

  Windows() = default;
  Windows(std::int64_t z, std::int64_t y, std::int64_t x)
      : nz(z), ny(y), nx(x), columns(static_cast<int>((x + own_x - 1) / own_x)), pitch(rows_covered(y) + std::int64_t{2} * halo) {}

  /// Bands of rows that are computed at once, `own` of them for the result.
  [[nodiscard]] TAMIS_BOTH int bands(int own) const { return static_cast<int>((ny + own - 1) / own); }

  /// Index of a row in arrays with one entry a row; row -halo is the first of a column.
  [[nodiscard]] TAMIS_BOTH std::int64_t row(std::int64_t z, int column, std::int64_t y) const {
    return (z * columns + column) * pitch + y + halo;
  }
  [[nodiscard]] TAMIS_BOTH std::int64_t row_count() const { return nz * columns * pitch; }

  /// Arrays with one entry a group of rows; slices run fastest.
  [[nodiscard]] TAMIS_BOTH int depth_groups() const { return static_cast<int>((ny + depth_rows - 1) / depth_rows); }
  [[nodiscard]] TAMIS_BOTH std::int64_t depth(std::int64_t z, int column, int group) const {
    return (std::int64_t{column} * depth_groups() + group) * nz + z;
  }
  [[nodiscard]] TAMIS_BOTH std::int64_t depth_count() const { return std::int64_t{columns} * depth_groups() * nz; }
  [[nodiscard]] TAMIS_BOTH int peak_groups() const { return static_cast<int>((ny + peak_rows - 1) / peak_rows); }
  [[nodiscard]] TAMIS_BOTH std::int64_t peak(std::int64_t z, int column, int group) const {
    return (std::int64_t{column} * peak_groups() + group) * nz + z;
  }
  [[nodiscard]] TAMIS_BOTH std::int64_t peak_count() const { return std::int64_t{columns} * peak_groups() * nz; }

 private:
  /// Bands of at most 32 rows end within so many.
  static std::int64_t rows_covered(std::int64_t y) { return (y + 31) / 8 * 8 + 32; }
};

}  // namespace tamis::granulometry_detail::gpu
