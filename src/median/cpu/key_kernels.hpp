// Floats to keys and back, on vectors: what is done to every sample before and after networks.
#pragma once

#include <cstdint>

#include <tamis/context.hpp>

namespace tamis::median_detail::cpu {

/// keys[i] = key_of(samples[i]). Whether there is NaN.
bool keys_of_floats(Simd simd, const float* samples, std::int64_t count, std::uint32_t* keys);
/// sample_of<float>() for each, where they lie.
void floats_of_keys(Simd simd, std::uint32_t* keys, std::int64_t count);

}  // namespace tamis::median_detail::cpu
