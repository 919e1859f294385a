#include <tamis/operations/parse.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numeric>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace tamis {
namespace {

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

/// The parts between separators; an empty text has one empty part.
std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

template <class Number>
std::optional<Number> read_whole_text(std::string_view text) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [stop, fault] = std::from_chars(text.data(), end, number);
  if (fault != std::errc{} || stop != end) return std::nullopt;
  return number;
}

/// Edge lengths "AxBxC" or "AxB".
std::optional<Shape> shape_of(std::string_view text) {
  const std::vector<std::string_view> parts = split(text, 'x');
  if (parts.size() != 2 && parts.size() != 3) return std::nullopt;
  std::array<std::int64_t, 3> edge{1, 1, 1};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto number = whole_number(parts[i]);
    if (!number || *number < 1) return std::nullopt;
    edge[i] = *number;
  }
  return Shape{edge[2], edge[1], edge[0], static_cast<int>(parts.size())};
}

/// Takes the unit off the end of a length; an empty unit where there is none that we know.
std::string take_unit(std::string_view& text) {
  // Both code points that look like a micro sign.
  constexpr std::array<std::pair<std::string_view, std::string_view>, 7> units{
      {{"nm", "nm"}, {"um", "um"}, {"\u00b5m", "um"}, {"\u03bcm", "um"}, {"mm", "mm"}, {"cm", "cm"}, {"m", "m"}}};
  for (const auto& [ending, unit] : units) {
    if (text.ends_with(ending)) {
      text.remove_suffix(ending.size());
      return std::string(unit);
    }
  }
  return {};
}

/// How many letters have to be left out, put in, replaced or swapped with the next to make one word of the other
/// (Damerau's distance, where no letter is touched twice).
std::size_t changes_between(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  const auto same = [&](std::size_t i, std::size_t j) { return lower(a[i]) == lower(b[j]); };
  // Rows i - 2, i - 1 and i of the table of distances between beginnings.
  std::vector<std::size_t> two_before(b.size() + 1), before(b.size() + 1), row(b.size() + 1);
  std::iota(before.begin(), before.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({before[j] + 1, row[j - 1] + 1, before[j - 1] + (same(i - 1, j - 1) ? 0 : 1)});
      if (i > 1 && j > 1 && same(i - 1, j - 2) && same(i - 2, j - 1)) row[j] = std::min(row[j], two_before[j - 2] + 1);
    }
    two_before.swap(before);
    before.swap(row);
  }
  return before[b.size()];
}

}  // namespace

bool holds(const NumberRange& range, double number) {
  if (range.lowest && (range.without_lowest ? !(number > *range.lowest) : !(number >= *range.lowest))) return false;
  return !range.highest || (range.without_highest ? number < *range.highest : number <= *range.highest);
}

std::string range_text(const NumberRange& range) {
  if (range.lowest && range.highest && !range.without_lowest && !range.without_highest) {
    return fmt::format("{} to {}", *range.lowest, *range.highest);
  }
  std::string text;
  if (range.lowest) {
    text = range.without_lowest ? fmt::format("above {}", *range.lowest) : fmt::format("{} or more", *range.lowest);
  }
  if (range.lowest && range.highest) text += " and ";
  if (range.highest) {
    text += range.without_highest ? fmt::format("below {}", *range.highest) : fmt::format("at most {}", *range.highest);
  }
  return text;
}

void require_in(const NumberRange& range, double number, std::string_view what) {
  if (!holds(range, number)) throw InputError(fmt::format("{} {}; wanted {}", what, number, range_text(range)));
}

std::optional<double> finite_number(std::string_view text) {
  const std::optional<double> number = read_whole_text<double>(text);
  return number && std::isfinite(*number) ? number : std::nullopt;
}

std::optional<std::int64_t> whole_number(std::string_view text) { return read_whole_text<std::int64_t>(text); }

double parse_number(std::string_view text) {
  const std::optional<double> number = read_whole_text<double>(text);
  if (!number || std::isnan(*number)) throw InputError("wanted a number");
  return *number;
}

std::int64_t parse_integer(std::string_view text, std::int64_t lowest, std::int64_t highest) {
  const auto number = whole_number(text);
  if (number && *number >= lowest && *number <= highest) return *number;
  if (highest == std::numeric_limits<std::int64_t>::max()) {
    throw InputError(fmt::format("wanted a whole number, {} or more", lowest));
  }
  throw InputError(fmt::format("wanted a whole number from {} to {}", lowest, highest));
}

