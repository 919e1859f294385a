#include "median/bucket_kernels.hpp"

#include <bit>

#include "core/cpu/simd.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "median/bucket_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "median/set_bit-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tamis::median_detail::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

/// Vectors that are looked at before it is asked whether they are enough: the answer is hard to predict.
constexpr int together = 4;

template <bool deep, class Coordinate>
HWY_INLINE void select_row(const BucketTask<Coordinate>& task) {
  const hn::ScalableTag<Coordinate> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto all = [&](std::int64_t value) HWY_ATTR { return hn::Set(d, static_cast<Coordinate>(value)); };
  // Last coordinates, not counts, for a window may be as wide as coordinates reach.
  const auto last_x = all(task.width - 1), last_y = all(task.height - 1), last_z = all(task.depth - 1);
  const auto y = all(task.y), z = all(task.z);
  const Coordinate* const cz = task.cz;
  const Coordinate* const cy = task.cy;
  const Coordinate* const cx = task.cx;
  for (std::int64_t i = 0; i < task.results; ++i) {
    const auto x = all(i);
    const auto seen_at = [&](std::int64_t rank) HWY_ATTR {
      const auto beyond = [&](auto from, auto last, const Coordinate* at)
                              HWY_ATTR { return hn::Lt(last, hn::Sub(hn::LoadU(d, at + rank), from)); };
      auto unseen = hn::Or(beyond(x, last_x, cx), beyond(y, last_y, cy));
      if (deep) unseen = hn::Or(unseen, beyond(z, last_z, cz));
      std::uint64_t bits = 0;
      hn::StoreMaskBits(d, hn::Not(unseen), reinterpret_cast<std::uint8_t*>(&bits));
      return bits;
    };
    std::int64_t left = task.place[i];
    std::int64_t rank = std::int64_t{task.bucket[i]} << static_cast<unsigned>(task.shift);
    for (;; rank += together * lanes) {
      std::uint64_t bits[together];
      std::int64_t before[together + 1] = {};
      for (int v = 0; v < together; ++v) {
        bits[v] = seen_at(rank + v * lanes);
        before[v + 1] = before[v] + std::popcount(bits[v]);
      }
      if (left < before[together]) {
        int v = 0;
        for (int w = 1; w < together; ++w) v += left >= before[w] ? 1 : 0;
        task.rank[i] = static_cast<std::uint32_t>(rank + v * lanes + set_bit(bits[v], left - before[v]));
        break;
      }
      left -= before[together];
    }
  }
}

template <class Coordinate>
HWY_INLINE void select_any(const BucketTask<Coordinate>& task) {
  if (task.cz) {
    select_row<true>(task);
  } else {
    select_row<false>(task);
  }
}
void select_u8(const BucketTask<std::uint8_t>& task) { select_any(task); }
void select_u16(const BucketTask<std::uint16_t>& task) { select_any(task); }

}  // namespace
}  // namespace tamis::median_detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tamis::median_detail {
namespace {
HWY_EXPORT(select_u8);
HWY_EXPORT(select_u16);
}  // namespace

void select_in_buckets(Simd simd, const BucketTask<std::uint8_t>& task) { TAMIS_SIMD(simd, select_u8)(task); }
void select_in_buckets(Simd simd, const BucketTask<std::uint16_t>& task) { TAMIS_SIMD(simd, select_u16)(task); }

}  // namespace tamis::median_detail
#endif
