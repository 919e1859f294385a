// Numbers that change speed and nothing else, and where they were measured.
#pragma once

#include <algorithm>
#include <cstdint>

namespace tamis::granulometry_detail {

/// Measured on 2 cores of an AMD EPYC (Zen 4, 1 MiB L2 a core), 1024^3 foam; see NOTES.md of this folder.
struct RecursionTuning {
  std::int64_t stages = 16;       ///< steps of the recursion in one pass over the volume
  std::int64_t strip_rows = 160;  ///< rows of a strip, whole blocks; what is in flight stays near the core
};

/// Strips are what threads share: where the usual ones would be fewer than two a thread they get lower, and with them
/// the passes shorter. At 256^3 on 2 cores that is worth a third of the time.
inline RecursionTuning recursion_tuning(std::int64_t rows, std::int64_t threads) {
  const RecursionTuning usual;
  if (rows >= 2 * threads * usual.strip_rows) return usual;
  return {8, std::max<std::int64_t>(72, (rows / (2 * threads) + 7) / 8 * 8)};
}

}  // namespace tamis::granulometry_detail
