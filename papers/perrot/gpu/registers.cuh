// Medians of small windows in registers, and that of 5x5 from shared memory.
#pragma once

#include "papers/perrot/gpu/job.cuh"
#include "papers/perrot/gpu/selection.cuh"

namespace tamis::perrot::gpu {

/// kernelMedian3RegSort9: nine registers, sorted.
__global__ void sorted_median_3(Job job) {
  constexpr int edge = 3, samples = edge * edge;
  const Place at = place();
  int values[samples];
#pragma unroll
  for (int i = 0; i < samples; ++i) values[i] = fetch(job, at.x - 1 + i % edge, at.y - 1 + i / edge);
#pragma unroll
  for (int last = samples - 1; last > 0; --last) {
#pragma unroll
    for (int i = 0; i < last; ++i) exchange(values[i], values[i + 1]);
  }
  put(job, at, values[samples / 2]);
}

template <int edge>
__global__ void forgetful_median_1(Job job) {
  const Place at = place();
  const int left = at.x - edge / 2, top = at.y - edge / 2;
  put(job, at, forgetful_median<edge>([&](int i) { return fetch(job, left + i % edge, top + i / edge); }));
}

/// Two pixels side by side: the columns that both windows see are selected from once.
template <int edge>
__global__ void forgetful_median_2(Job job) {
  constexpr int common = edge * (edge - 1), held = register_count<edge>;
  constexpr int split = 2 * held - common;  // values left when all common ones were seen
  const Place at = place<2>();
  const int left = at.x - edge / 2, top = at.y - edge / 2;
  const auto in_both = [&](int i) { return fetch(job, left + 1 + i % (edge - 1), top + i / (edge - 1)); };
  int values[held];
#pragma unroll
  for (int i = 0; i < held; ++i) values[i] = in_both(i);
  forget<held, common - held>(values, held, in_both);
  to_ends<split>(values);
#pragma unroll
  for (int output = 0; output < 2; ++output) {
    const auto in_one = [&](int i) { return fetch(job, left + output * edge, top + i); };
    int own[held];
#pragma unroll
    for (int i = 0; i < split; ++i) own[i] = values[i];
    own[0] = in_one(0);
    forget<split - 1, edge - 1>(own, 1, in_one);
    to_ends<3>(own);
    put(job, {at.x + output, at.y}, own[1]);
  }
}

/// Samples of the block through shared memory.
template <int edge>
__global__ void forgetful_median_shared(Job job) {
  extern __shared__ std::uint16_t tile[];
  const int width = static_cast<int>(blockDim.x), height = static_cast<int>(blockDim.y);
  const int span = width + edge - 1, samples = span * (height + edge - 1);
  const Place at = place();
  const int left = static_cast<int>(blockIdx.x) * width - edge / 2,
            top = static_cast<int>(blockIdx.y) * height - edge / 2;
  for (int i = static_cast<int>(threadIdx.y) * width + static_cast<int>(threadIdx.x); i < samples;
       i += width * height) {
    tile[i] = static_cast<std::uint16_t>(fetch(job, left + i % span, top + i / span));
  }
  __syncthreads();
  const std::uint16_t* const window = tile + static_cast<int>(threadIdx.y) * span + threadIdx.x;
  put(job, at, forgetful_median<edge>([&](int i) { return static_cast<int>(window[i / edge * span + i % edge]); }));
}

}  // namespace tamis::perrot::gpu
