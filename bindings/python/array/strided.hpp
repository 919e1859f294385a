// Samples with strides to dense slices and back.
#pragma once

#include <array>

#include <cstddef>
#include <cstdint>

#include <tamis/context.hpp>
#include <tamis/image.hpp>

#include "python/array/host.hpp"

namespace tamis::python {

/// Copies slices z0 .. z0+count-1 to `out`, dense and in this machine's byte order.
void gather(const Samples& samples, std::int64_t z0, std::int64_t count, std::byte* out);

/// The reverse: dense slices of samples.type to where `samples` lie.
void scatter(const std::byte* slices, const Samples& samples, std::int64_t z0, std::int64_t count);

/// Bits to samples of one byte, 0 or 1; the shapes are the same.
void unpack(const Context& context, const Image& bits, const Samples& samples);

/// Whether samples that many bytes long may lie on each other, as those of repeated rows do. `strides` of any sign, in
/// bytes. Such an array can be read; written by several threads it would hold anybody's sample.
[[nodiscard]] bool may_share_places(const Shape& shape, std::array<std::int64_t, 3> strides, std::int64_t bytes);

}  // namespace tamis::python
