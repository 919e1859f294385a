#include "morphology/cpu/tile/extremum_kernels.hpp"

#include <algorithm>
#include <type_traits>

#include "core/cpu/simd.hpp"

#define HWY_TARGET_INCLUDE "morphology/cpu/tile/extremum_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tamis::morphology_detail::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

template <class Lane>
inline constexpr bool is_bits = std::is_same_v<Lane, std::uint64_t>;

/// Vectors that are worked on side by side, so that one result need not wait for the other.
constexpr int wide = 4;

template <Order order, class Lane, class V>
HWY_INLINE V extremum(V a, V b) {
  if constexpr (is_bits<Lane>) {
    return order == Order::Min ? hn::And(a, b) : hn::Or(a, b);
  } else {
    return order == Order::Min ? hn::Min(a, b) : hn::Max(a, b);
  }
}

template <Order order, class Lane>
HWY_INLINE Lane scalar_extremum(Lane a, Lane b) {
  if constexpr (is_bits<Lane>) {
    return order == Order::Min ? a & b : a | b;
  } else {
    return order == Order::Min ? std::min(a, b) : std::max(a, b);
  }
}

template <class D, class Lane>
HWY_INLINE hn::Vec<D> load(D d, const RowSource<Lane>& source, std::int64_t i) {
  const auto here = hn::LoadU(d, source.row + i);
  if constexpr (is_bits<Lane>) {
    if (source.shift == 0) return here;
    const auto next = hn::LoadU(d, source.row + i + 1);
    return hn::Or(hn::ShiftRightSame(here, source.shift), hn::ShiftLeftSame(next, 64 - source.shift));
  } else {
    return here;
  }
}

template <class Lane>
HWY_INLINE Lane load_lane(const RowSource<Lane>& source, std::int64_t i) {
  if constexpr (is_bits<Lane>) {
    if (source.shift != 0) return source.row[i] >> source.shift | source.row[i + 1] << (64 - source.shift);
  }
  return source.row[i];
}

/// Calls vectors(i, count) for groups of `wide` vectors, then single ones, the last of which may overlap what is done,
/// or lane(i) where there is not even one vector.
template <class D, class Wide, class Single, class One>
HWY_INLINE void for_lanes(D d, std::int64_t lanes, Wide wide_at, Single single_at, One lane_at) {
  const auto n = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t i = 0;
  for (; i + wide * n <= lanes; i += wide * n) wide_at(i);
  for (; i + n <= lanes; i += n) single_at(i);
  if (i == lanes) return;
  if (lanes >= n) {
    single_at(lanes - n);
  } else {
    for (; i < lanes; ++i) lane_at(i);
  }
}

/// Fixed numbers of terms keep the addresses in registers.
template <Order order, class Lane, int count>
HWY_INLINE void unite_few(const RowSource<Lane>* sources, Lane* out, std::int64_t lanes) {
  const hn::ScalableTag<Lane> d;
  const auto n = static_cast<std::int64_t>(hn::Lanes(d));
  RowSource<Lane> from[count];
  for (int k = 0; k < count; ++k) from[k] = sources[k];
  const auto vector_at = [&](std::int64_t i) HWY_ATTR {
    auto best = load(d, from[0], i);
    for (int k = 1; k < count; ++k) best = extremum<order, Lane>(best, load(d, from[k], i));
    hn::StoreU(best, d, out + i);
  };
  for_lanes(
      d, lanes,
      [&](std::int64_t i) HWY_ATTR {
        for (int v = 0; v < wide; ++v) vector_at(i + v * n);
      },
      vector_at,
      [&](std::int64_t i) {
        Lane best = load_lane(from[0], i);
        for (int k = 1; k < count; ++k) best = scalar_extremum<order>(best, load_lane(from[k], i));
        out[i] = best;
      });
}

template <Order order, class Lane>
HWY_INLINE void unite_many(const RowSource<Lane>* sources, std::int64_t count, Lane* out, std::int64_t lanes) {
  const hn::ScalableTag<Lane> d;
  const auto n = static_cast<std::int64_t>(hn::Lanes(d));
  for_lanes(
      d, lanes,
      [&](std::int64_t i) HWY_ATTR {
        auto a = load(d, sources[0], i);
        auto b = load(d, sources[0], i + n);
        auto c = load(d, sources[0], i + 2 * n);
        auto e = load(d, sources[0], i + 3 * n);
        for (std::int64_t k = 1; k < count; ++k) {
          a = extremum<order, Lane>(a, load(d, sources[k], i));
          b = extremum<order, Lane>(b, load(d, sources[k], i + n));
          c = extremum<order, Lane>(c, load(d, sources[k], i + 2 * n));
          e = extremum<order, Lane>(e, load(d, sources[k], i + 3 * n));
        }
        hn::StoreU(a, d, out + i);
        hn::StoreU(b, d, out + i + n);
        hn::StoreU(c, d, out + i + 2 * n);
        hn::StoreU(e, d, out + i + 3 * n);
      },
      [&](std::int64_t i) HWY_ATTR {
        auto best = load(d, sources[0], i);
        for (std::int64_t k = 1; k < count; ++k) best = extremum<order, Lane>(best, load(d, sources[k], i));
        hn::StoreU(best, d, out + i);
      },
      [&](std::int64_t i) {
        Lane best = load_lane(sources[0], i);
        for (std::int64_t k = 1; k < count; ++k) best = scalar_extremum<order>(best, load_lane(sources[k], i));
        out[i] = best;
      });
}

