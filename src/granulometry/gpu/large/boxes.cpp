#include "granulometry/gpu/large/boxes.hpp"

#include <algorithm>

namespace tamis::granulometry_detail::gpu {
namespace {

constexpr std::size_t axes = 3;

/// Whether the boxes overlap; with a margin of 1, whether they touch.
bool meet(const Box& a, const Box& b, std::int64_t margin) {
  for (std::size_t axis = 0; axis < axes; ++axis) {
    if (a.begin[axis] - margin >= b.end[axis] || b.begin[axis] - margin >= a.end[axis]) return false;
  }
  return true;
}

Box around(const Box& a, const Box& b) {
  Box box;
  for (std::size_t axis = 0; axis < axes; ++axis) {
    box.begin[axis] = std::min(a.begin[axis], b.begin[axis]);
    box.end[axis] = std::max(a.end[axis], b.end[axis]);
  }
  return box;
}

/// Replaces boxes that meet by the box around them, until none do.
std::vector<Box> joined(const std::vector<Box>& boxes, std::int64_t margin) {
  std::vector<Box> apart;
  for (Box box : boxes) {
    for (;;) {
      const auto other = std::find_if(apart.begin(), apart.end(), [&](const Box& b) { return meet(box, b, margin); });
      if (other == apart.end()) break;
      box = around(box, *other);
      *other = apart.back();
      apart.pop_back();
    }
    apart.push_back(box);
  }
  return apart;
}

Box box_of(const Windows& w, const TopRun& run) {
  Box box;
  box.begin = {run.begin, std::int64_t{run.group} * Windows::peak_rows, std::int64_t{run.column} * Windows::own_x};
  box.end = {run.end, std::min(box.begin[1] + Windows::peak_rows, w.ny), std::min(box.begin[2] + Windows::own_x, w.nx)};
  return box;
}

Box grown(const Windows& w, Box box, std::int64_t margin) {
  const std::array<std::int64_t, axes> volume = {w.nz, w.ny, w.nx};
  for (std::size_t axis = 0; axis < axes; ++axis) {
    box.begin[axis] = std::max<std::int64_t>(box.begin[axis] - margin, 0);
    box.end[axis] = std::min(box.end[axis] + margin, volume[axis]);
  }
  return box;
}

bool is_counted(const Box& box, const CountedSlices& counted) {
  return box.begin[0] < counted.end && box.end[0] > counted.begin;
}

/// Boxes by where they lie among the counted slices.
struct SortedBoxes {
  std::vector<Box> inside, entering, leaving, across;

  SortedBoxes(const std::vector<Box>& boxes, const CountedSlices& counted) {
    for (const Box& box : boxes) {
      const bool enters = box.begin[0] < counted.begin;
      const bool leaves = box.end[0] > counted.end;
      (enters && leaves ? across : enters ? entering : leaves ? leaving : inside).push_back(box);
    }
  }
};

/// Leaves out what the first and the last box have before and after the counted slices.
BoxStack stack_of(const std::vector<Box>& boxes, const CountedSlices& counted) {
  BoxStack stack;
  stack.boxes = boxes;
  stack.counted.begin = std::max<std::int64_t>(counted.begin - boxes.front().begin[0], 0);
  stack.counted.end = stack.shape().nz - 1 - std::max<std::int64_t>(boxes.back().end[0] - counted.end, 0);
  return stack;
}

}  // namespace

LargeBoxes boxes_around(const Windows& volume, const std::vector<TopRun>& runs, std::int64_t top, std::int64_t cap,
                        const CountedSlices& counted) {
  std::vector<Box> parts;
  parts.reserve(runs.size());
  for (const TopRun& run : runs) parts.push_back(box_of(volume, run));
  parts = joined(parts, 1);

  LargeBoxes result;
  std::vector<Box> boxes;
  for (const Box& part : parts) {
    const std::int64_t shortest = std::min({part.length(0), part.length(1), part.length(2)});
    std::int64_t reach = top - 1 + (shortest + 1) / 2;
    if (cap > 0) reach = std::min(reach, cap);
    const Box box = grown(volume, part, reach - 1);
    if (!is_counted(box, counted)) continue;
    boxes.push_back(box);
    result.largest = std::max(result.largest, reach);
  }
  result.boxes = joined(boxes, 0);
  return result;
}

Windows BoxStack::shape() const {
  std::array<std::int64_t, axes> shape = {};
  for (const Box& box : boxes) {
    shape[0] += box.length(0) + 1;
    for (std::size_t axis = 1; axis < axes; ++axis) shape[axis] = std::max(shape[axis], box.length(axis));
  }
  return {shape[0], shape[1], shape[2]};
}

std::vector<BoxStack> stacks_of(const std::vector<Box>& boxes, const CountedSlices& counted) {
  const SortedBoxes sorted(boxes, counted);
  std::vector<BoxStack> stacks;
  for (const Box& box : sorted.across) stacks.push_back(stack_of({box}, counted));
  std::vector<Box> inside = sorted.inside;  // all in the first stack that they can be in
  for (std::size_t i = 0; i < std::max(sorted.entering.size(), sorted.leaving.size()) || !inside.empty(); ++i) {
    std::vector<Box> together;
    if (i < sorted.entering.size()) together.push_back(sorted.entering[i]);
    together.insert(together.end(), inside.begin(), inside.end());
    if (i < sorted.leaving.size()) together.push_back(sorted.leaving[i]);
    inside.clear();
    stacks.push_back(stack_of(together, counted));
  }
  return stacks;
}

}  // namespace tamis::granulometry_detail::gpu
