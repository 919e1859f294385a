// The kernels of the GPU: an engine for each kind of element, and differences and NaN.
#pragma once

#include <cstdint>

#include <tamis/image.hpp>
#include <tamis/morphology.hpp>

#include "core/gpu/device_image.hpp"
#include "core/gpu/filter.hpp"
#include "core/gpu/stream.hpp"
#include "morphology/plan/steps.hpp"
#include "morphology/plan/symmetric_rows.hpp"

namespace tamis::morphology_detail::gpu {

using cuda::DeviceImage;
using cuda::DeviceStore;

/// A step from image to image by any element; bool images are packed bits.
struct StepTask {
  Order order = Order::Min;
  Type type = Type::U8;
  Shape shape;
  DeviceImage from, to;  ///< not the same
  Border border;
};

// Erosion and dilation by rectangles: one kernel that reads an image once and writes it once.

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

// Erosion and dilation by elements with symmetric rows on the GPU: an image is read once and written once.

/// Whether it can: rows of up to about 125 samples to each side, in u8 of volumes fewer.
[[nodiscard]] bool symmetric_extremum_can(const StepTask& task, const SymmetricRows& rows);
/// Queues it. Elements of more than 63 rows take several passes.
void symmetric_extremum(const cuda::Stream& stream, const StepTask& task, const SymmetricRows& rows);

// Erosion and dilation of bool volumes and images by the nearest neighbours: 4 or 8 in the plane, 6 or 26 in space.

/// Queues it: reads and writes the image once a step.
void unit_bits_extremum(const cuda::Stream& stream, const UnitSteps& steps, const StepTask& task);

// Erosion and dilation of bits of volumes by large balls: by the distance to the nearest voxel that decides, so that
// time does not grow with the radius.

struct BallTask {
  Order order = Order::Min;
  Shape shape;
  std::int64_t square = 1;  ///< of the radius
};

/// Whether such a step goes by distance: a ball, bits of a volume, nothing beyond the border; and whether that is
/// faster.
[[nodiscard]] bool goes_by_distance(const Step& step, Type type, int rank, const Border& border);
/// Images of bits that its distances take.
inline constexpr int images_by_distance = 20;

/// Makes the step, which allocates its distances, two bytes a voxel.
[[nodiscard]] cuda::DeviceStep by_distance(const cuda::Stream& stream, const BallTask& task);

// Programs of the plan on the GPU, for elements that no other kernel takes.

/// What run_program() takes, in terms computed for each sample.
[[nodiscard]] double cost_of_lines(const Program& program);

/// `rank`: of the plan. Queues a step, part by part, so that what lies between fits into the cache.
void run_program(const cuda::Stream& stream, const Step& step, int rank, const StepTask& task);

// What filters of arrays on a GPU do beside extrema: differences, and NaN.
// Queued; nothing waits.

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
