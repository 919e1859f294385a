// Where the samples of one traced line lie in a slice, and samples as ordered whole numbers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include <tamis/image.hpp>

#include "core/bits/ordered_bits.hpp"
#include "line/traced/lane.hpp"
#include "line/traced/lines.hpp"

namespace tamis::line_detail {

template <class Sample>
LaneOf<Sample> key_of(Sample sample) {
  if constexpr (std::is_same_v<Sample, float>) {
    return detail::ordered_bits(sample);
  } else {
    return sample;
  }
}
template <class Sample>
Sample sample_of(LaneOf<Sample> key) {
  if constexpr (std::is_same_v<Sample, float>) {
    return detail::float_of_ordered(key);
  } else {
    return key;
  }
}

/// Samples of line c, in order.
class LineIndices {
 public:
  LineIndices(const TracedLines& lines, const Shape& shape, std::int64_t c)
      : lines_(lines), width_(shape.x), across_(lines.steep ? shape.x : shape.y), line_(c) {
    end_ = static_cast<std::int64_t>(lines.shift.size());
    while (first_ < end_ && !is_inside(first_)) ++first_;
    while (end_ > first_ && !is_inside(end_ - 1)) --end_;
  }

  [[nodiscard]] std::int64_t count() const { return end_ - first_; }
  /// Calls call(i, samples from the start of the slice) for i = 0 ... count() - 1.
  template <class Call>
  void for_each(Call call) const {
    const std::int32_t* const shift = lines_.shift.data();
    for (std::int64_t k = first_; k < end_; ++k) {
      const std::int64_t other = line_ - shift[k];
      call(k - first_, lines_.steep ? k * width_ + other : other * width_ + k);
    }
  }

 private:
  [[nodiscard]] bool is_inside(std::int64_t k) const {
    const std::int64_t other = line_ - lines_.shift[static_cast<std::size_t>(k)];
    return other >= 0 && other < across_;
  }

  const TracedLines& lines_;
  std::int64_t width_;
  std::int64_t across_;
  std::int64_t line_;
  std::int64_t first_ = 0;
  std::int64_t end_ = 0;
};

}  // namespace tamis::line_detail
