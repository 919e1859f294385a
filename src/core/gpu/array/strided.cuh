// The kernel of an element-wise pass. For .cu files.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "core/gpu/array/strided.hpp"
#include "core/gpu/launch.hpp"

namespace tamis::cuda {

/// Several samples that are loaded and stored at once.
template <class T, int count>
struct alignas(sizeof(T) * count > 16 ? 16 : sizeof(T) * count) Together {
  T sample[count];
};

/// An Operation has `together`, the samples a thread takes at once where it can, and
/// `template <int count> void run(const std::int64_t (&at)[arrays]) const` for that many from those byte offsets on.
template <int arrays, class Operation>
__global__ void walk_kernel(const StridedWalk<arrays> walk, const Operation operation) {
  const std::int64_t i = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) * Operation::together;
  if (i >= walk.extent[0]) return;
  const std::int64_t left = walk.extent[0] - i;
  const std::int64_t rows = std::int64_t{gridDim.y} * blockDim.y;
  for (std::int64_t k = blockIdx.z; k < walk.extent[2]; k += gridDim.z) {
    for (std::int64_t j = std::int64_t{blockIdx.y} * blockDim.y + threadIdx.y; j < walk.extent[1]; j += rows) {
      std::int64_t at[arrays];
#pragma unroll
      for (int a = 0; a < arrays; ++a) {
        at[a] = walk.start[a] + i * walk.stride[a][0] + j * walk.stride[a][1] + k * walk.stride[a][2];
      }
      if (left >= Operation::together) {
        operation.template run<Operation::together>(at);
        continue;
      }
      for (std::int64_t n = 0; n < left; ++n) {
        operation.template run<1>(at);
#pragma unroll
        for (int a = 0; a < arrays; ++a) at[a] += walk.stride[a][0];
      }
    }
  }
}

/// Queues the pass.
template <int arrays, class Operation>
void run_walk(const Stream& stream, const StridedWalk<arrays>& walk, const Operation& operation, const char* what) {
  constexpr std::int64_t threads = 256;
  constexpr std::int64_t most_blocks = 65535;  // along y and z
  const std::int64_t columns = (walk.extent[0] + Operation::together - 1) / Operation::together;
  const auto across =
      std::min<std::int64_t>(threads, static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(columns))));
  const std::int64_t down = threads / across;
  const dim3 blocks(static_cast<unsigned>((columns + across - 1) / across),
                    static_cast<unsigned>(std::min((walk.extent[1] + down - 1) / down, most_blocks)),
                    static_cast<unsigned>(std::min(walk.extent[2], most_blocks)));
  launch(stream, {blocks, dim3(static_cast<unsigned>(across), static_cast<unsigned>(down))}, what,
         walk_kernel<arrays, Operation>, walk, operation);
}

}  // namespace tamis::cuda
