// Values of options: the first byte says of which option, the rest is the text.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>

#include "bindings/cli/parse.hpp"
#include "fuzz/harness.hpp"

namespace {

using namespace tamis::cli;
using tamis::fuzz::expect;

bool is_extent(const tamis::Shape& shape) { return shape.x > 0 && shape.y > 0 && shape.z > 0; }

void check_number(std::string_view text) { expect(std::isfinite(parse_number(text)), "a number that is not finite"); }

void check_integer(std::string_view text) {
  const std::int64_t number = parse_integer(text, -3, 1000);
  expect(number >= -3 && number <= 1000, "a whole number outside of its range");
  expect(parse_integer(std::to_string(number), -3, 1000) == number, "a whole number that reads otherwise");
}

void check_shape(std::string_view text) {
  const tamis::Shape shape = parse_shape(text);
  expect(is_extent(shape), "an empty shape");
  expect(parse_shape(tamis::to_string(shape)) == shape, "a shape whose text is that of another");
}

void check_size(std::string_view text) { expect(is_extent(parse_size(text)), "an empty shape"); }

void check_spacing(std::string_view text) {
  const tamis::Spacing spacing = parse_spacing(text);
  expect(spacing.known(), "a spacing without a unit");
  for (const double edge : {spacing.x, spacing.y, spacing.z}) {
    expect(std::isfinite(edge) && edge > 0, "an edge of a voxel that is not positive and finite");
  }
}

void check_range(std::string_view text) {
  const tamis::Window range = parse_range(text);
  expect(range.low < range.high, "a range whose ends are the wrong way round");
}

void check_lengths(std::string_view text) {
  for (const double length : parse_lengths(text)) expect(length >= 1 && std::isfinite(length), "a length that is none");
}

void check_line_angle(std::string_view text) {
  const std::optional<double> angle = line_angle_of(text);
  expect(!angle || std::isfinite(*angle), "an angle that is not finite");
}

void check_bytes(std::string_view text) { expect(parse_bytes(text) > 0, "no bytes"); }

void check_threshold(std::string_view text) { static_cast<void>(parse_threshold(text)); }

void check_method(std::string_view text) { static_cast<void>(parse_threshold_method(text)); }

void check_type(std::string_view text) { static_cast<void>(tamis::name(parse_type(text))); }

void check_border(std::string_view text) { static_cast<void>(parse_border(text)); }

void check_median_border(std::string_view text) { static_cast<void>(parse_median_border(text)); }

void check_edges(std::string_view text) { expect(!parse_edges(text).empty(), "edges without text"); }

void check_percentile(std::string_view text) {
  const double percentile = parse_percentile(text);
  expect(percentile >= 0 && percentile <= 100, "a percentile outside of 0 to 100");
}

void check_lines(std::string_view text) { static_cast<void>(parse_lines(text)); }

void check_device(std::string_view text) {
  const DeviceChoice choice = parse_device(text);
  const DeviceChoice again = parse_device(device_text(choice));
  expect(again.device == choice.device && again.gpu == choice.gpu, "a device whose text is that of another");
}

void check_crop(std::string_view text) {
  const tamis::Box box = parse_crop(text).box;
  expect(box.x0 >= 0 && box.x0 < box.x1 && box.y0 >= 0 && box.y0 < box.y1 && box.z0 >= 0, "a crop that is empty");
}

constexpr std::array options{check_number,     check_integer, check_shape,      check_size,          check_spacing,
                             check_range,      check_lengths, check_line_angle, check_bytes,         check_threshold,
                             check_method,     check_type,    check_border,     check_median_border, check_edges,
                             check_percentile, check_lines,   check_device,     check_crop};

}  // namespace

TAMIS_FUZZ_TARGET(option) {
  if (bytes.empty()) return;
  // As letters, so that an input can be written by hand: "a2.5" is a number.
  const auto which = static_cast<std::size_t>(bytes[0] - 'a') % options.size();
  options[which](tamis::fuzz::text_of(bytes.subspan(1)));
}
