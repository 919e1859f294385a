#include "distance/cpu/kernels.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/cpu/simd.hpp"
#include "distance/plan.hpp"

#define HWY_TARGET_INCLUDE "distance/cpu/kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tamis::distance_detail::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

template <class D>
HWY_INLINE std::int64_t lanes(D d) {
  return static_cast<std::int64_t>(hn::Lanes(d));
}

/// Lanes of 16 bits and less saturate; of wider ones a sum stays below twice what they hold.
template <class D, class V>
HWY_INLINE V sum(D /*d*/, V a, V b) {
  if constexpr (sizeof(hn::TFromD<D>) <= 2) {
    return hn::SaturatedAdd(a, b);
  } else {
    return hn::Add(a, b);
  }
}

template <class Narrow>
void expand_bits(const std::uint64_t* bits, Narrow* row, std::int64_t count) {
  const hn::ScalableTag<Narrow> d;
  const std::int64_t step = lanes(d);
  constexpr Narrow all = std::numeric_limits<Narrow>::max();
  if (step < 8) {  // masks are loaded by whole bytes
    for (std::int64_t i = 0; i < count; ++i) row[i] = (bits[i / 64] >> (i % 64)) & 1U ? all : Narrow{0};
    return;
  }
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(bits);
  for (std::int64_t i = 0; i < count; i += step) {
    hn::Store(hn::IfThenElseZero(hn::LoadMaskBits(d, bytes + i / 8), hn::Set(d, all)), d, row + i);
  }
}

/// Distances up to 2s - 1 are right after the doubling step s. So once no lane is unreached, all are right.
template <class Narrow>
Narrow* count_steps(Narrow* from, Narrow* to, std::int64_t count, std::int64_t reach) {
  const hn::ScalableTag<Narrow> d;
  const auto all = hn::Set(d, std::numeric_limits<Narrow>::max());
  for (std::int64_t s = 1; s <= reach; s *= 2) {
    const auto cost = hn::Set(d, static_cast<Narrow>(s));
    auto top = hn::Zero(d);
    for (std::int64_t i = 0; i < count; i += lanes(d)) {
      const auto side = hn::Min(hn::LoadU(d, from + i - s), hn::LoadU(d, from + i + s));
      // Lanes of 32 bits have no saturated sum; what is unreached there stays so by the choice of the side.
      const auto through =
          sizeof(Narrow) <= 2 ? sum(d, side, cost) : hn::IfThenElse(hn::Eq(side, all), all, hn::Add(side, cost));
      const auto now = hn::Min(hn::Load(d, from + i), through);
      top = hn::Max(top, now);
      hn::Store(now, d, to + i);
    }
    std::swap(from, to);
    if (hn::AllFalse(d, hn::Eq(top, all))) break;
  }
  return from;
}

template <class Lane>
void square(const Half<Lane>* steps, Lane* row, std::int64_t count, Lane side, Half<Lane> cap) {
  if constexpr (sizeof(Lane) == 8) {  // Highway has no product of 64 bits for every target
    for (std::int64_t i = 0; i < count; ++i) {
      const Lane length = Lane{steps[i]} * side;
      row[i] = steps[i] >= cap ? unreached<Lane> : length * length;
    }
  } else {
    const hn::ScalableTag<Lane> d;
    const hn::Rebind<Half<Lane>, decltype(d)> narrow;
    const auto factor = hn::Set(d, side);
    const auto limit = hn::Set(d, Lane{cap});
    const auto beyond = hn::Set(d, unreached<Lane>);
    for (std::int64_t i = 0; i < count; i += lanes(d)) {
      const auto wide = hn::PromoteTo(d, hn::Load(narrow, steps + i));
      const auto length = hn::Mul(wide, factor);
      const auto too_far = hn::Eq(hn::Max(wide, limit), wide);
      hn::Store(hn::IfThenElse(too_far, beyond, hn::Mul(length, length)), d, row + i);
    }
  }
}

