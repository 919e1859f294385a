// What an engine on the CPU is given: keys of a band, the window and the rank; and where results go.
#pragma once

#include <cstdint>

#include <tamis/context.hpp>

#include "median/cpu/keys.hpp"
#include "median/plan/steps.hpp"

namespace tamis::median_detail::cpu {

template <class K>
struct BandTask {
  const KeySlab<K>* in = nullptr;
  const RankStep* step = nullptr;
  Band band;
  std::int64_t nx = 0;                            ///< results of a row
  std::int64_t x0 = 0, x1 = 0;                    ///< those that are wanted; others may be written too
  K* out = nullptr;                               ///< result 0 of row band.y0 of slice band.z0
  std::int64_t row_stride = 0, slice_stride = 0;  ///< of `out`, in keys
  /// Index in the sorted keys for each result, rank_stride from row to row, slices without gaps; -1 where the window
  /// sees nothing (any result will do). nullptr: step->rank for all.
  const std::int32_t* ranks = nullptr;
  std::int64_t rank_stride = 0;  ///< nx, or 0 if all rows are alike
  Simd simd = Simd::Best;

  [[nodiscard]] K* out_row(std::int64_t z, std::int64_t y) const {
    return out + (z - band.z0) * slice_stride + (y - band.y0) * row_stride;
  }
  [[nodiscard]] const std::int32_t* rank_row(std::int64_t z, std::int64_t y) const {
    return ranks ? ranks + ((z - band.z0) * (band.y1 - band.y0) + y - band.y0) * rank_stride : nullptr;
  }
};

}  // namespace tamis::median_detail::cpu
