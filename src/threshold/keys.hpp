// Samples as unsigned numbers of the same order, their keys: every type is counted by one piece of arithmetic, and what
// is added up is whole numbers, so that the order of samples, slabs and devices cannot matter.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <variant>

#ifdef __CUDACC__
#define TAMIS_ANY_DEVICE __host__ __device__
#else
#define TAMIS_ANY_DEVICE
#endif

namespace tamis::threshold_detail {

template <class T>
using KeyOf = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

/// Of samples of 4 and 8 bytes. NaN lies beyond the infinities; both zeros have one key.
template <class T>
TAMIS_ANY_DEVICE inline KeyOf<T> key_of(T sample) {
  using Key = KeyOf<T>;
  constexpr Key sign = Key{1} << (8 * sizeof(T) - 1);
  if constexpr (std::is_unsigned_v<T>) {
    return sample;
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<Key>(sample) ^ sign;
  } else {
    const T one_zero = sample + T{0};  // -0 becomes 0
    Key bits;
    memcpy(&bits, &one_zero, sizeof bits);
    return bits & sign ? ~bits : bits | sign;
  }
}

template <class T>
T sample_of_key(std::uint64_t key) {
  using Key = KeyOf<T>;
  constexpr Key sign = Key{1} << (8 * sizeof(T) - 1);
  auto bits = static_cast<Key>(key);
  if constexpr (!std::is_integral_v<T>) {
    bits = bits & sign ? bits ^ sign : ~bits;
  } else if constexpr (std::is_signed_v<T>) {
    bits ^= sign;
  }
  T sample;
  std::memcpy(&sample, &bits, sizeof sample);
  return sample;
}

/// Whether it has no digits behind the point. Not asked of NaN and infinities.
template <class T>
TAMIS_ANY_DEVICE inline bool is_whole(T sample) {
  if constexpr (std::is_integral_v<T>) {
    return true;
  } else {
    // From here on floats have none.
    constexpr T far = sizeof(T) == 4 ? T(1 << 23) : T(std::int64_t{1} << 52);
    const bool near = sample > -far && sample < far;
    using Whole = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;
    const T part = near ? sample : T{0};
    return static_cast<T>(static_cast<Whole>(part)) == part;
  }
}

/// The least and the largest key of samples, which exist, and whether all samples are whole numbers.
struct KeyRange {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  bool whole = true;
};

/// Keys first .. last in cells of 2^shift keys each, whose ends are multiples of that.
struct CellRule {
  static constexpr std::int64_t most_cells = 4096;
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  int shift = 0;

  [[nodiscard]] TAMIS_ANY_DEVICE std::int64_t cells() const {
    return static_cast<std::int64_t>((last >> shift) - (first >> shift)) + 1;
  }
  /// As many cells as there can be.
  static CellRule over(std::uint64_t low, std::uint64_t high) {
    CellRule rule;
    while ((high >> rule.shift) - (low >> rule.shift) >= most_cells) ++rule.shift;
    rule.first = low >> rule.shift << rule.shift;
    rule.last = high | ((std::uint64_t{1} << rule.shift) - 1);
    return rule;
  }
};

/// Samples of a cell, and the sum of their keys less the cell's first, which is low + 2^24 high: so sums stay within 64
/// bits.
struct CellCount {
  static constexpr int low_bits = 24;
  std::uint64_t count = 0;
  std::uint64_t low = 0;
  std::uint64_t high = 0;
};

/// `size` bins. A sample's number, for integers of 64 bits less that of the key `origin`, times `unit`, a power of two,
/// lies at or above start + bin, which is a whole number. What lies outside goes to the first and to the last bin.
struct BinRule {
  static constexpr int most_bins = 65536;
  double unit = 1;
  double start = 0;
  std::uint64_t origin = 0;
  int size = most_bins;

  template <class T>
  TAMIS_ANY_DEVICE unsigned operator()(T sample) const {
    double number = 0;
    if constexpr (std::is_integral_v<T> && sizeof(T) == 8) {
      number = static_cast<double>(static_cast<T>(key_of(sample) - origin));
    } else {
      number = static_cast<double>(sample);
    }
    const double exact = number * unit;
    double place = exact - start;
    place = place > 0 ? place : 0;
    place = place < size - 1 ? place : size - 1;
    // The difference may have been rounded up to the next bin. No branch: beside an outlier samples are in bins 0 and 1.
    const int bin = static_cast<int>(place);
    return static_cast<unsigned>(bin - (static_cast<int>(bin > 0) & static_cast<int>(bin + start > exact)));
  }
};

/// Asks for three numbers that the parts of an image make grow: the largest key, that of all keys with their bits
/// turned round, and 1 if there are samples that are no whole numbers.
struct RangeRule {};

/// What a pass is to count of samples of 4 and 8 bytes. But for ranges the numbers of parts are added. Cells are three
/// numbers each, those of CellCount.
using Question = std::variant<RangeRule, CellRule, BinRule>;

[[nodiscard]] inline std::int64_t numbers_of(const Question& question) {
  if (const auto* const cells = std::get_if<CellRule>(&question)) return 3 * cells->cells();
  if (const auto* const bins = std::get_if<BinRule>(&question)) return bins->size;
  return 3;
}

}  // namespace tamis::threshold_detail
