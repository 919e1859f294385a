// The samples that a tile sees: numbered, and when they are in order shared out into buckets of the same size.
#pragma once

#include <cstring>

#include "core/gpu/border.cuh"
#include "median/gpu/bucket/task.cuh"
#include "median/gpu/keys.cuh"

namespace tamis::median_detail::gpu {

inline constexpr int threads_of_block = 256;

/// A warp writes the words of a row that a tile sees.
template <class Sample>
__global__ void __launch_bounds__(threads_of_block) word_kernel(BucketTask task) {
  const GpuBucketTile& tile = task.tile;
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const int row = static_cast<int>(blockIdx.x) * (threads_of_block / 32) + warp;
  if (row >= tile.seen_y * tile.seen_z) return;
  const int z = row / tile.seen_y, y = row % tile.seen_y, index = static_cast<int>(blockIdx.y);
  const BucketTask::Corner corner = task.corner(index);
  const std::int64_t from_z = cuda::seen_at(corner.z + task.low.z + z, task.nz, task.border);
  const std::int64_t from_y = cuda::seen_at(corner.y + task.low.y + y, task.ny, task.border);
  const bool row_outside = from_z < 0 || from_y < 0;
  const auto* const from = reinterpret_cast<const Sample*>(
      task.from.data + (row_outside ? 0 : from_z * task.from.slice + from_y * task.from.pitch));
  Sample outside;
  memcpy(&outside, &task.outside, sizeof(Sample));
  const std::uint32_t outside_key = task.border == Border::Kind::Neutral ? absent_key : key_of(outside);
  const std::uint64_t tile_bits = static_cast<std::uint64_t>(index) << (tile.place_bits + task.key_bits);
  std::uint64_t* const words = task.words_of(index) + std::int64_t{row} * tile.seen_x;
  for (int x = lane; x < tile.seen_x; x += 32) {
    const std::int64_t from_x = cuda::seen_at(corner.x + task.low.x + x, task.nx, task.border);
    std::uint32_t key = row_outside || from_x < 0 ? outside_key : key_of(__ldg(from + from_x));
    if (key == absent_key) key = task.absent_key();
    const std::uint32_t place =
        tile.place(static_cast<unsigned>(z), static_cast<unsigned>(y), static_cast<unsigned>(x));
    words[x] = tile_bits | static_cast<std::uint64_t>(key) << tile.place_bits | place;
  }
}

/// A thread finds how many samples of a tile are there: those that are not come last.
__global__ void __launch_bounds__(threads_of_block) present_kernel(BucketTask task) {
  const auto index = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (index >= task.tiles) return;
  std::int64_t low = task.varies ? 0 : task.tile.count, high = task.tile.count;
  const std::uint64_t* const words = task.words_of(index);
  while (low < high) {
    const std::int64_t half = (low + high) / 2;
    if (task.key_of(words[half]) < task.absent_key()) {
      low = half + 1;
    } else {
      high = half;
    }
  }
  task.present[index] = static_cast<std::uint32_t>(high);
}

/// A thread shares out some samples of a tile.
__global__ void __launch_bounds__(threads_of_block) share_kernel(BucketTask task) {
  const GpuBucketTile& tile = task.tile;
  const auto index = static_cast<int>(blockIdx.y);
  const std::uint64_t* const words = task.words_of(index);
  std::uint32_t* const places = task.places_of(index);
  std::uint8_t* const buckets = task.buckets + index * tile.count;
  const std::uint32_t size = max(task.bucket_size(index), 1U), present = task.present[index];
  const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < tile.count; i += stride) {
    const auto place = static_cast<std::uint32_t>(words[i] & ((std::uint64_t{1} << tile.place_bits) - 1));
    const auto order = static_cast<std::uint32_t>(i);
    const std::uint32_t x = place & ((1U << tile.x_bits) - 1);
    const std::uint32_t y = place >> tile.x_bits & ((1U << tile.y_bits) - 1);
    const auto z = static_cast<std::int64_t>(std::uint64_t{place} >> (tile.x_bits + tile.y_bits));
    const std::uint32_t bucket = order < present ? order / size : gpu_buckets - 1;
    buckets[(z * tile.seen_y + y) * tile.seen_x + x] = static_cast<std::uint8_t>(bucket);
    places[i] = place;
  }
}

}  // namespace tamis::median_detail::gpu
