// Reconstruction on the GPU.
#pragma once

#include <cstdint>

#include <tamis/context.hpp>
#include <tamis/image.hpp>

#include "core/gpu/stream.hpp"
#include "core/stage.hpp"
#include "morphology/gpu/kernels.hpp"
#include "morphology/reconstruct_cells.hpp"

namespace tamis::morphology_detail::gpu {

/// Images on the device. Bool images are packed bits, as in an Image, in rows of whole words of 32 bits.
struct ReconstructArrays {
  Type type = Type::U8;  ///< one that filters take, or U32 or U64
  Shape shape;
  DeviceImage marker, mask;
  DeviceImage out;  ///< may be one of the two
};

/// Returns when `out` has been written, or faults have been found. Takes two cells (1 byte for bool and u8, else the
/// sample's) a sample of device memory. Throws Cancelled, OutOfMemory.
[[nodiscard]] ReconstructFaults reconstruct_arrays(const cuda::Stream& stream, const ReconstructArrays& arrays,
                                                   const ReconstructForm& form, Stage& stage);

/// What that takes.
[[nodiscard]] inline std::int64_t bytes_of_cells(Type type, const Shape& shape) {
  constexpr std::int64_t row_unit = 64;
  return 2 * ((shape.x + row_unit - 1) / row_unit * row_unit) * shape.y * shape.z * sample_bytes(type);
}

/// The same of images in host memory. Throws ResourceError where device memory is short.
[[nodiscard]] ReconstructFaults reconstruct(const Context& context, const Image& marker, const Image& mask,
                                            const ReconstructForm& form, Image& out, Stage& stage);

}  // namespace tamis::morphology_detail::gpu
