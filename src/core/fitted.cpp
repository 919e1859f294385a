#include "core/fitted.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
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

OffsetSet fitted(OffsetSet set, const Shape& shape, Border::Kind border) {
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

OffsetSet drawn_near(OffsetSet set, const Shape& shape, Border::Kind border) {
  constexpr std::int64_t most = 1 << 16;
  if (set.count() > most || set.box().count() / 4 <= set.count() + shape.count()) return set;
  const std::int64_t period = period_of(border, shape.x);
  std::map<Offset, std::int64_t> met;
  std::vector<OffsetSet::Run> runs;
  for (const Offset& any : set.offsets()) {
    Offset near{fitted(any.z, shape.z, border), fitted(any.y, shape.y, border), fitted(any.x, shape.x, border)};
    // Offsets that see the same stay apart, each one period or one sample farther out than the one before.
    const std::int64_t out = met[near]++;
    std::int64_t& outside = std::abs(near.x) == shape.x ? near.x : std::abs(near.y) == shape.y ? near.y : near.z;
    if (period > 0) {
      near.x += out * period;
    } else {
      outside += outside < 0 ? -out : out;
    }
    runs.push_back({near, 1});
  }
  return OffsetSet(std::move(runs));
}

}  // namespace tamis
