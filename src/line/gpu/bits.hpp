// Packed bits as bytes, for kernels that have no form for bits.
#pragma once

#include <cstdint>

#include "core/gpu/stream.hpp"
#include "line/traced/gpu/run.hpp"

namespace tamis::line_detail::gpu {

/// Of each bit a byte, 0 or 255; `rows` rows of `nx` samples in all, at the images' pitches.
void bytes_of_bits(const cuda::Stream& stream, const DeviceImage& bits, const DeviceImage& bytes, std::int64_t nx,
                   std::int64_t rows);
/// The other way. What is left of the last word of a row is 0.
void bits_of_bytes(const cuda::Stream& stream, const DeviceImage& bytes, const DeviceImage& bits, std::int64_t nx,
                   std::int64_t rows);

}  // namespace tamis::line_detail::gpu
