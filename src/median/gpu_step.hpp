// What the kernels of medians are given: one step from image to image on the device.
#pragma once

#include <tamis/image.hpp>

#include "core/cuda/device_image.hpp"
#include "core/cuda/stream.hpp"
#include "median/median_plan.hpp"

namespace tamis::median_detail {

struct GpuStep {
  Type type = Type::U8;
  Shape shape;
  cuda::DeviceImage from, to;  ///< not the same; the padding of rows of `to` is written too
  Border border;               ///< of this launch: kernels that know no shrinking are given Reflect and a frame follows
  /// F32 may hold NaN, which is left out.
  bool around_nan = false;
  /// Only results whose windows leave the image, and whoever shares a tile with one: all others are there already.
  bool frame_only = false;
  unsigned* nan = nullptr;  ///< networks of F32: becomes 1 if there is NaN; or null
};

/// Four bytes that begin with the sample that the border shows outside, if it is a constant.
[[nodiscard]] std::uint32_t outside_bits(Type type, const Border& border);

}  // namespace tamis::median_detail