template <Order order, class Lane>
void unite(const RowSource<Lane>* sources, std::int64_t count, Lane* out, std::int64_t lanes) {
  switch (count) {
    case 1:
      return unite_few<order, Lane, 1>(sources, out, lanes);
    case 2:
      return unite_few<order, Lane, 2>(sources, out, lanes);
    case 3:
      return unite_few<order, Lane, 3>(sources, out, lanes);
    case 4:
      return unite_few<order, Lane, 4>(sources, out, lanes);
    case 5:
      return unite_few<order, Lane, 5>(sources, out, lanes);
    default:
      return unite_many<order, Lane>(sources, count, out, lanes);
  }
}

/// Columns `begin` ... `begin + V vectors` of run_rows. Windows of up to `length` results in a row share the rows in
/// their middle (van Herk 1992, Gil and Werman 1993): going up from there gives what each window has before it, going
/// down what it has after it. Three operations a result, whatever the length.
template <Order order, class Lane, int V>
HWY_INLINE void run_columns(const Lane* const* in, Lane* const* out, std::int64_t count, std::int64_t length,
                            std::int64_t begin, Lane* scratch) {
  const hn::ScalableTag<Lane> d;
  const auto n = static_cast<std::int64_t>(hn::Lanes(d));
  constexpr std::int64_t most_results = 64;
  using Vector = hn::Vec<decltype(d)>;
  for (std::int64_t from = 0; from < count;) {
    const std::int64_t results = std::min({count - from, length, most_results});
    const Lane* const* const window = in + from;
    Vector best[V];
    for (int v = 0; v < V; ++v) best[v] = hn::LoadU(d, window[results - 1] + begin + v * n);
    for (std::int64_t r = results; r < length; ++r) {
      for (int v = 0; v < V; ++v) {
        best[v] = extremum<order, Lane>(best[v], hn::LoadU(d, window[r] + begin + v * n));
      }
    }
    if (results == 1) {
      for (int v = 0; v < V; ++v) hn::StoreU(best[v], d, out[from] + begin + v * n);
      ++from;
      continue;
    }
    for (int v = 0; v < V; ++v) hn::Store(best[v], d, scratch + ((results - 1) * V + v) * n);
    for (std::int64_t r = results - 2; r > 0; --r) {
      for (int v = 0; v < V; ++v) {
        best[v] = extremum<order, Lane>(best[v], hn::LoadU(d, window[r] + begin + v * n));
        hn::Store(best[v], d, scratch + (r * V + v) * n);
      }
    }
    for (int v = 0; v < V; ++v) {
      const auto first = extremum<order, Lane>(best[v], hn::LoadU(d, window[0] + begin + v * n));
      hn::StoreU(first, d, out[from] + begin + v * n);
      best[v] = hn::LoadU(d, window[length] + begin + v * n);
    }
    for (std::int64_t r = 1; r < results; ++r) {
      for (int v = 0; v < V; ++v) {
        const auto before = hn::Load(d, scratch + (r * V + v) * n);
        hn::StoreU(extremum<order, Lane>(before, best[v]), d, out[from + r] + begin + v * n);
      }
      if (r + 1 == results) break;
      for (int v = 0; v < V; ++v) {
        best[v] = extremum<order, Lane>(best[v], hn::LoadU(d, window[length + r] + begin + v * n));
      }
    }
    from += results;
  }
}

/// The same for two or three rows, which stay in registers.
template <Order order, class Lane, int V, int length>
HWY_INLINE void slide_columns(const Lane* const* in, Lane* const* out, std::int64_t count, std::int64_t begin) {
  const hn::ScalableTag<Lane> d;
  const auto n = static_cast<std::int64_t>(hn::Lanes(d));
  using Vector = hn::Vec<decltype(d)>;
  Vector last[V];
  Vector pair[V];
  for (int v = 0; v < V; ++v) {
    last[v] = hn::LoadU(d, in[length - 2] + begin + v * n);
    pair[v] = length == 2 ? last[v] : extremum<order, Lane>(hn::LoadU(d, in[0] + begin + v * n), last[v]);
  }
  for (std::int64_t r = 0; r < count; ++r) {
    for (int v = 0; v < V; ++v) {
      const auto next = hn::LoadU(d, in[r + length - 1] + begin + v * n);
      hn::StoreU(extremum<order, Lane>(pair[v], next), d, out[r] + begin + v * n);
      pair[v] = length == 2 ? next : extremum<order, Lane>(last[v], next);
      last[v] = next;
    }
  }
}

