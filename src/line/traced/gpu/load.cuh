// Strips of a tile between memory and shared memory: loaded, and stored.
#pragma once

#include "line/traced/gpu/work.cuh"

namespace tamis::line_detail::gpu {
namespace tile {

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

/// What a thread has loaded. Floats are looked through for NaN on their way.
struct Seen {
  bool nan = false;

  template <class T>
  __device__ __forceinline__ void look_at(std::uint32_t word) {
    if constexpr (sizeof(T) == 4) nan |= isnan(__uint_as_float(word));
  }
};

/// Rows of the image are moved by any number of samples: two words are read for one. All of a batch are on their way
/// before the first one is needed.
template <class T, int threads, bool inside, int batch>
__device__ __forceinline__ void load_steep_rows(const Work& work, const Place& place, const int* shift,
                                                const std::byte* row, std::uint32_t* to, Seen& seen) {
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
    const auto* const place_of_word =
        reinterpret_cast<const std::uint32_t*>(row + (inside ? at : max(min(at, last), 0)));
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
    seen.look_at<T>(value);
    to[i * rows_at_once<threads> * pitch_words] = value;
  }
}

template <class T, int threads, bool inside>
__device__ __forceinline__ void load_steep(const Work& work, const Place& place, const Memory& memory, Seen& seen) {
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
    load_steep_rows<T, threads, inside, batch>(work, place, shift, row, to, seen);
    row += batch * step * work.from_pitch;
    shift += batch * step;
    to += batch * step * pitch_words;
  }
#pragma unroll 1
  for (; t < place.end_row; t += step) {
    load_steep_rows<T, threads, inside, 1>(work, place, shift, row, to, seen);
    row += step * work.from_pitch;
    shift += step;
    to += step * pitch_words;
  }
}

/// Rows y ... of a column of words; `here` has the bits of those samples that lie in the image.
template <class T, bool inside>
__device__ __forceinline__ Square<T> load_square(const Work& work, const std::byte* column, int y, std::uint32_t here,
                                                 Seen& seen) {
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
    seen.look_at<T>(square.word[i]);
  }
  return square;
}

/// Words of the tile are made of what lies above each other: squares are turned, and two of them make the words that
/// begin between them.
template <class T, bool inside>
__device__ __forceinline__ void load_piece(const Work& work, const Memory& memory, const Piece<T>& piece,
                                           const std::byte* slice, Seen& seen) {
  constexpr int samples = word_samples<T>;
  constexpr int batch = squares_at_once<T>;
  const std::uint32_t here = sample_bits<T>(0, work.nx - piece.x);
  const std::byte* const column = slice + std::int64_t{piece.x} * static_cast<int>(sizeof(T));
  int at[samples];          // word of the tile's row that a square completes
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
    before = load_square<T, inside>(work, column, piece.y - samples, here, seen);
    before.turn();
  }
#pragma unroll 1
  for (int y = piece.y; y < piece.end; y += batch * samples) {
    Square<T> now[batch];
#pragma unroll
    for (int i = 0; i < batch; ++i) now[i] = load_square<T, inside>(work, column, y + i * samples, here, seen);
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
__device__ __forceinline__ void load_shallow(const Work& work, const Place& place, const Memory& memory, Seen& seen) {
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
      load_piece<T, true>(work, memory, piece, slice, seen);
    } else {
      load_piece<T, false>(work, memory, piece, slice, seen);
    }
  }
}

template <class T, int threads>
__device__ __forceinline__ void load(const Work& work, const Place& place, const Memory& memory, Seen& seen) {
  if (place.angle.steep) {
    fill_outside<threads>(work, place, memory, place.end_row);
    if (place.across_inside) return load_steep<T, threads, true>(work, place, memory, seen);
    return load_steep<T, threads, false>(work, place, memory, seen);
  }
  // The last word of a row may reach out of the image.
  constexpr int samples = word_samples<T>;
  fill_outside<threads>(work, place, memory, (place.along + samples - 1) / samples * samples - place.k0);
  load_shallow<T, threads>(work, place, memory, seen);
}

// From a tile into the image, and counts of what goes there.

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

}  // namespace tile
}  // namespace tamis::line_detail::gpu
