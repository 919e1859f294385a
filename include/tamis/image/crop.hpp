// A box of a source, and its text for front ends.
#pragma once

#include <tamis/compiler.hpp>

#include <cstdint>
#include <memory>
#include <string_view>

#include <tamis/image.hpp>

namespace TAMIS_PUBLIC tamis {

/// Takes x, y, z ranges (half open, in samples of the source) out of a source. The source moves into the result.
struct Box {
  std::int64_t z0 = 0, z1 = 0, y0 = 0, y1 = 0, x0 = 0, x1 = 0;
};
[[nodiscard]] std::unique_ptr<SliceSource> crop(std::unique_ptr<SliceSource> source, const Box& box);

/// What is kept of an image of any shape.
struct CropRanges {
  Box box;
  bool every_slice = true;
  /// The box in an image of this shape, which it need not lie in.
  [[nodiscard]] Box of(const Shape& shape) const;
};
/// "x0:x1,y0:y1,z0:z1", half open; without the z range all slices. Throws InputError for other texts.
[[nodiscard]] CropRanges parse_crop(std::string_view text);

}  // namespace tamis
