#include "core/gpu/filter.hpp"

#include <algorithm>
#include <cstdint>

#include "core/gpu/launch.hpp"

namespace tamis::cuda {
namespace {

/// Rows begin at multiples of 16 bytes, so pieces of four samples may be read, padding included. blockIdx.y counts
/// rows.
constexpr int pieces_of_thread = 4;
__global__ void nan_kernel(const DeviceImage image, std::int64_t nx, std::int64_t ny, std::int64_t nz,
                           unsigned* found) {
  const std::int64_t pieces = (nx + 3) / 4;
  const std::int64_t first = std::int64_t{blockIdx.x} * (blockDim.x * pieces_of_thread) + threadIdx.x;
  bool any = false;
  for (std::int64_t row = blockIdx.y; row < nz * ny; row += gridDim.y) {
    const auto* const samples =
        reinterpret_cast<const float4*>(image.data + row / ny * image.slice + row % ny * image.pitch);
    float4 piece[pieces_of_thread];
#pragma unroll
    for (int i = 0; i < pieces_of_thread; ++i) {
      piece[i] = samples[min(first + i * std::int64_t{blockDim.x}, pieces - 1)];
    }
#pragma unroll
    for (int i = 0; i < pieces_of_thread; ++i) {
      const std::int64_t left = nx - 4 * min(first + i * std::int64_t{blockDim.x}, pieces - 1);
      any |= isnan(piece[i].x) || (left > 1 && isnan(piece[i].y)) || (left > 2 && isnan(piece[i].z)) ||
             (left > 3 && isnan(piece[i].w));
    }
  }
  if (any && *found == 0) atomicExch(found, 1U);
}

}  // namespace

void find_nan(const Stream& stream, const DeviceImage& image, const Shape& shape, unsigned* found) {
  constexpr std::int64_t threads = 128, of_block = threads * pieces_of_thread, most_rows = 32768;
  const std::int64_t pieces = (shape.x + 3) / 4;
  const dim3 blocks(static_cast<unsigned>((pieces + of_block - 1) / of_block),
                    static_cast<unsigned>(std::min(shape.z * shape.y, most_rows)));
  launch(stream, {blocks, dim3(static_cast<unsigned>(threads))}, "NaN", nan_kernel, image, shape.x, shape.y, shape.z,
         found);
}

}  // namespace tamis::cuda
