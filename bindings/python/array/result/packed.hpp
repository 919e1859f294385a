// Objects as packed bits in arrays of bytes: what the chunks of larger arrays send each other.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <vector>

#include <tamis/image.hpp>

namespace tamis::python {

/// A row of bytes for each row of voxels, eight voxels a byte, the first in the lowest bit; the bits of the last byte
/// beyond the row are 0.
using PackedRows = nanobind::ndarray<const std::uint8_t, nanobind::ndim<2>, nanobind::c_contig, nanobind::device::cpu>;

/// The bits as an image of `shape`, (y, x) or (z, y, x). Throws InputError where they are not so many.
[[nodiscard]] Image image_of_packed(const PackedRows& packed, const std::vector<std::int64_t>& shape);

/// The bits of an image of bool as an array of bytes, (rows, bytes).
[[nodiscard]] nanobind::object packed_of_image(const Image& image);

}  // namespace tamis::python
