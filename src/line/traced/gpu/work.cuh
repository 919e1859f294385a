// What the kernel of traced lines is asked, which part of it a block of threads has, and its shared memory.
#pragma once

#include "line/traced/gpu/cells.cuh"

namespace tamis::line_detail::gpu {
namespace tile {

/// Threads of a block. Of few more blocks are on a multiprocessor, and one loads while others compute; long windows
/// want long tiles, and so many threads.
constexpr int few_threads = 256;
constexpr int many_threads = 512;
constexpr int row_words = 16;
constexpr int pitch_words = 17;  ///< one more, so that words below each other lie in different banks
constexpr int block_rows = 16;
constexpr int summed_rows = 8;  ///< rows whose extremum is kept, for windows that hold them all
/// Rows that a block of threads has at once.
template <int threads>
constexpr int rows_at_once = threads / row_words;

/// Lines of a bundle.
template <class T>
constexpr int lanes = row_words* word_samples<T>;
/// Those whose results it stores: bundles overlap by a word, so that each word of the result is whole in one of them.
template <class T>
constexpr int own_lanes = sizeof(T) == 4 ? lanes<T> : lanes<T> - word_samples<T>;

struct Angle {
  double slope = 0;
  int steep = 0;
  int first = 0, last = 0;  ///< lines, both inside
};

struct Work {
  const std::byte* from = nullptr;
  std::int64_t from_pitch = 0, from_slice = 0;
  std::byte* to = nullptr;  ///< null: nothing is stored
  std::int64_t to_pitch = 0, to_slice = 0;
  std::int64_t to_angle = 0;  ///< bytes from the result at an angle to that at the next one
  int nx = 0, ny = 0;
  int length = 1, origin = 0;
  bool opens = false;  ///< erosion and dilation, else an erosion alone
  std::uint32_t flip = 0;
  std::uint32_t outside = 0;     ///< what an erosion sees beyond the lines, flipped
  std::uint32_t lowest = 0;      ///< what a dilation leaves out, flipped
  std::uint32_t count_flip = 0;  ///< what turns results into what is counted
  int rows = 0;                  ///< of the tile
  int own = 0;                   ///< of which so many are its result
  unsigned long long* counts = nullptr;
  double base = 0, step = 1;
  int angles = 1;
  static constexpr int most_angles = 96;
  Angle angle[most_angles];
  unsigned* nan = nullptr;  ///< of floats: becomes 1 if there is NaN among them; or null
};

__device__ __forceinline__ int shift_at(const Angle& angle, int k) {
  return __double2int_rd(fma(static_cast<double>(k), angle.slope, 0.5 + 1e-9));
}

/// Where a block of threads is. The same for all of its threads.
struct Place {
  Angle angle;
  int c0;          ///< first line
  int first, end;  ///< positions of the result
  int k0;          ///< position of the tile's first row
  int last;        ///< first position of the last window that counts
  int rows;        ///< that are used, a multiple of block_rows
  int along, across;
  int begin_row, end_row;  ///< rows of the tile whose positions are in the image
  bool across_inside;      ///< so are all lines at those, and a word behind them
  bool inside;             ///< and there are no others
};

/// First position with a shift of `bound` or beyond it in the direction in which shifts go.
__device__ inline int first_position(const Angle& angle, int along, int bound, bool rising) {
  const auto beyond = [&](int k) {
    const int shift = shift_at(angle, k);
    return rising ? shift >= bound : shift <= bound;
  };
  // Where it should be, less what rounding may hide. Without a slope the quotient is infinite, or no number.
  const double guess = (bound + (rising ? -0.5 : 0.5)) / angle.slope - 2;
  int k = guess > 0 ? static_cast<int>(fmin(guess, static_cast<double>(along))) : 0;
  while (k < along && !beyond(k)) ++k;
  return k;
}

/// False: there is nothing to do.
template <class T>
__device__ inline bool find_place(const Work& work, Place& place) {
  place.angle = work.angle[blockIdx.z % work.angles];
  const Angle& angle = place.angle;
  place.c0 = angle.first - word_samples<T> + static_cast<int>(blockIdx.x) * own_lanes<T>;
  if (place.c0 > angle.last) return false;
  place.along = angle.steep ? work.ny : work.nx;
  place.across = angle.steep ? work.nx : work.ny;
  // Some line of the bundle is in the image where c0 - shift < across and c0 + lanes - 1 - shift >= 0.
  const int least = place.c0 - place.across + 1;
  const int most = place.c0 + lanes<T> - 1;
  const bool rising = angle.slope >= 0;
  constexpr int unit = 4;  // positions begin and end at whole words
  const int from = first_position(angle, place.along, rising ? least : most, rising) / unit * unit;
  const int to = (first_position(angle, place.along, rising ? most + 1 : least - 1, rising) + unit - 1) / unit * unit;
  place.first = from + static_cast<int>(blockIdx.y) * work.own;
  place.end = min(place.first + work.own, to);
  if (place.first >= place.end) return false;
  const int window = work.length - 1;
  const int before = work.opens ? window : work.origin;
  // Erosions of samples outside of the image count for nothing.
  int begin = place.first - before;
  place.last = place.end - 1 - (work.opens ? 0 : work.origin);
  if (work.opens) {
    begin = max(begin, -work.origin);
    place.last = min(place.last, place.along - 1 - work.origin);
  }
  place.k0 = (begin + (1 << 30)) / unit * unit - (1 << 30);
  // The last block of rows has windows of its own behind the last one needed.
  const int rows = max(place.last + window, place.end - 1) + block_rows - place.k0;
  place.rows = (rows + block_rows - 1) / block_rows * block_rows;
  place.begin_row = max(-place.k0, 0);
  place.end_row = min(place.rows, place.along - place.k0);
  const int s0 = shift_at(angle, place.k0 + place.begin_row);
  const int s1 = shift_at(angle, place.k0 + place.end_row - 1);
  place.across_inside =
      place.c0 - max(s0, s1) >= 0 && place.c0 + lanes<T> - 1 - min(s0, s1) + word_samples<T> < place.across;
  place.inside = place.across_inside && place.begin_row == 0 && place.end_row == place.rows;
  return true;
}

/// Shared memory of a tile.
struct Memory {
  /// Words before the tile that are read where shallow lines begin and end, and not used.
  static constexpr int margin = 32;
  std::uint32_t* words;   ///< rows of pitch_words
  std::uint32_t* blocks;  ///< of each summed_rows rows the extremum, row_words each
  int* shift;             ///< of each row

  __device__ Memory(std::uint32_t* memory, int rows)
      : words(memory + margin),
        blocks(memory + margin + rows * pitch_words),
        shift(reinterpret_cast<int*>(blocks + rows / summed_rows * row_words)) {}
};
/// Rows are a multiple of block_rows.
inline std::size_t shared_bytes(int rows) {
  return (static_cast<std::size_t>(rows) * (pitch_words + row_words / summed_rows + 1) + Memory::margin) * 4;
}

/// Samples of word w of a row that lie in the image.
template <class T>
__device__ __forceinline__ std::uint32_t bits_inside(const Place& place, int k, int shift, int w) {
  if (k < 0 || k >= place.along) return 0;
  const int c = place.c0 + w * word_samples<T>;
  return sample_bits<T>(shift - c, place.across + shift - c);
}

// Shallow lines: how a warp shares a piece of the image whose columns become rows of the tile.

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
