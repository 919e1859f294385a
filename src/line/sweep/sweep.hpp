// Openings (closings) of one image by segments at many angles, and what is left of them: no image is kept per angle.
#pragma once

#include <cstdint>
#include <vector>

#include <tamis/context.hpp>
#include <tamis/image.hpp>
#include <tamis/morphology.hpp>

#include "core/both.hpp"
#include "core/stage.hpp"

namespace tamis::line_detail {

struct SweepTask {
  std::vector<double> angles;  ///< degrees; at least one, at most 32767
  bool cyclic = false;         ///< what follows the last angle is the first one
  double length = 1;           ///< a whole number where lines are traced
  Lines lines = Lines::Invariant;
  bool fit = false;   ///< border fit (traced lines only), else neutral
  bool dark = false;  ///< closings instead of openings
  bool maps = true;   ///< false: only the sums are wanted
};

/// Sums are whole counts, so that they do not depend on the order of addition: of a value v, round((v - base) / step).
struct SweepScale {
  double base = 0;
  double step = 1;
};
/// Whole numbers count as they are; F32 from the lowest value, in steps of a power of two, fine enough that the largest
/// count of a sample is at least 2^30 and small enough that no sum overflows.
[[nodiscard]] SweepScale sweep_scale(const Context& context, const Image& image);

struct SweepResult {
  Image best;                        ///< supremum of the openings (infimum of the closings)
  Image worst;                       ///< infimum of the openings (supremum of the closings)
  Image twice;                       ///< U16: of the angles that reach the best twice_the_middle (TiedAngles)
  std::vector<std::int64_t> counts;  ///< of the opening (closing) at each angle, summed over the image
  std::int64_t image_count = 0;      ///< of the image
  SweepScale scale;
};

/// Neighbours among the angles that have one segment on an image: numbers, both inside.
struct AngleRun {
  std::size_t first = 0, last = 0;
};
/// Angles begin ... end - 1 of a task in such runs, rising.
[[nodiscard]] std::vector<AngleRun> runs_of_one_segment(const SweepTask& task, const Shape& shape, std::size_t begin,
                                                        std::size_t end);

/// Memory of the maps: the suprema of both halves of the angles and the infimum; for each sample the first and the last
/// angle in each half.
[[nodiscard]] inline std::int64_t bytes_of_maps(const Image& image) {
  return 3 * image.bytes() + 8 * image.shape().count();
}
/// And of one who makes openings and takes them into maps of its own.
[[nodiscard]] inline std::int64_t bytes_of_worker(const Image& image) { return 6 * image.bytes(); }

/// U8, U16, I16 and F32 images without NaN or infinities, slice by slice on volumes. Segments that neighbouring angles
/// share are done once. Throws as morphology().
/// What sweeps run on: the GPU only where it is asked for by name.
[[nodiscard]] inline Device sweep_device(const Context& context) {
  return context.device == Device::Cuda ? Device::Cuda : Device::Cpu;
}
[[nodiscard]] SweepResult sweep(const Context& context, const Image& image, const SweepTask& task);

// Which of the angles that tie stands for all of them.

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
