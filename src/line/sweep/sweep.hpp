// Openings (closings) of one image by segments at many angles, and what is left of them: no image is kept per angle.
#pragma once

#include <cstdint>
#include <vector>

#include <tamis/context.hpp>
#include <tamis/image.hpp>
#include <tamis/morphology.hpp>

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

}  // namespace tamis::line_detail
