// Numbers that change speed and nothing else, and where they were measured.
#pragma once

#include <cstdint>

namespace tamis::granulometry_detail {

/// Measured on 2 cores of an AMD EPYC (Zen 4, 1 MiB L2 a core), 1024^3 foam; see README.md of this folder.
struct RecursionTuning {
  std::int64_t stages = 16;       ///< steps of the recursion in one pass over the volume
  std::int64_t strip_rows = 160;  ///< rows of a strip, whole blocks; what is in flight stays near the core
};

}  // namespace tamis::granulometry_detail
