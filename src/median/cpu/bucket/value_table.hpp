// Sorting values of 16 bits by counting them.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

namespace tamis::median_detail::cpu {

/// Numbers from 0 for values in their order: first all are counted, then each takes the next number of its value.
/// `Number` has to have as many values as there are.
template <class Number>
class ValueTable {
 public:
  void clear() { numbers_.assign(std::size_t{std::numeric_limits<std::uint16_t>::max()} + 1, 0); }
  void count(const std::uint16_t* values, std::int64_t n) {
    Number* const numbers = numbers_.data();
    for (std::int64_t i = 0; i < n; ++i) ++numbers[values[i]];
  }
  /// From counts to first numbers, a word of them at a time: the product has the running sums.
  void number() {
    std::uint64_t before = 0;
    for (std::size_t i = 0; i < numbers_.size(); i += lanes) {
      std::uint64_t counts = 0;
      std::memcpy(&counts, &numbers_[i], sizeof(counts));
      const std::uint64_t up_to = counts * ones;
      const std::uint64_t first = up_to - counts + before * ones;
      std::memcpy(&numbers_[i], &first, sizeof(first));
      before += up_to >> (64 - bits);
    }
  }
  [[nodiscard]] Number* numbers() { return numbers_.data(); }

 private:
  static constexpr unsigned bits = 8 * sizeof(Number);
  static constexpr std::size_t lanes = 64 / bits;
  static_assert(std::endian::native == std::endian::little);  // the first count of a word is its lowest
  static constexpr std::uint64_t ones = std::numeric_limits<std::uint64_t>::max() / std::numeric_limits<Number>::max();

  std::vector<Number> numbers_;
};

}  // namespace tamis::median_detail::cpu
