// Erosion, dilation, opening and closing along traced lines on the GPU.
#pragma once

#include <cstdint>
#include <vector>

#include <tamis/image.hpp>

#include "core/gpu/device_image.hpp"
#include "core/gpu/stream.hpp"
#include "line/traced/lines.hpp"

namespace tamis::line_detail::gpu {

using cuda::DeviceImage;

struct TracedTask {
  Along what = Along::Open;
  TracedSegment segment;
  Type type = Type::U8;     ///< Bool (packed), U8, U16, I16 or F32
  Shape shape;              ///< z slices, each on its own
  DeviceImage from, to;     ///< not the same
  unsigned* nan = nullptr;  ///< F32: becomes 1 if `from` holds NaN; or null
};
/// Queues it: one kernel that reads the image once and writes it once for segments of up to some 1,400 samples, or on
/// images no longer than that; more of them, with memory for what lies between, for longer ones.
void traced(const cuda::Stream& stream, const TracedTask& task);

/// Openings (closings) of one slice at many angles, as many in one launch as it takes.
struct TracedAngles {
  bool dark = false;
  std::int64_t length = 1;
  bool fit = false;
  std::vector<double> angles;
  Type type = Type::U8;
  std::int64_t nx = 0, ny = 0;
  DeviceImage from;
  DeviceImage to;  ///< one slice an angle; or null data: only the counts
  /// Counts (x - base) / step rounded, summed over the slice, are added here for each angle; or null.
  unsigned long long* counts = nullptr;
  double base = 0, step = 1;
};
/// Queues them. False: windows are too long for that (see traced()), and nothing is done.
[[nodiscard]] bool traced_angles(const cuda::Stream& stream, const TracedAngles& task);

// Packed bits as bytes, for kernels that have no form for bits.

/// Of each bit a byte, 0 or 255; `rows` rows of `nx` samples in all, at the images' pitches.
void bytes_of_bits(const cuda::Stream& stream, const DeviceImage& bits, const DeviceImage& bytes, std::int64_t nx,
                   std::int64_t rows);
/// The other way. What is left of the last word of a row is 0.
void bits_of_bytes(const cuda::Stream& stream, const DeviceImage& bytes, const DeviceImage& bits, std::int64_t nx,
                   std::int64_t rows);

}  // namespace tamis::line_detail::gpu
