// From text to a value. Strict: the whole text counts, and a refusal (InputError) says what was wanted. What was got, and
// for which parameter, is said by who asked: --percentile 200, percentile=200.
#pragma once

#include <tamis/compiler.hpp>

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tamis/image/border.hpp>
#include <tamis/context.hpp>
#include <tamis/error.hpp>
#include <tamis/image.hpp>

namespace TAMIS_PUBLIC tamis {

/// The numbers that a parameter takes. A bound that is not there does not bound.
struct NumberRange {
  std::optional<double> lowest;
  std::optional<double> highest;
  bool without_lowest = false;  ///< the lowest itself is outside
  bool without_highest = false;
};
[[nodiscard]] bool holds(const NumberRange& range, double number);
/// "0 to 100", "1 or more", "above 0 and at most 45"; empty without bounds.
[[nodiscard]] std::string range_text(const NumberRange& range);
/// Throws InputError "median: percentile 200; wanted 0 to 100" for a number outside of the range.
void require_in(const NumberRange& range, double number, std::string_view what);
/// How often a filter is done in a row.
inline constexpr NumberRange iteration_counts{1, 1'000'000};

/// The number that a whole text is; nothing for other texts, infinities and NaN.
[[nodiscard]] std::optional<double> finite_number(std::string_view text);
[[nodiscard]] std::optional<std::int64_t> whole_number(std::string_view text);

/// A number, infinite or not.
[[nodiscard]] double parse_number(std::string_view text);
[[nodiscard]] std::int64_t parse_integer(std::string_view text, std::int64_t lowest,
                                         std::int64_t highest = std::numeric_limits<std::int64_t>::max());
/// "1024x1024x1024" or "512x512", x first.
[[nodiscard]] Shape parse_shape(std::string_view text);
/// A shape, or one number: the edge of a cube.
[[nodiscard]] Shape parse_size(std::string_view text);
/// "5", "7x3" or "5x5x3", x first, for window_of_size(): what one number means depends on the image.
[[nodiscard]] std::string parse_edges(std::string_view text);
/// "2.5um" or "1x1x2um", x first; nm, um, mm, cm, m. "1x1x2" is a ratio, without a unit. "1x2um" are the sides of a pixel,
/// whose z is 0.
[[nodiscard]] Spacing parse_spacing(std::string_view text);
/// For an image of this rank: pixels of two sides are as deep as they are wide. Throws InputError for those of a volume,
/// whose third side could only be guessed.
[[nodiscard]] Spacing spacing_of_rank(Spacing spacing, int rank);
/// Whether lengths say something else than counts of voxels.
[[nodiscard]] bool scales(const Spacing& spacing);
/// What lengths are in, for people: "um"; "units" of a ratio, "voxels" where sides are 1.
[[nodiscard]] std::string length_unit(const Spacing& spacing);
/// "LO:HI", LO < HI.
struct Interval {
  double low = 0;
  double high = 1;
};
[[nodiscard]] Interval parse_interval(std::string_view text);
/// "41" or "11,21,41": lengths of segments.
[[nodiscard]] std::vector<double> parse_lengths(std::string_view text);
/// "4G", "512M", "1.5G" or bytes; powers of 1024.
[[nodiscard]] std::int64_t parse_bytes(std::string_view text);
[[nodiscard]] Type parse_type(std::string_view text);
/// "neutral", "reflect", "nearest", "constant:V", "fit"; nothing for other words.
[[nodiscard]] std::optional<Border> parse_border(std::string_view text);

/// "auto", "cpu", "cuda", "cuda:1", "cuda:0,2" or "cuda:all".
struct DeviceChoice {
  Device device = Device::Auto;
  int gpu = 0;
  std::vector<int> more_gpus = {};  ///< that share the work with it (Context::more_gpus)
  bool all_gpus = false;            ///< every one that tamis can use
};
[[nodiscard]] DeviceChoice parse_device(std::string_view text);
/// The text of a choice, as the parser takes it; GPUs always with their numbers, but for all of them.
[[nodiscard]] std::string device_text(const DeviceChoice& choice);

/// In messages and descriptions a parameter stands in backticks, alone or with a value: `channel 0`, `follow`. Each front
/// end writes it as its users do: `write` is given the name and the value (empty: none) of each.
[[nodiscard]] std::string spelled(
    std::string_view message, const std::function<std::string(std::string_view name, std::string_view value)>& write);

/// "a", "a or b", "a, b or c".
[[nodiscard]] std::string alternatives(std::span<const std::string_view> words);

/// "; did you mean otsu?" where one of the words is so near to what was written that it was likely meant, by the letters
/// that are left out, put in, replaced or swapped; otherwise empty. Upper and lower case are the same here.
[[nodiscard]] std::string suggestion(std::string_view written, std::span<const std::string_view> words);

/// "; with a decimal point: 2.5um" where a text would be a length, or LO:HI, if its commas were points; otherwise empty.
[[nodiscard]] std::string decimal_point(std::string_view written);

/// A word and what it stands for. A table of them is all that a choice needs: its parser, its words, its help.
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
  throw InputError("wanted " + alternatives(words) + suggestion(text, words));
}

/// The word that goes with a value.
template <class Value, std::size_t count>
[[nodiscard]] std::string word_of(Value value, const Choice<Value> (&choices)[count]) {
  for (const Choice<Value>& choice : choices) {
    if (choice.second == value) return std::string(choice.first);
  }
  return {};
}

}  // namespace tamis
