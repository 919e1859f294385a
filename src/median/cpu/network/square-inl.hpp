// The square kernels of kernels.hpp, for any size. To be included by files of kernels after <hwy/highway.h>, once for
// each instruction set: hence the guard.
#if defined(TAMIS_NETWORK_SQUARE) == defined(HWY_TARGET_TOGGLE)
#ifdef TAMIS_NETWORK_SQUARE
#undef TAMIS_NETWORK_SQUARE
#else
#define TAMIS_NETWORK_SQUARE
#endif

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "median/cpu/network/comparators.hpp"
#include "median/cpu/network/kernels.hpp"
#include "median/cpu/network/vectors-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tamis::median_detail::cpu::HWY_NAMESPACE {
namespace {

template <int n>
using Indices = std::make_index_sequence<static_cast<std::size_t>(n)>;

/// A sorted list in registers: of `seen` samples those from index `below`.
template <class K, int count_, int below_, int seen_>
struct Sorted {
  static constexpr int count = count_, below = below_, seen = seen_;
  Vector<K> v[count];
};

template <class K, int n>
HWY_INLINE Sorted<K, n, 0, n> load_sorted(const K* from, std::int64_t pitch) {
  Sorted<K, n, 0, n> list;
  load<K>(list.v, from, pitch, Indices<n>());
  return list;
}

template <class To, class From, std::size_t... i>
HWY_INLINE void copy(To* to, const From* from, std::index_sequence<i...>) {
  ((to[i] = from[i]), ...);
}
template <class Network, int first, class V, std::size_t... i>
HWY_INLINE void copy_in_order(V* to, const V* from, std::index_sequence<i...>) {
  ((to[i] = from[Network::value.order[i + first]]), ...);
}

template <class K, int n>
HWY_INLINE Sorted<K, n, 0, n> sorted(Vector<K>* v) {
  run_network<SortNetwork<n>>(v);
  Sorted<K, n, 0, n> out;
  copy_in_order<SortNetwork<n>, 0>(out.v, v, Indices<n>());
  return out;
}

/// A square of size x size samples in each of `depth` slices, and its tile.
template <int size_, int depth_>
struct Box {
  static constexpr int size = size_, depth = depth_;
  static constexpr int total = size * size * depth;
  static constexpr int tile_x = square_tile_x(size);
  static constexpr int height = size + 1 - square_tile_y;  ///< of the core
  static constexpr int column = height * depth;            ///< samples of a column of the core
};

/// Two lists as one, without what cannot be the median of `total` samples.
template <int total, class K, int a, int a_below, int a_seen, int b, int b_below, int b_seen>
HWY_INLINE auto merged(const Sorted<K, a, a_below, a_seen>& low, const Sorted<K, b, b_below, b_seen>& high) {
  constexpr int seen = a_seen + b_seen;
  constexpr int below = a_below + b_below;
  constexpr int rank = total / 2;
  constexpr int first = std::clamp(rank - (total - seen) - below, 0, a + b - 1);
  constexpr int end = std::clamp(std::min(seen - 1, rank) - below + 1, first + 1, a + b);
  using Network = MergeNetwork<a, b, first, end>;
  Vector<K> v[a + b];
  copy(v, low.v, Indices<a>());
  copy(v + a, high.v, Indices<b>());
  run_network<Network>(v);
  Sorted<K, end - first, below + first, seen> out;
  copy_in_order<Network, first>(out.v, v, Indices<end - first>());
  return out;
}

/// The median of `total` samples, which are all in two lists: the least of the larger of samples i-1 and k-i, as in
/// kernels.cpp.
template <int total, class K, int a, int a_below, int a_seen, int b, int b_below, int b_seen>
HWY_INLINE Vector<K> median_of(const Sorted<K, a, a_below, a_seen>& low, const Sorted<K, b, b_below, b_seen>& high) {
  static_assert(a_seen + b_seen == total);
  constexpr int wanted = total / 2 - a_below - b_below + 1;
  static_assert(wanted <= a && wanted > b);
  Vector<K> best = low.v[wanted - 1];
  for (int i = 1; i <= b; ++i) {
    const Vector<K> sample = low.v[wanted - i > 0 ? wanted - i - 1 : 0];
    best = smaller(best, wanted - i > 0 ? larger(sample, high.v[i - 1]) : high.v[i - 1]);
  }
  return best;
}

constexpr int floor_div(int a, int b) { return a >= 0 ? a / b : -((b - 1 - a) / b); }

/// Where columns from the core of the tile on are: phase column mod tile_x of lane column / tile_x.
template <int tile_x>
struct At {
  static constexpr int lane(int column) { return floor_div(column, tile_x); }
  static constexpr int phase(int column) { return column - lane(column) * tile_x; }
};

/// The list of made memory that has phases phase ... phase + count - 1.
template <class Box>
constexpr int element_of(int phase, int count) {
  int level = 0;
  while (1 << level < count) ++level;
  return (level * Box::tile_x + phase) * Box::column;
}

/// Sorted: all slices of rows first ... first + count - 1 at a phase.
template <class K, class Box, int first, int count>
HWY_INLINE auto column_of(const K* const* rows, std::int64_t row_pitch, std::int64_t at) {
  if constexpr (Box::depth == 1) {
    Vector<K> v[count];
    load_each<K>(v, rows + first, at, Indices<count>());
    return sorted<K, count>(v);
  } else if constexpr (count == 1) {
    return load_sorted<K, Box::depth>(rows[first] + at, row_pitch);
  } else {
    constexpr int half = count / 2;
    return merged<Box::total>(column_of<K, Box, first, half>(rows, row_pitch, at),
                              column_of<K, Box, first + half, count - half>(rows, row_pitch, at));
  }
}

/// Merges columns and puts them, and what they were merged from, into made memory.
template <class K, class Box, int phase, int count>
HWY_INLINE auto make_columns(const K* const* rows, std::int64_t row_pitch, std::int64_t lane, K* made,
                             std::int64_t pitch) {
  K* const to = made + element_of<Box>(phase, count) * pitch + lane;
  if constexpr (count == 1) {
    const auto list = column_of<K, Box, 0, Box::height>(rows, row_pitch, lane + phase * Box::depth * row_pitch);
    store<K>(list.v, to, pitch, Indices<list.count>());
    return list;
  } else {
    constexpr int half = count / 2;
    const auto list = merged<Box::total>(make_columns<K, Box, phase, half>(rows, row_pitch, lane, made, pitch),
                                         make_columns<K, Box, phase + half, half>(rows, row_pitch, lane, made, pitch));
    static_assert(list.count == list.seen);
    store<K>(list.v, to, pitch, Indices<list.count>());
    return list;
  }
}

template <class K, class Box>
void columns(const NetworkSpaces<K>& spaces, std::int64_t lanes) {
  const K* rows[Box::height];
  for (int i = 0; i < Box::height; ++i) rows[i] = spaces.at[space::rows + square_tile_y - 1 + i];
  for (std::int64_t lane = 0; lane < lanes; lane += vector_lanes<K>()) {
    make_columns<K, Box, 0, Box::tile_x>(rows, spaces.pitch(space::rows), lane, spaces.at[space::made],
                                         spaces.pitch(space::made));
  }
}

/// What a tile reads and writes, from its lane on.
template <class K>
struct Tile {
  const K* made;
  std::int64_t pitch;
  const K *top, *bottom;
  std::int64_t row_pitch;
  K* results;
  std::int64_t result_pitch;
};

/// Columns first ... first + count - 1 as one list.
template <class K, class Box, int first, int count>
HWY_INLINE auto columns_of(const Tile<K>& tile) {
  constexpr int tile_x = Box::tile_x;
  if constexpr (count <= tile_x && (count & (count - 1)) == 0) {
    constexpr int element = element_of<Box>(At<tile_x>::phase(first), count);
    return load_sorted<K, count * Box::column>(tile.made + element * tile.pitch + At<tile_x>::lane(first), tile.pitch);
  } else {
    constexpr int groups = (count + tile_x - 1) / tile_x;
    constexpr int part = groups > 1 ? (groups + 1) / 2 * tile_x : tile_x / 2;
    return merged<Box::total>(columns_of<K, Box, first, part>(tile),
                              columns_of<K, Box, first + part, count - part>(tile));
  }
}

template <class K, class Box, int column>
HWY_INLINE const K* at_column(const K* row, std::int64_t pitch) {
  return row + At<Box::tile_x>::phase(column) * Box::depth * pitch + At<Box::tile_x>::lane(column);
}
template <class K, class Box, int first, std::size_t... i>
HWY_INLINE auto sorted_row(const K* row, std::int64_t pitch, std::index_sequence<i...>) {
  Vector<K> v[sizeof...(i)];
  ((v[i] = load_vector<K>(at_column<K, Box, first + static_cast<int>(i)>(row, pitch))), ...);
  return sorted<K, sizeof...(i)>(v);
}
/// Those columns of a row.
template <class K, class Box, int first, int count>
HWY_INLINE auto row_of(const K* row, std::int64_t pitch) {
  if constexpr (Box::depth == 1) {
    return sorted_row<K, Box, first>(row, pitch, Indices<count>());
  } else if constexpr (count == 1) {
    return load_sorted<K, Box::depth>(at_column<K, Box, first>(row, pitch), pitch);
  } else {
    constexpr int half = count / 2;
    return merged<Box::total>(row_of<K, Box, first, half>(row, pitch),
                              row_of<K, Box, first + half, count - half>(row, pitch));
  }
}

/// Results x ... x + width - 1, which all see the core and, of the rows above and below it, the samples in `top` and
/// `bottom`. Each half sees some more columns.
template <class K, class Box, int x, int width, class Core, class Line>
HWY_INLINE void halve(const Tile<K>& tile, const Core& core, const Line& top, const Line& bottom) {
  constexpr int total = Box::total;
  if constexpr (width == 1) {
    store_vector<K>(median_of<total>(core, top), tile.results + x * tile.result_pitch);
    store_vector<K>(median_of<total>(core, bottom), tile.results + (Box::tile_x + x) * tile.result_pitch);
  } else {
    constexpr int half = width / 2;
    constexpr int left = x + half - Box::tile_x;
    constexpr int right = x + Box::size - Box::tile_x + 1;
    const auto more = [&](auto column, auto first_result) HWY_ATTR {
      constexpr int first = decltype(column)::value;
      halve<K, Box, decltype(first_result)::value, half>(
          tile, merged<total>(core, columns_of<K, Box, first, half>(tile)),
          merged<total>(top, row_of<K, Box, first, half>(tile.top, tile.row_pitch)),
          merged<total>(bottom, row_of<K, Box, first, half>(tile.bottom, tile.row_pitch)));
    };
    more(std::integral_constant<int, left>(), std::integral_constant<int, x>());
    more(std::integral_constant<int, right>(), std::integral_constant<int, x + half>());
  }
}

template <class K, class Box>
void tiles(const NetworkSpaces<K>& spaces, std::int64_t lanes) {
  constexpr int core = Box::size + 1 - Box::tile_x;
  for (std::int64_t lane = 0; lane < lanes; lane += vector_lanes<K>()) {
    const Tile<K> tile{spaces.at[space::made] + lane, spaces.pitch(space::made),
                       spaces.at[space::rows] + lane, spaces.at[space::rows + Box::size] + lane,
                       spaces.pitch(space::rows),     spaces.at[space::results] + lane,
                       spaces.pitch(space::results)};
    halve<K, Box, 0, Box::tile_x>(tile, columns_of<K, Box, 0, core>(tile),
                                  row_of<K, Box, 0, core>(tile.top, tile.row_pitch),
                                  row_of<K, Box, 0, core>(tile.bottom, tile.row_pitch));
  }
}

template <class Chosen>
SquareKernels<typename Chosen::Key> square_kernels_here() {
  using K = typename Chosen::Key;
  using Tiled = Box<Chosen::size, Chosen::depth>;
  return {columns<K, Tiled>, tiles<K, Tiled>};
}

}  // namespace
}  // namespace tamis::median_detail::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tamis::median_detail::cpu {

template <class K, int size, int depth>
SquareKernels<K> square_kernels_of(Simd simd) {
  using Chosen = SquareChoice<K, size, depth>;
  return TAMIS_SIMD(simd, square_kernels_here<Chosen>)();
}

}  // namespace tamis::median_detail::cpu

#define TAMIS_SQUARE(size, depth)                                                            \
  template SquareKernels<std::uint8_t> square_kernels_of<std::uint8_t, size, depth>(Simd);   \
  template SquareKernels<std::uint16_t> square_kernels_of<std::uint16_t, size, depth>(Simd); \
  template SquareKernels<std::uint32_t> square_kernels_of<std::uint32_t, size, depth>(Simd);
#endif

#endif