/// Whether no candidate `square` away can lower a lane any more.
template <class D, class V>
HWY_INLINE bool settled(D d, V least, V square) {
  return hn::AllTrue(d, hn::Eq(hn::Min(least, square), least));
}

/// The lanes of one vector of a column; `line` is the distance in lanes from line to line.
template <class Lane>
class Column {
 public:
  HWY_INLINE Column(const Lane* from, std::int64_t count, const Lane* squares, std::int64_t reach)
      : from_(from), count_(count), squares_(squares), reach_(reach) {}

  HWY_INLINE hn::Vec<hn::ScalableTag<Lane>> least(std::int64_t i) const {
    const hn::ScalableTag<Lane> d;
    auto best = hn::Load(d, from_ + i * line);
    if (settled(d, best, hn::Set(d, squares_[1]))) return best;
    // What lies beyond a side is told by one line, its nearest; farther candidates are one-sided.
    const std::int64_t both = std::min(std::min(i + 1, count_ - i), reach_);
    std::int64_t k = 1;
    for (; k + unrolled <= both; k += unrolled) {
      for (std::int64_t j = k; j < k + unrolled; ++j) best = lower(best, pair(i, j), j);
      if (settled(d, best, hn::Set(d, squares_[k + unrolled]))) return best;
    }
    for (; k <= both; ++k) best = lower(best, pair(i, k), k);
    const bool upwards = count_ - i > i + 1;
    const std::int64_t one = std::min(std::max(i + 1, count_ - i), reach_);
    for (; k <= one && !settled(d, best, hn::Set(d, squares_[k])); ++k) {
      best = lower(best, hn::Load(d, from_ + (upwards ? i + k : i - k) * line), k);
    }
    return best;
  }

 private:
  static constexpr std::int64_t unrolled = 4;
  static constexpr std::int64_t line = line_bytes / static_cast<std::int64_t>(sizeof(Lane));
  using V = hn::Vec<hn::ScalableTag<Lane>>;

  HWY_INLINE V pair(std::int64_t i, std::int64_t k) const {
    const hn::ScalableTag<Lane> d;
    return hn::Min(hn::Load(d, from_ + (i - k) * line), hn::Load(d, from_ + (i + k) * line));
  }
  HWY_INLINE V lower(V best, V there, std::int64_t k) const {
    const hn::ScalableTag<Lane> d;
    return hn::Min(best, sum(d, there, hn::Set(d, squares_[k])));
  }

  const Lane* from_;
  std::int64_t count_;
  const Lane* squares_;
  std::int64_t reach_;
};

template <class Lane>
Lane lower(const Lane* from, Lane* to, std::int64_t count, const Lane* squares, std::int64_t reach) {
  const hn::ScalableTag<Lane> d;
  constexpr std::int64_t line = line_bytes / static_cast<std::int64_t>(sizeof(Lane));
  auto top = hn::Zero(d);
  for (std::int64_t part = 0; part < line; part += lanes(d)) {
    const Column<Lane> column(from + part, count, squares, reach);
    for (std::int64_t i = 0; i < count; ++i) {
      const auto least = column.least(i);
      top = hn::Max(top, least);
      hn::Store(least, d, to + i * line + part);
    }
  }
  HWY_ALIGN Lane tops[HWY_MAX_BYTES / sizeof(Lane)];
  hn::Store(top, d, tops);
  return *std::max_element(tops, tops + lanes(d));
}

template <class Lane>
Kernels<Lane> kernels() {
  return {expand_bits<Half<Lane>>, count_steps<Half<Lane>>, square<Lane>, lower<Lane>};
}

}  // namespace
}  // namespace tamis::distance_detail::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tamis::distance_detail::cpu {

template <class Lane>
Kernels<Lane> kernels(Simd simd) {
  return TAMIS_SIMD(simd, kernels<Lane>)();
}

template Kernels<std::uint16_t> kernels(Simd);
template Kernels<std::uint32_t> kernels(Simd);
template Kernels<std::uint64_t> kernels(Simd);

}  // namespace tamis::distance_detail::cpu
#endif
