// Which of the angles that tie stands for all of them.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/both.hpp"

namespace tamis::line_detail {

/// First and last of the angles that tie, in each half of their order: where angles go round, the way from the first
/// half to the second one leads over the middle or over the end. Of other angles the first half is all.
/// Whatever the order in which angles come, and whoever joins them with the others, the result is the same.
struct alignas(8) TiedAngles {
  static constexpr std::uint16_t none = 0xffff;
  std::uint16_t first[2] = {none, none};
  std::uint16_t last[2] = {0, 0};
};

/// Where the second half begins; `count` if there is none.
TAMIS_BOTH inline int second_half(int count, bool cyclic) { return cyclic && count > 1 ? count / 2 : count; }

/// Where there are some in both halves: twice the number in the middle of the shorter way from the one half to the
/// other, that over the middle if both are as long. In [0, 2 count).
TAMIS_BOTH inline std::uint16_t twice_the_middle(std::uint16_t first0, std::uint16_t last0, std::uint16_t first1,
                                                 std::uint16_t last1, std::uint16_t count) {
  const auto over_the_middle = static_cast<std::uint16_t>(last1 - first0);
  const auto over_the_end = static_cast<std::uint16_t>(last0 + count - first1);
  const auto round = static_cast<std::uint16_t>(last0 + first1);
  const auto within = static_cast<std::uint16_t>(round < count ? round + count : round - count);
  return over_the_middle <= over_the_end ? static_cast<std::uint16_t>(first0 + last1) : within;
}

/// Twice the number in the middle of the first and the last one.
TAMIS_BOTH inline std::uint16_t twice_the_middle(const TiedAngles& tied, int count) {
  const auto twice_in = [&](int half) { return static_cast<std::uint16_t>(tied.first[half] + tied.last[half]); };
  if (tied.first[1] == TiedAngles::none) return twice_in(0);
  if (tied.first[0] == TiedAngles::none) return twice_in(1);
  return twice_the_middle(tied.first[0], tied.last[0], tied.first[1], tied.last[1], static_cast<std::uint16_t>(count));
}

}  // namespace tamis::line_detail
