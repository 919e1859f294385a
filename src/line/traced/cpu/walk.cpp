// Van Herk (1992), Gil and Werman (1993) along the rows of a strip: blocks of `length` rows; the window that starts at
// a row is the rest of its block (suffix) and the start of the next one (prefix). An opening's second step follows the
// first one row by row, so that the strip is read twice and written once whatever the length:
//
//   rows         | block s           | block s + length  |
//   suffix             |-------------|                        made upwards, before the rows are overwritten
//   prefix                           |-----|                  grows on the way down
//   first step         = window q          the two joined; put where the suffix was
//   second step  |-----|                                      results q - length + 1 ... q of the first step:
//                                                             the rest of the block before, and those since s
#include <algorithm>

#include "core/cpu/simd.hpp"
#include "line/traced/cpu/strip.hpp"

#define HWY_TARGET_INCLUDE "line/traced/cpu/walk.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tamis::line_detail::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

enum class Take { Min, Max };
constexpr Take other(Take take) { return take == Take::Min ? Take::Max : Take::Min; }

template <Take take, class V>
HWY_INLINE V extremum(V a, V b) {
  return take == Take::Min ? hn::Min(a, b) : hn::Max(a, b);
}

/// Lanes `lane` ... of a strip, V vectors wide.
template <class Lane, int V>
class Columns {
 public:
  using D = hn::ScalableTag<Lane>;
  using Vector = hn::Vec<D>;
  static constexpr std::int64_t wide() { return V * static_cast<std::int64_t>(hn::MaxLanes(D())); }

  Columns(const Strip<Lane>& strip, const StripWalk<Lane>& walk, std::int64_t lane, Lane* scratch)
      : walk_(walk),
        lane_(lane),
        rows_(strip.rows + lane),
        stride_(strip.stride),
        count_(strip.count),
        now_(scratch),
        then_(scratch + walk.length * wide()) {}

  /// One step: results take the place of the samples.
  template <Take take>
  HWY_INLINE void one_step() {
    const std::int64_t length = walk_.length;
    if (walk_.last_start <= walk_.first_start) return fill(0, count_);
    suffixes<take>(walk_.first_start);
    for (std::int64_t s = walk_.first_start; s < walk_.last_start; s += length) {
      std::swap(now_, then_);
      suffixes<take>(s + length);  // before results reach its rows
      Vector prefix[V];
      set(prefix, walk_.first_neutral);
      const std::int64_t end = std::min(length, walk_.last_start - s);
      for (std::int64_t i = 0; i < end; ++i) {
        const std::int64_t next = s + length + i - 1;
        for (int v = 0; v < V; ++v) {
          if (i > 0 && next < count_) prefix[v] = extremum<take>(prefix[v], row(next, v));
          put(s + i + walk_.before, v, extremum<take>(hn::Load(d_, at(then_, i, v)), prefix[v]));
        }
      }
    }
    const std::int64_t first = std::min(walk_.first_start + walk_.before, count_);
    fill(0, first);
    fill(std::max(first, walk_.last_start + walk_.before), count_);
  }

  template <Take take>
  HWY_INLINE void two_steps() {
    const std::int64_t length = walk_.length;
    if (walk_.last_start <= walk_.first_start) return fill(0, count_);
    Vector none[V];
    set(none, walk_.second_neutral);
    for (std::int64_t i = 0; i < length; ++i) {
      for (int v = 0; v < V; ++v) hn::Store(none[v], d_, at(then_, i, v));
    }
    for (std::int64_t s = walk_.first_start; s < count_; s += length) {
      suffixes<take>(s);
      Vector prefix[V];
      Vector since[V];
      set(prefix, walk_.first_neutral);
      set(since, walk_.second_neutral);
      const std::int64_t end = std::min(length, count_ - s);
      // From `plain` to `rest` every row is there, counts, and lies in the image whole.
      const std::int64_t plain =
          std::clamp(std::max({std::int64_t{1}, -s, walk_.whole_first - walk_.before - s}), std::int64_t{0}, end);
      const std::int64_t rest = std::max(plain, std::min({end - 1, count_ - s - length + 1, walk_.last_start - s,
                                                          walk_.whole_last - walk_.before - s}));
      std::int64_t i = 0;
      for (; i < plain; ++i) any_row<take>(s, i, prefix, since);
      for (; i < rest; ++i) {
        for (int v = 0; v < V; ++v) {
          prefix[v] = extremum<take>(prefix[v], row(s + length + i - 1, v));
          const Vector first = extremum<take>(hn::Load(d_, at(now_, i, v)), prefix[v]);
          hn::Store(first, d_, at(now_, i, v));
          since[v] = extremum<other(take)>(since[v], first);
          put(s + i, v, extremum<other(take)>(since[v], hn::Load(d_, at(then_, i + 1, v))));
        }
      }
      for (; i < end; ++i) any_row<take>(s, i, prefix, since);
      if (s + length >= count_) break;
      results_to_suffixes<other(take)>();
      std::swap(now_, then_);
    }
  }

 private:
  HWY_INLINE Lane* at(Lane* scratch, std::int64_t i, int v) const {
    return scratch + i * wide() + v * static_cast<std::int64_t>(hn::MaxLanes(d_));
  }
  HWY_INLINE Lane* place(std::int64_t p, int v) const {
    return rows_ + p * stride_ + v * static_cast<std::int64_t>(hn::MaxLanes(d_));
  }
  HWY_INLINE Vector row(std::int64_t p, int v) const { return hn::Load(d_, place(p, v)); }
  HWY_INLINE void put(std::int64_t p, int v, Vector value) const { hn::Store(value, d_, place(p, v)); }
  HWY_INLINE void set(Vector* vectors, Lane value) const {
    for (int v = 0; v < V; ++v) vectors[v] = hn::Set(d_, value);
  }

