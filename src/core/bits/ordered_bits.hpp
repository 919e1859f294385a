// The order of f32 samples as that of whole numbers: -0 is below +0, and NaN lie beyond both ends.
#pragma once

#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "core/both.hpp"

namespace tamis::detail {

/// Bits of a float as a signed number of the same order, and back: the negative ones are turned round.
[[nodiscard]] TAMIS_BOTH constexpr std::int32_t ordered(std::int32_t bits) { return bits ^ (bits >> 31 & 0x7fffffff); }

[[nodiscard]] TAMIS_BOTH inline std::int32_t ordered_bits(float sample) {
  std::int32_t bits = 0;
  std::memcpy(&bits, &sample, sizeof bits);
  return ordered(bits);
}
[[nodiscard]] TAMIS_BOTH inline float float_of_ordered(std::int32_t number) {
  const std::int32_t bits = ordered(number);
  float sample = 0;
  std::memcpy(&sample, &bits, sizeof sample);
  return sample;
}

/// The same as an unsigned number.
[[nodiscard]] TAMIS_BOTH inline std::uint32_t ordered_key(float sample) {
  std::int32_t bits = 0;
  std::memcpy(&bits, &sample, sizeof bits);
  return static_cast<std::uint32_t>(bits) ^ (static_cast<std::uint32_t>(bits >> 31) | 0x80000000U);
}
[[nodiscard]] TAMIS_BOTH inline float float_of_key(std::uint32_t key) {
  const std::uint32_t bits = key ^ (static_cast<std::uint32_t>(static_cast<std::int32_t>(~key) >> 31) | 0x80000000U);
  float sample = 0;
  std::memcpy(&sample, &bits, sizeof sample);
  return sample;
}

}  // namespace tamis::detail

namespace tamis {

/// What filters compute with: whole numbers of the samples' order, of F32 its bits (-0 is below +0).
template <class Sample>
using LaneOf = std::conditional_t<std::is_same_v<Sample, float>, std::int32_t, Sample>;

template <class Sample>
LaneOf<Sample> lane_of(Sample sample) {
  if constexpr (std::is_same_v<Sample, float>) {
    return detail::ordered_bits(sample);
  } else {
    return sample;
  }
}
template <class Sample>
Sample sample_of(LaneOf<Sample> lane) {
  if constexpr (std::is_same_v<Sample, float>) {
    return detail::float_of_ordered(lane);
  } else {
    return lane;
  }
}

/// Those of infinities, or of the ends of the range.
template <class Sample>
constexpr LaneOf<Sample> lowest_lane() {
  return std::is_same_v<Sample, float> ? -0x7f800001 : std::numeric_limits<LaneOf<Sample>>::lowest();
}
template <class Sample>
constexpr LaneOf<Sample> highest_lane() {
  return std::is_same_v<Sample, float> ? 0x7f800000 : std::numeric_limits<LaneOf<Sample>>::max();
}

}  // namespace tamis
