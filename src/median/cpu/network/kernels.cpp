#include "median/cpu/network/kernels.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <utility>

#include "core/cpu/simd.hpp"
#include "median/cpu/network/comparators.hpp"

#define HWY_TARGET_INCLUDE "median/cpu/network/kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "median/cpu/network/vectors-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tamis::median_detail::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

template <class K, int n>
void sort_lists(const K* const* in, K* out, std::int64_t pitch, std::int64_t lanes) {
  using All = std::make_index_sequence<static_cast<std::size_t>(n)>;
  for (std::int64_t lane = 0; lane < lanes; lane += vector_lanes<K>()) {
    Vector<K> v[n];
    load_each<K>(v, in, lane, All());
    run_network<SortNetwork<n>>(v);
    store_in_order<K, SortNetwork<n>>(v, out + lane, pitch, All());
  }
}

/// Merges that differ in where lists lie: after each the lists of the next are `step` further on.
template <class K>
struct PieceList {
  K* at;
  std::int64_t pitch, step;
};
template <class K>
struct Pieces {
  PieceList<const K> a, b;
  PieceList<K> out;
  int count;
};

template <class K, int a, int b>
void merge_lists(const Pieces<K>& pieces, std::int64_t lanes) {
  const Pieces<K> p = pieces;
  for (std::int64_t lane = 0; lane < lanes; lane += vector_lanes<K>()) {
    const K* from_a = p.a.at + lane;
    const K* from_b = p.b.at + lane;
    K* to = p.out.at + lane;
    for (int i = 0; i < p.count; ++i) {
      Vector<K> v[a + b];
      load<K>(v, from_a, p.a.pitch, std::make_index_sequence<static_cast<std::size_t>(a)>());
      load<K>(v + a, from_b, p.b.pitch, std::make_index_sequence<static_cast<std::size_t>(b)>());
      run_network<MergeNetwork<a, b>>(v);
      store_in_order<K, MergeNetwork<a, b>>(v, to, p.out.pitch,
                                            std::make_index_sequence<static_cast<std::size_t>(a + b)>());
      from_a += p.a.step;
      from_b += p.b.step;
      to += p.out.step;
    }
  }
}

template <int distance, class V, std::size_t... i>
HWY_INLINE void exchange_at(V* v, std::index_sequence<i...>) {
  (exchange<true, true>(v[i / distance * 2 * distance + i % distance],
                        v[i / distance * 2 * distance + i % distance + distance]),
   ...);
}
template <int distance, int n, class V>
HWY_INLINE void exchange_from(V* v) {
  exchange_at<distance>(v, std::make_index_sequence<static_cast<std::size_t>(n / 2)>());
  if constexpr (distance > 1) exchange_from<distance / 2, n>(v);
}

/// The last steps of a merge: elements that are 2^(levels-1) apart, then half as far, ... then next to each other.
/// For `count` blocks one after the other.
template <class K, int levels>
void exchange_levels(K* at, std::int64_t pitch, int count, std::int64_t lanes) {
  constexpr int n = 1 << levels;
  using All = std::make_index_sequence<static_cast<std::size_t>(n)>;
  for (std::int64_t lane = 0; lane < lanes; lane += vector_lanes<K>()) {
    K* block = at + lane;
    for (int i = 0; i < count; ++i) {
      Vector<K> v[n];
      load<K>(v, block, pitch, All());
      exchange_from<n / 2, n>(v);
      store<K>(v, block, pitch, All());
      block += n * pitch;
    }
  }
}

template <class K>
using SortLists = void (*)(const K* const*, K*, std::int64_t, std::int64_t);
template <class K>
using MergeLists = void (*)(const Pieces<K>&, std::int64_t);
template <class K>
using ExchangeLevels = void (*)(K*, std::int64_t, int, std::int64_t);

constexpr int most_levels_at_once = 4;

template <class K, std::size_t... n>
constexpr std::array<SortLists<K>, most_sorted + 1> sort_table(std::index_sequence<n...>) {
  return {nullptr, &sort_lists<K, static_cast<int>(n) + 1>...};
}
/// For the longer list first.
template <class K, int a, int b>
constexpr MergeLists<K> merge_entry() {
  if constexpr (a >= b && a > 0) return &merge_lists<K, a, b>;
  return nullptr;
}
constexpr std::size_t merge_table_width = most_merged + 1;
template <class K, std::size_t... i>
constexpr std::array<MergeLists<K>, sizeof...(i)> merge_table(std::index_sequence<i...>) {
  return {merge_entry<K, static_cast<int>(i / merge_table_width), static_cast<int>(i % merge_table_width)>()...};
}
template <class K, std::size_t... i>
constexpr std::array<ExchangeLevels<K>, sizeof...(i) + 1> level_table(std::index_sequence<i...>) {
  return {nullptr, &exchange_levels<K, static_cast<int>(i) + 1>...};
}

template <class K>
constexpr auto sorters = sort_table<K>(std::make_index_sequence<most_sorted>());
template <class K>
constexpr auto mergers = merge_table<K>(std::make_index_sequence<merge_table_width * merge_table_width>());
template <class K>
constexpr auto exchangers = level_table<K>(std::make_index_sequence<most_levels_at_once>());

