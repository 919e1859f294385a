// The second half of selection by histograms: which key of a bucket.
#pragma once

#include <cstdint>

#include <tamis/context.hpp>

namespace tamis::median_detail {

inline constexpr std::int64_t bucket_over_read = 256;

/// A row of results. The window of result x sees places (cz, cy, cx) with z <= cz < z + depth, y <= cy < y + height,
/// x <= cx < x + width. Ranks b << shift ... are bucket b. Rank r lies at (cz[r], cy[r], cx[r]); Coordinate is one or
/// two bytes, and all three may be read up to bucket_over_read elements past the last.
template <class Coordinate>
struct BucketTask {
  const Coordinate* cz = nullptr;  ///< nullptr: depth is all there is
  const Coordinate* cy = nullptr;
  const Coordinate* cx = nullptr;
  int shift = 0;
  std::int64_t width = 1, height = 1, depth = 1;
  std::int64_t z = 0, y = 0;
  std::int64_t results = 0;
  const std::uint8_t* bucket = nullptr;
  const std::uint32_t* place = nullptr;  ///< how many of the bucket that the window sees come before
  std::uint32_t* rank = nullptr;         ///< out
};

/// Time: half a bucket for each result, as many at a time as a vector has lanes.
void select_in_buckets(Simd simd, const BucketTask<std::uint8_t>& task);
void select_in_buckets(Simd simd, const BucketTask<std::uint16_t>& task);

}  // namespace tamis::median_detail
