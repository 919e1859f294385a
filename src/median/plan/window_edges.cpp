#include "median/plan/window_edges.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

namespace tamis::median_detail {
namespace {

using Run = OffsetSet::Run;

/// What of `run` the window does not have one row farther on (by = 1) or back (by = -1).
void add_uncovered(const std::vector<Run>& runs, const Run& run, std::int64_t by, std::vector<Run>& out) {
  Run rest = run;
  // Runs are in order, so those of a row lie side by side.
  const Offset row{run.start.z, run.start.y + by, std::numeric_limits<std::int64_t>::min()};
  auto next = std::lower_bound(runs.begin(), runs.end(), row,
                               [](const Run& other, const Offset& wanted) { return other.start < wanted; });
  for (; next != runs.end() && next->start.z == row.z && next->start.y == row.y; ++next) {
    const Run& other = *next;
    const std::int64_t end = rest.start.x + rest.length;
    const std::int64_t from = std::max(other.start.x, rest.start.x);
    const std::int64_t to = std::min(other.start.x + other.length, end);
    if (from >= to) continue;
    if (from > rest.start.x) out.push_back({rest.start, from - rest.start.x});
    rest.start.x = to;
    rest.length = end - to;
    if (rest.length == 0) return;
  }
  out.push_back(rest);
}

std::int64_t samples(const std::vector<Run>& runs) {
  std::int64_t sum = 0;
  for (const Run& run : runs) sum += run.length;
  return sum;
}

}  // namespace

std::int64_t WindowEdges::changes() const { return samples(entering) + samples(leaving); }

WindowEdges edges_of(const OffsetSet& window) {
  WindowEdges edges;
  edges.whole = window.runs();
  for (const Run& run : window.runs()) {
    add_uncovered(window.runs(), run, 1, edges.entering);
    add_uncovered(window.runs(), run, -1, edges.leaving);
  }
  return edges;
}

}  // namespace tamis::median_detail
