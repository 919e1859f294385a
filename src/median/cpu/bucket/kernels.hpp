// The two halves of selection by buckets: in which bucket the key of a rank is, and which key of the bucket it is.
#pragma once

#include <cstdint>

#include <tamis/context.hpp>
#include <tamis/element.hpp>

#include "median/cpu/histogram/run.hpp"

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

/// Where a key is seen, in one number: x lowest, then y, then z, if there are slices. `Part` has one coordinate.
template <class Whole, class Part>
struct Corner {
  using whole = Whole;
  using part = Part;
  static constexpr bool deep = sizeof(Whole) == 4 * sizeof(Part);
  static constexpr unsigned bits = 8 * sizeof(Part);
  /// Numbers of places along an axis.
  static constexpr std::int64_t places = std::int64_t{1} << bits;
  static Whole of(std::int64_t z, std::int64_t y, std::int64_t x) {
    const auto above = deep ? static_cast<std::uint64_t>(z) << 2 * bits : 0;
    return static_cast<Whole>(above | static_cast<std::uint64_t>(y) << bits | static_cast<std::uint64_t>(x));
  }
  static Offset place(Whole corner) {
    const auto along = [&](unsigned axis) -> std::int64_t { return static_cast<Part>(corner >> axis * bits); };
    return {deep ? along(deep ? 2 : 0) : 0, along(1), along(0)};
  }
};
using FlatCorner = Corner<std::uint16_t, std::uint8_t>;
using LargeFlatCorner = Corner<std::uint32_t, std::uint16_t>;
using DeepCorner = Corner<std::uint32_t, std::uint8_t>;
using LargeDeepCorner = Corner<std::uint64_t, std::uint16_t>;

inline constexpr std::int64_t corner_over_read = 256;

/// A row of results. The window of result x sees corners with z <= corner's z < z + depth, y <= ... < y + height, x <=
/// ... < x + width. Keys are numbered by their order, bucket b has those from (b - first_bucket) << shift on.
template <class Corner>
struct BucketTask {
  const typename Corner::whole* corners = nullptr;  ///< by the key's number; corner_over_read more may be read
  int shift = 0;
  std::int64_t first_bucket = 0;
  std::int64_t width = 1, height = 1, depth = 1;
  std::int64_t z = 0, y = 0;
  std::int64_t results = 0;
  const std::uint16_t* bucket = nullptr;
  const std::uint32_t* place = nullptr;  ///< how many of the bucket that the window sees come before
  std::uint32_t* number = nullptr;       ///< out
};

/// Time: a bucket for each result, as many keys at a time as a vector has corners.
void select_in_buckets(Simd simd, const BucketTask<FlatCorner>& task);
void select_in_buckets(Simd simd, const BucketTask<LargeFlatCorner>& task);
void select_in_buckets(Simd simd, const BucketTask<DeepCorner>& task);
void select_in_buckets(Simd simd, const BucketTask<LargeDeepCorner>& task);

}  // namespace tamis::median_detail::cpu
