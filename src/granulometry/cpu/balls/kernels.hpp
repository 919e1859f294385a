// The arithmetic of painting on squares of 16 bits. select.hpp and paint.hpp have the same for wider ones, in plain C++.
#pragma once

#include <cstdint>

#include <tamis/context.hpp>

#include "granulometry/balls/inclusion.hpp"
#include "granulometry/cpu/balls/tile.hpp"

namespace tamis::granulometry_detail::cpu::balls {

/// Rows around one row of squares: index 3 * (dz + 1) + dy + 1; a vector before and behind each may be read.
template <class Lane>
struct Neighbourhood {
  const Lane* rows[9] = {};
  [[nodiscard]] const Lane* centre() const { return rows[4]; }
};

struct SelectTask {
  std::int64_t count = 0;  ///< samples of a row
  std::uint16_t along_x = 1;  ///< squares of the sides; 0 for an axis that balls do not have
  std::uint16_t along_y = 1;
  std::uint16_t along_z = 1;
};

struct Kernels {
  /// Marks in `live` (a bit a sample, words of 64) what the neighbours along the axes leave something to paint, and
  /// writes the largest neighbour of each diagonal kind into `around` wherever something is marked.
  void (*select_row)(const Neighbourhood<std::uint16_t>&, const SelectTask&, std::uint64_t* live,
                     std::uint16_t* const around[diagonals]);
  /// Covers what a ball shows of a tile; what that is may be written later.
  void (*paint)(Tile<std::uint16_t>&, const Ball<std::uint16_t>&, const WholeSides&);
  /// Writes what has been covered.
  void (*write_hits)(Tile<std::uint16_t>&);
  /// The bits of a row of a tile that are object.
  std::uint32_t (*object_bits)(const std::uint16_t* row);
};

Kernels kernels(Simd simd);

}  // namespace tamis::granulometry_detail::cpu::balls