Shape parse_shape(std::string_view text) {
  const std::optional<Shape> shape = shape_of(text);
  if (!shape) throw InputError("wanted WIDTHxHEIGHTxSLICES or WIDTHxHEIGHT, whole numbers from 1, e.g. 600x600x250");
  return *shape;
}

Shape parse_size(std::string_view text) {
  if (const auto edge = whole_number(text); edge && *edge >= 1) return {*edge, *edge, *edge, 3};
  const std::optional<Shape> shape = shape_of(text);
  if (!shape) throw InputError("wanted one edge length, WIDTHxHEIGHTxSLICES or WIDTHxHEIGHT, e.g. 256 or 256x256x100");
  return *shape;
}

std::string parse_edges(std::string_view text) {
  const auto edge = whole_number(text);
  if ((edge && *edge >= 1) || shape_of(text)) return std::string(text);
  throw InputError("wanted N, WxH or WxHxD, whole numbers from 1, e.g. 5 or 7x3");
}

Spacing parse_spacing(std::string_view text) {
  Spacing spacing;
  spacing.unit = take_unit(text);
  std::array<double, 3> edge{};
  const std::vector<std::string_view> parts = split(text, 'x');
  bool valid = parts.size() <= 3;
  for (std::size_t i = 0; valid && i < parts.size(); ++i) {
    const std::optional<double> number = finite_number(trimmed(parts[i]));
    valid = number && *number >= 1e-9 && *number <= 1e9;
    if (valid) edge[i] = *number;
  }
  if (!valid)
    throw InputError(
        "wanted a length of 1e-9 to 1e9 with its unit (nm, um, mm, cm or m), e.g. 2.5um or 1x1x2um, x first, or a ratio, 1x1x2");
  spacing.x = edge[0];
  spacing.y = parts.size() > 1 ? edge[1] : edge[0];
  spacing.z = parts.size() == 2 ? 0 : parts.size() > 2 ? edge[2] : edge[0];
  return spacing;
}

Spacing spacing_of_rank(Spacing spacing, int rank) {
  if (spacing.z == 0 && rank == 3) {
    throw InputError("two sides, of a volume; wanted one or three, x first, e.g. 2.5um or 1x1x2um");
  }
  if (spacing.z == 0) spacing.z = spacing.x;
  return spacing;
}

bool scales(const Spacing& spacing) { return spacing.known() || spacing.x != 1 || spacing.y != 1 || spacing.z != 1; }

std::string length_unit(const Spacing& spacing) {
  return spacing.known() ? spacing.unit : scales(spacing) ? "units" : "voxels";
}

Interval parse_interval(std::string_view text) {
  const std::vector<std::string_view> parts = split(text, ':');
  const std::optional<double> low = parts.size() == 2 ? finite_number(parts[0]) : std::nullopt;
  const std::optional<double> high = parts.size() == 2 ? finite_number(parts[1]) : std::nullopt;
  if (!low || !high) throw InputError("wanted LO:HI, two numbers");
  if (*low >= *high) throw InputError("wanted LO:HI with LO below HI");
  return {*low, *high};
}

std::vector<double> parse_lengths(std::string_view text) {
  std::vector<double> lengths;
  for (const std::string_view part : split(text, ',')) {
    const std::optional<double> length = finite_number(part);
    if (!length || *length < 1) throw InputError("wanted a length of at least 1, or several as in 11,21,41");
    lengths.push_back(*length);
  }
  return lengths;
}

std::int64_t parse_bytes(std::string_view text) {
  std::string_view digits = text;
  double unit = 1;
  if (digits.ends_with('B')) digits.remove_suffix(digits.ends_with("iB") ? 2 : 1);
  constexpr std::string_view prefixes = "KMGT";
  if (!digits.empty() && prefixes.find(digits.back()) != std::string_view::npos) {
    unit = std::exp2(10.0 * static_cast<double>(prefixes.find(digits.back()) + 1));
    digits.remove_suffix(1);
  }
  const std::optional<double> number = finite_number(digits);
  if (!number || *number <= 0 || *number * unit < 1 || *number * unit > 0x1p62) {
    throw InputError("wanted a size such as 4G or 512M");
  }
  return static_cast<std::int64_t>(*number * unit);
}

Type parse_type(std::string_view text) {
  const std::optional<Type> type = type_from_name(text);
  if (!type) throw InputError("wanted one of u8, u16, i16, f32, i8, u32, i32, u64, i64, f64");
  return *type;
}