template <class K>
void sort(const Instruction& instruction, const NetworkSpaces<K>& spaces, std::int64_t lanes) {
  const K* in[most_sorted];
  const std::size_t n = instruction.inputs.size();
  for (std::size_t i = 0; i < n; ++i) in[i] = spaces.element(instruction.inputs[i]);
  sorters<K>[n](in, spaces.element(instruction.out), spaces.pitch(instruction.out.space), lanes);
}

template <class K>
HWY_INLINE void fill(K* to, K value, std::int64_t lanes) {
  for (std::int64_t lane = 0; lane < lanes; lane += vector_lanes<K>()) store_vector<K>(vector_of<K>(value), to + lane);
}

/// Elements of a list of n that are in piece `piece` of 2^levels.
constexpr int piece_count(int n, int piece, int levels) { return (n - piece + (1 << levels) - 1) >> levels; }

constexpr std::size_t merge_index(int larger, int smaller) {
  return static_cast<std::size_t>(larger) * merge_table_width + static_cast<std::size_t>(smaller);
}

template <class K>
void merge_pieces(const Pieces<K>& pieces, int from_a, int from_b, std::int64_t lanes) {
  if (from_a >= from_b) {
    mergers<K>[merge_index(from_a, from_b)](pieces, lanes);
  } else {
    mergers<K>[merge_index(from_b, from_a)]({pieces.b, pieces.a, pieces.out, pieces.count}, lanes);
  }
}

/// Piece p has every 2^levels-th element of `a` from p and every 2^levels-th of `b` from 2^levels-1-p. Of any number of
/// smallest samples two pieces that differ in one bit have the same count or one more or less (as in a bitonic merge),
/// so that, side by side, exchanges over the highest bit of the piece's number, then the next, ... leave all sorted.
template <class K>
void merge(const Instruction& instruction, const NetworkSpaces<K>& spaces, std::int64_t lanes) {
  const std::int64_t a_pitch = spaces.pitch(instruction.a.space);
  const std::int64_t b_pitch = spaces.pitch(instruction.b.space);
  const std::int64_t pitch = spaces.pitch(instruction.out.space);
  const K* const a = spaces.element(instruction.a);
  const K* const b = spaces.element(instruction.b);
  K* const out = spaces.element(instruction.out);
  const int levels = merge_levels(instruction.a_count, instruction.b_count);
  const int pieces = 1 << levels;
  const int n = instruction.a_count + instruction.b_count;
  const int whole = n >> levels;  // blocks of an element of each piece
  for (int piece = 0; piece < pieces;) {
    const int from_a = piece_count(instruction.a_count, piece, levels);
    const int from_b = piece_count(instruction.b_count, pieces - 1 - piece, levels);
    int end = piece + 1;
    while (end < pieces && piece_count(instruction.a_count, end, levels) == from_a &&
           piece_count(instruction.b_count, pieces - 1 - end, levels) == from_b) {
      ++end;
    }
    if (from_a + from_b > 0) {
      merge_pieces<K>({{a + piece * a_pitch, a_pitch << levels, a_pitch},
                       {b + (pieces - 1 - piece) * b_pitch, b_pitch << levels, -b_pitch},
                       {out + piece * pitch, pitch << levels, pitch},
                       end - piece},
                      from_a, from_b, lanes);
    }
    // Where the last block is not full, what is missing is above all.
    const bool missing = from_a + from_b == whole && n > whole << levels;
    for (; piece < end; ++piece) {
      if (missing) fill(out + ((whole << levels) + piece) * pitch, std::numeric_limits<K>::max(), lanes);
    }
  }
  const int first = instruction.first >> levels << levels;
  for (int left = levels; left > 0;) {
    const int now = left <= most_levels_at_once ? left : left / 2;
    left -= now;
    const int apart = 1 << left;  // the shortest exchange of this pass
    const int blocks = (instruction.end - first + (apart << now) - 1) >> (left + now);
    for (int i = 0; i < apart; ++i) {
      exchangers<K>[static_cast<std::size_t>(now)](out + (first + i) * pitch, pitch * apart, blocks, lanes);
    }
  }
}

/// The sample with index k in two sorted lists is the least, over all i, of the larger of sample i-1 of `a` and k-i of
/// `b`: i samples of one and k+1-i of the other are not above it.
template <class K>
void select(const Instruction& instruction, const NetworkSpaces<K>& spaces, std::int64_t lanes) {
  const std::int64_t a_pitch = spaces.pitch(instruction.a.space);
  const std::int64_t b_pitch = spaces.pitch(instruction.b.space);
  const int wanted = instruction.first + 1;
  const int least = std::max(0, wanted - instruction.b_count);
  const int most = std::min(instruction.a_count, wanted);
  for (std::int64_t lane = 0; lane < lanes; lane += vector_lanes<K>()) {
    const K* const a = spaces.element(instruction.a) + lane - a_pitch;
    const K* const b = instruction.b_count > 0 ? spaces.element(instruction.b) + lane - b_pitch : nullptr;
    auto best = vector_of<K>(std::numeric_limits<K>::max());
    int i = least;
    if (i == 0) {
      best = load_vector<K>(b + wanted * b_pitch);
      ++i;
    }
    if (most == wanted) best = smaller(best, load_vector<K>(a + wanted * a_pitch));
    const int end = std::min(most, wanted - 1);
    for (; i <= end; ++i) {
      best = smaller(best, larger(load_vector<K>(a + i * a_pitch), load_vector<K>(b + (wanted - i) * b_pitch)));
    }
    store_vector<K>(best, spaces.element(instruction.out) + lane);
  }
}

