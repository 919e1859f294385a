// Texts of arguments that name more than one value, or what only front ends know; the rest is in tamis/parse.hpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tamis/arguments.hpp>
#include <tamis/convert.hpp>
#include <tamis/io.hpp>
#include <tamis/median.hpp>
#include <tamis/morphology.hpp>
#include <tamis/parse.hpp>
#include <tamis/threshold.hpp>

namespace tamis::cli {

// Python names these by their place here.
using tamis::Choice;
using tamis::DeviceChoice;
using tamis::device_text;
using tamis::parse_bytes;
using tamis::parse_choice;
using tamis::parse_device;
using tamis::parse_edges;
using tamis::parse_size;
using tamis::parse_spacing;
using tamis::parse_threshold;
using tamis::parse_type;

/// "LO:HI", LO < HI.
[[nodiscard]] Window parse_range(std::string_view text);
/// The angle of "line@A", an element of granulometry; nothing for other texts.
[[nodiscard]] std::optional<double> line_angle_of(std::string_view text);
/// "neutral", "reflect", "nearest", "constant:V", "fit".
[[nodiscard]] Border parse_filter_border(std::string_view text);
/// "reflect", "nearest", "constant:V", and "shrink" or "neutral", which are the same.
[[nodiscard]] Border parse_median_border(std::string_view text);
/// The edges of a smoother: the window that a size names, see window_of_size().
void set_edges(SmoothOptions& options, std::string_view size, int rank);
/// "invariant" or "traced".
[[nodiscard]] Lines parse_lines(std::string_view text);

/// "x0:x1,y0:y1,z0:z1", half open; without the z range all slices.
struct CropRanges {
  Box box;
  bool every_slice = true;
};
[[nodiscard]] CropRanges parse_crop(std::string_view text);

/// The text of an argument in a message: quotes where it is empty, its beginning where nobody would read it all.
[[nodiscard]] std::string shown(std::string_view text);

}  // namespace tamis::cli
