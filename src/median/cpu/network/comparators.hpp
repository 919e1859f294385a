// Small sorting and merging networks, made while compiling (Batcher 1968: odd-even merges).
#pragma once

#include <array>
#include <cstddef>

namespace tamis::median_detail::cpu {

/// The smaller of two samples goes to `low`, the larger to `high`; unless nobody asks for it.
struct Comparator {
  int low = 0, high = 0;
  bool wants_low = true, wants_high = true;
};

/// A network on n samples; afterwards the sorted sample i is at order[i].
template <int n>
struct ComparatorNetwork {
  static constexpr int most = n * n / 2;
  std::array<Comparator, static_cast<std::size_t>(most > 0 ? most : 1)> comparators{};
  int count = 0;
  std::array<int, static_cast<std::size_t>(n)> order{};

  constexpr void compare(int low, int high) { comparators[static_cast<std::size_t>(count++)] = {low, high}; }
};

/// Some of the samples of a network, by index.
template <int n>
struct IndexList {
  std::array<int, static_cast<std::size_t>(n)> at{};
  int count = 0;
  constexpr void add(int place) { at[static_cast<std::size_t>(count++)] = place; }
  [[nodiscard]] constexpr int operator[](int i) const { return at[static_cast<std::size_t>(i)]; }
  /// Every second entry, from `first` on.
  [[nodiscard]] constexpr IndexList half(int first) const {
    IndexList out;
    for (int i = first; i < count; i += 2) out.add((*this)[i]);
    return out;
  }
};

template <int n>
constexpr IndexList<n> odd_even_merge(ComparatorNetwork<n>& network, const IndexList<n>& a, const IndexList<n>& b) {
  if (a.count == 0) return b;
  if (b.count == 0) return a;
  IndexList<n> out;
  if (a.count == 1 && b.count == 1) {
    network.compare(a[0], b[0]);
    out.add(a[0]);
    out.add(b[0]);
    return out;
  }
  const IndexList<n> even = odd_even_merge(network, a.half(0), b.half(0));
  const IndexList<n> odd = odd_even_merge(network, a.half(1), b.half(1));
  out.add(even[0]);
  for (int i = 0; i < odd.count || i + 1 < even.count; ++i) {
    if (i < odd.count && i + 1 < even.count) network.compare(odd[i], even[i + 1]);
    if (i < odd.count) out.add(odd[i]);
    if (i + 1 < even.count) out.add(even[i + 1]);
  }
  return out;
}

template <int n>
constexpr IndexList<n> odd_even_sort(ComparatorNetwork<n>& network, int first, int count) {
  if (count == 1) {
    IndexList<n> one;
    one.add(first);
    return one;
  }
  const IndexList<n> low = odd_even_sort(network, first, count / 2);
  const IndexList<n> high = odd_even_sort(network, first + count / 2, count - count / 2);
  return odd_even_merge(network, low, high);
}

/// Sorts n samples.
template <int n>
struct SortNetwork {
  static constexpr ComparatorNetwork<n> value = [] {
    ComparatorNetwork<n> network;
    network.order = odd_even_sort(network, 0, n).at;
    return network;
  }();
};

/// Leaves out what only results before `first` or from `end` need.
template <int n>
constexpr void prune(ComparatorNetwork<n>& network, int first, int end) {
  std::array<bool, static_cast<std::size_t>(n)> wanted{};
  for (int i = first; i < end; ++i) wanted[static_cast<std::size_t>(network.order[static_cast<std::size_t>(i)])] = true;
  for (int i = network.count - 1; i >= 0; --i) {
    Comparator& comparator = network.comparators[static_cast<std::size_t>(i)];
    bool& low = wanted[static_cast<std::size_t>(comparator.low)];
    bool& high = wanted[static_cast<std::size_t>(comparator.high)];
    comparator.wants_low = low;
    comparator.wants_high = high;
    low = high = low || high;
  }
}

/// Merges samples 0 ... a-1 and a ... a+b-1, both sorted; of the results first ... end-1 are wanted.
template <int a, int b, int first = 0, int end = a + b>
struct MergeNetwork {
  static constexpr ComparatorNetwork<a + b> value = [] {
    ComparatorNetwork<a + b> network;
    IndexList<a + b> low, high;
    for (int i = 0; i < a; ++i) low.add(i);
    for (int i = a; i < a + b; ++i) high.add(i);
    network.order = odd_even_merge(network, low, high).at;
    prune(network, first, end);
    return network;
  }();
};

}  // namespace tamis::median_detail::cpu
