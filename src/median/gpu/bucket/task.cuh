// What the kernels of selection in buckets are given.
#pragma once

#include <cstdint>

#include <tamis/image/border.hpp>

#include "core/gpu/device_image.hpp"
#include "median/gpu/device_runs.hpp"
#include "median/plan/bucket_tile.hpp"

namespace tamis::median_detail::gpu {

/// A result whose window sees no sample.
inline constexpr std::uint32_t sees_nothing = 0xFFFFFFFFU;
/// Buckets and tiles begin with a load of so many places.
inline constexpr std::uint32_t places_of_load = 4;

struct BucketTask {
  cuda::DeviceImage from, to;
  std::int64_t nx = 0, ny = 0, nz = 0;
  Border::Kind border = Border::Kind::Reflect;
  std::uint32_t outside = 0;
  GpuBucketTile tile;
  std::int64_t first_tile = 0;  ///< of those that are worked at
  int tiles = 0;                ///< and how many
  int key_bits = 0;
  Offset low;  ///< of the window
  int width = 1, height = 1, depth = 1;
  int rows = 1;         ///< of a strip
  bool varies = false;  ///< ranks depend on how many of the samples seen are there
  int rank = 0;
  double percentile = 50;
  DeviceRuns runs;
  const std::uint32_t* mask = nullptr;  ///< a bit for each place of the window's box; nullptr: it is the box

  std::uint64_t* words = nullptr;    ///< tile, key, place; later in order
  std::uint32_t* places = nullptr;   ///< in that order
  std::uint8_t* buckets = nullptr;   ///< of each sample of each tile
  std::uint32_t* present = nullptr;  ///< samples of a tile that are there
  std::uint32_t* found = nullptr;    ///< of each result: bucket, and from bit 8 on how many of it come before

#ifdef __CUDACC__
  /// Places of a bucket. Where ranks vary the last bucket is for samples that are not there.
  [[nodiscard]] __device__ std::uint32_t bucket_size(int index) const {
    const std::uint32_t used = varies ? gpu_buckets - 1 : gpu_buckets;
    return ((present[index] + used - 1) / used + places_of_load - 1) / places_of_load * places_of_load;
  }
  [[nodiscard]] __device__ std::uint32_t* places_of(int index) const {
    return places + index * ((tile.count + places_of_load - 1) / places_of_load * places_of_load);
  }
  [[nodiscard]] __device__ std::uint64_t* words_of(int index) const { return words + index * tile.count; }
  /// The key of what is not there.
  [[nodiscard]] __device__ std::uint32_t absent_key() const { return 0xFFFFFFFFU >> (32 - key_bits); }
  [[nodiscard]] __device__ std::uint32_t key_of(std::uint64_t word) const {
    return static_cast<std::uint32_t>(word >> tile.place_bits) & absent_key();
  }

  /// The first result of a tile.
  struct Corner {
    std::int64_t z, y, x;
  };
  [[nodiscard]] __device__ Corner corner(int index) const {
    const std::int64_t number = first_tile + index;
    return {number / (tile.across * tile.down) * tile.deep, number / tile.across % tile.down * tile.tall,
            number % tile.across * tile.wide};
  }
#endif
};

}  // namespace tamis::median_detail::gpu
