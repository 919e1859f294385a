// Pictures that say how they are to be turned: EXIF's orientation, which TIFF has as a tag of its own.
#pragma once

#include <memory>
#include <string_view>

#include "io/format.hpp"

namespace tamis::io {

/// 1 to 8 as EXIF numbers them; 1, as it stands, where nothing is said or what is said is none of them.
[[nodiscard]] constexpr int orientation_of(std::uint64_t number) {
  return number >= 1 && number <= 8 ? static_cast<int>(number) : 1;
}
/// What the EXIF part of a JPEG or PNG file says.
[[nodiscard]] int jpeg_orientation(std::string_view file);
[[nodiscard]] int png_orientation(std::string_view file);

/// What a viewer does to a picture of this orientation: "turned by 90 degrees clockwise".
[[nodiscard]] std::string_view turn_of(int orientation);
/// The slices as viewers show them, with the edges of voxels exchanged where rows become columns.
[[nodiscard]] std::unique_ptr<Source> upright(std::unique_ptr<Source> source);

}  // namespace tamis::io
