// Van Herk (1992), Gil and Werman (1993), one line after the other: an erosion and a dilation from running extrema of
// blocks as long as the segment. The class of Clienti's algorithm, the paper's fourth.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "papers/karas/cpu/job.hpp"

namespace tamis::karas::cpu {

template <class Lane>
class VanHerk {
 public:
  void open(const LineJob<Lane>& job) {
    // Segments start at samples -before ... count + after - length; beyond the line nothing is lower.
    const std::int64_t starts = job.count + job.before + job.after - job.length + 1;
    if (starts <= 0) {
      std::fill(job.out, job.out + job.count, job.lowest);
      return;
    }
    padded_.assign(static_cast<std::size_t>(starts + job.length - 1), job.highest);
    std::copy(job.in, job.in + job.count, padded_.begin() + job.before);
    eroded_.resize(static_cast<std::size_t>(starts));
    run(job.length, eroded_, [](Lane a, Lane b) { return std::min(a, b); });
    // A sample is the highest of the segments that hold it.
    padded_.assign(static_cast<std::size_t>(job.before + job.count + job.after + job.length - 1), job.lowest);
    std::copy(eroded_.begin(), eroded_.end(), padded_.begin() + job.length - 1);
    opened_.resize(static_cast<std::size_t>(job.before + job.count + job.after));
    run(job.length, opened_, [](Lane a, Lane b) { return std::max(a, b); });
    std::copy_n(opened_.begin() + job.before, job.count, job.out);
  }

 private:
  /// results[i]: extremum of padded_[i ... i + length - 1].
  template <class Extremum>
  void run(std::int64_t length, std::vector<Lane>& results, Extremum extremum) {
    suffix_ = padded_;
    const auto total = static_cast<std::int64_t>(padded_.size());
    const auto at = [](std::vector<Lane>& values, std::int64_t i) -> Lane& {
      return values[static_cast<std::size_t>(i)];
    };
    for (std::int64_t block = 0; block < total; block += length) {
      const std::int64_t end = std::min(block + length, total);
      for (std::int64_t i = end - 2; i >= block; --i) at(suffix_, i) = extremum(at(suffix_, i), at(suffix_, i + 1));
      for (std::int64_t i = block + 1; i < end; ++i) at(padded_, i) = extremum(at(padded_, i - 1), at(padded_, i));
    }
    const auto count = static_cast<std::int64_t>(results.size());
    for (std::int64_t i = 0; i < count; ++i) at(results, i) = extremum(at(suffix_, i), at(padded_, i + length - 1));
  }

  std::vector<Lane> padded_;  ///< then prefixes
  std::vector<Lane> suffix_;
  std::vector<Lane> eroded_;
  std::vector<Lane> opened_;
};

}  // namespace tamis::karas::cpu
