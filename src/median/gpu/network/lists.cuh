// Sorted lists in registers, merged by networks of minima and maxima (Batcher 1968). Which comparison comes when does
// not depend on the samples, so nothing diverges; what no result needs the compiler leaves out.
#pragma once

#include <cstdint>

namespace tamis::median_detail::gpu {

/// A register of samples that are compared in one instruction: one F32, or two of 16 bits. Bytes are the upper halves
/// of two of 16 bits, whatever the lower halves hold.
struct FloatCell {
  using Value = float;
  static __device__ __forceinline__ Value least() { return __uint_as_float(0xFF800000U); }
  static __device__ __forceinline__ Value greatest() { return __uint_as_float(0x7F800000U); }
  static __device__ __forceinline__ Value low(Value a, Value b) { return fminf(a, b); }
  static __device__ __forceinline__ Value high(Value a, Value b) { return fmaxf(a, b); }
  static __device__ __forceinline__ Value low(Value a, Value b, Value c) { return low(low(a, b), c); }
  static __device__ __forceinline__ Value high(Value a, Value b, Value c) { return high(high(a, b), c); }
};
struct UnsignedCell {
  using Value = std::uint32_t;
  static __device__ __forceinline__ Value least() { return 0; }
  static __device__ __forceinline__ Value greatest() { return 0xFFFFFFFFU; }
  static __device__ __forceinline__ Value low(Value a, Value b) { return __vminu2(a, b); }
  static __device__ __forceinline__ Value high(Value a, Value b) { return __vmaxu2(a, b); }
  static __device__ __forceinline__ Value low(Value a, Value b, Value c) { return __vimin3_u16x2(a, b, c); }
  static __device__ __forceinline__ Value high(Value a, Value b, Value c) { return __vimax3_u16x2(a, b, c); }
};
struct SignedCell {
  using Value = std::uint32_t;
  static __device__ __forceinline__ Value least() { return 0x80008000U; }
  static __device__ __forceinline__ Value greatest() { return 0x7FFF7FFFU; }
  static __device__ __forceinline__ Value low(Value a, Value b) { return __vmins2(a, b); }
  static __device__ __forceinline__ Value high(Value a, Value b) { return __vmaxs2(a, b); }
  static __device__ __forceinline__ Value low(Value a, Value b, Value c) { return __vimin3_s16x2(a, b, c); }
  static __device__ __forceinline__ Value high(Value a, Value b, Value c) { return __vimax3_s16x2(a, b, c); }
};

/// n values in ascending order in each lane of the cells.
template <class Cell, int n>
struct List {
  typename Cell::Value v[n > 0 ? n : 1];
};

template <class Cell, int first, int count, int n>
__device__ __forceinline__ List<Cell, count> part(const List<Cell, n>& list) {
  List<Cell, count> out;
#pragma unroll
  for (int i = 0; i < count; ++i) out.v[i] = list.v[first + i];
  return out;
}

/// Odd-even merge of lists of any lengths.
template <class Cell, int m, int n>
__device__ __forceinline__ List<Cell, m + n> merge(const List<Cell, m>& a, const List<Cell, n>& b) {
  List<Cell, m + n> out;
  if constexpr (m == 0 || n == 0) {
#pragma unroll
    for (int i = 0; i < m + n; ++i) out.v[i] = m == 0 ? b.v[i] : a.v[i];
  } else if constexpr (m == 1 && n == 1) {
    out.v[0] = Cell::low(a.v[0], b.v[0]);
    out.v[1] = Cell::high(a.v[0], b.v[0]);
  } else {
    List<Cell, (m + 1) / 2> a_even;
    List<Cell, m / 2> a_odd;
    List<Cell, (n + 1) / 2> b_even;
    List<Cell, n / 2> b_odd;
#pragma unroll
    for (int i = 0; i < m; ++i) (i % 2 == 1 ? a_odd.v[i / 2] : a_even.v[i / 2]) = a.v[i];
#pragma unroll
    for (int i = 0; i < n; ++i) (i % 2 == 1 ? b_odd.v[i / 2] : b_even.v[i / 2]) = b.v[i];
    const auto even = merge<Cell>(a_even, b_even);
    const auto odd = merge<Cell>(a_odd, b_odd);
    constexpr int evens = (m + 1) / 2 + (n + 1) / 2, odds = m / 2 + n / 2;
    out.v[0] = even.v[0];
#pragma unroll
    for (int i = 0; i < odds; ++i) {
      if (i + 1 < evens) {
        out.v[2 * i + 1] = Cell::low(odd.v[i], even.v[i + 1]);
        out.v[2 * i + 2] = Cell::high(odd.v[i], even.v[i + 1]);
      } else {
        out.v[2 * i + 1] = odd.v[i];
      }
    }
    if constexpr (evens == odds + 2) out.v[m + n - 1] = even.v[evens - 1];
  }
  return out;
}

/// In order; the shortest known networks where there are few.
template <class Cell, int n>
__device__ __forceinline__ List<Cell, n> sorted(List<Cell, n> list) {
  const auto order = [&](int i, int j) {
    const typename Cell::Value low = Cell::low(list.v[i], list.v[j]);
    list.v[j] = Cell::high(list.v[i], list.v[j]);
    list.v[i] = low;
  };
  if constexpr (n == 2) {
    order(0, 1);
  } else if constexpr (n == 3) {
    order(1, 2), order(0, 2), order(0, 1);
  } else if constexpr (n == 4) {
    order(0, 1), order(2, 3), order(0, 2), order(1, 3), order(1, 2);
  } else if constexpr (n == 5) {
    order(0, 1), order(3, 4), order(2, 4), order(2, 3), order(1, 4), order(0, 3), order(0, 2), order(1, 3), order(1, 2);
  } else if constexpr (n == 6) {
    order(1, 2), order(4, 5), order(0, 2), order(3, 5), order(0, 1), order(3, 4), order(2, 5), order(0, 3), order(1, 4),
        order(2, 4), order(1, 3), order(2, 3);
  } else if constexpr (n > 6) {
    return merge<Cell>(sorted<Cell>(part<Cell, 0, n / 2>(list)), sorted<Cell>(part<Cell, n / 2, n - n / 2>(list)));
  }
  return list;
}

/// Of `seen` of `total` samples in order: those that can still have the rank when all are seen.
template <int total, int rank, int seen>
struct Range {
  static constexpr int first = seen - total + rank > 0 ? seen - total + rank : 0;
  static constexpr int last = rank < seen - 1 ? rank : seen - 1;
  static constexpr int count = last - first + 1;
};
template <class Cell, int total, int rank, int seen>
struct Candidates {
  List<Cell, Range<total, rank, seen>::count> list;
};
template <class Cell, int total, int rank, int seen>
__device__ __forceinline__ Candidates<Cell, total, rank, seen> candidates(const List<Cell, seen>& list) {
  using Kept = Range<total, rank, seen>;
  return {part<Cell, Kept::first, Kept::count>(list)};
}
/// The same after more samples, given in order.
template <class Cell, int total, int rank, int seen, int more>
__device__ __forceinline__ Candidates<Cell, total, rank, seen + more> grown(
    const Candidates<Cell, total, rank, seen>& old, const List<Cell, more>& list) {
  using Before = Range<total, rank, seen>;
  using After = Range<total, rank, seen + more>;
  return {part<Cell, After::first - Before::first, After::count>(merge<Cell>(old.list, list))};
}

/// Value `index` of two lists together: the least of the maxima of the first i of one and the first index + 1 - i of
/// the other.
template <class Cell, int index, int m, int n>
__device__ __forceinline__ typename Cell::Value select(const List<Cell, m>& a, const List<Cell, n>& b) {
  constexpr int from = index + 1 - n > 0 ? index + 1 - n : 0;
  constexpr int to = index + 1 < m ? index + 1 : m;
  constexpr int count = to - from + 1;
  typename Cell::Value most[count];
#pragma unroll
  for (int i = from; i <= to; ++i) {
    const int last_a = i > 0 ? i - 1 : 0;
    const int last_b = index - i > 0 ? index - i : 0;
    most[i - from] = i == 0 ? b.v[last_b] : i == index + 1 ? a.v[last_a] : Cell::high(a.v[last_a], b.v[last_b]);
  }
  typename Cell::Value least = most[0];
#pragma unroll
  for (int i = 1; i + 1 < count; i += 2) least = Cell::low(least, most[i], most[i + 1]);
  if constexpr (count % 2 == 0) least = Cell::low(least, most[count - 1]);
  return least;
}

/// The same where the index is known only when it runs.
template <class Cell, int m, int n>
__device__ __forceinline__ typename Cell::Value select_at(int index, const List<Cell, m>& a, const List<Cell, n>& b) {
  // a[index - n] ... a[index], whatever the index, moved to the front bit by bit of it.
  constexpr int count = m + 2 * n;
  typename Cell::Value some[count];
#pragma unroll
  for (int i = 0; i < count; ++i) {
    some[i] = i < n ? Cell::least() : i < n + m ? a.v[i - n < m ? i - n : 0] : Cell::greatest();
  }
  constexpr int bits = 32 - __builtin_clz(m + n - 1);
#pragma unroll
  for (int bit = bits - 1; bit >= 0; --bit) {
    const int by = 1 << bit;
    const bool moves = (index & by) != 0;
#pragma unroll
    for (int i = 0; i < n + by && i < count; ++i) {
      const auto other = i + by < count ? some[i + by < count ? i + by : 0] : Cell::greatest();
      some[i] = moves ? other : some[i];
    }
  }
  typename Cell::Value least = some[n];
#pragma unroll
  for (int i = 0; i < n; ++i) least = Cell::low(least, Cell::high(b.v[i], some[n - 1 - i]));
  return least;
}

}  // namespace tamis::median_detail::gpu
