// The reference, and the naive medians by histograms of 256 grey levels (the paper's "naive implementation").
#pragma once

#include "papers/perrot/gpu/job.cuh"

namespace tamis::perrot::gpu {

constexpr int grey_levels = 256;    // samples of the image have to be below
constexpr int histogram_block = 8;  // edge: the paper's 64 threads
constexpr int histogram_threads = histogram_block * histogram_block;

__global__ void identity(Job job) {
  const Place at = place();
  put(job, at, fetch(job, at.x, at.y));
}

/// kernel_medianR: a histogram a thread, which the compiler puts into local memory.
__global__ void histogram_median(Job job) {
  const Place at = place();
  unsigned counts[grey_levels];
  for (int level = 0; level < grey_levels; ++level) counts[level] = 0;
  for (int y = at.y - job.radius; y <= at.y + job.radius; ++y) {
    for (int x = at.x - job.radius; x <= at.x + job.radius; ++x) ++counts[fetch(job, x, y)];
  }
  const unsigned samples = (2 * job.radius + 1) * (2 * job.radius + 1);
  unsigned seen = 0;
  int level = 0;
  while (seen < samples / 2 + 1) seen += counts[level++];
  put(job, at, level - 1);
}

/// The same with samples and histograms in shared memory. Counts are bytes: windows up to 15x15.
__global__ void histogram_median_shared(Job job) {
  extern __shared__ std::uint16_t tile[];
  __shared__ std::uint8_t counts[grey_levels][histogram_threads];
  const int span = histogram_block + 2 * job.radius;
  const int thread = static_cast<int>(threadIdx.y) * histogram_block + static_cast<int>(threadIdx.x);
  const Place at = place();
  const int left = at.x - static_cast<int>(threadIdx.x) - job.radius;
  const int top = at.y - static_cast<int>(threadIdx.y) - job.radius;
  for (int i = thread; i < span * span; i += histogram_threads) {
    tile[i] = static_cast<std::uint16_t>(fetch(job, left + i % span, top + i / span));
  }
  for (int level = 0; level < grey_levels; ++level) counts[level][thread] = 0;
  __syncthreads();
  const int edge = 2 * job.radius + 1;
  for (int y = 0; y < edge; ++y) {
    const std::uint16_t* const row = tile + (static_cast<int>(threadIdx.y) + y) * span + threadIdx.x;
    for (int x = 0; x < edge; ++x) ++counts[row[x]][thread];
  }
  int seen = 0, level = 0;
  while (seen < edge * edge / 2 + 1) seen += counts[level++][thread];
  put(job, at, level - 1);
}

}  // namespace tamis::perrot::gpu
