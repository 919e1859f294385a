// A tile of the image in shared memory; behind it, one after the other, the extrema over the patterns of a segment.
// What these are read for gathers in registers: a thread has 8 rows of one word.
#pragma once

#include "line/traced/gpu/cells.cuh"

namespace tamis::line_detail::gpu {
namespace segment {

constexpr int threads = 512;
constexpr int rows_a_thread = 8;
/// Words of a tile beside each other. Of wide samples more, because segments reach over as many.
template <class T>
constexpr int tile_words = sizeof(T) == 4 ? 128 : 64;
template <class T>
constexpr int groups = threads / tile_words<T>;
template <class T>
constexpr int own_rows = rows_a_thread* groups<T>;
constexpr int margin_rows = 6;  ///< around the tile: read, not used; a tile has its own, so that nobody writes there
/// Rows of patterns of a tile of so many: threads have whole rows of each.
template <class T>
__host__ __device__ constexpr int patterned_rows(int rows) {
  return (rows + groups<T> - 1) / groups<T> * groups<T>;
}
/// Rows of shared memory: the tile between margins, and patterns.
template <class T>
__host__ __device__ constexpr int shared_rows(int rows) {
  return 2 * margin_rows + 2 * patterned_rows<T>(rows);
}

/// A displacement in shared memory: whole words, and bits.
struct Step {
  int words = 0;
  int bits = 0;
};

/// Terms: where something is read.
struct PatternTerms {
  int samples = 0;         ///< first term of its samples
  int begin = 0, end = 0;  ///< terms of its places; those of its samples end where they begin
};

struct PartTerms {
  std::byte* to = nullptr;
  int begin = 0, end = 0;  ///< of the patterns
};

struct TileTask {
  const std::byte* from = nullptr;
  std::int64_t from_pitch = 0, from_slice = 0;
  int nx = 0, ny = 0;
  std::uint32_t flip = 0;
  std::uint32_t outside = 0;
  int low_words = 0;  ///< of a tile's row before the first own one
  int own_words = 0;
  int low_y = 0;                    ///< rows before the first own one, as a negative number
  int rows = 0;                     ///< of the tile
  int begin_word = 0, begin_y = 0;  ///< of the results; may be negative
  int end_word = 0, end_y = 0;
  std::int64_t to_pitch = 0, to_slice = 0;
  std::uint32_t to_flip = 0;
  int parts = 0;
  static constexpr int most_parts = 6;
  static constexpr int most_patterns = 32;
  static constexpr int most_terms = 256;
  PartTerms part[most_parts];
  PatternTerms pattern[most_patterns];
  Step term[most_terms];
};

/// The word that begins `bits` behind one.
template <class T>
__device__ __forceinline__ std::uint32_t word_at(const std::uint32_t* words, int bits) {
  if constexpr (sizeof(T) == 4) return words[0];
  return __funnelshift_r(words[0], words[1], static_cast<unsigned>(bits));
}

template <class T>
__device__ __forceinline__ void load(const TileTask& work, std::uint32_t* tile, int first_word, int first_y) {
  constexpr int samples = word_samples<T>;
  constexpr int batch = 4;
  constexpr int step = groups<T>;
  const int w = static_cast<int>(threadIdx.x) % tile_words<T>;
  const int word = first_word + w;
  const int last_word = (work.nx - 1) / samples;
  const std::uint32_t here = word < 0 ? 0U : sample_bits<T>(0, work.nx - word * samples);
  const std::byte* const column = work.from + blockIdx.z * work.from_slice + max(min(word, last_word), 0) * 4;
  for (int t = static_cast<int>(threadIdx.x) / tile_words<T>; t < work.rows; t += batch * step) {
    std::uint32_t value[batch];
#pragma unroll
    for (int i = 0; i < batch; ++i) {
      const int y = max(min(first_y + t + i * step, work.ny - 1), 0);
      value[i] = __ldg(reinterpret_cast<const std::uint32_t*>(column + std::int64_t{y} * work.from_pitch));
    }
#pragma unroll
    for (int i = 0; i < batch; ++i) {
      const int y = first_y + t + i * step;
      if (t + i * step >= work.rows) break;
      const std::uint32_t keep = y >= 0 && y < work.ny ? here : 0U;
      tile[(t + i * step) * tile_words<T> + w] = ((value[i] ^ work.flip) & keep) | (work.outside & ~keep);
    }
  }
}

/// Takes what lies at two terms of `count` rows, groups apart, into the result.
template <class T, int count, bool two>
__device__ __forceinline__ void take(const TileTask& work, const std::uint32_t* own, int term,
                                     Cell<T> (&result)[count]) {
  constexpr int step = groups<T> * tile_words<T>;
  const std::uint32_t* const a = own + work.term[term].words;
  const std::uint32_t* const b = own + work.term[two ? term + 1 : term].words;
  const int a_bits = work.term[term].bits;
  const int b_bits = work.term[two ? term + 1 : term].bits;
#pragma unroll
  for (int i = 0; i < count; ++i) {
    const Cell<T> first = cell_of<T>(word_at<T>(a + i * step, a_bits));
    if constexpr (two) {
      result[i] = extremum<T, true>(result[i], first, cell_of<T>(word_at<T>(b + i * step, b_bits)));
    } else {
      result[i] = extremum<T, true>(result[i], first);
    }
  }
}

/// All terms from one on.
template <class T, int count>
__device__ __forceinline__ void gather(const TileTask& work, const std::uint32_t* own, int term, int end,
                                       Cell<T> (&result)[count]) {
#pragma unroll 1
  for (; term + 1 < end; term += 2) take<T, count, true>(work, own, term, result);
  if (term < end) take<T, count, false>(work, own, term, result);
}

/// What lies at one term.
template <class T, int count>
__device__ __forceinline__ void begin(const TileTask& work, const std::uint32_t* own, int term,
                                      Cell<T> (&result)[count]) {
  constexpr int step = groups<T> * tile_words<T>;
#pragma unroll
  for (int i = 0; i < count; ++i) {
    result[i] = cell_of<T>(word_at<T>(own + work.term[term].words + i * step, work.term[term].bits));
  }
}

/// Extrema over a pattern's samples for `count` rows of the tile, groups apart, from `at` on.
template <class T, int count>
__device__ __forceinline__ void make_rows(const TileTask& work, const PatternTerms& pattern, const std::uint32_t* tile,
                                          std::uint32_t* to, int at) {
  constexpr int step = groups<T> * tile_words<T>;
  Cell<T> result[count];
  begin<T>(work, tile + at, pattern.samples, result);
  gather<T>(work, tile + at, pattern.samples + 1, pattern.begin, result);
#pragma unroll
  for (int i = 0; i < count; ++i) to[at + i * step] = word_of(result[i]);
}

/// For all of the tile. Nothing is read that lies farther behind it than a pattern reaches.
template <class T>
__device__ __forceinline__ void make_pattern(const TileTask& work, const PatternTerms& pattern,
                                             const std::uint32_t* tile, std::uint32_t* to) {
  constexpr int step = groups<T> * tile_words<T>;
  int left = patterned_rows<T>(work.rows) / groups<T>;
  int at = static_cast<int>(threadIdx.x);
  for (; left >= 4; left -= 4, at += 4 * step) make_rows<T, 4>(work, pattern, tile, to, at);
  if (left >= 2) make_rows<T, 2>(work, pattern, tile, to, at);
  if (left % 2 != 0) make_rows<T, 1>(work, pattern, tile, to, at + (left - 1) * step);
}

template <class T>
__global__ void __launch_bounds__(threads, 2) segment_kernel(const __grid_constant__ TileTask work) {
  extern __shared__ std::uint32_t memory[];
  constexpr int pitch = tile_words<T>;
  std::uint32_t* const tile = memory + margin_rows * pitch;
  std::uint32_t* const patterns = tile + (patterned_rows<T>(work.rows) + margin_rows) * pitch;
  const int first_word = work.begin_word + static_cast<int>(blockIdx.x) * work.own_words;
  const int first_y = work.begin_y + static_cast<int>(blockIdx.y) * own_rows<T>;
  load<T>(work, tile, first_word - work.low_words, first_y + work.low_y);
  __syncthreads();
  const int w = static_cast<int>(threadIdx.x) % pitch;
  const int group = static_cast<int>(threadIdx.x) / pitch;
  const int word = first_word + w - work.low_words;
  const bool owns = w >= work.low_words && w < work.low_words + work.own_words && word < work.end_word;
  const std::uint32_t* const own = patterns + (group - work.low_y) * pitch + w;
  for (int p = 0; p < work.parts; ++p) {
    const PartTerms& part = work.part[p];
    Cell<T> result[rows_a_thread];
    for (int q = part.begin; q < part.end; ++q) {
      const PatternTerms& pattern = work.pattern[q];
      if (q > 0) __syncthreads();  // until the one before has been read
      make_pattern<T>(work, pattern, tile, patterns);
      __syncthreads();
      if (!owns) continue;
      if (q == part.begin) begin<T>(work, own, pattern.begin, result);
      gather<T>(work, own, pattern.begin + (q == part.begin ? 1 : 0), pattern.end, result);
    }
    if (owns) {
      std::byte* const column = part.to + blockIdx.z * work.to_slice + std::int64_t{word - work.begin_word} * 4;
#pragma unroll
      for (int i = 0; i < rows_a_thread; ++i) {
        const int y = first_y + group + i * groups<T>;
        if (y >= work.end_y) break;
        *reinterpret_cast<std::uint32_t*>(column + std::int64_t{y - work.begin_y} * work.to_pitch) =
            word_of(result[i]) ^ work.to_flip;
      }
    }
  }
}

/// The extremum of images displaced. They are larger than the result, and beyond them lies `outside`.
struct UnionTask {
  const std::byte* image[TileTask::most_parts] = {};
  std::int64_t pitch = 0, slice = 0;
  int begin_word = 0, begin_y = 0, end_word = 0, end_y = 0;  ///< of the images
  std::uint32_t outside = 0;
  std::uint32_t flip = 0;
  std::byte* to = nullptr;
  std::int64_t to_pitch = 0, to_slice = 0;
  int words = 0, ny = 0;
  int low_words = 0, high_words = 0, low_y = 0, high_y = 0;  ///< reach of the places
  int places = 0;
  static constexpr int most_places = 64;
  struct Place {
    short part, words, bits, y;
  };
  Place place[most_places];
};

constexpr int union_threads = 256;
constexpr int union_rows = 64;
constexpr int union_rows_a_thread = union_rows / (union_threads / 32);

template <class T, bool inside>
__device__ __forceinline__ std::uint32_t image_word(const UnionTask& work, const std::byte* image, int word, int y) {
  if constexpr (!inside) {
    if (word < work.begin_word || word >= work.end_word || y < work.begin_y || y >= work.end_y) return work.outside;
  }
  return __ldg(reinterpret_cast<const std::uint32_t*>(image + std::int64_t{y - work.begin_y} * work.pitch +
                                                      std::int64_t{word - work.begin_word} * 4));
}

template <class T, bool inside>
__device__ __forceinline__ void unite(const UnionTask& work, int word, int y0) {
  constexpr int step = union_threads / 32;
  Cell<T> result[union_rows_a_thread];
#pragma unroll 1
  for (int p = 0; p < work.places; ++p) {
    const UnionTask::Place& place = work.place[p];
    const std::byte* const image = work.image[place.part] + blockIdx.z * work.slice;
    const int from = word + place.words;
    std::uint32_t a[union_rows_a_thread], b[union_rows_a_thread];
#pragma unroll
    for (int i = 0; i < union_rows_a_thread; ++i) {
      a[i] = image_word<T, inside>(work, image, from, y0 + i * step + place.y);
      if constexpr (sizeof(T) < 4) b[i] = image_word<T, inside>(work, image, from + 1, y0 + i * step + place.y);
    }
#pragma unroll
    for (int i = 0; i < union_rows_a_thread; ++i) {
      std::uint32_t value = a[i];
      if constexpr (sizeof(T) < 4) value = __funnelshift_r(a[i], b[i], static_cast<unsigned>(place.bits));
      result[i] = p == 0 ? cell_of<T>(value) : extremum<T, true>(result[i], cell_of<T>(value));
    }
  }
  std::byte* const column = work.to + blockIdx.z * work.to_slice + std::int64_t{word} * 4;
#pragma unroll
  for (int i = 0; i < union_rows_a_thread; ++i) {
    const int y = y0 + i * step;
    if (y < work.ny) {
      *reinterpret_cast<std::uint32_t*>(column + std::int64_t{y} * work.to_pitch) = word_of(result[i]) ^ work.flip;
    }
  }
}

template <class T>
__global__ void __launch_bounds__(union_threads) union_kernel(const __grid_constant__ UnionTask work) {
  const int first_word = static_cast<int>(blockIdx.x) * 32;
  const int first_y = static_cast<int>(blockIdx.y) * union_rows;
  const int word = first_word + static_cast<int>(threadIdx.x) % 32;
  const int y0 = first_y + static_cast<int>(threadIdx.x) / 32;
  if (word >= work.words) return;
  const bool inside = first_word + work.low_words >= work.begin_word &&
                      first_word + 32 + work.high_words + 1 < work.end_word && first_y + work.low_y >= work.begin_y &&
                      first_y + union_rows + work.high_y <= work.end_y;
  if (inside) {
    unite<T, true>(work, word, y0);
  } else {
    unite<T, false>(work, word, y0);
  }
}

}  // namespace segment
}  // namespace tamis::line_detail::gpu
