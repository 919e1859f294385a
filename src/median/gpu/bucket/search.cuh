// Which bucket holds the rank, by a histogram of buckets that moves with the window; and which sample of the bucket, by
// coordinates.
#pragma once

#include <cstdint>
#include <cstring>

#include <tamis/image/border.hpp>

#include "core/gpu/border.cuh"
#include "core/gpu/device_image.hpp"
#include "median/gpu/histogram/lane.cuh"
#include "median/gpu/keys.cuh"
#include "median/gpu/step.hpp"
#include "median/plan/gpu_tiles.hpp"

namespace tamis::median_detail::gpu {

// What the kernels of selection in buckets are given.

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

// The samples that a tile sees: numbered, and when they are in order shared out into buckets of the same size.

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
