// Elements whose rows are symmetric in x: disks, balls, diamonds, octagons, and on bits small boxes too.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <tamis/element.hpp>

namespace tamis::morphology_detail {

/// Row (z, y) holds the offsets x with |x| <= radius; -1: none.
struct SymmetricRows {
  static constexpr int none = -1;
  std::int64_t low_z = 0, low_y = 0;
  int depth = 1, height = 1;
  std::vector<int> radius;  ///< depth x height

  [[nodiscard]] int at(int z, int y) const { return radius[static_cast<std::size_t>(z) * height + y]; }
  [[nodiscard]] int widest(int z) const;
  /// A part of it: some slices, some rows.
  [[nodiscard]] SymmetricRows part(int first_z, int slices, int first_y, int rows) const;
};

/// Nothing if the set has other rows, or is too large to be worth it.
[[nodiscard]] std::optional<SymmetricRows> symmetric_rows(const OffsetSet& set);

/// Row operations a result needs, about; comparable with the number of terms of a program.
[[nodiscard]] double cost(const SymmetricRows& rows);

}  // namespace tamis::morphology_detail
