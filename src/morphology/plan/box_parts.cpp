#include "morphology/plan/box_parts.hpp"

#include <algorithm>

namespace tamis::morphology_detail {
namespace {

/// A tall window is a short one at rows some `stride` apart, as teeth of a comb.
struct Comb {
  std::int64_t rows = 1, stride = 1, teeth = 1;
};

Comb comb_of(std::int64_t height) {
  Comb best{height, 1, 1};
  for (std::int64_t rows = 2; rows < height && height > BoxLimits::tallest; ++rows) {
    std::int64_t stride = rows;
    while ((height - rows) % stride != 0) --stride;
    const std::int64_t teeth = (height - rows) / stride + 1;
    if (std::max(rows, teeth) < std::max(best.rows, best.teeth)) best = {rows, stride, teeth};
  }
  return best;
}

/// A wide window as several, all of which contain the origin, so that the path from one sample to another stays inside.
void add_wide(std::vector<BoxPart>& parts, const BoxWindow& window, const RowRange& image, std::int64_t sample) {
  const std::int64_t longest = BoxLimits::widest_alone_bytes / sample;
  std::int64_t low = window.low_x;
  std::int64_t high = window.high_x;
  while (high - low >= longest) {
    const std::int64_t left = std::min(-low, longest / 2);
    const std::int64_t right = std::min(high, longest - 1 - left);
    parts.push_back({{-left, right, 0, 0}, 1, image, false});
    low += left;
    high -= right;
  }
  parts.push_back({{low, high, 0, 0}, 1, image, false});
}

}  // namespace

std::vector<BoxPart> parts_of(const BoxWindow& window, std::int64_t rows, std::int64_t sample) {
  const RowRange image{0, rows};
  const std::int64_t bytes = window.width() * sample;
  const bool apart = (window.height() > 1 && bytes > BoxLimits::widest_bytes) || bytes > BoxLimits::widest_alone_bytes;
  BoxPart part{window, 1, image, false};
  if (apart) part.window.low_x = part.window.high_x = 0;
  std::vector<BoxPart> parts;
  const Comb comb = comb_of(window.height());
  if (comb.teeth > 1) {
    // Rows beyond the image are made too, as the short window shows them.
    const std::int64_t reach = (comb.teeth - 1) * comb.stride;
    part.window.high_y = window.low_y + comb.rows - 1;
    part.write.end += reach;
    parts.push_back(part);
    part = {{0, 0, 0, reach}, static_cast<int>(comb.stride), image, true};
  }
  // A single row may lie beside the sample's own.
  if (!apart || window.moves_rows()) parts.push_back(part);
  if (apart) add_wide(parts, window, image, sample);
  return parts;
}

}  // namespace tamis::morphology_detail
