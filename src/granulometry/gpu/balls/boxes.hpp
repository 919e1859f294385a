// Balls on their way to the tiles that they touch, in device memory, and the steps that make and use them. Queued;
// nothing waits.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "core/gpu/stream.hpp"
#include "distance/gpu/squares.hpp"

namespace tamis::granulometry_detail::gpu::balls {

using distance_detail::gpu::SquareRows;

/// Voxels of a tile. A row of it is a word of bits.
inline constexpr int tile_x = 32;
inline constexpr int tile_y = 16;
inline constexpr int tile_z = 16;

/// A ball as one tile sees it, both from the tile's first voxel: its middle, and the box that it still has to paint.
struct alignas(16) Box {
  std::int16_t x, y, z;
  std::uint16_t square_low;
  std::uint8_t first_x, last_x, first_y, last_y;
  std::uint8_t first_z, last_z;
  std::uint16_t square_high;  ///< of squares of 32 bits; those of 64 are in the lists alone
};
static_assert(sizeof(Box) == 16);

/// Up to here the fast root of a 32-bit number is right (root.cuh); from here on it is a guess that whole numbers of 64
/// bits have to confirm.
inline constexpr std::uint32_t least_exact = 1U << 20;

#ifdef __CUDACC__
/// A box as it is stored: in ten fields a kernel would keep it in as many registers.
using BoxWords = uint4;

template <class Lane>
__device__ inline BoxWords words_of(int x, int y, int z, int square, int first_x, int last_x, int first_y, int last_y,
                                    int first_z, int last_z) {
  BoxWords words = make_uint4((x & 0xffff) | y << 16, (z & 0xffff) | square << 16,
                              first_x | last_x << 8 | first_y << 16 | last_y << 24, first_z | last_z << 8);
  if constexpr (sizeof(Lane) == 4) words.w |= static_cast<unsigned>(square) >> 16 << 16;
  return words;
}
__device__ inline Box box_of(const BoxWords& words) {
  Box box;
  memcpy(&box, &words, sizeof(box));
  return box;
}
template <class Lane>
__device__ inline Lane square_of(const Box& box) {
  if constexpr (sizeof(Lane) == 4) return box.square_low | std::uint32_t{box.square_high} << 16;
  return box.square_low;
}
#endif

/// What kernels know of sides and squares: sides of 1 and no disks, any sides, and squares of `least_exact` and more.
enum class Form : std::uint8_t { Cubic, Sides, Exact };

/// Squares of a kernel's kind, and sums of them.
template <Form form>
using Number = std::conditional_t<form == Form::Exact, std::int64_t, int>;

/// Boxes of a tile that lie together.
struct Segment {
  std::uint32_t first;
  std::uint32_t count;
};

struct Cursors {
  std::uint32_t boxes = 0;          ///< that were wanted, also beyond the room
  std::uint32_t most_segments = 0;  ///< of a tile, also beyond the room
  std::uint32_t spilled = 0;        ///< boxes of tiles whose order is kept in device memory
  std::uint32_t small = 0;          ///< of a sample: centres that the dense step would have painted
  std::uint32_t sampled = 0;        ///< of a sample: pairs of a ball and a tile, some of which have no box
};

/// Lists of boxes by tiles, with room for so many. `Lane`: the type of squares.
template <class Lane>
struct ListsOf {
  Box* boxes = nullptr;
  Lane* squares = nullptr;          ///< theirs, once more: sorting asks for nothing else
  std::uint32_t* order = nullptr;   ///< as many
  std::uint8_t* patches = nullptr;  ///< as many
  std::uint32_t room = 0;
  Segment* segments = nullptr;  ///< for each tile
  std::uint32_t* counts = nullptr;
  std::uint32_t segment_room = 0;
  Cursors* cursors = nullptr;
};
using Lists = ListsOf<std::uint16_t>;

/// How long voxels are, and whether balls are disks.
struct Sides {
  int z = 1;
  int y = 1;
  int x = 1;
  bool flat = false;

  [[nodiscard]] bool cubic() const { return z == 1 && y == 1 && x == 1 && !flat; }
};
[[nodiscard]] inline Sides sides_of(const WholeSides& sides, bool flat) {
  return {static_cast<int>(sides.z), static_cast<int>(sides.y), static_cast<int>(sides.x), flat};
}

/// For each square below `known` the least square that the ball of a diagonal neighbour of each kind needs to hold it.
struct DeviceInclusion {
  const std::uint32_t* least[4] = {};
  std::uint32_t known = 0;
};

struct Tiles {
  std::int64_t z = 1;
  std::int64_t y = 1;
  std::int64_t x = 1;

  template <class Lane>
  explicit Tiles(const SquareRows<Lane>& squares)
      : z((squares.z + tile_z - 1) / tile_z),
        y((squares.y + tile_y - 1) / tile_y),
        x((squares.x + tile_x - 1) / tile_x) {}
  [[nodiscard]] std::int64_t count() const { return z * y * x; }
};

struct Selection {
  SquareRows<std::uint16_t> squares;
  Sides sides;
  DeviceInclusion inclusion;
  int least = 2;  ///< squares below are left out
  int every = 1;  ///< only each so many-th block is looked at, and its boxes counted
  Lists lists;
};

/// Writes what every ball has to paint into the lists. What does not fit is counted.
void select(const cuda::Stream& stream, const Selection& selection);

/// Squares up to this are painted all at once where that pays.
inline constexpr int dense_most = 6;
/// Planes of bits that say which of them each voxel has, as many as words of 32 voxels, three times.
void code_dense(const cuda::Stream& stream, const SquareRows<std::uint16_t>& squares, std::uint32_t* codes);
/// Raises squares to the largest of those from 2 to 6 whose ball covers them.
void paint_dense(const cuda::Stream& stream, const std::uint32_t* codes, const SquareRows<std::uint16_t>& squares);

template <class Lane>
struct PaintingOf {
  SquareRows<Lane> squares;               ///< in: of the balls' middles; out: of the largest ball
  const std::uint32_t* object = nullptr;  ///< bits of what is painted, rows as the squares'
  Sides sides;
  std::uint64_t largest = 0;
  ListsOf<Lane> lists;
};
using Painting = PaintingOf<std::uint16_t>;

/// Does nothing where the lists had too little room.
void paint(const cuda::Stream& stream, const Painting& painting);
void paint(const cuda::Stream& stream, const PaintingOf<std::uint32_t>& painting);
void paint(const cuda::Stream& stream, const PaintingOf<std::uint64_t>& painting);

}  // namespace tamis::granulometry_detail::gpu::balls
