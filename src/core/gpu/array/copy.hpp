// Copies between arrays of any strides, and bits to bytes. Queued; nothing waits.
#pragma once

#include <tamis/gpu/array.hpp>

#include "core/gpu/device_image.hpp"
#include "core/gpu/stream.hpp"

namespace tamis::cuda {

/// Copies samples to an array of the same type and shape.
void copy_samples(const Stream& stream, const GpuArray& from, const GpuOutput& to);

/// Packed bits to bytes that are 0 or 1.
void unpack_bits(const Stream& stream, const DeviceImage& bits, const GpuOutput& to);

}  // namespace tamis::cuda
