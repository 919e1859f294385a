// What is kept of one opening (closing) after the other: best, worst, which was best, and sums.
#pragma once

#include <cstdint>
#include <type_traits>

#include <tamis/context.hpp>

#include "line/sweep.hpp"
#include "line/traced_cpu_strip.hpp"

namespace tamis::line_detail {

/// As wide as a lane, so that one vector of samples goes with one of numbers.
template <class Lane>
using CodeOf = std::conditional_t<sizeof(Lane) == 1, std::uint8_t,
                                  std::conditional_t<sizeof(Lane) == 2, std::uint16_t, std::uint32_t>>;

/// Rows of the maps; samples are compared as lanes.
template <class Lane>
struct SweepMaps {
  Lane* best = nullptr;
  Lane* worst = nullptr;
  CodeOf<Lane>* code = nullptr;
};

inline constexpr std::int64_t most_swept = 1 << 15;  ///< samples of one call

template <class Sample>
struct SweepKernels {
  using Lane = LaneOf<Sample>;
  /// Where `now` is better than the best, it and `code` take its place; where it is worse than the worst too. Better is
  /// more, or less if dark. Returns the sum of counts (SweepScale) of `now`.
  std::int64_t (*take)(const Sample* now, std::int64_t count, const SweepScale& scale, const SweepMaps<Lane>& maps,
                       CodeOf<Lane> code);
  std::int64_t (*take_dark)(const Sample* now, std::int64_t count, const SweepScale& scale, const SweepMaps<Lane>& maps,
                            CodeOf<Lane> code);
  /// Only the sum.
  std::int64_t (*sum)(const Sample* now, std::int64_t count, const SweepScale& scale);
};
template <class Sample>
[[nodiscard]] SweepKernels<Sample> sweep_kernels(Simd simd);

}  // namespace tamis::line_detail
