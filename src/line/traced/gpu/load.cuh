// From the image into a tile.
#pragma once

#include "line/traced/gpu/pieces.cuh"

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

}  // namespace tile
}  // namespace tamis::line_detail::gpu
