// Numbers of a case, all from one seed, so that the seed repeats the case.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <iterator>

namespace tamis::gpu_fuzz {

/// SplitMix64 (Steele, Lea, Flood 2014).
[[nodiscard]] inline std::uint64_t mixed(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15U;
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9U;
  x = (x ^ x >> 27) * 0x94D049BB133111EBU;
  return x ^ x >> 31;
}

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() { return mixed(state_ += 0x9E3779B97F4A7C15U); }
  /// 0 ... n-1.
  std::int64_t below(std::int64_t n) { return static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(n)); }
  /// Both inside.
  std::int64_t between(std::int64_t low, std::int64_t high) { return low + below(high - low + 1); }
  bool one_in(std::int64_t n) { return below(n) == 0; }
  double real(double low, double high) {
    return low + (high - low) * static_cast<double>(next() >> 11) / static_cast<double>(std::uint64_t{1} << 53);
  }
  template <class T>
  T pick(std::initializer_list<T> values) {
    return *(values.begin() + below(static_cast<std::int64_t>(values.size())));
  }

  /// 1 ... most, mostly at the limits of words, planes, passes and tiles.
  std::int64_t extent(std::int64_t most) {
    static constexpr std::int64_t limits[] = {
        1,   2,   3,   4,    5,    7,    8,    9,    15,   16,   17,   23,   24,   25,   26,  27,  31,
        32,  33,  47,  48,   49,   55,   56,   57,   61,   62,   63,   64,   65,   66,   95,  96,  97,
        111, 112, 113, 126,  127,  128,  129,  130,  191,  192,  193,  253,  254,  255,  256, 257, 258,
        511, 512, 513, 1023, 1024, 1025, 2047, 2048, 2049, 4095, 4096, 4097, 8191, 8192, 8193};
    if (most < 1) return 1;
    if (one_in(5)) return between(1, std::min<std::int64_t>(most, 300));
    const auto* const end = std::upper_bound(std::begin(limits), std::end(limits), most);
    return limits[below(end - std::begin(limits))];
  }

 private:
  std::uint64_t state_;
};

}  // namespace tamis::gpu_fuzz
