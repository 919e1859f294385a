// A window that moves along y by one row: the runs of samples that come into it and those that leave it.
#pragma once

#include <vector>

#include <tamis/element.hpp>

namespace tamis::median_detail {

/// Runs by the origin's row after the move (entering), before it (leaving).
struct WindowEdges {
  std::vector<OffsetSet::Run> whole, entering, leaving;

  /// Samples that change with a row, entering and leaving.
  [[nodiscard]] std::int64_t changes() const;
};
[[nodiscard]] WindowEdges edges_of(const OffsetSet& window);

}  // namespace tamis::median_detail
