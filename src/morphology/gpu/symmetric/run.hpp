// Erosion and dilation by elements with symmetric rows on the GPU: an image is read once and written once.
#pragma once

#include <tamis/image.hpp>
#include <tamis/morphology.hpp>

#include "core/gpu/stream.hpp"
#include "morphology/gpu/box/run.hpp"
#include "morphology/plan/symmetric_rows.hpp"

namespace tamis::morphology_detail::gpu {

/// As BoxTask; bool images too, as packed bits.
struct SymmetricTask {
  Order order = Order::Min;
  Type type = Type::U8;
  Shape shape;
  DeviceImage from, to;  ///< not the same
  Border border;
};

/// Whether it can: rows of up to about 125 samples to each side, in u8 of volumes fewer.
[[nodiscard]] bool symmetric_extremum_can(const SymmetricTask& task, const SymmetricRows& rows);
/// Queues it. Elements of more than 63 rows take several passes.
void symmetric_extremum(const cuda::Stream& stream, const SymmetricTask& task, const SymmetricRows& rows);

}  // namespace tamis::morphology_detail::gpu
