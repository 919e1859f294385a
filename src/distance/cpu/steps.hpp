// Steps of distances on the CPU: along rows, and along columns.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/memory.hpp"
#include "distance/cpu/kernels.hpp"
#include "distance/plan.hpp"

namespace tamis::distance_detail::cpu {

// Squared distances along one row, straight from its bits.

/// One thread's work on rows: owns the rows that steps are counted in.
template <class Lane>
class RowSteps {
 public:
  RowSteps(const Axis& axis, const Kernels<Lane>& kernels)
      : axis_(axis),
        kernels_(kernels),
        count_(rounded(axis.count)),
        reach_(largest_step(axis.count)),
        padding_(rounded(reach_)),
        cap_(steps_to_reach(axis.side)),
        a_(count_ + 2 * padding_),
        b_(count_ + 2 * padding_),
        squares_(count_) {
    for (Steps* const row : {a_.data(), b_.data()}) {
      std::fill_n(row, padding_, beyond(axis.low));
      std::fill_n(row + padding_ + count_, padding_, beyond(axis.high));
    }
  }

  /// `bits` are 0 where the background is; those behind the row's end do not count. The result stays until the next
  /// row.
  const Lane* squares_of(const std::uint64_t* bits) {
    Steps* const steps = a_.data() + padding_;
    kernels_.expand_bits(bits, steps, count_);
    std::fill(steps + axis_.count, steps + count_, beyond(axis_.high));
    const Steps* const counted = kernels_.count_steps(steps, b_.data() + padding_, count_, reach_);
    kernels_.square(counted, squares_.data(), count_, static_cast<Lane>(axis_.side), cap_);
    return squares_.data();
  }

 private:
  using Steps = Half<Lane>;
  static constexpr Steps far = std::numeric_limits<Steps>::max();

  static Steps beyond(bool background) { return background ? Steps{0} : far; }
  /// Whole vectors of every instruction set and lane.
  static std::int64_t rounded(std::int64_t count) { return (count + 63) / 64 * 64; }
  /// Doubling steps go up to the first power of two that spans the row, or every number of steps a lane can hold.
  static std::int64_t largest_step(std::int64_t count) {
    std::int64_t step = 1;
    while (2 * step <= count && 2 * step < std::int64_t{far}) step *= 2;
    return step;
  }
  /// The first number of steps whose square lanes do not hold.
  static Steps steps_to_reach(std::int64_t side) {
    auto steps = static_cast<std::int64_t>(std::sqrt(static_cast<double>(unreached<Lane>)) / static_cast<double>(side));
    const auto fits = [&](std::int64_t count) { return square_up_to(count, side, unreached<Lane>) < unreached<Lane>; };
    while (fits(steps)) ++steps;
    while (steps > 0 && !fits(steps - 1)) --steps;
    return static_cast<Steps>(std::min(steps, std::int64_t{far}));
  }

  Axis axis_;
  const Kernels<Lane>& kernels_;
  std::int64_t count_;
  std::int64_t reach_;
  std::int64_t padding_;
  Steps cap_;
  Buffer<Steps> a_;
  Buffer<Steps> b_;
  Buffer<Lane> squares_;
};

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
