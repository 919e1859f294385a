// Which bucket holds the rank, by a histogram of buckets that moves with the window; and which sample of the bucket, by
// coordinates.
#pragma once

#include "median/gpu/bucket/share.cuh"
#include "median/gpu/histogram/lane.cuh"
#include "median/gpu/rank_of.cuh"
#include "median/gpu/sees_image.cuh"

namespace tamis::median_detail::gpu {

/// A block is one warp, which goes down a strip of 32 columns of a tile.
template <int bits>
__global__ void __launch_bounds__(32) bucket_kernel(BucketTask task) {
  __shared__ std::uint32_t counters[Counters<bits>::words * 32];
  for (int i = 0; i < Counters<bits>::words; ++i) counters[i * 32 + threadIdx.x] = 0;
  HistogramLane<bits> histogram(counters, threadIdx.x);
  const GpuBucketTile& tile = task.tile;
  const auto index = static_cast<int>(blockIdx.y), block = static_cast<int>(blockIdx.x);
  const int columns = tile.wide / 32, strips = (tile.tall + task.rows - 1) / task.rows;
  const int x = block % columns * 32 + static_cast<int>(threadIdx.x), z = block / columns / strips;
  int y = block / columns % strips * task.rows;
  const int end = min(y + task.rows, tile.tall);
  const std::int64_t pitch = tile.seen_x, plane = pitch * tile.seen_y;
  // The window's origin; runs lead from there to samples of the tile.
  const std::byte* at = reinterpret_cast<const std::byte*>(task.buckets) + index * tile.count +
                        (z - task.low.z) * plane + (y - task.low.y) * pitch + (x - task.low.x);
  std::uint32_t* to = task.found + index * tile.results + (std::int64_t{z} * tile.tall + y) * tile.wide + x;
  for (const DeviceRun& run : task.runs.whole()) {
    histogram.template move<true>(at + run.row(pitch, plane) + run.x, run.length);
  }
  for (;;) {
    std::int64_t rank = task.rank;
    if (task.varies) rank = device_rank_of(task.percentile, task.runs.samples - histogram.highest());
    *to = sees_nothing;
    if (rank >= 0) {
      const auto [bucket, before] = histogram.place_of(static_cast<int>(rank));
      *to = static_cast<std::uint32_t>(before) << 8 | static_cast<std::uint32_t>(bucket);
    }
    if (++y == end) return;
    for (const DeviceRun& run : task.runs.leaving()) {
      histogram.template move<false>(at + run.row(pitch, plane) + run.x, run.length);
    }
    at += pitch;
    to += tile.wide;
    for (const DeviceRun& run : task.runs.entering()) {
      histogram.template move<true>(at + run.row(pitch, plane) + run.x, run.length);
    }
  }
}

/// A window in its tile, whose first corner is at `corner`.
template <bool box>
struct BucketWindow {
  const BucketTask& task;
  std::uint32_t corner;  ///< as a place

  /// Coordinates are subtracted side by side. One below the corner's comes out at or above the window's extent, for
  /// bits reach over all that the tile sees; what it borrows from the next one makes no difference then.
  [[nodiscard]] __device__ __forceinline__ bool sees(std::uint32_t place) const {
    const GpuBucketTile& tile = task.tile;
    const std::uint32_t from = place - corner;
    const std::uint32_t x = from & ((1U << tile.x_bits) - 1);
    if (task.depth == 1) {
      const std::uint32_t last = (static_cast<std::uint32_t>(task.height) << tile.x_bits) - 1;
      if (x >= static_cast<std::uint32_t>(task.width) || from > last) return false;
      return box || in_mask(from >> tile.x_bits, x);
    }
    const std::uint32_t y = from >> tile.x_bits & ((1U << tile.y_bits) - 1);
    const auto z = static_cast<std::uint32_t>(std::uint64_t{from} >> (tile.x_bits + tile.y_bits));
    if (x >= static_cast<std::uint32_t>(task.width) || y >= static_cast<std::uint32_t>(task.height) ||
        z >= static_cast<std::uint32_t>(task.depth)) {
      return false;
    }
    return box || in_mask(z * static_cast<std::uint32_t>(task.height) + y, x);
  }

 private:
  [[nodiscard]] __device__ __forceinline__ bool in_mask(std::uint32_t row, std::uint32_t x) const {
    const std::uint64_t bit = std::uint64_t{row} * static_cast<std::uint32_t>(task.width) + x;
    return (__ldg(task.mask + bit / 32) >> (bit % 32) & 1) != 0;
  }
};

/// The number in the bucket of its place that the window sees after `left` others. Neighbours read nearly the same.
template <bool box>
__device__ __forceinline__ std::uint32_t search(const BucketWindow<box>& window, const std::uint32_t* bucket,
                                                std::uint32_t left) {
  constexpr std::uint32_t at_once = 8;
  for (std::uint32_t first = 0;; first += at_once) {
    const auto* const fours = reinterpret_cast<const uint4*>(bucket + first);
    const uint4 some[] = {__ldg(fours), __ldg(fours + 1)};
    std::uint32_t seen = 0, bit = 1;
#pragma unroll
    for (const uint4& four : some) {
      for (const std::uint32_t place : {four.x, four.y, four.z, four.w}) {
        if (window.sees(place)) seen |= bit;
        bit <<= 1;
      }
    }
    const auto count = static_cast<std::uint32_t>(__popc(seen));
    if (left < count) {
      for (; left > 0; --left) seen &= seen - 1;
      return first + static_cast<std::uint32_t>(__ffs(static_cast<int>(seen))) - 1;
    }
    left -= count;
  }
}

/// A thread makes a result.
template <class Sample, bool box>
__global__ void __launch_bounds__(threads_of_block) search_kernel(BucketTask task) {
  const GpuBucketTile& tile = task.tile;
  const auto index = static_cast<int>(blockIdx.y);
  const std::int64_t result = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (result >= tile.results) return;
  const auto x = static_cast<std::uint32_t>(result % tile.wide);
  const auto y = static_cast<std::uint32_t>(result / tile.wide % tile.tall);
  const auto z = static_cast<std::uint32_t>(result / tile.wide / tile.tall);
  const BucketTask::Corner corner = task.corner(index);
  const std::int64_t to_x = corner.x + x, to_y = corner.y + y, to_z = corner.z + z;
  if (to_x >= task.nx || to_y >= task.ny || to_z >= task.nz) return;
  const std::uint32_t found = task.found[index * tile.results + result];
  Sample& out = reinterpret_cast<Sample*>(task.to.data + to_z * task.to.slice + to_y * task.to.pitch)[to_x];
  if (found != sees_nothing) {
    const std::uint32_t first = (found & 0xFF) * task.bucket_size(index);
    const BucketWindow<box> window{task, tile.place(z, y, x)};
    const std::uint32_t order = first + search(window, task.places_of(index) + first, found >> 8);
    out = sample_of<Sample>(task.key_of(task.words_of(index)[order]));
  } else if (sees_image(task, to_z, to_y, to_x)) {
    out = sample_of<Sample>(absent_key);
  } else {
    out = reinterpret_cast<const Sample*>(task.from.data + to_z * task.from.slice + to_y * task.from.pitch)[to_x];
  }
}

}  // namespace tamis::median_detail::gpu
