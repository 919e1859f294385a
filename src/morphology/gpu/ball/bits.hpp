// Bits of an image as the rows that distances are taken of, and distances as bits again.
#pragma once

#include <cstdint>

#include <tamis/image.hpp>

#include "core/gpu/device_image.hpp"
#include "core/gpu/stream.hpp"
#include "distance/gpu/squares.hpp"

namespace tamis::morphology_detail::gpu {

using cuda::DeviceImage;

/// Queues a copy of packed bits to rows without padding, each bit the other way round if `inverted`. What lies behind
/// the samples of a row is of no use afterwards.
void copy_rows(const cuda::Stream& stream, const DeviceImage& from, const Shape& shape, bool inverted, std::uint64_t* to);

/// Queues bits that say whose square is above `limit`, or, if `inverted`, not above it; 0 behind the samples of a row.
void bits_above(const cuda::Stream& stream, const distance_detail::gpu::SquareRows<std::uint16_t>& squares, unsigned limit,
                bool inverted, const DeviceImage& to);

}  // namespace tamis::morphology_detail::gpu
