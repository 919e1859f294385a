// The separable smoother ("fast approximated n x n median filter"): medians along y, written turned, so that a second
// launch does those along x and turns the image back.
#pragma once

#include "papers/perrot/gpu/job.cuh"
#include "papers/perrot/gpu/selection.cuh"

namespace tamis::perrot::gpu {

/// Calls see(output, sample) for each sample of each of the neighbouring windows; what they share is read once.
template <int outputs, class See>
__device__ __forceinline__ void over_windows(const std::uint16_t* column, int stride, int count, const See& see) {
#pragma unroll
  for (int output = 0; output < outputs; ++output) {
    for (int i = output; i < outputs - 1; ++i) see(output, column[i * stride]);
  }
  for (int i = outputs - 1; i < count; ++i) {
    const int sample = column[i * stride];
#pragma unroll
    for (int output = 0; output < outputs; ++output) see(output, sample);
  }
#pragma unroll
  for (int output = 0; output < outputs; ++output) {
    for (int i = count; i < count + output; ++i) see(output, column[i * stride]);
  }
}

/// Medians of columns of `count` samples, an odd number. `outputs` pixels a thread, one below the other.
template <int outputs>
__global__ void smooth_turned(Job job) {
  extern __shared__ std::uint16_t tile[];
  const int count = 2 * job.radius + 1;
  const int columns = static_cast<int>(blockDim.x), rows = static_cast<int>(blockDim.y) * outputs;
  const int x = static_cast<int>(blockIdx.x) * columns + static_cast<int>(threadIdx.x);
  const int top = static_cast<int>(blockIdx.y) * rows;
  for (int row = static_cast<int>(threadIdx.y); row < rows + 2 * job.radius; row += static_cast<int>(blockDim.y)) {
    tile[row * columns + threadIdx.x] = static_cast<std::uint16_t>(fetch(job, x, top - job.radius + row));
  }
  __syncthreads();

  const int first = static_cast<int>(threadIdx.y) * outputs;
  const std::uint16_t* const column = tile + first * columns + threadIdx.x;
  Torben selection[outputs];
#pragma unroll
  for (int output = 0; output < outputs; ++output) selection[output].begin(column[output * columns]);
  over_windows<outputs>(column, columns, count, [&](int output, int sample) { selection[output].bound(sample); });
  bool known;
  do {
    for (Torben& one : selection) one.begin_pass();
    over_windows<outputs>(column, columns, count, [&](int output, int sample) { selection[output].see(sample); });
    known = true;
    for (Torben& one : selection) known = one.end_pass(count) && known;
  } while (!known);
#pragma unroll
  for (int output = 0; output < outputs; ++output) {
    const int y = top + first + output;
    if (x < job.width && y < job.height) {
      job.out[x * job.pitch + y] = static_cast<std::uint16_t>(selection[output].median(count));
    }
  }
}

}  // namespace tamis::perrot::gpu
