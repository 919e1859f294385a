#include "median/cpu/bisect/run.hpp"

#include <algorithm>
#include <limits>

#include "core/cpu/simd.hpp"

#define HWY_TARGET_INCLUDE "median/cpu/bisect/kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tamis::median_detail::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

/// One vector of results. Keys that the bytes found so far tell apart from the result become 0 or 255 in all bytes that
/// follow, which leaves their order as it is; the others are open.
template <class D>
class Bisection {
  using V = hn::Vec<D>;

 public:
  Bisection(const BisectTask& task, std::int64_t x)
      : task_(task),
        x_(x),
        lanes_(static_cast<std::int64_t>(hn::Lanes(D()))),
        keys_(task.scratch),
        open_(task.scratch + task.count * lanes_) {
    for (std::int64_t i = 0; i < lanes_; ++i) {
      ranks_[i] = task.ranks && x + i < task.results ? std::max(task.ranks[x + i], 0) : task.rank;
      limit_[i] = static_cast<std::uint8_t>(std::min(ranks_[i], most));
    }
  }

  HWY_INLINE void run() {
    for (std::int64_t k = 0; k < task_.count; ++k) {
      hn::Store(hn::LoadU(D(), task_.seen[k] + x_), D(), keys_ + k * lanes_);
    }
    for (std::int64_t p = 0; p < task_.planes; ++p) {
      const V found = select();
      alignas(bisect_lanes) std::uint8_t bytes[bisect_lanes];
      hn::Store(found, D(), bytes);
      std::copy_n(bytes, std::min(lanes_, task_.results - x_), task_.out + p * task_.out_stride + x_);
      if (p + 1 == task_.planes) break;
      if (p == 0) {
        next_plane<true>(found, p + 1);
      } else {
        next_plane<false>(found, p + 1);
      }
    }
  }

 private:
  /// Counts are kept in bytes, which hold so many.
  static constexpr std::int32_t most = std::numeric_limits<std::uint8_t>::max();

  template <bool all_open>
  HWY_INLINE void next_plane(V found, std::int64_t p) {
    const V ones = hn::Set(D(), std::numeric_limits<std::uint8_t>::max());
    for (std::int64_t k = 0; k < task_.count; ++k) {
      std::uint8_t* const at = keys_ + k * lanes_;
      std::uint8_t* const open_at = open_ + k * lanes_;
      const V key = hn::Load(D(), at);
      const V byte = hn::LoadU(D(), task_.seen[k] + p * task_.plane_stride + x_);
      const auto was_open = all_open ? hn::Eq(ones, ones) : hn::Eq(hn::Load(D(), open_at), ones);
      const auto open = hn::And(was_open, hn::Eq(key, found));
      const V decided = hn::IfThenElse(was_open, hn::IfThenZeroElse(hn::Lt(key, found), ones), key);
      hn::Store(hn::IfThenElse(open, byte, decided), D(), at);
      hn::Store(hn::IfThenElseZero(open, ones), D(), open_at);
    }
  }

  /// Lane by lane the largest byte with at most `rank` keys below it.
  HWY_INLINE V select() const {
    V found = hn::Zero(D());
    for (unsigned bit = 0x80; bit != 0; bit >>= 1U) {
      const V next = hn::Or(found, hn::Set(D(), static_cast<std::uint8_t>(bit)));
      found = hn::IfThenElse(at_most(next), next, found);
    }
    return found;
  }

  /// Where there are at most ranks_[i] keys below bound[i].
  HWY_INLINE hn::Mask<D> at_most(V bound) const {
    if (task_.count <= most) return hn::Not(hn::Lt(hn::Load(D(), limit_), count_below(bound, 0, task_.count)));
    std::int32_t sums[bisect_lanes] = {};
    alignas(bisect_lanes) std::uint8_t part[bisect_lanes];
    for (std::int64_t k = 0; k < task_.count; k += most) {
      hn::Store(count_below(bound, k, std::min(k + most, task_.count)), D(), part);
      for (std::int64_t i = 0; i < lanes_; ++i) sums[i] += part[i];
    }
    for (std::int64_t i = 0; i < lanes_; ++i) part[i] = sums[i] <= ranks_[i] ? 1 : 0;
    return hn::Ne(hn::Load(D(), part), hn::Zero(D()));
  }

  HWY_INLINE V count_below(V bound, std::int64_t from, std::int64_t to) const {
    const V one = hn::Set(D(), 1);
    V even = hn::Zero(D()), odd = hn::Zero(D());
    const std::uint8_t* keys = keys_ + from * lanes_;
    const auto add = [&](V& count, const std::uint8_t* at) HWY_ATTR {
      count = hn::Add(count, hn::IfThenElseZero(hn::Lt(hn::Load(D(), at), bound), one));
    };
    std::int64_t k = from;
    for (; k + 2 <= to; k += 2, keys += 2 * lanes_) {
      add(even, keys);
      add(odd, keys + lanes_);
    }
    if (k < to) add(even, keys);
    return hn::Add(even, odd);
  }

  const BisectTask& task_;
  std::int64_t x_, lanes_;
  std::uint8_t* keys_;
  std::uint8_t* open_;
  std::int32_t ranks_[bisect_lanes];
  alignas(bisect_lanes) std::uint8_t limit_[bisect_lanes];
};

template <class D>
HWY_INLINE void bisect_with(const BisectTask& task) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(D()));
  for (std::int64_t x = 0; x < task.results; x += lanes) {
    if (task.step && task.count > 1000) task.step->stop_if_cancelled();  // a vector of results takes a while
    Bisection<D>(task, x).run();
  }
}

void bisect(const BisectTask& task) {
  // Keys of one vector of results are looked at eight times and should stay in the L1.
  constexpr std::int64_t most_bytes = 28 << 10, half = bisect_lanes / 2;
  if (task.count * bisect_lanes <= most_bytes) {
    bisect_with<hn::ScalableTag<std::uint8_t>>(task);
  } else {
    bisect_with<hn::CappedTag<std::uint8_t, half>>(task);
  }
}

}  // namespace
}  // namespace tamis::median_detail::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tamis::median_detail::cpu {

void bisect_row(Simd simd, const BisectTask& task) { TAMIS_SIMD(simd, bisect)(task); }

}  // namespace tamis::median_detail::cpu
#endif
