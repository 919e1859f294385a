// Samples as unsigned whole numbers of the same order and size, which is all that selection needs.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "core/bits/ordered_bits.hpp"

namespace tamis::median_detail::cpu {

template <class Sample>
using Key = std::conditional_t<sizeof(Sample) == 1, std::uint8_t,
                               std::conditional_t<sizeof(Sample) == 2, std::uint16_t, std::uint32_t>>;

/// What is not there (outside of a window that shrinks, NaN that is ignored) has the highest key: sorted after all that
/// is there, it leaves their ranks alone. No number of F32 has it.
template <class K>
inline constexpr K absent = std::numeric_limits<K>::max();

/// -0 is below +0; NaN is absent.
inline std::uint32_t key_of(float sample) {
  if (sample != sample) return absent<std::uint32_t>;
  return detail::ordered_key(sample);
}
inline std::uint16_t key_of(std::int16_t sample) { return static_cast<std::uint16_t>(sample ^ 0x8000); }
inline std::uint16_t key_of(std::uint16_t sample) { return sample; }
inline std::uint8_t key_of(std::uint8_t sample) { return sample; }

/// The other way; absent becomes a NaN.
template <class Sample>
Sample sample_of(Key<Sample> key) {
  if constexpr (sizeof(Sample) == 4) {
    return detail::float_of_key(key);
  } else {
    return static_cast<Sample>(key_of(static_cast<Sample>(key)));
  }
}

}  // namespace tamis::median_detail::cpu
