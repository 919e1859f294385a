// rank_of() in kernels, rounded alike.
#pragma once

#include <cstdint>

namespace tamis::median_detail::gpu {

/// Index of the percentile in n sorted values; -1 of none.
__device__ __forceinline__ std::int64_t device_rank_of(double percentile, std::int64_t n) {
  const auto index = static_cast<std::int64_t>(floor(__ddiv_rn(__dmul_rn(static_cast<double>(n), percentile), 100.0)));
  return index < n - 1 ? index : n - 1;
}

}  // namespace tamis::median_detail::gpu
