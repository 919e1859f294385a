// The granulometry of all traced lines in one pass. This header is what granulometry knows of lines.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include <tamis/context.hpp>
#include <tamis/image.hpp>

#include "core/stage.hpp"

namespace tamis::line_detail {

struct LineSpectrumTask {
  double angle = 0;       ///< degrees
  bool neutral = false;   ///< what lies beyond the ends of a line never erodes; else it is lower than everything
  bool mirrored = false;  ///< of closings, whose first step is a dilation: segments of even lengths lie the other way
  /// Values as whole numbers of at least 0, those of slice z to `out`.
  std::function<void(std::int64_t z, std::int64_t* out)> values;
  const Image* domain = nullptr;  ///< Bool, of the shape or one slice of it: lines end where it does; nothing: all
};

/// What is lost beyond each size, summed over the image: lost[n] is there in the opening by n samples and not in that
/// by n + 1. `never` is there in all of them: cords from end to end under a neutral border, and samples of value 0
/// count for nothing.
struct LineSpectrum {
  std::vector<std::int64_t> lost;
  std::int64_t never = 0;
};

/// Morard, Dokladal and Decenciere (2011): each cord, a longest stretch of samples no lower than a level, is kept by
/// the openings no longer than it. Time O(samples). Advances the stage by the samples.
[[nodiscard]] LineSpectrum line_spectrum(const Context& context, const Shape& shape, const LineSpectrumTask& task,
                                         Stage& stage);

}  // namespace tamis::line_detail
