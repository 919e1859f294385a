// From a tile into the image, and counts of what goes there.
#pragma once

#include "line/traced/gpu/pieces.cuh"

namespace tamis::line_detail::gpu {
namespace tile {

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
