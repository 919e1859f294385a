// Any window and any rank: the key is found bit by bit, by counting the keys below, for a vector of results at a time.
#pragma once

#include <cstdint>

#include <tamis/context.hpp>

#include "median/cpu/band.hpp"
#include "median/plan/steps.hpp"

namespace tamis::median_detail::cpu {

/// Time: bits of a key x the window's count, for as many results as a vector has bytes. No branch depends on keys.
template <class K>
void bisect_band(const BandTask<K>& work);

// Selection by counting, a byte of the keys after the other.

/// A row of results. Result x is of rank `rank`, or ranks[x] (below 0 is as 0), among count keys: byte p of key k,
/// highest first, is seen[k][p plane_stride + x].
struct BisectTask {
  const std::uint8_t* const* seen = nullptr;
  std::int64_t count = 0;
  std::int64_t planes = 1, plane_stride = 0;
  std::int32_t rank = 0;
  const std::int32_t* ranks = nullptr;
  std::int64_t results = 0;
  std::uint8_t* out = nullptr;  ///< byte p of result x is out[p out_stride + x]
  std::int64_t out_stride = 0;
  const RankStep* step = nullptr;   ///< whose stop is heard where windows are large, if there is one
  std::uint8_t* scratch = nullptr;  ///< 2 x count x bisect_lanes bytes, aligned to 64
};

/// Lanes of a vector at most.
inline constexpr std::int64_t bisect_lanes = 64;

/// Reads up to 64 bytes past the last of each row.
void bisect_row(Simd simd, const BisectTask& task);

}  // namespace tamis::median_detail::cpu
