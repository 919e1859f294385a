#include "core/fitted.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/border.hpp"

namespace tamis {
namespace {

/// A displacement that shows the same sample from anywhere on an axis of n samples.
std::int64_t fitted(std::int64_t shift, std::int64_t n, Border::Kind border) {
  const std::int64_t period = period_of(border, n);
  if (period == 0) return std::clamp(shift, -n, n);
  const std::int64_t turn = (shift + period / 2) % period;
  return (turn < 0 ? turn + period : turn) - period / 2;
}

}  // namespace

OffsetSet fitted(const OffsetSet& set, const Shape& shape, Border::Kind border) {
  const OffsetBox& box = set.box();
  const auto fits = [](std::int64_t low, std::int64_t high, std::int64_t n) { return low >= -n && high < n; };
  if (fits(box.low.z, box.high.z, shape.z) && fits(box.low.y, box.high.y, shape.y) &&
      fits(box.low.x, box.high.x, shape.x)) {
    return set;
  }
  std::vector<OffsetSet::Run> runs;
  for (const OffsetSet::Run& run : set.runs()) {
    const Offset start{fitted(run.start.z, shape.z, border), fitted(run.start.y, shape.y, border),
                       fitted(run.start.x, shape.x, border)};
    const std::int64_t period = period_of(border, shape.x);
    if (period == 0) {
      runs.push_back({start, fitted(run.start.x + run.length - 1, shape.x, border) - start.x + 1});
      continue;
    }
    // One period, which goes on where it begins.
    const std::int64_t begin = -(period / 2);
    const std::int64_t length = std::min(run.length, period);
    const std::int64_t here = std::min(length, begin + period - start.x);
    runs.push_back({start, here});
    runs.push_back({{start.z, start.y, begin}, length - here});
  }
  return OffsetSet(std::move(runs));
}

}  // namespace tamis
