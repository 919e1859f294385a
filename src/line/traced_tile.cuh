// A block of threads works on a bundle of neighbouring lines, a stretch of them in shared memory: a row of the tile is
// one position along the lines, its 16 words are the lines side by side. Steep lines come in row by row, each moved by
// its shift; shallow ones sample by sample, because their neighbours lie one above the other.
//
// Along the lines the method of van Herk, for windows of L rows from each row on: a thread has `block` rows of one word
// in registers, extrema from each row to the last of them; what comes after them it runs through once, so that the
// extremum up to the window's end is there when it is needed. Whole blocks of 16 in between are read as one.
#pragma once

#include "line/traced_cells.cuh"

namespace tamis::line_detail {
namespace tile {

/// Threads of a block. Of few more blocks are on a multiprocessor, and one loads while others compute; long windows want
/// long tiles, and so many threads.
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
constexpr int lanes = row_words * word_samples<T>;
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
  std::uint32_t outside = 0;  ///< what an erosion sees beyond the lines, flipped
  std::uint32_t lowest = 0;   ///< what a dilation leaves out, flipped
  std::uint32_t count_flip = 0;  ///< what turns results into what is counted
  int rows = 0;               ///< of the tile
  int own = 0;                ///< of which so many are its result
  unsigned long long* counts = nullptr;
  double base = 0, step = 1;
  int angles = 1;
  static constexpr int most_angles = 96;
  Angle angle[most_angles];
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

/// Positions before and behind the image.
template <int threads>
__device__ inline void fill_outside(const Work& work, const Place& place, const Memory& memory, int end_row) {
  const int w = static_cast<int>(threadIdx.x) % row_words;
  for (int t = static_cast<int>(threadIdx.x) / row_words; t < place.begin_row; t += rows_at_once<threads>) {
    memory.words[t * pitch_words + w] = work.outside;
  }
  for (int t = end_row + static_cast<int>(threadIdx.x) / row_words; t < place.rows; t += rows_at_once<threads>) {
    memory.words[t * pitch_words + w] = work.outside;
  }
}

/// Rows of the image are moved by any number of samples: two words are read for one. All of a batch are on their way
/// before the first one is needed.
template <class T, int threads, bool inside, int batch>
__device__ __forceinline__ void load_steep_rows(const Work& work, const Place& place, const int* shift,
                                                const std::byte* row, std::uint32_t* to) {
  constexpr int size = sizeof(T);
  const int c = (place.c0 + static_cast<int>(threadIdx.x) % row_words * word_samples<T>)*size;
  const std::int64_t step = rows_at_once<threads> * work.from_pitch;
  const int last = ((work.nx - 1) * size) & ~3;
  int x[batch];
  std::uint32_t word[batch], next[batch];
#pragma unroll
  for (int i = 0; i < batch; ++i) x[i] = c - shift[i * rows_at_once<threads>] * size;
#pragma unroll
  for (int i = 0; i < batch; ++i) {
    const int at = x[i] & ~3;
    const auto* const place_of_word = reinterpret_cast<const std::uint32_t*>(row + (inside ? at : max(min(at, last), 0)));
    word[i] = __ldg(place_of_word);
    if constexpr (size < 4) {
      next[i] = inside ? __ldg(place_of_word + 1)
                       : __ldg(reinterpret_cast<const std::uint32_t*>(row + max(min(at + 4, last), 0)));
    }
    row += step;
  }
#pragma unroll
  for (int i = 0; i < batch; ++i) {
    std::uint32_t value = word[i];
    if constexpr (size < 4) value = __funnelshift_r(value, next[i], static_cast<unsigned>(x[i]) * 8);
    value ^= work.flip;
    if constexpr (!inside) {
      const int first = x[i] / size;
      const std::uint32_t keep = sample_bits<T>(-first, work.nx - first);
      value = (value & keep) | (work.outside & ~keep);
    }
    to[i * rows_at_once<threads> * pitch_words] = value;
  }
}

template <class T, int threads, bool inside>
__device__ __forceinline__ void load_steep(const Work& work, const Place& place, const Memory& memory) {
  constexpr int batch = 8;
  constexpr int step = rows_at_once<threads>;
  const int w = static_cast<int>(threadIdx.x) % row_words;
  int t = place.begin_row + static_cast<int>(threadIdx.x) / row_words;
  const std::byte* row = work.from + blockIdx.z / static_cast<unsigned>(work.angles) * work.from_slice +
                         std::int64_t{place.k0 + t} * work.from_pitch;
  const int* shift = memory.shift + t;
  std::uint32_t* to = memory.words + t * pitch_words + w;
#pragma unroll 1
  for (; t + (batch - 1) * step < place.end_row; t += batch * step) {
    load_steep_rows<T, threads, inside, batch>(work, place, shift, row, to);
    row += batch * step * work.from_pitch;
    shift += batch * step;
    to += batch * step * pitch_words;
  }
#pragma unroll 1
  for (; t < place.end_row; t += step) {
    load_steep_rows<T, threads, inside, 1>(work, place, shift, row, to);
    row += step * work.from_pitch;
    shift += step;
    to += step * pitch_words;
  }
}

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
  int words;  ///< beside each other
  int t;      ///< row of the tile of the lane's first sample
  int x;      ///< and its place in the image
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

/// Rows y ... of a column of words; `here` has the bits of those samples that lie in the image.
template <class T, bool inside>
__device__ __forceinline__ Square<T> load_square(const Work& work, const std::byte* column, int y,
                                                 std::uint32_t here) {
  Square<T> square;
#pragma unroll
  for (int i = 0; i < word_samples<T>; ++i) {
    const int row = inside ? y + i : max(min(y + i, work.ny - 1), 0);
    square.word[i] = __ldg(reinterpret_cast<const std::uint32_t*>(column + std::int64_t{row} * work.from_pitch));
  }
#pragma unroll
  for (int i = 0; i < word_samples<T>; ++i) {
    square.word[i] ^= work.flip;
    if constexpr (!inside) {
      const std::uint32_t keep = y + i >= 0 && y + i < work.ny ? here : 0U;
      square.word[i] = (square.word[i] & keep) | (work.outside & ~keep);
    }
  }
  return square;
}

/// Squares that are on their way together.
template <class T>
constexpr int squares_at_once = sizeof(T) == 1 ? 2 : sizeof(T) == 2 ? 3 : 6;

/// Words of the tile are made of what lies above each other: squares are turned, and two of them make the words that
/// begin between them.
template <class T, bool inside>
__device__ __forceinline__ void load_piece(const Work& work, const Memory& memory, const Piece<T>& piece,
                                           const std::byte* slice) {
  constexpr int samples = word_samples<T>;
  constexpr int batch = squares_at_once<T>;
  const std::uint32_t here = sample_bits<T>(0, work.nx - piece.x);
  const std::byte* const column = slice + std::int64_t{piece.x} * static_cast<int>(sizeof(T));
  int at[samples];        // word of the tile's row that a square completes
  unsigned moved[samples];  // bits by which it lies behind
#pragma unroll
  for (int j = 0; j < samples; ++j) {
    const int c = piece.y + piece.shift[j];
    at[j] = samples == 4 ? c >> 2 : samples == 2 ? c >> 1 : c;
    moved[j] = (samples - static_cast<unsigned>(c) % samples) * 8 * sizeof(T);
  }
  std::uint32_t* const row = memory.words + piece.t * pitch_words;
  Square<T> before;
  if constexpr (samples > 1) {
    before = load_square<T, inside>(work, column, piece.y - samples, here);
    before.turn();
  }
#pragma unroll 1
  for (int y = piece.y; y < piece.end; y += batch * samples) {
    Square<T> now[batch];
#pragma unroll
    for (int i = 0; i < batch; ++i) now[i] = load_square<T, inside>(work, column, y + i * samples, here);
#pragma unroll
    for (int i = 0; i < batch; ++i) {
      now[i].turn();
#pragma unroll
      for (int j = 0; j < samples; ++j) {
        std::uint32_t word = now[i].word[j];
        if constexpr (samples > 1) {
          word = __funnelshift_rc(i == 0 ? before.word[j] : now[i - 1].word[j], word, moved[j]);
        }
        if (static_cast<unsigned>(at[j] + i) < row_words) row[j * pitch_words + at[j] + i] = word;
      }
    }
#pragma unroll
    for (int j = 0; j < samples; ++j) at[j] += batch;
    before = now[batch - 1];
  }
}

template <class T, int threads>
__device__ __forceinline__ void load_shallow(const Work& work, const Place& place, const Memory& memory) {
  constexpr int samples = word_samples<T>;
  constexpr int unit = samples * squares_at_once<T>;
  const int words = Piece<T>::words_at(place.angle);
  const int count = (place.end_row - place.begin_row + words * samples - 1) / (words * samples);
  const std::byte* const slice = work.from + blockIdx.z / static_cast<unsigned>(work.angles) * work.from_slice;
  for (int p = static_cast<int>(threadIdx.x) / 32; p < count; p += threads / 32) {
    const Piece<T> piece(place, memory, words, place.begin_row, p, 0, lanes<T>, unit);
    const bool inside = piece.first >= samples && piece.after <= work.ny &&
                        place.k0 + place.begin_row + (p + 1) * words * samples <= work.nx;
    if (piece.t >= place.end_row) continue;
    if (inside) {
      load_piece<T, true>(work, memory, piece, slice);
    } else {
      load_piece<T, false>(work, memory, piece, slice);
    }
  }
}

/// Extrema of rows that windows take as one.
template <class T, int threads, bool min>
__device__ inline void sum_rows(const Place& place, const Memory& memory) {
  const int w = static_cast<int>(threadIdx.x) % row_words;
  for (int b = static_cast<int>(threadIdx.x) / row_words; b < place.rows / summed_rows; b += rows_at_once<threads>) {
    const std::uint32_t* const words = memory.words + b * summed_rows * pitch_words + w;
    const auto cell = [&](int i) { return cell_of<T>(words[i * pitch_words]); };
    Cell<T> all = extremum<T, min>(cell(0), cell(1));
#pragma unroll
    for (int i = 2; i < summed_rows; i += 2) all = extremum<T, min>(all, cell(i), cell(i + 1));
    memory.blocks[b * row_words + w] = word_of(all);
  }
}

/// Takes `count` words, `step` apart, into an extremum.
template <class T, bool min>
__device__ __forceinline__ void take(Cell<T>& run, const std::uint32_t* words, int step, int count) {
#pragma unroll 1
  for (; count > 1; count -= 2) {
    run = extremum<T, min>(run, cell_of<T>(words[0]), cell_of<T>(words[step]));
    words += 2 * step;
  }
  if (count > 0) run = extremum<T, min>(run, cell_of<T>(words[0]));
}

/// Rows of a thread, as they lie in memory.
struct Rows {
  std::uint32_t word[block_rows];
};

/// Minima over `length` rows from each of a thread's 16 on, which begin at row t. `block` rows share their extrema:
/// block < length <= 2 block, or block is 16 and length anything more.
template <class T, int block>
__device__ __forceinline__ Rows windows_ahead(const Memory& memory, int t, int w, int length) {
  Rows result;
  const std::uint32_t* const words = memory.words + w;
  const int between = length - 1 - block;  // rows after the block's last, before its first window's last
#pragma unroll
  for (int s = 0; s < block_rows; s += block) {
    Cell<T> to_end[block];
#pragma unroll
    for (int i = 0; i < block; ++i) to_end[i] = cell_of<T>(words[(t + s + i) * pitch_words]);
#pragma unroll
    for (int i = block - 2; i >= 0; --i) to_end[i] = extremum<T, true>(to_end[i], to_end[i + 1]);
    const int after = t + s + block;
    Cell<T> run = to_end[block - 1];
    int summed = 0;
    if constexpr (block == block_rows) {
      summed = between / summed_rows;
      take<T, true>(run, memory.blocks + after / summed_rows * row_words + w, row_words, summed);
    }
    const int row = after + summed * summed_rows;
    take<T, true>(run, words + row * pitch_words, pitch_words, after + between - row);
    const std::uint32_t* const last = words + (after + between) * pitch_words;
#pragma unroll
    for (int i = 0; i < block; ++i) {
      run = extremum<T, true>(run, cell_of<T>(last[i * pitch_words]));
      result.word[s + i] = word_of(extremum<T, true>(to_end[i], run));
    }
  }
  return result;
}

/// Maxima over `length` rows that end with each of a thread's 16. Rows before the tile's first are not needed.
template <class T, int block>
__device__ __forceinline__ Rows windows_behind(const Memory& memory, int t, int w, int length) {
  Rows result;
  const std::uint32_t* const words = memory.words + w;
  const int between = length - 1 - block;
#pragma unroll
  for (int s = 0; s < block_rows; s += block) {
    Cell<T> from_start[block];
#pragma unroll
    for (int i = 0; i < block; ++i) from_start[i] = cell_of<T>(words[(t + s + i) * pitch_words]);
#pragma unroll
    for (int i = 1; i < block; ++i) from_start[i] = extremum<T, false>(from_start[i], from_start[i - 1]);
    const int before = t + s - 1;
    Cell<T> run = from_start[0];
    int summed = 0;
    if constexpr (block == block_rows) {
      summed = min(between, before + 1) / summed_rows;
      take<T, false>(run, memory.blocks + ((before + 1) / summed_rows - 1) * row_words + w, -row_words, summed);
    }
    const int row = before - summed * summed_rows;
    take<T, false>(run, words + row * pitch_words, -pitch_words, row - max(before - between, -1));
    const int first = before - between;
#pragma unroll
    for (int i = block - 1; i >= 0; --i) {
      const int at = max(first - (block - 1) + i, 0);
      run = extremum<T, false>(run, cell_of<T>(words[at * pitch_words]));
      result.word[s + i] = word_of(extremum<T, false>(from_start[i], run));
    }
  }
  return result;
}

__device__ __forceinline__ void put_rows(const Memory& memory, int t, int w, const Rows& rows) {
  std::uint32_t* const words = memory.words + t * pitch_words + w;
#pragma unroll
  for (int i = 0; i < block_rows; ++i) words[i * pitch_words] = rows.word[i];
}

/// What lies outside of the image is no result of an erosion: row t holds that of position k0 + t + origin.
template <class T>
__device__ __forceinline__ void leave_out(const Work& work, const Place& place, const Memory& memory, int t, int w,
                                          Rows& rows) {
#pragma unroll
  for (int i = 0; i < block_rows; ++i) {
    const int at = t + i + work.origin;
    const int k = place.k0 + at;
    const int shift = at < place.rows ? memory.shift[at] : 0;
    const std::uint32_t keep = at < place.rows ? bits_inside<T>(place, k, shift, w) : 0U;
    rows.word[i] = (rows.word[i] & keep) | (work.lowest & ~keep);
  }
}

/// Row t becomes the erosion of position k0 + t + origin. In rising order: whoever comes later reads later rows only.
template <class T, int threads, int block>
__device__ inline void erode(const Work& work, const Place& place, const Memory& memory) {
  const int w = static_cast<int>(threadIdx.x) % row_words;
  const int needed = (place.last - place.k0) / block_rows + 1;
  for (int first = 0; first < needed; first += rows_at_once<threads>) {
    const int b = first + static_cast<int>(threadIdx.x) / row_words;
    Rows rows;
    if (b < needed) rows = windows_ahead<T, block>(memory, b * block_rows, w, work.length);
    __syncthreads();
    if (b < needed) {
      if (!place.inside && work.opens) leave_out<T>(work, place, memory, b * block_rows, w, rows);
      put_rows(memory, b * block_rows, w, rows);
    }
  }
  if (!work.opens) return;
  const int whole = (place.end - 1 - place.k0) / block_rows + 1;
  for (int b = needed + static_cast<int>(threadIdx.x) / row_words; b < whole; b += rows_at_once<threads>) {
    Rows rows;
#pragma unroll
    for (std::uint32_t& word : rows.word) word = work.lowest;
    put_rows(memory, b * block_rows, w, rows);
  }
}

/// Row t becomes the opening of position k0 + t. In falling order.
template <class T, int threads, int block>
__device__ inline void dilate(const Work& work, const Place& place, const Memory& memory) {
  const int w = static_cast<int>(threadIdx.x) % row_words;
  const int least = (place.first - place.k0) / block_rows;
  for (int last = (place.end - 1 - place.k0) / block_rows; last >= least; last -= rows_at_once<threads>) {
    const int b = last - static_cast<int>(threadIdx.x) / row_words;
    Rows rows;
    if (b >= least) rows = windows_behind<T, block>(memory, b * block_rows, w, work.length);
    __syncthreads();
    if (b >= least) put_rows(memory, b * block_rows, w, rows);
  }
}

/// Row of the tile that holds the result of a position.
__device__ __forceinline__ int result_row(const Work& work, const Place& place, int k) {
  return k - place.k0 - (work.opens ? 0 : work.origin);
}

__device__ __forceinline__ std::byte* result_slice(const Work& work) {
  const auto angles = static_cast<unsigned>(work.angles);
  return work.to + blockIdx.z / angles * work.to_slice + blockIdx.z % angles * work.to_angle;
}

/// Sum of the samples of a word as counts.
template <class T>
__device__ __forceinline__ unsigned long long count_of(const Work& work, std::uint32_t word, std::uint32_t bits) {
  if constexpr (sizeof(T) == 1) {
    return __vsadu4(word & bits, 0U);
  } else if constexpr (sizeof(T) == 2) {
    const std::uint32_t kept = word & bits;
    return (kept & 0xFFFFU) + (kept >> 16);
  } else {
    return count_of_float(__uint_as_float(word), work.base, work.step);
  }
}

/// Where words of the result go, or what is counted of them, or both.
template <class T, bool stores, bool counts>
class Target {
 public:
  __device__ explicit Target(const Work& work) : work_(work) {}

