// median/cpu/keys.hpp in kernels, in words of 32 bits.
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/bits/ordered_bits.hpp"

namespace tamis::median_detail::gpu {

/// What has no sample, or NaN. It is above the keys of all samples of all types.
inline constexpr std::uint32_t absent_key = 0xFFFFFFFFU;

template <class Sample>
__device__ __forceinline__ std::uint32_t key_of(Sample sample) {
  if constexpr (std::is_same_v<Sample, float>) {
    return sample != sample ? absent_key : detail::ordered_key(sample);
  } else if constexpr (std::is_same_v<Sample, std::int16_t>) {
    return static_cast<std::uint16_t>(sample ^ 0x8000);
  } else {
    return sample;
  }
}

template <class Sample>
__device__ __forceinline__ Sample sample_of(std::uint32_t key) {
  if constexpr (std::is_same_v<Sample, float>) {
    return detail::float_of_key(key);
  } else if constexpr (std::is_same_v<Sample, std::int16_t>) {
    return static_cast<std::int16_t>(key ^ 0x8000U);
  } else {
    return static_cast<Sample>(key);
  }
}

}  // namespace tamis::median_detail::gpu
