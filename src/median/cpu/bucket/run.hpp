// Full boxes of any size, any rank, keys of more than one byte: what a tile sees is shared out to buckets of keys in
// their order, histograms of the buckets slide with the window, and the key is found among those of its bucket.
#pragma once

#include <cstdint>
#include <memory>

#include <tamis/image.hpp>

#include "median/cpu/band.hpp"

namespace tamis::median_detail::cpu {

/// The extent of a tile: bands that are a multiple of it waste no part of one.
[[nodiscard]] Offset bucket_tile_extent(const RankStep& step, const Shape& shape, std::int64_t key_bytes);

/// Time: constant for each result, and sorting what the tile sees. Keeps its memory from band to band.
template <class K>
class BucketBands {
 public:
  BucketBands();
  ~BucketBands();
  BucketBands(BucketBands&&) noexcept;
  void run(const BandTask<K>& work);

 private:
  struct Memory;
  std::unique_ptr<Memory> memory_;
};

}  // namespace tamis::median_detail::cpu
