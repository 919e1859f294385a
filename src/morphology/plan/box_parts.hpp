// A window on the GPU as several smaller ones, each of which a walk takes at once.
#pragma once

#include <cstdint>
#include <vector>

namespace tamis::morphology_detail {

/// Samples low_x .. high_x, low_y .. high_y from each one on.
struct BoxWindow {
  std::int64_t low_x = 0, high_x = 0, low_y = 0, high_y = 0;

  [[nodiscard]] std::int64_t width() const { return high_x - low_x + 1; }
  [[nodiscard]] std::int64_t height() const { return high_y - low_y + 1; }
  [[nodiscard]] bool moves_rows() const { return low_y != 0 || high_y != 0; }
};

/// Rows begin ... end-1 of an image lie in memory, the first one at its beginning.
struct RowRange {
  std::int64_t begin = 0, end = 0;
};

/// The limits of one walk: rows that shared memory holds for enough warps, and a halo that leaves most of a strip.
struct BoxLimits {
  static constexpr std::int64_t tallest = 48;
  static constexpr std::int64_t widest_bytes = 200;         ///< with other rows
  static constexpr std::int64_t widest_alone_bytes = 1536;  ///< of one row
};

/// One walk, on the result of the one before.
struct BoxPart {
  BoxWindow window;
  int stride = 1;  ///< rows low_y, low_y + stride .. high_y only
  RowRange write;
  bool border_is_done = false;  ///< all rows it asks for were made by the part before
};

/// Windows whose sum is the whole, for an image of `rows` rows with samples of `sample` bytes. One that is wider than
/// a walk takes has to hold the origin.
[[nodiscard]] std::vector<BoxPart> parts_of(const BoxWindow& window, std::int64_t rows, std::int64_t sample);

}  // namespace tamis::morphology_detail
