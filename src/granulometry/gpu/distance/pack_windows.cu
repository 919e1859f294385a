// From an image's bits to windows: the even voxels of a row in one word, the odd ones in another.
#include <algorithm>

#include "core/gpu/launch.hpp"
#include "core/gpu/warp.cuh"
#include "granulometry/gpu/distance/erosions.hpp"

namespace tamis::granulometry_detail::gpu {
namespace {

using cuda::whole_warp;

/// Every second bit of a word, from bit 0 on.
__device__ std::uint32_t every_second(std::uint64_t bits) {
  bits &= 0x5555555555555555U;
  bits = (bits | bits >> 1) & 0x3333333333333333U;
  bits = (bits | bits >> 2) & 0x0F0F0F0F0F0F0F0FU;
  bits = (bits | bits >> 4) & 0x00FF00FF00FF00FFU;
  bits = (bits | bits >> 8) & 0x0000FFFF0000FFFFU;
  return static_cast<std::uint32_t>(bits | bits >> 16);
}

/// The own voxels of a window; zeros outside the image.
__device__ std::uint64_t own_voxels(const Windows& w, const BitImage& image, std::int64_t z, int column,
                                    std::int64_t y) {
  if (z < 0 || z >= w.nz || y < 0 || y >= w.ny) return 0;
  const std::int64_t first = std::int64_t{column} * Windows::own_x;
  const std::uint64_t* const row =
      image.words + ((image.slices == 1 ? 0 : z) * w.ny + y) * image.words_of_row + first / 64;
  const int shift = static_cast<int>(first % 64);
  std::uint64_t bits = row[0] >> shift;
  if (shift > 0 && first / 64 + 1 < image.words_of_row) bits |= row[1] << (64 - shift);
  return bits & ((std::uint64_t{1} << Windows::own_x) - 1);
}

__global__ void __launch_bounds__(128) pack_kernel(const Windows w, const BitImage object, const BitImage domain,
                                                   bool neutral, BitRow* out, std::uint8_t* depth) {
  const int lane = static_cast<int>(threadIdx.x);
  const int column = static_cast<int>(blockIdx.x * blockDim.y + threadIdx.y);
  if (column >= w.columns) return;
  const std::int64_t y = std::int64_t{blockIdx.y} * 32 + lane;
  for (std::int64_t z = blockIdx.z; z < w.nz; z += gridDim.z) {
    const std::uint64_t inside = own_voxels(w, object, z, column, y);
    std::uint64_t bits = inside;
    if (neutral) bits |= ~own_voxels(w, domain, z, column, y);
    if (y < w.pitch - 2 * Windows::halo) {
      out[w.row(z, column, y)] = {every_second(bits) << 2, every_second(bits >> 1) << 2};
    }
    if (!depth) continue;
    const unsigned busy = __ballot_sync(whole_warp, inside != 0);
    const std::int64_t group = y / Windows::depth_rows;
    if (lane % Windows::depth_rows == 0 && group < w.depth_groups()) {
      depth[w.depth(z, column, static_cast<int>(group))] = (busy >> lane & 0xFFU) != 0;
    }
  }
}

}  // namespace

void pack_windows(const cuda::Stream& stream, const Windows& windows, const BitImage& object, const BitImage* domain,
                  BitRow* out, std::uint8_t* depth) {
  constexpr unsigned warps = 4;
  cuda::LaunchShape shape;
  shape.threads = dim3(32, warps);
  shape.blocks = dim3((static_cast<unsigned>(windows.columns) + warps - 1) / warps,
                      static_cast<unsigned>((windows.pitch + 31) / 32),
                      static_cast<unsigned>(std::min<std::int64_t>(windows.nz, 65535)));
  cuda::launch(stream, shape, "packing", pack_kernel, windows, object, domain ? *domain : BitImage{}, domain != nullptr,
               out, depth);
}

}  // namespace tamis::granulometry_detail::gpu
