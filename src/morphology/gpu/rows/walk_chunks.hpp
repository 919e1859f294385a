// How warps that walk down an image share its rows.
#pragma once

#include <algorithm>
#include <cstdint>

namespace tamis::morphology_detail::gpu {

/// How many rows of the result a warp makes, of `rows` in each of `columns`, where `resident` warps run at the same
/// time: a window of `height` rows wants long chunks, the device wants to be full until the end.
inline int chunk_rows(std::int64_t rows, int height, std::int64_t columns, std::int64_t resident) {
  constexpr std::int64_t start = 24;  // what a warp's first rows wait for, in rows
  constexpr std::int64_t most_turns = 8;
  std::int64_t best = rows;
  std::int64_t least = -1;
  for (std::int64_t turns = 1; turns <= most_turns; ++turns) {
    const std::int64_t chunks = std::clamp<std::int64_t>(turns * resident / columns, 1, rows);
    const std::int64_t chunk = (rows + chunks - 1) / chunks;
    const std::int64_t turns_taken = (columns * ((rows + chunk - 1) / chunk) + resident - 1) / resident;
    // Warps do not end together: half a turn more.
    const std::int64_t time = (2 * turns_taken + 1) * (chunk + height - 1 + start);
    if (least < 0 || time < least) {
      least = time;
      best = chunk;
    }
  }
  return static_cast<int>(best);
}

}  // namespace tamis::morphology_detail::gpu
