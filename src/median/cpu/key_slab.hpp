// A part of an image as keys, with all that windows see around it: engines know no borders and no types.
#pragma once

#include <cstdint>

#include <tamis/context.hpp>
#include <tamis/image.hpp>

#include "core/memory.hpp"
#include "median/cpu/keys.hpp"
#include "median/plan/steps.hpp"

namespace tamis::median_detail::cpu {

/// Slices z0 ... z1-1, rows y0 ... y1-1, whole rows.
struct Band {
  std::int64_t z0 = 0, z1 = 1;
  std::int64_t y0 = 0, y1 = 1;
};

template <class K>
class KeySlab {
 public:
  /// Bytes before the first and behind the last key of a row that may be read; what is there does not matter.
  static constexpr std::int64_t slack_bytes = 64;

  /// Reads the band and what the step's window sees from it, in place of what was there before. Whether there is NaN.
  template <class Sample>
  bool fill(const Image& image, const RankStep& step, const Band& band, Simd simd = Simd::Best);

  /// Keys of a row, by the image's coordinates: [x] for x from window.low.x to nx + window.high.x - 1.
  [[nodiscard]] const K* row(std::int64_t z, std::int64_t y) const {
    return keys_ + ((z - z_) * ny_ + (y - y_)) * stride_ + first_;
  }
  /// Keys from a row to the next, from a slice to the next.
  [[nodiscard]] std::int64_t row_stride() const { return stride_; }
  [[nodiscard]] std::int64_t slice_stride() const { return stride_ * ny_; }

 private:
  std::int64_t z_ = 0, y_ = 0, ny_ = 0, stride_ = 0, first_ = 0;
  K* keys_ = nullptr;
  Buffer<K> memory_;
};

}  // namespace tamis::median_detail::cpu
