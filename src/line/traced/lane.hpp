// Samples as ordered whole numbers.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

namespace tamis::line_detail {

/// What is computed with: of F32 the bits as a whole number, those of negative numbers turned round. The order is that
/// of the numbers, -0 below +0.
template <class Sample>
using LaneOf = std::conditional_t<std::is_same_v<Sample, float>, std::int32_t, Sample>;

template <class Sample>
constexpr LaneOf<Sample> lowest_lane() {
  return std::is_same_v<Sample, float> ? -0x7f800001 : std::numeric_limits<LaneOf<Sample>>::lowest();
}
template <class Sample>
constexpr LaneOf<Sample> highest_lane() {
  return std::is_same_v<Sample, float> ? 0x7f800000 : std::numeric_limits<LaneOf<Sample>>::max();
}

}  // namespace tamis::line_detail
