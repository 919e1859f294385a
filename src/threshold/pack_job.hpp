// What is asked of those who turn samples into packed bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include <tamis/image.hpp>

namespace tamis::threshold_detail {

/// Between: bright is low <= sample <= high; NaN is odd. OneOf: bright is sample == high; anything else than low or
/// high is odd.
enum class Rule : std::uint8_t { Between, OneOf };

/// Rows of one slice and where their bits go.
struct PackJob {
  Type type = Type::U8;
  const std::byte* samples = nullptr;
  std::int64_t row_stride = 0;  ///< bytes
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::uint64_t* bits = nullptr;          ///< null: the samples are only checked
  const std::uint64_t* domain = nullptr;  ///< null: all samples count; same number of words per row as `bits`
  Rule rule = Rule::Between;
  bool complement = false;  ///< the object is what is not bright
  std::uint64_t low = 0;    ///< samples of `type`, as bit patterns: see sample_bits()
  std::uint64_t high = 0;
};

/// A sample as the bit pattern a PackJob carries, and back.
template <class T>
std::uint64_t sample_bits(T sample) {
  std::uint64_t pattern = 0;
  std::memcpy(&pattern, &sample, sizeof sample);
  return pattern;
}
template <class T>
T sample_of(std::uint64_t pattern) {
  T sample;
  std::memcpy(&sample, &pattern, sizeof sample);
  return sample;
}

}  // namespace tamis::threshold_detail
