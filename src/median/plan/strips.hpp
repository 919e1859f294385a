// Strips of rows that windows move down on the GPU: tall ones begin seldom, many of them fill the device.
#pragma once

#include <algorithm>
#include <cstdint>

namespace tamis::median_detail {

/// Rows of a strip. A strip begins with all samples of a window, and moves a row on by `changes` of them; `columns`
/// strips stand beside and behind each other.
[[nodiscard]] inline int strip_rows(std::int64_t ny, std::int64_t columns, std::int64_t samples, std::int64_t changes) {
  constexpr std::int64_t wanted = 6000;  // warps: three rounds of what an H200 holds
  constexpr std::int64_t least = 8, most = 2048;
  const std::int64_t strips = std::max<std::int64_t>(1, wanted / std::max<std::int64_t>(1, columns));
  // Where there are few columns strips get short, but not so short that beginning takes longer than moving.
  const std::int64_t worth = std::clamp(samples / std::max<std::int64_t>(1, changes), least, most);
  constexpr std::int64_t most_strips = 65535;  // of a launch
  const std::int64_t rows =
      std::max(std::clamp((ny + strips - 1) / strips, std::min(worth, ny), std::min(most, ny)), ny / most_strips + 1);
  const std::int64_t count = (ny + rows - 1) / rows;
  return static_cast<int>((ny + count - 1) / count);
}

}  // namespace tamis::median_detail
