// Erosion and dilation by digital segments at any angle on the GPU.
#pragma once

#include <tamis/image.hpp>

#include "core/gpu/stream.hpp"
#include "line/segment/plan.hpp"
#include "line/traced/gpu/run.hpp"

namespace tamis::line_detail::gpu {

/// The extremum over the plan's offsets from each sample on, slice by slice.
struct SegmentTask {
  bool max = false;
  Type type = Type::U8;  ///< U8, U16, I16 or F32
  Shape shape;
  DeviceImage from, to;  ///< not the same; the padding of rows is written too
  double outside = 0;     ///< what lies beyond the image, if `constant`; else nothing that counts
  bool constant = false;
};
/// Queues it: one kernel for segments of up to 49 samples; longer ones take a second one, and memory for two or three
/// images between them.
void segment_extremum(const cuda::Stream& stream, const SegmentPlan& plan, const SegmentTask& task);

}  // namespace tamis::line_detail::gpu