  /// A word of samples x, x+1 ... of a row, which may end before them.
  __device__ __forceinline__ void put(int x, std::byte* row, std::uint32_t word) {
    if constexpr (stores) *reinterpret_cast<std::uint32_t*>(row + x * static_cast<int>(sizeof(T))) = word ^ work_.flip;
    if constexpr (counts) sum_ += count_of<T>(work_, word ^ work_.count_flip, sample_bits<T>(0, work_.nx - x));
  }

  __device__ __forceinline__ void finish() {
    if constexpr (counts) {
      for (int distance = 16; distance > 0; distance /= 2) sum_ += __shfl_down_sync(~0U, sum_, distance);
      if (threadIdx.x % 32 == 0 && sum_ != 0) atomicAdd(work_.counts + blockIdx.z, sum_);
    }
  }

 private:
  const Work& work_;
  unsigned long long sum_ = 0;
};

/// `batch` rows from one on.
template <class T, int threads, int batch, class Destination>
__device__ __forceinline__ void store_steep_rows(const Work& work, const Place& place, const int* shift,
                                                 const std::uint32_t* words, std::byte* row, Destination& target) {
  constexpr int samples = word_samples<T>;
  int x[batch];
  std::uint32_t word[batch];
#pragma unroll
  for (int i = 0; i < batch; ++i) x[i] = place.c0 - shift[i * rows_at_once<threads>];
#pragma unroll
  for (int i = 0; i < batch; ++i) {
    const std::uint32_t* const at = words + i * rows_at_once<threads> * pitch_words;
    const unsigned missing = static_cast<unsigned>(-x[i]) % samples;
    word[i] = at[0];
    if constexpr (samples > 1) word[i] = __funnelshift_r(word[i], at[1], missing * 8 * sizeof(T));
    x[i] += static_cast<int>(missing) + static_cast<int>(threadIdx.x) % row_words * samples;
  }
#pragma unroll
  for (int i = 0; i < batch; ++i) {
    if (static_cast<unsigned>(x[i]) < static_cast<unsigned>(work.nx)) target.put(x[i], row, word[i]);
    row += rows_at_once<threads> * work.to_pitch;
  }
}

/// The whole words of the image in each row: those that begin in one of the bundle's first lines.
template <class T, int threads, bool stores, bool counts>
__device__ __forceinline__ void store_steep(const Work& work, const Place& place, const Memory& memory) {
  constexpr int batch = 8;
  constexpr int step = rows_at_once<threads>;
  Target<T, stores, counts> target(work);
  const int w = static_cast<int>(threadIdx.x) % row_words;
  if (w * word_samples<T> < own_lanes<T>) {
    const int end = min(place.end, place.along);
    int k = place.first + static_cast<int>(threadIdx.x) / row_words;
    const int* shift = memory.shift + (k - place.k0);
    const std::uint32_t* words = memory.words + result_row(work, place, k) * pitch_words + w;
    std::byte* row = stores ? result_slice(work) + std::int64_t{k} * work.to_pitch : nullptr;
#pragma unroll 1
    for (; k + (batch - 1) * step < end; k += batch * step) {
      store_steep_rows<T, threads, batch>(work, place, shift, words, row, target);
      shift += batch * step;
      words += batch * step * pitch_words;
      row += batch * step * work.to_pitch;
    }
#pragma unroll 1
    for (; k < end; k += step) {
      store_steep_rows<T, threads, 1>(work, place, shift, words, row, target);
      shift += step;
      words += step * pitch_words;
      row += step * work.to_pitch;
    }
  }
  target.finish();
}

/// The other way round than load_piece. A word of the image belongs to the bundle that has its first sample in one of
/// its own lines; then the others are not far.
template <class T, class Destination>
__device__ __forceinline__ void store_piece(const Work& work, const Memory& memory, const Piece<T>& piece, int low,
                                            std::byte* slice, Destination& target) {
  constexpr int samples = word_samples<T>;
  constexpr int batch = squares_at_once<T>;
  const int moved_rows = work.opens ? 0 : work.origin;
  const std::uint32_t* const tile_row = memory.words + (piece.t - moved_rows) * pitch_words;
  const int begin = max(max(piece.y, low - piece.shift[0]), 0);
  const int end = min(min(piece.end, low + own_lanes<T> - piece.shift[0]), work.ny);
  const auto rows = static_cast<unsigned>(max(end - begin, 0));
  int at[samples];
  unsigned moved[samples];
#pragma unroll
  for (int j = 0; j < samples; ++j) {
    const int c = piece.y + piece.shift[j];
    at[j] = samples == 4 ? c >> 2 : samples == 2 ? c >> 1 : c;
    moved[j] = static_cast<unsigned>(c) % samples * 8 * sizeof(T);
  }
  std::byte* row = slice + std::int64_t{piece.y} * work.to_pitch;
#pragma unroll 1
  for (int y0 = piece.y; y0 < piece.end; y0 += batch * samples) {
    Square<T> squares[batch];
#pragma unroll
    for (int i = 0; i < batch; ++i) {
#pragma unroll
      for (int j = 0; j < samples; ++j) {
        const std::uint32_t* const word = tile_row + j * pitch_words + at[j] + i;
        squares[i].word[j] = word[0];
        if constexpr (samples > 1) squares[i].word[j] = __funnelshift_r(word[0], word[1], moved[j]);
      }
      squares[i].turn();
    }
#pragma unroll
    for (int i = 0; i < batch * samples; ++i) {
      if (static_cast<unsigned>(y0 + i - begin) < rows) {
        target.put(piece.x, row, squares[i / samples].word[i % samples]);
      }
      row += work.to_pitch;
    }
#pragma unroll
    for (int j = 0; j < samples; ++j) at[j] += batch;
  }
}

template <class T, int threads, bool stores, bool counts>
__device__ __forceinline__ void store_shallow(const Work& work, const Place& place, const Memory& memory) {
  constexpr int samples = word_samples<T>;
  constexpr int unit = samples * squares_at_once<T>;
  Target<T, stores, counts> target(work);
  const int words = Piece<T>::words_at(place.angle);
  const int count = (place.end - place.first + words * samples - 1) / (words * samples);
  const int low = place.angle.slope < 0 && samples > 1 ? samples : 0;
  std::byte* const slice = stores ? result_slice(work) : nullptr;
  for (int p = static_cast<int>(threadIdx.x) / 32; p < count; p += threads / 32) {
    const Piece<T> piece(place, memory, words, place.first - place.k0, p, low, low + own_lanes<T>, unit);
    if (piece.x < place.end && piece.x < work.nx) store_piece<T>(work, memory, piece, low, slice, target);
  }
  target.finish();
}

template <class T, int threads, bool stores, bool counts>
__device__ __forceinline__ void store(const Work& work, const Place& place, const Memory& memory) {
  if (place.angle.steep) {
    store_steep<T, threads, stores, counts>(work, place, memory);
  } else {
    store_shallow<T, threads, stores, counts>(work, place, memory);
  }
}

template <class T, int threads>
__device__ __forceinline__ void load(const Work& work, const Place& place, const Memory& memory) {
  if (place.angle.steep) {
    fill_outside<threads>(work, place, memory, place.end_row);
    if (place.across_inside) return load_steep<T, threads, true>(work, place, memory);
    return load_steep<T, threads, false>(work, place, memory);
  }
  // The last word of a row may reach out of the image.
  constexpr int samples = word_samples<T>;
  fill_outside<threads>(work, place, memory, (place.along + samples - 1) / samples * samples - place.k0);
  load_shallow<T, threads>(work, place, memory);
}

template <class T, int threads, int block>
__global__ void __launch_bounds__(threads, 1024 / threads) traced_kernel(const __grid_constant__ Work work) {
  extern __shared__ std::uint32_t memory_words[];
  Place place;
  if (!find_place<T>(work, place)) return;
  const Memory memory(memory_words, work.rows);
  for (int t = static_cast<int>(threadIdx.x); t < place.rows; t += threads) {
    memory.shift[t] = shift_at(place.angle, place.k0 + t);
  }
  __syncthreads();
  load<T, threads>(work, place, memory);
  __syncthreads();
  if constexpr (block > 0) {
    const bool sums = block == block_rows && work.length > block_rows + summed_rows;
    if (sums) {
      sum_rows<T, threads, true>(place, memory);
      __syncthreads();
    }
    erode<T, threads, block>(work, place, memory);
    __syncthreads();
    if (work.opens) {
      if (sums) {
        sum_rows<T, threads, false>(place, memory);
        __syncthreads();
      }
      dilate<T, threads, block>(work, place, memory);
      __syncthreads();
    }
  }
  if (!work.counts) return store<T, threads, true, false>(work, place, memory);
  if (!work.to) return store<T, threads, false, true>(work, place, memory);
  store<T, threads, true, true>(work, place, memory);
}

}  // namespace tile
}  // namespace tamis::line_detail
