// What is painted at a time, and what is painted on it.
#pragma once

#include <cstdint>
#include <type_traits>

#include <tamis/context.hpp>
#include <tamis/distance.hpp>

#include "granulometry/balls/squares.hpp"

namespace tamis::granulometry_detail::cpu::balls {

/// Edge of a tile: a row of it is a word of 32 bits, and 32 lanes of U16 are one vector of AVX-512.
inline constexpr std::int64_t edge = 32;

/// Squares of a volume, or of one slice; neither has to be whole.
template <class Lane>
struct View {
  Lane* data = nullptr;
  std::int64_t z = 1;
  std::int64_t y = 1;
  std::int64_t x = 1;

  [[nodiscard]] Lane* row(std::int64_t z_at, std::int64_t y_at) const { return data + (z_at * y + y_at) * x; }
};

/// A ball as one tile sees it: its middle, and the box that it still has to paint, both from the tile's first voxel.
template <class Lane>
struct Ball {
  using Offset = std::conditional_t<sizeof(Lane) == 2, std::int16_t, std::int32_t>;
  Lane square = 0;  ///< it holds what is nearer than the root of this
  Offset z = 0;
  Offset y = 0;
  Offset x = 0;
  std::uint32_t box = 0;

  struct Range {
    int first = 0;
    int last = 0;
  };
  void set_box(Range in_z, Range in_y, Range in_x) {
    const auto bits = [](int value, int at) { return static_cast<std::uint32_t>(value) << at; };
    box = bits(in_z.first, 0) | bits(in_z.last, 5) | bits(in_y.first, 10) | bits(in_y.last, 15) |
          bits(in_x.first, 20) | bits(in_x.last, 25);
  }
  [[nodiscard]] Range box_z() const { return range(0); }
  [[nodiscard]] Range box_y() const { return range(10); }
  [[nodiscard]] Range box_x() const { return range(20); }

 private:
  [[nodiscard]] Range range(int at) const {
    return {static_cast<int>((box >> at) & 31U), static_cast<int>((box >> (at + 5)) & 31U)};
  }
};

/// What balls have covered and is not yet written: bits of rows, and the square that they get.
struct Hits {
  static constexpr std::int64_t room = 3072;
  /// Beyond the room: what one ball can add, and a vector.
  static constexpr std::int64_t most = room + edge * edge + 32;
  std::int64_t count = 0;
  alignas(64) std::int32_t bits[most] = {};
  alignas(64) std::int32_t rows[most] = {};
  alignas(64) std::int32_t values[most] = {};
};

/// One tile while it is painted.
template <class Lane>
struct Tile {
  alignas(64) Lane squares[edge * edge * edge] = {};
  alignas(64) std::uint32_t uncovered[edge * edge] = {};  ///< of row z * 32 + y, a bit a voxel
  std::uint32_t rows[edge] = {};                          ///< of slice z, a bit for each row with something uncovered
  Hits hits;
};

// The arithmetic of painting on squares of 16 bits. select.hpp and size_map.cpp have the same for wider ones, in plain C++.

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
