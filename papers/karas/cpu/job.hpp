// One line of samples and what is done to it, for the algorithms that take one line after the other.
#pragma once

#include <cstdint>

namespace tamis::karas::cpu {

/// Opening of `count` samples by `length`. A stretch [start, end) of samples no lower than some level keeps that level
/// if it is long enough; at an end of the line it counts as `before` (`after`) samples longer. Under border fit both
/// are 0; under neutral they are the samples of a segment on either side of its origin, which has to lie in the line.
template <class Lane>
struct LineJob {
  const Lane* in = nullptr;
  Lane* out = nullptr;
  std::int64_t count = 0;
  std::int64_t length = 1;
  std::int64_t before = 0;
  std::int64_t after = 0;
  Lane lowest{};  ///< of the type: what is left where nothing fits
  Lane highest{};

  /// end = count: the stretch reaches the line's end.
  [[nodiscard]] bool is_long(std::int64_t start, std::int64_t end) const {
    return end - start + (start == 0 ? before : 0) + (end == count ? after : 0) >= length;
  }
};

}  // namespace tamis::karas::cpu