  /// Rows for which no window counts.
  HWY_INLINE void fill(std::int64_t first, std::int64_t last) const {
    for (std::int64_t p = first; p < last; ++p) {
      for (int v = 0; v < V; ++v) put(p, v, hn::Set(d_, walk_.second_neutral));
    }
  }

  /// Suffixes of the block that starts at row s; there are none for rows past the strip.
  template <Take take>
  HWY_INLINE void suffixes(std::int64_t s) {
    Vector best[V];
    set(best, walk_.first_neutral);
    const std::int64_t first = std::clamp<std::int64_t>(-s, 0, walk_.length);
    for (std::int64_t i = std::min(walk_.length, count_ - s) - 1; i >= first; --i) {
      for (int v = 0; v < V; ++v) {
        best[v] = extremum<take>(best[v], row(s + i, v));
        hn::Store(best[v], d_, at(now_, i, v));
      }
    }
    for (std::int64_t i = first - 1; i >= 0; --i) {
      for (int v = 0; v < V; ++v) hn::Store(best[v], d_, at(now_, i, v));
    }
  }

  template <Take second>
  HWY_INLINE void results_to_suffixes() {
    Vector best[V];
    set(best, walk_.second_neutral);
    for (std::int64_t i = walk_.length - 1; i > 0; --i) {
      for (int v = 0; v < V; ++v) {
        best[v] = extremum<second>(best[v], hn::Load(d_, at(now_, i, v)));
        hn::Store(best[v], d_, at(now_, i, v));
      }
    }
  }

  template <Take take>
  HWY_INLINE void any_row(std::int64_t s, std::int64_t i, Vector* prefix, Vector* since) {
    const std::int64_t next = s + walk_.length + i - 1;
    const std::int64_t p = s + i + walk_.before;
    const bool counts = s + i < walk_.last_start;
    const bool partly = counts && (p < walk_.whole_first || p >= walk_.whole_last);
    for (int v = 0; v < V; ++v) {
      if (i > 0 && next < count_) prefix[v] = extremum<take>(prefix[v], row(next, v));
      Vector first = hn::Set(d_, walk_.second_neutral);
      if (counts) first = extremum<take>(hn::Load(d_, at(now_, i, v)), prefix[v]);
      if (partly) {
        const Lane* const mask =
            walk_.outside - walk_.shift[p] + lane_ + v * static_cast<std::int64_t>(hn::MaxLanes(d_));
        first = extremum<take>(first, hn::LoadU(d_, mask));
      }
      hn::Store(first, d_, at(now_, i, v));
      since[v] = extremum<other(take)>(since[v], first);
      if (s + i < 0) continue;
      const Vector last =
          i + 1 < walk_.length ? extremum<other(take)>(since[v], hn::Load(d_, at(then_, i + 1, v))) : since[v];
      put(s + i, v, last);
    }
  }

  const StripWalk<Lane>& walk_;
  D d_;
  std::int64_t lane_;
  Lane* rows_;
  std::int64_t stride_;
  std::int64_t count_;
  Lane* now_;
  Lane* then_;
};

template <Take take, bool two, class Lane, int V>
HWY_INLINE std::int64_t walk_columns(const Strip<Lane>& strip, const StripWalk<Lane>& walk, std::int64_t lane,
                                     Lane* scratch) {
  constexpr std::int64_t wide = Columns<Lane, V>::wide();
  for (; lane + wide <= strip.lanes; lane += wide) {
    Columns<Lane, V> columns(strip, walk, lane, scratch);
    if constexpr (two) {
      columns.template two_steps<take>();
    } else {
      columns.template one_step<take>();
    }
  }
  return lane;
}

template <Take take, bool two, class Lane>
void walk_strip(const Strip<Lane>& strip, const StripWalk<Lane>& walk, Lane* scratch) {
  // Two lines of the cache side by side, so that one result need not wait for the other.
  constexpr auto vector = static_cast<int>(hn::MaxLanes(hn::ScalableTag<Lane>()) * sizeof(Lane));
  constexpr int side_by_side = std::clamp(static_cast<int>(2 * strip_alignment) / vector, 1, 4);
  const std::int64_t done = walk_columns<take, two, Lane, side_by_side>(strip, walk, 0, scratch);
  walk_columns<take, two, Lane, 1>(strip, walk, done, scratch);
}

template <class Lane>
WalkKernel<Lane> walk_kernel(Along what) {
  switch (what) {
    case Along::Erode:
      return walk_strip<Take::Min, false, Lane>;
    case Along::Dilate:
      return walk_strip<Take::Max, false, Lane>;
    case Along::Open:
      return walk_strip<Take::Min, true, Lane>;
    case Along::Close:
      break;
  }
  return walk_strip<Take::Max, true, Lane>;
}

}  // namespace
}  // namespace tamis::line_detail::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tamis::line_detail::cpu {

template <class Lane>
WalkKernel<Lane> walk_kernel(Simd simd, Along what) {
  return TAMIS_SIMD(simd, walk_kernel<Lane>)(what);
}
#define TAMIS_INSTANTIATE(Lane) template WalkKernel<Lane> walk_kernel(Simd, Along);
TAMIS_EACH_LANE(TAMIS_INSTANTIATE)
#undef TAMIS_INSTANTIATE

}  // namespace tamis::line_detail::cpu
#endif
