// Squares as samples of a map, by a table where squares have 16 bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <tamis/balls.hpp>

namespace tamis::granulometry_detail {

/// The largest number in a map of sizes: what survives the last row is of one more than its size, as there is a limit or
/// it never erodes.
[[nodiscard]] std::int64_t largest_size(const BallSizes& sizes);

/// The sample of every square that 16 bits hold.
[[nodiscard]] std::vector<std::byte> measure_table(const BallSizes& sizes, BallMeasure measure);

/// measure_balls() of many samples.
class Measuring {
 public:
  Measuring(const BallSizes& sizes, BallMeasure measure, Type squares);
  /// May be called by several threads.
  void run(const std::byte* squares, std::int64_t count, std::byte* samples) const;

 private:
  const BallSizes& sizes_;
  BallMeasure measure_;
  Type squares_;
  std::vector<std::byte> table_;  ///< empty where squares are wider
};

}  // namespace tamis::granulometry_detail
