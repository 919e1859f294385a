#include "python/array/result/binary.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <cstring>

#include <tamis/error.hpp>

#include "python/array/host.hpp"

namespace nb = nanobind;

namespace tamis::python {
namespace {

std::int64_t bytes_of_row(std::int64_t voxels) { return (voxels + 7) / 8; }

}  // namespace

Image image_of_packed(const PackedRows& packed, const std::vector<std::int64_t>& shape) {
  const bool volume = shape.size() == 3;
  const std::int64_t slices = volume ? shape[0] : 1;
  const std::int64_t lines = shape[shape.size() - 2];
  const auto rows = static_cast<std::int64_t>(packed.shape(0));
  const auto bytes = static_cast<std::int64_t>(packed.shape(1));
  if (rows != slices * lines || bytes != bytes_of_row(shape.back())) {
    throw InputError(fmt::format("packed: got {} rows of {} bytes; wanted {} of {}", rows, bytes, slices * lines,
                                 bytes_of_row(shape.back())));
  }
  Image image(Type::Bool, Shape{slices, lines, shape.back(), volume ? 3 : 2});
  for (std::int64_t row = 0; row < rows; ++row) {
    std::memcpy(image.row<std::byte>(row / lines, row % lines), packed.data() + row * bytes,
                static_cast<std::size_t>(bytes));
  }
  return image;
}

nb::object packed_of_image(const Image& image) {
  const Shape& shape = image.shape();
  const std::int64_t rows = shape.z * shape.y;
  const std::int64_t bytes = bytes_of_row(shape.x);
  nb::object array = numpy_empty(nb::make_tuple(rows, bytes), Type::U8);
  const auto memory = nb::cast<nb::ndarray<std::uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>>(array);
  for (std::int64_t row = 0; row < rows; ++row) {
    std::memcpy(memory.data() + row * bytes, image.row<std::byte>(row / shape.y, row % shape.y),
                static_cast<std::size_t>(bytes));
  }
  return array;
}

}  // namespace tamis::python
