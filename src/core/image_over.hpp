// Images over memory of someone else.
#pragma once

#include <cstddef>

#include <tamis/image.hpp>

namespace tamis {

/// Over samples that have to outlive it, dense along x; not for Bool. Bytes from a row to the next and from a slice to
/// the next are at least those of a row and of its rows, and whole samples; 0: without gaps. For filters only that read
/// and write nothing behind the last sample of a row, where images of the library's own have room or the next row.
[[nodiscard]] Image image_over(std::byte* samples, Type type, const Shape& shape, std::int64_t row_bytes = 0,
                               std::int64_t slice_bytes = 0);
/// Bytes of a row's samples, without the gap that may follow; of bits those of all words.
[[nodiscard]] inline std::int64_t bytes_of_row(const Image& image) {
  return image.type() == Type::Bool ? image.row_bytes() : image.shape().x * sample_bytes(image.type());
}
/// Rows and slices follow each other without gaps, so that all samples are one range.
[[nodiscard]] inline bool has_no_gaps(const Image& image) {
  return image.row_bytes() == bytes_of_row(image) && image.slice_bytes() == image.shape().y * image.row_bytes();
}

}  // namespace tamis
