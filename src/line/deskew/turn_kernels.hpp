// Samples of a turned image by vectors.
#pragma once

#include <cstdint>

#include <tamis/context.hpp>

namespace tamis::line_detail {

/// Places count 2^-32 of a sample.
inline constexpr int place_bits = 32;

/// Results side by side, each the cubic interpolation of the 16 samples about its place in the source.
template <class Sample>
struct TurnedRow {
  const Sample* samples = nullptr;  ///< of the source's slice
  std::int64_t stride = 0;          ///< from a row to the next
  std::int64_t x = 0, y = 0;  ///< the place of the first result
  std::int64_t step_x = 0, step_y = 0;
  std::int64_t count = 0;
  Sample* out = nullptr;
};

/// Makes as many of the results as vectors hold and says how many; all samples that they are made of lie in the source.
template <class Sample>
using TurnKernel = std::int64_t (*)(const TurnedRow<Sample>& row);

/// U8, U16, I16 and F32.
template <class Sample>
[[nodiscard]] TurnKernel<Sample> turn_kernel(Simd simd);

}  // namespace tamis::line_detail
