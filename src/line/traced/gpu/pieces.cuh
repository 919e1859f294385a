// Shallow lines: how a warp shares a piece of the image whose columns become rows of the tile.
#pragma once

#include "line/traced/gpu/work.cuh"

namespace tamis::line_detail::gpu {
namespace tile {

/// As many rows of as many samples of a lane, turned: word i has sample i of each.
template <class T>
struct Square {
  std::uint32_t word[word_samples<T>];

  __device__ __forceinline__ void turn() {
    if constexpr (sizeof(T) == 1) {
      const std::uint32_t a = __byte_perm(word[0], word[1], 0x5140);
      const std::uint32_t b = __byte_perm(word[2], word[3], 0x5140);
      const std::uint32_t c = __byte_perm(word[0], word[1], 0x7362);
      const std::uint32_t d = __byte_perm(word[2], word[3], 0x7362);
      word[0] = __byte_perm(a, b, 0x5410);
      word[1] = __byte_perm(a, b, 0x7632);
      word[2] = __byte_perm(c, d, 0x5410);
      word[3] = __byte_perm(c, d, 0x7632);
    } else if constexpr (sizeof(T) == 2) {
      const std::uint32_t a = __byte_perm(word[0], word[1], 0x5410);
      word[1] = __byte_perm(word[0], word[1], 0x7632);
      word[0] = a;
    }
  }
};

/// How a warp shares a piece of an image with shallow lines: a lane has a word of the rows, and a group of lanes a
/// stretch of the rows. The steeper the lines, the fewer words beside each other, because they need other rows.
template <class T>
struct Piece {
  int words;                   ///< beside each other
  int t;                       ///< row of the tile of the lane's first sample
  int x;                       ///< and its place in the image
  int shift[word_samples<T>];  ///< of the lane's samples, less c0: what turns y into a column of the tile
  int y, end;                  ///< rows of the lane
  int first, after;            ///< those of all lanes

  __device__ static int words_at(const Angle& angle) {
    const double slope = fabs(angle.slope);
    return slope < 0.2 ? 32 : slope < 0.5 ? 16 : 8;
  }

  /// Columns low ... high-1 of the tile; positions from `first_row` on, `words` words a piece; stretches of whole
  /// `unit` rows.
  __device__ __forceinline__ Piece(const Place& place, const Memory& memory, int at_once, int first_row, int index,
                                   int low, int high, int unit)
      : words(at_once) {
    constexpr int samples = word_samples<T>;
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const int start = first_row + index * words * samples;
    const int last = place.rows - samples;
    t = start + lane % words * samples;
    x = place.k0 + t;
#pragma unroll
    for (int i = 0; i < samples; ++i) shift[i] = memory.shift[min(t, last) + i] - place.c0;
    const int one = memory.shift[min(start, place.rows - 1)] - place.c0;
    const int other = memory.shift[min(start + words * samples, place.rows) - 1] - place.c0;
    const int groups = 32 / words;
    first = low - max(one, other);
    const int rows = high - min(one, other) - first;
    const int stretch = (rows + groups * unit - 1) / (groups * unit) * unit;
    after = first + groups * stretch;
    y = first + lane / words * stretch;
    end = y + stretch;
  }
};

/// Squares that are on their way together.
template <class T>
constexpr int squares_at_once = sizeof(T) == 1   ? 2
                                : sizeof(T) == 2 ? 3
                                                 : 6;

}  // namespace tile
}  // namespace tamis::line_detail::gpu
