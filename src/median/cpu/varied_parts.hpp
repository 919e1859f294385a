// Where in a band the wanted rank is not the step's: near borders where windows shrink, and around NaN.
#pragma once

#include <cstdint>
#include <vector>

#include "median/cpu/key_slab.hpp"

namespace tamis::median_detail::cpu {

/// Some rows and columns of a slice.
struct BandPart {
  Band band;
  std::int64_t x0 = 0, x1 = 0;
  [[nodiscard]] std::int64_t count() const { return (band.y1 - band.y0) * (x1 - x0); }
};

/// `ranks` as BandTask has them. Cells of a few rows and columns, neighbours in a row of cells as one part,
/// without columns at its ends where nothing varies.
[[nodiscard]] std::vector<BandPart> varied_parts(const std::int32_t* ranks, const Band& band, std::int64_t nx,
                                                 std::int64_t rank);

}  // namespace tamis::median_detail::cpu
