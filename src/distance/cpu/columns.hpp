// Columns of lanes along y or z: gathered line by line, lowered, put back.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/memory.hpp"
#include "distance/cpu/kernels.hpp"
#include "distance/plan.hpp"

namespace tamis::distance_detail::cpu {

/// (side * d)^2 for d = 0, 1, ... as far as an axis and lanes reach.
template <class Lane>
std::vector<Lane> squares_along(const Axis& axis) {
  std::vector<Lane> squares{0};
  for (std::int64_t d = 1; d <= axis.count && squares.back() < unreached<Lane>; ++d) {
    squares.push_back(static_cast<Lane>(square_up_to(d, axis.side, unreached<Lane>)));
  }
  return squares;
}

/// One thread's work on columns of an axis.
template <class Lane>
class Columns {
 public:
  static constexpr std::int64_t line = line_bytes / static_cast<std::int64_t>(sizeof(Lane));

  Columns(const Axis& axis, const std::vector<Lane>& squares, const Kernels<Lane>& kernels)
      : axis_(axis), squares_(squares), kernels_(kernels) {}

  /// `width` lanes side by side, `stride` lanes from sample to sample of the axis. Returns the largest result.
  Lane lower(Lane* first, std::int64_t stride, std::int64_t width) {
    const std::int64_t lines = (width + line - 1) / line;
    const std::int64_t column = (axis_.count + 2) * line;
    if (before_.size() < lines * column) widen(lines);
    for (std::int64_t i = 0; i < axis_.count; ++i) {
      for (std::int64_t l = 0; l < lines; ++l) {
        std::copy_n(first + i * stride + l * line, std::min(line, width - l * line),
                    before_.data() + l * column + (i + 1) * line);
      }
    }
    Lane top = 0;
    for (std::int64_t l = 0; l < lines; ++l) {
      const Lane largest = kernels_.lower(before_.data() + l * column + line, after_.data() + l * axis_.count * line,
                                          axis_.count, squares_.data(), static_cast<std::int64_t>(squares_.size()) - 1);
      top = std::max(top, largest);
    }
    for (std::int64_t i = 0; i < axis_.count; ++i) {
      for (std::int64_t l = 0; l < lines; ++l) {
        std::copy_n(after_.data() + (l * axis_.count + i) * line, std::min(line, width - l * line),
                    first + i * stride + l * line);
      }
    }
    return top;
  }

 private:
  /// Room for more lines, each with what lies beyond its ends. Lanes behind the width of a last line stay 0.
  void widen(std::int64_t lines) {
    const std::int64_t column = (axis_.count + 2) * line;
    before_ = Buffer<Lane>(lines * column);
    after_ = Buffer<Lane>(lines * axis_.count * line);
    for (std::int64_t l = 0; l < lines; ++l) {
      std::fill_n(before_.data() + l * column, line, axis_.low ? Lane{0} : unreached<Lane>);
      std::fill_n(before_.data() + (l + 1) * column - line, line, axis_.high ? Lane{0} : unreached<Lane>);
    }
  }

  Axis axis_;
  const std::vector<Lane>& squares_;
  const Kernels<Lane>& kernels_;
  Buffer<Lane> before_;
  Buffer<Lane> after_;
};

}  // namespace tamis::distance_detail::cpu
