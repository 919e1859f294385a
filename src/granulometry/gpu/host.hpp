// The GPU backend: runs a validated granulometry, whole or in slabs.
#pragma once

#include <cstdint>

#include "granulometry/gpu/distance/erosions.hpp"
#include "granulometry/gpu/slices.hpp"
#include "granulometry/request.hpp"

namespace tamis::granulometry_detail::gpu {

/// Rows of bits as in an Image, of the host or of the GPU.
struct BitVolume {
  const std::uint64_t* words = nullptr;  ///< nullptr: there are none
  std::int64_t words_of_slice = 0;
  std::int64_t slices = 0;  ///< 1: one for all
  bool on_gpu = false;

  [[nodiscard]] const std::uint64_t* slice(std::int64_t z) const {
    return words + (slices == 1 ? 0 : z) * words_of_slice;
  }
};

/// The bits of an image on the host.
[[nodiscard]] inline BitVolume volume_of(const Image& image) {
  const Shape& shape = image.shape();
  return {image.row<std::uint64_t>(0, 0), shape.y * image.row_bytes() / 8, shape.z, false};
}

/// Bits on the GPU, as the parts of this folder see them.
struct BitViews {
  BitVolume volume;
  BitImage image;
};
[[nodiscard]] inline BitViews views_of(const std::uint64_t* words, const Shape& shape, std::int64_t slices) {
  if (!words) return {};
  const std::int64_t words_of_row = (shape.x + 63) / 64;
  return {{words, shape.y * words_of_row, slices, true}, {words, words_of_row, slices}};
}

struct GpuRequest {
  Shape shape;
  BitVolume object;
  BitVolume domain;  ///< none: everything counts
  GranulometryOptions options;
};

/// By recursion. Fills volume, limited, never_empties and the device of the result. Throws ResourceError where the
/// device's memory is short.
Sizes run_windows(const Context& context, const GpuRequest& request, const MapOutput& map);

/// The same of slices [begin, end), and nothing but their tally.
[[nodiscard]] SlicesTally count_windows(const Context& context, const GpuRequest& request, std::int64_t begin,
                                        std::int64_t end);

/// The same of bits on the host.
Sizes run(const Context& context, const Request& request, const MapOutput& map);

}  // namespace tamis::granulometry_detail::gpu
