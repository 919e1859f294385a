#include <algorithm>
#include <memory>
#include <utility>

#include <fmt/format.h>
#include <tamis/element.hpp>
#include <tamis/error.hpp>

#include "core/door.hpp"

namespace tamis {
namespace {

/// The one place where the coordinates of elements are limited: sets are made nowhere else.
void require_near(std::int64_t low, std::int64_t high, const char* axis) {
  if (low >= -largest_offset && high <= largest_offset) return;
  throw InputError(fmt::format("a structuring element that reaches {} = {}; wanted offsets of at most {} samples", axis,
                               low < -largest_offset ? low : high, largest_offset));
}

void require_near(const OffsetSet::Run& run) {
  require_near(run.start.z, run.start.z, "z");
  require_near(run.start.y, run.start.y, "y");
  require_near(run.start.x, run.start.x, "x");
  if (run.length - 1 <= largest_offset - run.start.x) return;
  throw InputError(fmt::format("a structuring element with a run of {} from x = {} on; wanted offsets of at most {} "
                               "samples",
                               run.length, run.start.x, largest_offset));
}

void require_near(const OffsetBox& box) {
  require_near(box.low.z, box.high.z, "z");
  require_near(box.low.y, box.high.y, "y");
  require_near(box.low.x, box.high.x, "x");
}

/// Sorted, and runs that touch or overlap made one.
void normalise(std::vector<OffsetSet::Run>& runs) {
  if (!std::is_sorted(runs.begin(), runs.end())) std::sort(runs.begin(), runs.end());
  std::size_t kept = 0;
  for (const OffsetSet::Run& run : runs) {
    if (kept > 0) {
      OffsetSet::Run& last = runs[kept - 1];
      const std::int64_t end = last.start.x + last.length;
      if (last.start.z == run.start.z && last.start.y == run.start.y && run.start.x <= end) {
        last.length = std::max(end, run.start.x + run.length) - last.start.x;
        continue;
      }
    }
    runs[kept++] = run;
  }
  runs.resize(kept);
}

OffsetBox box_of(const std::vector<OffsetSet::Run>& runs) {
  OffsetBox box{runs.front().start, runs.front().start};
  for (const OffsetSet::Run& run : runs) {
    const Offset& first = run.start;
    box.low = {std::min(box.low.z, first.z), std::min(box.low.y, first.y), std::min(box.low.x, first.x)};
    box.high = {std::max(box.high.z, first.z), std::max(box.high.y, first.y),
                std::max(box.high.x, first.x + run.length - 1)};
  }
  return box;
}

}  // namespace

OffsetSet::OffsetSet(std::vector<Run> runs) {
  std::erase_if(runs, [](const Run& run) { return run.length < 1; });
  if (runs.empty()) throw InputError("a structuring element without offsets; wanted at least one");
  for (const Run& run : runs) require_near(run);
  door::guarded("offsets", [&] {
    normalise(runs);
    box_ = box_of(runs);
    runs_ = std::make_shared<const std::vector<Run>>(std::move(runs));
  });
}

OffsetSet::OffsetSet(std::vector<Run> runs, const OffsetBox& box) : box_(box) {
  require_near(box);
  runs_ = std::make_shared<const std::vector<Run>>(std::move(runs));
}

OffsetSet::OffsetSet(const OffsetBox& box) : box_(box) {
  require_near(box);
  constexpr std::int64_t most_rows = 1 << 24;  // half a gigabyte
  const std::int64_t rows = OffsetBox{box.low, {box.high.z, box.high.y, box.low.x}}.count();
  if (rows > most_rows) throw InputError(fmt::format("a box of {} rows; wanted at most {}", rows, most_rows));
  std::vector<Run> runs;
  door::guarded("offsets", [&] { runs.reserve(static_cast<std::size_t>(rows)); });
  for (std::int64_t z = box.low.z; z <= box.high.z; ++z) {
    for (std::int64_t y = box.low.y; y <= box.high.y; ++y) {
      runs.push_back({{z, y, box.low.x}, box.high.x - box.low.x + 1});
    }
  }
  if (runs.empty() || box.high.x < box.low.x) {
    throw InputError("a structuring element without offsets; wanted at least one");
  }
  runs_ = std::make_shared<const std::vector<Run>>(std::move(runs));
}

std::int64_t OffsetSet::count() const {
  std::int64_t count = 0;
  for (const Run& run : runs()) count += run.length;
  return count;
}

bool OffsetSet::contains(const Offset& offset) const {
  // The last run that starts at or before the offset.
  const auto after = std::upper_bound(runs().begin(), runs().end(), offset,
                                      [](const Offset& wanted, const Run& run) { return wanted < run.start; });
  if (after == runs().begin()) return false;
  const Run& run = *(after - 1);
  return run.start.z == offset.z && run.start.y == offset.y && offset.x < run.start.x + run.length;
}

std::vector<Offset> OffsetSet::offsets() const {
  return door::guarded("offsets", [&]() -> std::vector<Offset> {
    std::vector<Offset> all;
    all.reserve(static_cast<std::size_t>(count()));
    for (const Run& run : runs()) {
      for (std::int64_t i = 0; i < run.length; ++i) all.push_back(run.start + Offset{0, 0, i});
    }
    return all;
  });
}

OffsetSet OffsetSet::reflected() const {
  std::vector<Run> mirrored(runs().rbegin(), runs().rend());  // in order again once they are mirrored
  for (Run& run : mirrored) run.start = -(run.start + Offset{0, 0, run.length - 1});
  return {std::move(mirrored), {-box_.high, -box_.low}};
}

OffsetSet OffsetSet::shifted(const Offset& by) const {
  if (by == Offset{}) return *this;
  std::vector<Run> moved = runs();
  for (Run& run : moved) run.start = run.start + by;
  return {std::move(moved), {box_.low + by, box_.high + by}};
}

}  // namespace tamis
