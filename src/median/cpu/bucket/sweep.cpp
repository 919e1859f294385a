#include "median/cpu/bucket/kernels.hpp"

#include <algorithm>

#include "core/cpu/simd.hpp"

#define HWY_TARGET_INCLUDE "median/cpu/bucket/sweep.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "median/cpu/histogram/group_sweep-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tamis::median_detail::cpu::HWY_NAMESPACE {
namespace {

template <class Column, class Sum>
HWY_INLINE void sweep_row(const BucketSweep& sweep, SweepMove move, const BucketRow& row) {
  using Sweep = GroupSweep<Column, Sum, buckets_of_a_group, most_groups, CountOrder::ByColumn, BucketSweep>;
  Sweep groups(sweep, sweep.groups, sweep.counts);
  groups.bring(move, sweep.buckets + row.z * sweep.slice_stride + row.y * sweep.row_stride, [] {});
  alignas(64) Sum sums[2 * buckets_of_a_group] = {};  // zeros, then the counts
  const auto put = [&](std::int64_t x, std::int64_t first, std::int64_t value, std::int64_t rank,
                       const typename Sweep::Counts& counts) HWY_ATTR {
    counts.store(sums + buckets_of_a_group);
    row.bucket[x] = static_cast<std::uint16_t>(first + value);
    row.place[x] =
        static_cast<std::uint32_t>(rank - static_cast<std::int64_t>(sums[buckets_of_a_group - 1 + value]));
  };
  if (row.ranks) {
    groups.sweep_row([&](std::int64_t x) HWY_ATTR { return std::int64_t{std::max(row.ranks[x], 0)}; }, put);
  } else {
    groups.sweep_row([&](std::int64_t) HWY_ATTR { return std::int64_t{row.rank}; }, put);
  }
}

void small_sweep(const BucketSweep& sweep, SweepMove move, const BucketRow& row) {
  sweep_row<std::uint8_t, std::uint16_t>(sweep, move, row);
}
void large_sweep(const BucketSweep& sweep, SweepMove move, const BucketRow& row) {
  sweep_row<std::uint16_t, std::uint32_t>(sweep, move, row);
}

}  // namespace
}  // namespace tamis::median_detail::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tamis::median_detail::cpu {

std::int64_t bucket_sweep_bytes(const BucketSweep& sweep) {
  return sweep_count_bytes(sweep.columns, sweep.width, sweep.height, sweep.depth,
                           counts_of_column(sweep.groups, buckets_of_a_group));
}

void sweep_buckets(Simd simd, const BucketSweep& sweep, SweepMove move, const BucketRow& row) {
  if (counts_are_small(sweep.width, sweep.height, sweep.depth)) {
    TAMIS_SIMD(simd, small_sweep)(sweep, move, row);
  } else {
    TAMIS_SIMD(simd, large_sweep)(sweep, move, row);
  }
}

}  // namespace tamis::median_detail::cpu
#endif
