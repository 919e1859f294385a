// The object of an image: what is true, or on one side of a threshold.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <optional>
#include <vector>

#include <tamis/gpu/binary.hpp>
#include <tamis/image.hpp>
#include <tamis/threshold.hpp>

#include "python/array/input.hpp"
#include "python/array/result/output.hpp"
#include "python/context.hpp"

namespace tamis::python {

/// Bits of the image. Without a threshold True is the object; of other types 1 of 0 and 1, or the larger of two values.
[[nodiscard]] Binary binary_of(Call& call, Input& input, const ThresholdOptions& threshold);
/// The same to an array of bool.
void write_binary_of(Call& call, Input& input, const ThresholdOptions& threshold, const Output& output);

/// The same on the GPU, where the bits stay; nothing unless the call asks for a GPU by name and they fit there.
[[nodiscard]] std::optional<GpuBinary> gpu_binary_of(Call& call, Input& input, const ThresholdOptions& threshold);

// Objects as packed bits in arrays of bytes: what the chunks of larger arrays send each other.

/// A row of bytes for each row of voxels, eight voxels a byte, the first in the lowest bit; the bits of the last byte
/// beyond the row are 0.
using PackedRows = nanobind::ndarray<const std::uint8_t, nanobind::ndim<2>, nanobind::c_contig, nanobind::device::cpu>;

/// The bits as an image of `shape`, (y, x) or (z, y, x). Throws InputError where they are not so many.
[[nodiscard]] Image image_of_packed(const PackedRows& packed, const std::vector<std::int64_t>& shape);

/// The bits of an image of bool as an array of bytes, (rows, bytes).
[[nodiscard]] nanobind::object packed_of_image(const Image& image);

}  // namespace tamis::python
