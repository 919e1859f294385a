#include "granulometry/gpu/large/kernels.hpp"

#include <algorithm>

#include "core/gpu/launch.hpp"

namespace tamis::granulometry_detail::gpu {
namespace {

constexpr unsigned most_blocks_in_y = 65535;

/// A thread that stands where a run begins walks to its end: runs are few and short where boxes are worth it.
__global__ void __launch_bounds__(256)
    find_kernel(const Windows w, const std::uint16_t* peaks, int top, TopRuns* found) {
  const std::int64_t z = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (z >= w.nz) return;
  const int groups = w.peak_groups();
  for (int row = static_cast<int>(blockIdx.y); row < w.columns * groups; row += static_cast<int>(gridDim.y)) {
    const std::uint16_t* const slices = peaks + row * w.nz;
    if (slices[z] != top || (z > 0 && slices[z - 1] == top)) continue;
    std::int64_t end = z + 1;
    while (end < w.nz && slices[end] == top) ++end;
    const unsigned place = atomicAdd(&found->count, 1U);
    if (place >= TopRuns::most) continue;
    found->runs[place] = {row / groups, row % groups, static_cast<int>(z), static_cast<int>(end)};
  }
}

struct Cut {
  BitImage image;
  std::int64_t rows_of_image;
  std::int64_t z, y, x;                ///< where the box begins
  std::int64_t depth, height, length;  ///< its sides
  std::uint64_t* to;
  std::int64_t rows, words_of_row;
};

__device__ __forceinline__ std::uint64_t word_of(const Cut& cut, std::int64_t z, std::int64_t y, std::int64_t word) {
  const std::int64_t left = cut.length - word * 64;
  if (z >= cut.depth || y >= cut.height || left <= 0) return 0;
  const std::int64_t slice = cut.image.slices == 1 ? 0 : cut.z + z;
  const std::uint64_t* const row = cut.image.words + (slice * cut.rows_of_image + cut.y + y) * cut.image.words_of_row;
  const std::int64_t first = cut.x / 64 + word;
  const int shift = static_cast<int>(cut.x % 64);
  std::uint64_t bits = row[first] >> shift;
  if (shift > 0 && first + 1 < cut.image.words_of_row) bits |= row[first + 1] << (64 - shift);
  return left >= 64 ? bits : bits & ((std::uint64_t{1} << left) - 1);
}

__global__ void __launch_bounds__(256) cut_kernel(const Cut cut) {
  const std::int64_t words_of_slice = cut.rows * cut.words_of_row;
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= words_of_slice) return;
  for (std::int64_t z = blockIdx.y; z <= cut.depth; z += gridDim.y) {
    cut.to[z * words_of_slice + i] = word_of(cut, z, i / cut.words_of_row, i % cut.words_of_row);
  }
}

unsigned blocks_for(std::int64_t threads) { return static_cast<unsigned>((threads + 255) / 256); }
unsigned blocks_in_y(std::int64_t wanted) {
  return static_cast<unsigned>(std::min<std::int64_t>(wanted, most_blocks_in_y));
}

}  // namespace

void find_top_runs(const cuda::Stream& stream, const Windows& windows, const std::uint16_t* peaks, int top,
                   TopRuns* found) {
  cuda::LaunchShape shape;
  shape.threads = dim3(256);
  shape.blocks = dim3(blocks_for(windows.nz), blocks_in_y(std::int64_t{windows.columns} * windows.peak_groups()));
  cuda::launch(stream, shape, "find large sizes", find_kernel, windows, peaks, top, found);
}

void cut_out(const cuda::Stream& stream, const BitImage& image, std::int64_t rows_of_image, const Box& box,
             std::uint64_t* to, std::int64_t rows, std::int64_t words_of_row) {
  const Cut cut{image,         rows_of_image, box.begin[0], box.begin[1], box.begin[2], box.length(0),
                box.length(1), box.length(2), to,           rows,         words_of_row};
  cuda::LaunchShape shape;
  shape.threads = dim3(256);
  shape.blocks = dim3(blocks_for(rows * words_of_row), blocks_in_y(box.length(0) + 1));
  cuda::launch(stream, shape, "cut out a box", cut_kernel, cut);
}

}  // namespace tamis::granulometry_detail::gpu
