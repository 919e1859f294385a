#include "granulometry/cpu/distance.hpp"

#include <algorithm>
#include <utility>

#include "core/cpu/simd.hpp"

#define HWY_TARGET_INCLUDE "granulometry/cpu/distance_rows.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tamis::granulometry_detail::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

template <class D, class V>
HWY_INLINE V add_saturated(D d, V a, V b) {
  using Lane = hn::TFromD<D>;
  if constexpr (sizeof(Lane) < 4) {
    return hn::SaturatedAdd(a, b);
  } else {
    return hn::Min(hn::Add(a, b), hn::Set(d, unreached<Lane>));
  }
}

template <class Lane>
HWY_INLINE bool any_reaches(const Lane* row, std::int64_t count, Lane value) {
  const hn::ScalableTag<Lane> d;
  auto top = hn::Zero(d);
  for (std::int64_t i = 0; i < count; i += static_cast<std::int64_t>(hn::Lanes(d))) {
    top = hn::Max(top, hn::Load(d, row + i));
  }
  return !hn::AllFalse(d, hn::Eq(top, hn::Set(d, value)));
}

/// Distance along a row: `from` holds 0 or an upper bound, with `reach` readable lanes before and behind it that say
/// what lies beyond the row. Distances up to 2s - 1 are right after the doubling step s. Returns where the result is.
template <class Lane>
Lane* scan_row(Lane* from, Lane* to, std::int64_t count, std::int64_t reach) {
  const hn::ScalableTag<Lane> d;
  const auto step = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t s = 1; s <= reach; s *= 2) {
    if (!any_reaches(from, count, unreached<Lane>)) return from;
    const auto cost = hn::Set(d, static_cast<Lane>(s));
    for (std::int64_t i = 0; i < count; i += step) {
      const auto side = hn::Min(hn::LoadU(d, from + i - s), hn::LoadU(d, from + i + s));
      hn::Store(hn::Min(hn::Load(d, from + i), add_saturated(d, side, cost)), d, to + i);
    }
    std::swap(from, to);
  }
  return from;
}

/// row = min(row, from + 1). Returns whether a lane changed.
template <class Lane>
bool relax_row(Lane* row, const Lane* from, std::int64_t count) {
  const hn::ScalableTag<Lane> d;
  const auto one = hn::Set(d, Lane{1});
  auto change = hn::Zero(d);
  for (std::int64_t i = 0; i < count; i += static_cast<std::int64_t>(hn::Lanes(d))) {
    const auto old = hn::Load(d, row + i);
    const auto now = hn::Min(old, add_saturated(d, hn::LoadU(d, from + i), one));
    change = hn::Or(change, hn::Xor(old, now));
    hn::Store(now, d, row + i);
  }
  return !hn::AllTrue(d, hn::Eq(change, hn::Zero(d)));
}

/// to[i] = min(from[i-1], from[i], from[i+1])
template <class Lane>
void min_of_three(const Lane* from, Lane* to, std::int64_t count) {
  const hn::ScalableTag<Lane> d;
  for (std::int64_t i = 0; i < count; i += static_cast<std::int64_t>(hn::Lanes(d))) {
    const auto sides = hn::Min(hn::LoadU(d, from + i - 1), hn::LoadU(d, from + i + 1));
    hn::Store(hn::Min(sides, hn::Load(d, from + i)), d, to + i);
  }
}

/// Lanes whose bit is 0 become `value`.
template <class Lane>
void mask_row(Lane* row, const std::uint64_t* bits, std::int64_t count, Lane value) {
  const hn::ScalableTag<Lane> d;
  const auto step = static_cast<std::int64_t>(hn::Lanes(d));
  if (step < 8) {  // masks are loaded by whole bytes
    for (std::int64_t i = 0; i < count; ++i) row[i] = (bits[i / 64] >> (i % 64)) & 1U ? row[i] : value;
    return;
  }
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(bits);
  const auto other = hn::Set(d, value);
  for (std::int64_t i = 0; i < count; i += step) {
    hn::Store(hn::IfThenElse(hn::LoadMaskBits(d, bytes + i / 8), hn::Load(d, row + i), other), d, row + i);
  }
}

/// The largest lane of a vector of 16 bytes or more.
template <class D>
HWY_INLINE hn::TFromD<D> largest_lane(D d, hn::Vec<D> v) {
  using Lane = hn::TFromD<D>;
  HWY_ALIGN Lane lanes[HWY_MAX_BYTES / sizeof(Lane)];
#if HWY_TARGET == HWY_SCALAR
  constexpr std::size_t block = 1;
#else
  constexpr std::size_t block = 16 / sizeof(Lane);  // shifts stay within 16 bytes
  v = hn::Max(v, hn::ShiftRightBytes<8>(d, v));
  v = hn::Max(v, hn::ShiftRightBytes<4>(d, v));
  if constexpr (sizeof(Lane) <= 2) v = hn::Max(v, hn::ShiftRightBytes<2>(d, v));
  if constexpr (sizeof(Lane) == 1) v = hn::Max(v, hn::ShiftRightBytes<1>(d, v));
#endif
  hn::Store(v, d, lanes);
  Lane top = lanes[0];
  for (std::size_t i = block; i < hn::Lanes(d); i += block) top = std::max(top, lanes[i]);
  return top;
}

/// Bounds the lanes of `rows` rows by `cap` and notes the maximum of each line over these rows.
template <class Lane>
void finish_block(Lane* first, std::int64_t stride, std::int64_t rows, Lane* peaks, std::int64_t lines, Lane cap) {
  const hn::ScalableTag<Lane> d;
  const auto bound = hn::Set(d, cap);
  constexpr std::int64_t line = Field<Lane>::line;
  for (std::int64_t l = 0; l < lines; ++l) {
    auto peak = hn::Zero(d);
    for (std::int64_t r = 0; r < rows; ++r) {
      Lane* const lanes = first + r * stride + l * line;
      for (std::int64_t i = 0; i < line; i += static_cast<std::int64_t>(hn::Lanes(d))) {
        const auto now = hn::Min(hn::Load(d, lanes + i), bound);
        if (cap != unreached<Lane>) hn::Store(now, d, lanes + i);
        peak = hn::Max(peak, now);
      }
    }
    peaks[l] = largest_lane(d, peak);
  }
}

template <class Lane>
RowKernels<Lane> row_kernels() {
  return {scan_row<Lane>, relax_row<Lane>, min_of_three<Lane>, mask_row<Lane>, finish_block<Lane>};
}

}  // namespace
}  // namespace tamis::granulometry_detail::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tamis::granulometry_detail::cpu {

template <class Lane>
RowKernels<Lane> row_kernels(Simd simd) {
  return TAMIS_SIMD(simd, row_kernels<Lane>)();
}

template RowKernels<std::uint8_t> row_kernels(Simd);
template RowKernels<std::uint16_t> row_kernels(Simd);
template RowKernels<std::uint32_t> row_kernels(Simd);

}  // namespace tamis::granulometry_detail::cpu
#endif
