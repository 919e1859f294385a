// What filters of arrays on a GPU do beside extrema: differences, and NaN.
// Queued; nothing waits.
#pragma once

#include <cstdint>

#include <tamis/gpu/array.hpp>

#include "core/gpu/stream.hpp"
#include "morphology/gpu/box/run.hpp"

namespace tamis::morphology_detail::gpu {

/// to = a - b over whole images of one layout, `bytes` long (a multiple of 16), padding included: saturated; of bits a
/// and not b. `clip`: what is below 0 becomes 0. `to` may be one of them.
void subtract_images(const cuda::Stream& stream, Type type, const std::byte* a, const std::byte* b, bool clip,
                     std::int64_t bytes, std::byte* to);

/// An F32 image with the neutral value of the order in place of NaN, and as bits where NaN is and where numbers are.
/// The rows of bits end with zeros up to a multiple of 64.
struct NanParts {
  DeviceImage image, nan, numbers;
};
void part_nan(const cuda::Stream& stream, const DeviceImage& image, const Shape& shape, Order order,
              const NanParts& parts);

/// Samples become NaN where `nan` is set and `numbers` is not.
void put_nan(const cuda::Stream& stream, const DeviceImage& nan, const DeviceImage& numbers, const Shape& shape,
             const DeviceImage& image);

}  // namespace tamis::morphology_detail::gpu
