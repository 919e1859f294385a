// How an image is cut into tiles whose samples are shared out into buckets on the GPU.
#pragma once

#include <cstdint>
#include <optional>

#include <tamis/element.hpp>
#include <tamis/image.hpp>

namespace tamis::median_detail {

inline constexpr int gpu_buckets = 256;

/// Results of a tile and what they see. A place is a number of 32 bits: the bits of its coordinates side by side.
struct GpuBucketTile {
  int wide = 32, tall = 1, deep = 1;  ///< results; whole warps side by side
  int seen_x = 0, seen_y = 0, seen_z = 0;
  int x_bits = 0, y_bits = 0, place_bits = 0;
  std::int64_t count = 0;  ///< samples seen
  std::int64_t results = 0;
  std::int64_t across = 1, down = 1, far = 1;  ///< tiles
  double picoseconds = 0;                      ///< for a result, about

#ifdef __CUDACC__
  [[nodiscard]] __device__ std::uint32_t place(std::uint32_t z, std::uint32_t y, std::uint32_t x) const {
    return (z << y_bits | y) << x_bits | x;
  }
#endif
  [[nodiscard]] std::int64_t tiles() const { return across * down * far; }
};

/// The tile that is expected to be fastest; nothing where a window alone has more places than 32 bits, or 2^31 samples.
/// `changes`: samples that enter and leave a window with a row.
[[nodiscard]] std::optional<GpuBucketTile> choose_gpu_bucket_tile(const OffsetSet& window, std::int64_t changes,
                                                                  const Shape& shape);

}  // namespace tamis::median_detail
