// The orientation of a slice in colour.
#pragma once

#include <cstdint>
#include <memory>

#include <tamis/image.hpp>
#include <tamis/orientation.hpp>

namespace tamis::cli {

/// Slice z as an RGB image of three interleaved bytes a sample: hue the angle, half a turn once round the circle;
/// saturation the contrast, full at its 99th percentile; value the image, its negative where `phase` is dark, so that
/// the lines are what is bright. Grey where there is no orientation. The images have to be of one shape.
[[nodiscard]] std::unique_ptr<SliceSource> orientation_picture(const Image& image, const Orientation& found,
                                                               Phase phase, std::int64_t z);

}  // namespace tamis::cli
