// Erosion and dilation by rectangles on the GPU: one kernel that reads an image once and writes it once.
#pragma once

#include <cstdint>

#include <tamis/image.hpp>
#include <tamis/morphology.hpp>

#include "core/gpu/device_image.hpp"
#include "core/gpu/stream.hpp"
#include "morphology/plan/steps.hpp"

namespace tamis::morphology_detail::gpu {

using cuda::DeviceImage;
using cuda::DeviceStore;

/// The extremum over samples low_x .. high_x, low_y .. high_y from each sample on, slice by slice.
struct BoxTask {
  Order order = Order::Min;
  Type type = Type::U8;  ///< U8, U16, I16 or F32
  std::int64_t nx = 0, ny = 0, nz = 1;
  DeviceImage from, to;  ///< not the same
  std::int64_t low_x = 0, high_x = 0, low_y = 0, high_y = 0;
  Border border;
};

/// Whether it can: all but windows of more than 1536 bytes along x whose origin lies outside, or with a border that
/// reflects.
[[nodiscard]] bool box_extremum_can(const BoxTask& task);
/// Queues it. Windows past 48 rows or 200 bytes take more than one pass, and memory for what lies between. The padding
/// of the rows of `to` is written too.
void box_extremum(const cuda::Stream& stream, const BoxTask& task);

}  // namespace tamis::morphology_detail::gpu
