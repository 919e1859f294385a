// From the text of an argument to a value. Strict: the whole word counts, and a refusal says what was wanted.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tamis/context.hpp>
#include <tamis/convert.hpp>
#include <tamis/error.hpp>
#include <tamis/image.hpp>
#include <tamis/io.hpp>
#include <tamis/median.hpp>
#include <tamis/morphology.hpp>
#include <tamis/threshold.hpp>

namespace tamis::cli {

[[nodiscard]] double parse_number(std::string_view text);
[[nodiscard]] std::int64_t parse_integer(std::string_view text, std::int64_t lowest,
                                         std::int64_t highest = std::numeric_limits<std::int64_t>::max());
/// "1024x1024x1024" or "512x512", x first.
[[nodiscard]] Shape parse_shape(std::string_view text);
/// A shape, or one number: the edge of a cube.
[[nodiscard]] Shape parse_size(std::string_view text);
/// "5", "7x3" or "5x5x3", x first, for window_of_size(): what one number means depends on the image.
[[nodiscard]] std::string parse_edges(std::string_view text);
/// "2.5um" or "1x1x2um", x first; nm, um, mm, cm, m.
[[nodiscard]] Spacing parse_spacing(std::string_view text);
/// "LO:HI", LO < HI.
[[nodiscard]] Window parse_range(std::string_view text);
/// "41" or "11,21,41": lengths of segments.
[[nodiscard]] std::vector<double> parse_lengths(std::string_view text);
/// The angle of "line@A", an element of granulometry; nothing for other texts.
[[nodiscard]] std::optional<double> line_angle_of(std::string_view text);
/// "4G", "512M", "1.5G" or bytes; powers of 1024.
[[nodiscard]] std::int64_t parse_bytes(std::string_view text);
/// A number, LO:HI or the name of a method.
[[nodiscard]] ThresholdOptions parse_threshold(std::string_view text);
/// The name of an automatic method.
[[nodiscard]] ThresholdOptions parse_threshold_method(std::string_view text);
[[nodiscard]] Type parse_type(std::string_view text);
/// "neutral", "reflect", "nearest", "constant:V", "fit".
[[nodiscard]] Border parse_border(std::string_view text);
/// "reflect", "nearest", "constant:V", and "shrink" or "neutral", which are the same.
[[nodiscard]] Border parse_median_border(std::string_view text);
/// The edges of a smoother: the window that a size names, see window_of_size().
void set_edges(SmoothOptions& options, std::string_view size, int rank);
/// The text of a percentile: a number from 0 to 100.
[[nodiscard]] double parse_percentile(std::string_view text);
/// "invariant" or "traced".
[[nodiscard]] Lines parse_lines(std::string_view text);

/// "auto", "cpu", "cuda" or "cuda:N".
struct DeviceChoice {
  Device device = Device::Auto;
  int gpu = 0;
};
[[nodiscard]] DeviceChoice parse_device(std::string_view text);
/// The text of a choice, as the parser takes it; a GPU always with its number.
[[nodiscard]] std::string device_text(const DeviceChoice& choice);

/// "x0:x1,y0:y1,z0:z1", half open; without the z range all slices.
struct CropRanges {
  Box box;
  bool every_slice = true;
};
[[nodiscard]] CropRanges parse_crop(std::string_view text);

/// The text of an argument in a message: quotes where it is empty, its beginning where nobody would read it all.
[[nodiscard]] std::string shown(std::string_view text);

/// "a", "a or b", "a, b or c".
[[nodiscard]] std::string alternatives(std::span<const std::string_view> words);

template <class Value>
using Choice = std::pair<std::string_view, Value>;

/// The value that goes with a word.
template <class Value, std::size_t count>
[[nodiscard]] Value parse_choice(std::string_view text, const Choice<Value> (&choices)[count]) {
  std::string_view words[count];
  for (std::size_t i = 0; i < count; ++i) {
    if (choices[i].first == text) return choices[i].second;
    words[i] = choices[i].first;
  }
  throw InputError("wanted " + alternatives(words));
}

/// The word that goes with a value.
template <class Value, std::size_t count>
[[nodiscard]] std::string word_of(Value value, const Choice<Value> (&choices)[count]) {
  for (const Choice<Value>& choice : choices) {
    if (choice.second == value) return std::string(choice.first);
  }
  return {};
}

}  // namespace tamis::cli
