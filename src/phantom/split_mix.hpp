// SplitMix64 (Steele, Lea and Flood 2014): integers that are the same on every machine, unlike std:: distributions.
#pragma once

#include <cstdint>

namespace tamis::phantom_detail {

class SplitMix {
 public:
  explicit SplitMix(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15U;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }

  /// Uniform in first .. last, both included.
  std::int64_t between(std::int64_t first, std::int64_t last) {
    const std::uint64_t n = static_cast<std::uint64_t>(last - first) + 1;
    // The lowest 2^64 mod n numbers are left out, so that every remainder is equally frequent.
    const std::uint64_t uneven = (0 - n) % n;
    std::uint64_t draw = next();
    while (draw < uneven) draw = next();
    return first + static_cast<std::int64_t>(draw % n);
  }

 private:
  std::uint64_t state_;
};

}  // namespace tamis::phantom_detail
