// A part of a packed image with all that windows see around it.
#pragma once

#include <cstdint>
#include <vector>

#include <tamis/image.hpp>

#include "median/cpu/bits/kernels.hpp"
#include "median/cpu/key_slab.hpp"

namespace tamis::median_detail::cpu {

class BitSlab {
 public:
  /// Reads the band and what the step's window sees from it. Neutral shows zeros outside.
  void fill(const Image& image, const RankStep& step, const Band& band);

  /// The samples of a row from x on, x from window.low.x. Two blocks of words past the last may be read.
  [[nodiscard]] BitRow row(std::int64_t z, std::int64_t y, std::int64_t x) const {
    const std::int64_t bit = x - low_;
    return {words_.data() + ((z - z_) * ny_ + (y - y_)) * stride_ + bit / 64, static_cast<int>(bit % 64)};
  }

 private:
  std::int64_t z_ = 0, y_ = 0, ny_ = 0, stride_ = 0, low_ = 0;
  std::vector<std::uint64_t> words_;
};

}  // namespace tamis::median_detail::cpu
