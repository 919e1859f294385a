// Histograms of buckets that slide with the window: in which bucket the key of a rank is.
#pragma once

#include <cstdint>

#include <tamis/context.hpp>

#include "median/cpu/histogram/group_sweep.hpp"

namespace tamis::median_detail::cpu {

/// Buckets fall into groups; counts of a group are added and searched at once.
inline constexpr std::int64_t buckets_of_a_group = 32;
inline constexpr std::int64_t most_groups = 32;

/// Full boxes over a tile. What the window of the result in column x of row y of slice z sees: buckets[(z + k)
/// slice_stride + (y + i) row_stride + x + j], k below depth, i below height, j below width.
struct BucketSweep {
  const std::uint16_t* buckets = nullptr;  ///< below groups * buckets_of_a_group
  std::int64_t groups = 1;
  std::int64_t row_stride = 0, slice_stride = 0;
  std::int64_t width = 1, height = 1, depth = 1;  ///< of the window
  std::int64_t columns = 0;                       ///< results of a row
  std::byte* counts = nullptr;                    ///< bucket_sweep_bytes() of them, aligned to 64
};

/// Where the results of a row are.
struct BucketRow {
  std::int64_t z = 0, y = 0;
  std::int32_t rank = 0;                ///< of all; or
  const std::int32_t* ranks = nullptr;  ///< of each; below 0 is as 0
  std::uint16_t* bucket = nullptr;      ///< out: that of the key of this rank
  std::uint32_t* place = nullptr;       ///< out: how many in the window and this bucket come before that key
};

[[nodiscard]] std::int64_t bucket_sweep_bytes(const BucketSweep& sweep);

/// Time: constant for each result, whatever the window; and for each column what comes and goes with the move.
void sweep_buckets(Simd simd, const BucketSweep& sweep, SweepMove move, const BucketRow& row);

}  // namespace tamis::median_detail::cpu