template <class K>
void run(const Program& program, const NetworkSpaces<K>& spaces, std::int64_t lanes) {
  for (const Instruction& instruction : program.instructions) {
    switch (instruction.act) {
      case Act::Sort:
        sort(instruction, spaces, lanes);
        break;
      case Act::Merge:
        merge(instruction, spaces, lanes);
        break;
      case Act::Select:
        select(instruction, spaces, lanes);
        break;
    }
  }
}

template <class K, int phases>
void take_apart(const K* HWY_RESTRICT in, std::int64_t lanes, K* HWY_RESTRICT out, std::int64_t pitch) {
  std::int64_t i = 0;
  if constexpr (has_vectors && phases == 2) {
    for (; i + vector_lanes<K>() <= lanes; i += vector_lanes<K>()) {
      Vector<K> v0, v1;
      hn::LoadInterleaved2(Tag<K>(), in + 2 * i, v0, v1);
      store_vector<K>(v0, out + i);
      store_vector<K>(v1, out + pitch + i);
    }
  }
  if constexpr (has_vectors && phases == 4) {
    for (; i + vector_lanes<K>() <= lanes; i += vector_lanes<K>()) {
      Vector<K> v0, v1, v2, v3;
      hn::LoadInterleaved4(Tag<K>(), in + 4 * i, v0, v1, v2, v3);
      store_vector<K>(v0, out + i);
      store_vector<K>(v1, out + pitch + i);
      store_vector<K>(v2, out + 2 * pitch + i);
      store_vector<K>(v3, out + 3 * pitch + i);
    }
  }
  for (; i < lanes; ++i) {
    for (int p = 0; p < phases; ++p) out[p * pitch + i] = in[i * phases + p];
  }
}

template <class K, int phases>
void put_together(const K* HWY_RESTRICT in, std::int64_t pitch, std::int64_t lanes, K* HWY_RESTRICT out) {
  std::int64_t i = 0;
  if constexpr (has_vectors && phases == 2) {
    for (; i + vector_lanes<K>() <= lanes; i += vector_lanes<K>()) {
      hn::StoreInterleaved2(load_vector<K>(in + i), load_vector<K>(in + pitch + i), Tag<K>(), out + 2 * i);
    }
  }
  if constexpr (has_vectors && phases == 4) {
    for (; i + vector_lanes<K>() <= lanes; i += vector_lanes<K>()) {
      hn::StoreInterleaved4(load_vector<K>(in + i), load_vector<K>(in + pitch + i), load_vector<K>(in + 2 * pitch + i),
                            load_vector<K>(in + 3 * pitch + i), Tag<K>(), out + 4 * i);
    }
  }
  for (; i < lanes; ++i) {
    for (int p = 0; p < phases; ++p) out[i * phases + p] = in[p * pitch + i];
  }
}

template <class K>
void take_apart_any(const K* in, std::int64_t lanes, int phases, K* out, std::int64_t pitch) {
  switch (phases) {
    case 1:
      std::memcpy(out, in, static_cast<std::size_t>(lanes) * sizeof(K));
      return;
    case 2:
      return take_apart<K, 2>(in, lanes, out, pitch);
    case 4:
      return take_apart<K, 4>(in, lanes, out, pitch);
    default:
      return take_apart<K, 8>(in, lanes, out, pitch);
  }
}
template <class K>
void put_together_any(const K* in, std::int64_t pitch, std::int64_t lanes, int phases, K* out) {
  switch (phases) {
    case 1:
      std::memcpy(out, in, static_cast<std::size_t>(lanes) * sizeof(K));
      return;
    case 2:
      return put_together<K, 2>(in, pitch, lanes, out);
    case 4:
      return put_together<K, 4>(in, pitch, lanes, out);
    default:
      return put_together<K, 8>(in, pitch, lanes, out);
  }
}

template <class K>
NetworkKernels<K> network_kernels() {
  return {run<K>, take_apart_any<K>, put_together_any<K>};
}

}  // namespace
}  // namespace tamis::median_detail::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tamis::median_detail::cpu {

template <class K>
NetworkKernels<K> network_kernels(Simd simd) {
  return TAMIS_SIMD(simd, network_kernels<K>)();
}
#define TAMIS_INSTANTIATE(K) template NetworkKernels<K> network_kernels(Simd);
TAMIS_EACH_COUNT(TAMIS_INSTANTIATE)
#undef TAMIS_INSTANTIATE

}  // namespace tamis::median_detail::cpu
#endif
