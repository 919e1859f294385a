#include "cli/option/parse.hpp"

#include <fmt/format.h>

#include <array>
#include <vector>

namespace tamis::cli {
namespace {

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

}  // namespace

Window parse_range(std::string_view text) {
  const Interval range = parse_interval(text);
  return {range.low, range.high};
}

Border parse_filter_border(std::string_view text) {
  const std::optional<Border> border = text == "shrink" ? std::nullopt : tamis::parse_border(text);
  if (border) return *border;
  throw InputError("wanted neutral, reflect, nearest or constant:V; along traced lines neutral or fit");
}

Border parse_median_border(std::string_view text) {
  const std::optional<Border> border = text == "fit" ? std::nullopt : tamis::parse_border(text);
  if (border) return *border;
  throw InputError("wanted reflect, nearest, constant:V or shrink");
}

void set_edges(SmoothOptions& options, std::string_view size, int rank) {
  const auto [low, high] = window_of_size(size, rank).sum(rank).box();
  options.width = high.x - low.x + 1;
  options.height = high.y - low.y + 1;
  options.depth = high.z - low.z + 1;
}

std::optional<double> line_angle_of(std::string_view text) {
  constexpr std::string_view line = "line@";
  if (!text.starts_with(line)) return std::nullopt;
  const std::optional<double> angle = finite_number(text.substr(line.size()));
  if (!angle) throw InputError("wanted line@A, A in degrees");
  return angle;
}

Lines parse_lines(std::string_view text) {
  static constexpr Choice<Lines> lines[] = {{"invariant", Lines::Invariant}, {"traced", Lines::Traced}};
  return parse_choice(text, lines);
}

CropRanges parse_crop(std::string_view text) {
  CropRanges crop;
  const std::vector<std::string_view> ranges = split(text, ',');
  bool valid = ranges.size() == 2 || ranges.size() == 3;
  crop.every_slice = ranges.size() == 2;
  const std::array<std::pair<std::int64_t*, std::int64_t*>, 3> ends{
      {{&crop.box.x0, &crop.box.x1}, {&crop.box.y0, &crop.box.y1}, {&crop.box.z0, &crop.box.z1}}};
  for (std::size_t i = 0; valid && i < ranges.size(); ++i) {
    const std::vector<std::string_view> parts = split(ranges[i], ':');
    const auto first = whole_number(parts.front());
    const auto last = whole_number(parts.back());
    valid = parts.size() == 2 && first && last && *first >= 0 && *first < *last;
    if (valid) {
      *ends[i].first = *first;
      *ends[i].second = *last;
    }
  }
  if (!valid) throw InputError("wanted x0:x1,y0:y1,z0:z1 (or x and y only), whole numbers, each first below its last");
  return crop;
}

std::string shown(std::string_view text) {
  constexpr std::size_t most = 200;
  if (text.empty()) return "''";
  if (text.size() <= most) return std::string(text);
  return fmt::format("{}... ({} letters)", text.substr(0, most), text.size());
}

}  // namespace tamis::cli
