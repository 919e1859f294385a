// The text of a crop, for front ends.
#pragma once

#include <string_view>

#include <tamis/io.hpp>

namespace tamis {

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
