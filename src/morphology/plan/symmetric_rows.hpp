// Sets that kernels of their own take: symmetric rows, repeated steps by nearest neighbours, balls.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <tamis/element.hpp>
#include <tamis/morphology.hpp>

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

// Elements that repeated steps by nearest neighbours make.

/// 4 or 8 neighbours in the plane, 6 or 26 in space, `count` times: diamonds and octahedra, squares and cubes of odd
/// edges.
struct UnitSteps {
  bool box = false;     ///< all neighbours, not only those that share a face (in the plane: an edge)
  bool volume = false;  ///< neighbours in space
  int count = 1;
};

/// Nothing where the set is another one, or where steps are not the same as the whole under this border.
[[nodiscard]] std::optional<UnitSteps> unit_steps(const OffsetSet& set, Border::Kind border);

// Elements that are balls, whatever they were called.

/// The square of the radius of a set that holds every offset up to it and no other; nothing for other sets.
[[nodiscard]] std::optional<std::int64_t> square_of_ball(const OffsetSet& set);

}  // namespace tamis::morphology_detail
