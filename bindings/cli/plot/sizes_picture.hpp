// The picture of a granulometry: the middle slice beside its size map.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include <tamis/granulometry.hpp>

namespace tamis::cli {

/// One slice of the image and of its size map, row by row.
struct PictureSlices {
  std::int64_t width = 0;
  std::int64_t height = 0;
  std::vector<float> grey;
  std::vector<std::uint32_t> map;  ///< T: 0 on the background
};

/// PNG: the slice in grey, its size map in colour with a scale of widths, and a scale bar. `title` stands above the
/// slice, `element` is what the widths are of.
[[nodiscard]] std::string picture_png(const PictureSlices& slices, const Sizes& sizes, const std::string& title,
                                      const std::string& element, const std::stop_token& cancel);

}  // namespace tamis::cli
