// Plots and pictures of what commands find.
#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include <tamis/image.hpp>
#include <tamis/orientation.hpp>
#include <tamis/porosimetry.hpp>

#include "cli/output/line_reports.hpp"
#include "cli/output/sizes_report.hpp"

namespace tamis::cli {

/// SVG: above, the share of the object that stays after each opening; below, the pattern spectrum with the
/// predominant size marked. Against the width where all files have the same unit, else against the size.
[[nodiscard]] std::string plot_svg(const std::vector<SizesReport>& reports, const std::stop_token& cancel);

// The picture of a granulometry: a plane of the image beside its size map.

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

// The plots of an orientation: a rose, and spectra over the angle.

/// SVG: the histogram as a rose of sectors of 5 degrees, each drawn in both of its directions, 0 to the right,
/// counter-clockwise, in the colours of the picture; the dominant angle as a line.
[[nodiscard]] std::string rose_svg(const OrientationReport& report, const std::stop_token& cancel);

/// SVG: what openings remove over the angle, and below it the histogram; of several lengths below it the spectra of all
/// as a map of angle and length.
[[nodiscard]] std::string spectrum_svg(const OrientationReport& report, const std::stop_token& cancel);

// The orientation of a slice in colour.

/// Slice z as an RGB image of three interleaved bytes a sample: hue the angle, half a turn once round the circle;
/// saturation the contrast, full at its 99th percentile; value the image, its negative where `phase` is dark, so that
/// the lines are what is bright. Grey where there is no orientation. The images have to be of one shape.
[[nodiscard]] std::unique_ptr<SliceSource> orientation_picture(const Image& image, const Orientation& found,
                                                               Phase phase, std::int64_t z);

// The plot of porosimetry.

/// SVG: above, the share of the pores that balls of a radius above r have invaded, and the share that is so wide at
/// all; below, both as spectra. Where the second lies to the right of the first there are ink bottles. Wants
/// Porosimetry::pores.
[[nodiscard]] std::string porosimetry_svg(const Porosimetry& found, const Spacing& spacing,
                                          const std::stop_token& cancel);

}  // namespace tamis::cli