std::optional<Border> parse_border(std::string_view text) {
  if (text == "neutral") return Border::neutral();
  if (text == "shrink") return Border::shrink();
  if (text == "fit") return Border::fit();
  if (text == "reflect") return Border::reflect();
  if (text == "nearest") return Border::nearest();
  if (text == "mirror") return Border::mirror();
  if (text == "wrap") return Border::wrap();
  constexpr std::string_view constant = "constant:";
  if (text.starts_with(constant)) return Border::constant(parse_number(text.substr(constant.size())));
  return std::nullopt;
}

namespace {

/// "1" or "0,2": each once. Nothing for other texts.
std::optional<std::vector<int>> gpu_numbers(std::string_view text) {
  std::vector<int> numbers;
  while (true) {
    const std::size_t comma = text.find(',');
    const auto number = read_whole_text<int>(text.substr(0, comma));
    if (!number || *number < 0 || std::find(numbers.begin(), numbers.end(), *number) != numbers.end()) return {};
    numbers.push_back(*number);
    if (comma == std::string_view::npos) return numbers;
    text.remove_prefix(comma + 1);
  }
}

}  // namespace

DeviceChoice parse_device(std::string_view text) {
  if (text == "auto") return {Device::Auto, 0};
  if (text == "cpu") return {Device::Cpu, 0};
  if (text == "cuda") return {Device::Cuda, 0};
  if (text == "cuda:all") return {Device::Cuda, 0, {}, true};
  constexpr std::string_view numbered = "cuda:";
  if (text.starts_with(numbered)) {
    if (const auto gpus = gpu_numbers(text.substr(numbered.size()))) {
      return {Device::Cuda, gpus->front(), {gpus->begin() + 1, gpus->end()}};
    }
  }
  throw InputError("wanted auto, cpu, cuda, cuda:N, cuda:N,M or cuda:all");
}

std::string device_text(const DeviceChoice& choice) {
  if (choice.device != Device::Cuda) return choice.device == Device::Cpu ? "cpu" : "auto";
  if (choice.all_gpus) return "cuda:all";
  std::string text = fmt::format("cuda:{}", choice.gpu);
  for (const int gpu : choice.more_gpus) text += fmt::format(",{}", gpu);
  return text;
}

std::string spelled(std::string_view message,
                    const std::function<std::string(std::string_view name, std::string_view value)>& write) {
  std::string text;
  for (;;) {
    const std::size_t open = message.find('`');
    const std::size_t close = open == std::string_view::npos ? open : message.find('`', open + 1);
    text += message.substr(0, open);
    if (close == std::string_view::npos) return open == close ? text : text + std::string(message.substr(open));
    const std::string_view inside = message.substr(open + 1, close - open - 1);
    const std::string_view name = inside.substr(0, inside.find(' '));
    const bool is_name = !name.empty() && name.find_first_not_of("abcdefghijklmnopqrstuvwxyz_") == std::string_view::npos;
    if (is_name) {
      text += write(name, inside.substr(std::min(inside.size(), name.size() + 1)));
      message.remove_prefix(close + 1);
    } else {  // the second may be the first of a pair
      text += message.substr(open, close - open);
      message.remove_prefix(close);
    }
  }
}

std::string alternatives(std::span<const std::string_view> words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " or " : ", ";
    text += words[i];
  }
  return text;
}

std::string decimal_point(std::string_view written) {
  std::string text(written);
  std::replace(text.begin(), text.end(), ',', '.');
  if (text == written || written.starts_with(',') || written.ends_with(',')) return {};
  if (std::count(text.begin(), text.end(), ':') > 1) return {};
  for (std::string_view part : split(text, ':')) {
    static_cast<void>(take_unit(part));
    for (const std::string_view number : split(part, 'x')) {
      if (!finite_number(trimmed(number))) return {};
    }
  }
  return fmt::format("; with a decimal point: {}", text);
}

std::string suggestion(std::string_view written, std::span<const std::string_view> words) {
  constexpr std::size_t longest = 64;  // nobody mistypes more, and the time is that of the product of lengths
  if (written.empty() || written.size() > longest) return {};
  std::string_view nearest;
  std::size_t least = std::max<std::size_t>(1, written.size() / 3) + 1;
  for (const std::string_view word : words) {
    const std::size_t changes = changes_between(written, word);
    if (changes >= least) continue;
    least = changes;
    nearest = word;
  }
  return nearest.empty() ? std::string() : fmt::format("; did you mean {}?", nearest);
}

}  // namespace tamis
