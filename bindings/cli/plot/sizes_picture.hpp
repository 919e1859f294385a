// The picture of a granulometry: a plane of the image beside its size map.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "cli/output/sizes_report.hpp"

namespace tamis::cli {

/// One plane of the image and of its size map, row by row.
struct PictureSlices {
  std::int64_t width = 0;
  std::int64_t height = 0;
  double pixel_width = 1;  ///< in the unit of the spacing
  double pixel_height = 1;
  std::vector<float> grey;
  std::vector<float> map;  ///< lengths or sizes n; below 0 on the background
  std::string measure;  ///< "diameter 2R": what lengths they are; empty: sizes n, shown as widths where they have one
};

/// PNG: the plane in grey, its size map in colour with a scale of its measure, and a scale bar. Lengths are the same in
/// both directions whatever the voxels are. `title` stands above the plane, `element` is what the widths are of.
[[nodiscard]] std::string picture_png(const PictureSlices& slices, const SizesReport& report, const std::string& title,
                                      const std::string& element, const std::stop_token& cancel);

}  // namespace tamis::cli
