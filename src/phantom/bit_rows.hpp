// Runs of samples in a row of bits.
#pragma once

#include <bit>
#include <cstdint>

namespace tamis::phantom_detail {

/// Sets samples first .. last of a row; returns how many were not set before.
inline std::int64_t fill_run(std::uint64_t* row, std::int64_t first, std::int64_t last) {
  std::int64_t fresh = 0;
  for (std::int64_t w = first / 64; w <= last / 64; ++w) {
    std::uint64_t run = ~std::uint64_t{0};
    if (w == first / 64) run &= ~std::uint64_t{0} << (first % 64);
    if (w == last / 64) run &= ~std::uint64_t{0} >> (63 - last % 64);
    fresh += std::popcount(run & ~row[w]);
    row[w] |= run;
  }
  return fresh;
}

}  // namespace tamis::phantom_detail