template <Order order, class Lane, int V>
HWY_INLINE void columns(const Lane* const* in, Lane* const* out, std::int64_t count, std::int64_t length,
                        std::int64_t begin, Lane* scratch) {
  if (length == 2) return slide_columns<order, Lane, V, 2>(in, out, count, begin);
  if (length == 3) return slide_columns<order, Lane, V, 3>(in, out, count, begin);
  run_columns<order, Lane, V>(in, out, count, length, begin, scratch);
}

template <Order order, class Lane>
void run_rows(const Lane* const* in, Lane* const* out, std::int64_t count, std::int64_t length, std::int64_t lanes,
              Lane* scratch) {
  const hn::ScalableTag<Lane> d;
  for_lanes(
      d, lanes, [&](std::int64_t i) HWY_ATTR { columns<order, Lane, wide>(in, out, count, length, i, scratch); },
      [&](std::int64_t i) HWY_ATTR { columns<order, Lane, 1>(in, out, count, length, i, scratch); },
      [&](std::int64_t i) {
        for (std::int64_t r = 0; r < count; ++r) {
          Lane best = in[r][i];
          for (std::int64_t k = 1; k < length; ++k) best = scalar_extremum<order>(best, in[r + k][i]);
          out[r][i] = best;
        }
      });
}

/// The source `samples` further on.
template <class Lane>
RowSource<Lane> advanced(RowSource<Lane> source, std::int64_t samples) {
  if constexpr (is_bits<Lane>) {
    const std::int64_t bit = source.shift + samples;
    return {source.row + bit / 64, static_cast<int>(bit % 64)};
  } else {
    return {source.row + samples, 0};
  }
}

/// Runs of `have` are there; runs of `length` are united from as few of them as cover it, or, where those are many,
/// from runs four times as long, in pieces of a row that stay in the L1.
template <Order order, class Lane>
void run_x(RowSource<Lane> in, std::int64_t length, Lane* out, std::int64_t lanes, Lane* scratch) {
  constexpr std::int64_t most_terms = 5;
  constexpr std::int64_t samples_a_lane = is_bits<Lane> ? 64 : 1;
  constexpr std::int64_t half = kernel_scratch_bytes / 2 / static_cast<std::int64_t>(sizeof(Lane));
  RowSource<Lane> terms[most_terms];
  constexpr std::int64_t usual_piece = 4096 / static_cast<std::int64_t>(sizeof(Lane));
  // A long run needs a long piece, or most of the work is its margin; past what fits, it is cut (below).
  const std::int64_t margin = length / samples_a_lane + 2;
  const std::int64_t slack = over_read / static_cast<std::int64_t>(sizeof(Lane));
  const std::int64_t piece = std::clamp(2 * margin, usual_piece, half - margin - slack);
  for (std::int64_t begin = 0; begin < lanes; begin += piece) {
    const std::int64_t results = std::min(piece, lanes - begin);
    RowSource<Lane> source = advanced(in, begin * samples_a_lane);
    std::int64_t have = 1;
    Lane* to = scratch;
    Lane* other = scratch + half;
    while ((length + have - 1) / have > most_terms) {
      for (int k = 0; k < 4; ++k) terms[k] = advanced(source, k * have);
      const std::int64_t needed = results + (length - 4 * have) / samples_a_lane + 2;
      unite_few<order, Lane, 4>(terms, to, needed);
      source = {to, 0};
      have *= 4;
      std::swap(to, other);
    }
    const std::int64_t count = (length + have - 1) / have;
    for (std::int64_t k = 0; k < count; ++k) terms[k] = advanced(source, std::min(k * have, length - have));
    unite<order, Lane>(terms, count, out + begin, results);
  }
}

template <class Lane, Order order>
ExtremumKernels<Lane> kernels_of() {
  return {unite<order, Lane>, run_rows<order, Lane>, run_x<order, Lane>};
}
template <class Lane>
ExtremumKernels<Lane> extremum_kernels(Order order) {
  return order == Order::Min ? kernels_of<Lane, Order::Min>() : kernels_of<Lane, Order::Max>();
}

}  // namespace
}  // namespace tamis::morphology_detail::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tamis::morphology_detail::cpu {

template <class Lane>
ExtremumKernels<Lane> extremum_kernels(Simd simd, Order order) {
  return TAMIS_SIMD(simd, extremum_kernels<Lane>)(order);
}
#define TAMIS_INSTANTIATE(Lane) template ExtremumKernels<Lane> extremum_kernels(Simd, Order);
TAMIS_EACH_LANE(TAMIS_INSTANTIATE)
TAMIS_INSTANTIATE(std::uint64_t)
#undef TAMIS_INSTANTIATE

}  // namespace tamis::morphology_detail::cpu
#endif
