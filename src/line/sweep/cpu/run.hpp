// Sweeps over angles on the CPU.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include <tamis/context.hpp>
#include <tamis/image.hpp>
#include <tamis/orientation.hpp>

#include "line/sweep/sweep.hpp"
#include "line/traced/cpu/strip.hpp"

namespace tamis::line_detail::cpu {

// What is kept of one opening (closing) after the other: best, worst, which was best, and sums.

/// Numbers of openings in the maps, as narrow as lanes.
template <class Lane>
using CodeOf = std::conditional_t<sizeof(Lane) == 1, std::uint8_t, std::uint16_t>;

/// Rows of the maps; samples are compared as lanes. Of the numbers that reach the best the first and the last one.
template <class Lane>
struct SweepMaps {
  Lane* best = nullptr;
  Lane* worst = nullptr;
  CodeOf<Lane>* first = nullptr;
  CodeOf<Lane>* last = nullptr;
};

/// Samples of one opening, and its numbers.
template <class Sample>
struct TakenOpening {
  const Sample* samples = nullptr;
  CodeOf<LaneOf<Sample>> first = 0, last = 0;
};
/// One opening or two: maps are read and written once for both.
template <class Sample>
struct TakenOpenings {
  static constexpr std::size_t most = 2;
  TakenOpening<Sample> opening[most];
  std::size_t count = 0;
};
/// Sums of counts (SweepScale), one for each opening.
using SweptSums = std::array<std::int64_t, 2>;

/// Rows of what is known of one half of the angles (TiedAngles).
template <class Lane>
struct SweepHalf {
  Lane* best = nullptr;
  std::uint16_t* first = nullptr;
  std::uint16_t* last = nullptr;
};

inline constexpr std::int64_t most_swept = 1 << 15;  ///< samples of one call

template <class Sample>
struct SweepKernels {
  using Lane = LaneOf<Sample>;
  /// Where an opening is better than the best, it takes its place, and its numbers those of the best; where it is as
  /// good, only its last number does: numbers come in rising order. Where it is worse than the worst, it takes its
  /// place too. Better is more, or less if dark.
  SweptSums (*take)(const TakenOpenings<Sample>& openings, std::int64_t count, bool dark, const SweepScale& scale,
                    const SweepMaps<Lane>& maps);
  /// Joins maps, whose codes count from `begin` on, with what is known of their half.
  void (*join)(const SweepMaps<Lane>& maps, std::uint16_t begin, std::int64_t count, bool dark,
               const SweepHalf<Lane>& half);
  /// The second half into the first one, whose first angles become twice_the_middle() of `angles`.
  void (*join_halves)(const SweepHalf<Lane>& one, const SweepHalf<Lane>& other, std::int64_t count, bool dark,
                      std::uint16_t angles);
  /// The sum of an image.
  std::int64_t (*sum)(const Sample* samples, std::int64_t count, const SweepScale& scale);
};
template <class Sample>
[[nodiscard]] SweepKernels<Sample> sweep_kernels(Simd simd);

/// sweep() on the CPU.
[[nodiscard]] SweepResult sweep(const Context& context, const Image& image, const SweepTask& task, Stage& stage);

// What a sweep over angles comes to at each sample.

/// "x 3, y 2" of the first sample that is NaN or infinite; empty if none is.
[[nodiscard]] std::string first_not_finite(const Context& context, const Image& image);

/// Takes the images out of the sweep: its angles become degrees, its worst the contrast.
void take_maps(const Context& context, SweepResult& sweep, Orientation& result);

}  // namespace tamis::line_detail::cpu
