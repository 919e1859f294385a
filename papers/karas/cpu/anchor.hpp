// Van Droogenbroeck and Buckley (2005): anchors are samples that the opening leaves alone. From one anchor to the next
// either nothing between is wide enough, or the lowest of a window slides along, kept in a histogram.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "papers/karas/cpu/job.hpp"

namespace tamis::karas::cpu {

class Anchor {
 public:
  void open(const LineJob<std::uint8_t>& job) {
    // Beyond the line nothing is lower.
    line_.assign(static_cast<std::size_t>(job.before + job.count + job.after), job.highest);
    std::copy(job.in, job.in + job.count, line_.begin() + job.before);
    count_ = static_cast<std::int64_t>(line_.size());
    length_ = job.length;
    if (count_ < length_) {
      std::fill(job.out, job.out + job.count, job.lowest);
      return;
    }
    std::int64_t anchor = slide(0);  // before the line lies what is lower than everything
    while (anchor < count_) anchor = next_anchor(anchor);
    std::copy_n(line_.begin() + job.before, job.count, job.out);
  }

 private:
  [[nodiscard]] std::uint8_t& at(std::int64_t i) { return line_[static_cast<std::size_t>(i)]; }

  /// From one anchor to another, all between opened in place.
  std::int64_t next_anchor(std::int64_t anchor) {
    const std::uint8_t low = at(anchor);
    if (anchor + 1 < count_ && at(anchor + 1) <= low) return anchor + 1;
    const std::int64_t last = std::min(anchor + length_, count_ - 1);
    for (std::int64_t i = anchor + 1; i <= last; ++i) {
      if (at(i) > low) continue;
      std::fill(line_.begin() + anchor + 1, line_.begin() + i, low);
      return i;
    }
    if (anchor + length_ < count_) return slide(anchor + 1);
    std::fill(line_.begin() + anchor + 1, line_.end(), low);
    return count_;
  }

  /// A window that begins at `first` slides until what comes is no higher than its lowest; that is an anchor.
  std::int64_t slide(std::int64_t first) {
    histogram_.fill(0);
    std::int64_t end = first + length_;
    for (std::int64_t i = first; i < end; ++i) ++histogram_[at(i)];
    std::uint8_t low = *std::min_element(line_.begin() + first, line_.begin() + end);
    for (; end < count_ && at(end) > low; ++end, ++first) {
      ++histogram_[at(end)];
      --histogram_[at(first)];
      at(first) = low;
      while (histogram_[low] == 0) ++low;
    }
    std::fill(line_.begin() + first, line_.begin() + end, low);
    return end;
  }

  std::vector<std::uint8_t> line_;
  std::array<std::int32_t, 256> histogram_{};
  std::int64_t count_ = 0;
  std::int64_t length_ = 1;
};

}  // namespace tamis::karas::cpu
