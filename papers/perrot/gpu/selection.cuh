// How the paper's kernels select: by forgetting extremes, and as Torben Mogensen does.
#pragma once

namespace tamis::perrot::gpu {

__device__ __forceinline__ void exchange(int& low, int& high) {
  const int smaller = min(low, high);
  high = max(low, high);
  low = smaller;
}

/// Of the first and the last `left` values moves the smallest and the largest outward. Exchanges of one round do not
/// depend on each other.
template <int count, int left, int capacity>
__device__ __forceinline__ void move_outward(int (&values)[capacity]) {
  if constexpr (left > 1) {
    constexpr int step = (left + 1) / 2;
#pragma unroll
    for (int i = 0; i + step < left; ++i) {
      exchange(values[i], values[i + step]);
      exchange(values[count - 1 - i - step], values[count - 1 - i]);
    }
    move_outward<count, step>(values);
  }
}

/// Moves the smallest of the first `count` values to their front and the largest to their end: the paper's minmax.
template <int count, int capacity>
__device__ __forceinline__ void to_ends(int (&values)[capacity]) {
  constexpr int half = count / 2;
#pragma unroll
  for (int i = 0; i < half; ++i) exchange(values[i], values[count - 1 - i]);
  if constexpr (count % 2 == 1) {
    exchange(values[0], values[half]);
    exchange(values[half], values[count - 1]);
  }
  move_outward<count, half>(values);
}

/// So many stages, each of which forgets the smallest and the largest value and takes fetch(next) in.
template <int count, int stages, class Fetch, int capacity>
__device__ __forceinline__ void forget(int (&values)[capacity], int next, const Fetch& fetch) {
  if constexpr (stages > 0) {
    to_ends<count>(values);
    values[0] = fetch(next);
    forget<count - 1, stages - 1>(values, next + 1, fetch);
  }
}

/// k of the paper: with fewer values the median of so many might be forgotten.
constexpr int least_values(int samples) { return (samples + 1) / 2 + 1; }

template <int edge>
constexpr int register_count = least_values(edge* edge);

/// The median of fetch(0) ... fetch(edge * edge - 1).
template <int edge, class Fetch>
__device__ __forceinline__ int forgetful_median(const Fetch& fetch) {
  constexpr int held = register_count<edge>;
  int values[held];
#pragma unroll
  for (int i = 0; i < held; ++i) values[i] = fetch(i);
  forget<held, edge * edge - held>(values, held, fetch);
  to_ends<3>(values);
  return values[1];
}

/// Selection among samples that stay in memory: the range that holds the median of an odd count is narrowed by
/// counting, pass by pass.
struct Torben {
  int low, high;      // the median is one of these or between them
  int guess;          // the middle of the range
  int less, greater;  // samples below and above the guess
  int below, above;   // the nearest of those

  __device__ void begin(int first) { low = high = first; }
  __device__ void bound(int sample) {
    low = min(low, sample);
    high = max(high, sample);
  }

  __device__ void begin_pass() {
    guess = (low + high) / 2;
    less = greater = 0;
    below = low;
    above = high;
  }
  __device__ void see(int sample) {
    if (sample < guess) {
      ++less;
      below = max(below, sample);
    } else if (sample > guess) {
      ++greater;
      above = min(above, sample);
    }
  }
  /// After a pass over `count` samples: whether median() knows. If not, the range is narrower.
  __device__ bool end_pass(int count) {
    const int half = (count + 1) / 2;
    if (less <= half && greater <= half) return true;
    if (less > greater) {
      high = below;
    } else {
      low = above;
    }
    return false;
  }
  [[nodiscard]] __device__ int median(int count) const {
    const int half = (count + 1) / 2;
    if (less >= half) return below;
    return count - greater >= half ? guess : above;
  }
};

}  // namespace tamis::perrot::gpu
