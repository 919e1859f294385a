// Words in shared memory put in order by all threads of a block: networks in registers, then merges whose shares are
// found by bisection (Odeh, Green, Mwassi, Shmueli and Birk 2012).
#pragma once

#include "median/gpu/network/lists.cuh"
#include "median/plan/gpu_tiles.hpp"

namespace tamis::median_detail::gpu {

template <class Word>
struct WordCell {
  using Value = Word;
  static __device__ __forceinline__ Value low(Value a, Value b) { return min(a, b); }
  static __device__ __forceinline__ Value high(Value a, Value b) { return max(a, b); }
};

/// A share of words_a_thread of two lists in order, words[first ... middle - 1] and words[middle ... end - 1] merged,
/// from place `place` of the result on.
template <class Word>
__device__ __forceinline__ List<WordCell<Word>, words_a_thread> merged_share(const Word* words, int first, int middle,
                                                                             int end, int place) {
  int low = max(0, place - (end - middle)), high = min(place, middle - first);
  while (low < high) {
    const int half = (low + high) / 2;
    if (words[first + half] < words[middle + place - 1 - half]) {
      low = half + 1;
    } else {
      high = half;
    }
  }
  constexpr Word none = ~Word{0};
  int i = first + low, j = middle + place - low;
  Word a = i < middle ? words[i] : none, b = j < end ? words[j] : none;
  List<WordCell<Word>, words_a_thread> share;
#pragma unroll
  for (int k = 0; k < words_a_thread; ++k) {
    const bool second = b < a;
    share.v[k] = second ? b : a;
    const int next = second ? ++j : ++i;
    const Word word = next < (second ? end : middle) ? words[next] : none;
    if (second) {
      b = word;
    } else {
      a = word;
    }
  }
  return share;
}

/// The whole block calls it. `count` is a multiple of words_a_thread, and there are threads for it.
template <class Word>
__device__ __forceinline__ void put_in_order(Word* words, int count) {
  using Cell = WordCell<Word>;
  const int sorters = count / words_a_thread, thread = static_cast<int>(threadIdx.x), first = thread * words_a_thread;
  const bool works = thread < sorters;
  List<Cell, words_a_thread> own;
  const auto store = [&] {
    __syncthreads();  // whoever reads has read
    if (works) {
#pragma unroll
      for (int i = 0; i < words_a_thread; ++i) words[first + i] = own.v[i];
    }
    __syncthreads();
  };
  if (works) {
#pragma unroll
    for (int i = 0; i < words_a_thread; ++i) own.v[i] = words[thread + i * sorters];
    own = sorted<Cell>(own);
  }
  store();
  for (int length = words_a_thread; length < count; length *= 2) {
    if (works) {
      const int begin = first / (2 * length) * (2 * length);
      own = merged_share(words, begin, min(begin + length, count), min(begin + 2 * length, count), first - begin);
    }
    store();
  }
}

}  // namespace tamis::median_detail::gpu
