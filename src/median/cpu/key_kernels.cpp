#include "median/cpu/keys.hpp"

#include <bit>
#include <cstring>
#include <limits>

#include "core/cpu/simd.hpp"

#define HWY_TARGET_INCLUDE "median/cpu/key_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "median/cpu/network/vectors-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tamis::median_detail::cpu::HWY_NAMESPACE {
namespace {

/// Signed numbers, whose shifts spread the sign.
using Number = std::int32_t;
constexpr Number sign_bit = std::numeric_limits<Number>::min(), all_but_sign = std::numeric_limits<Number>::max();
constexpr int sign = 31;

/// All bits where floats are NaN, otherwise none.
template <class V>
HWY_INLINE V are_nan(V bits) {
  constexpr auto infinity = std::bit_cast<Number>(std::numeric_limits<float>::infinity());
  if constexpr (has_vectors) {
    return hn::VecFromMask(Tag<Number>(), hn::Gt(hn::And(bits, vector_of(all_but_sign)), vector_of(infinity)));
  } else {
    return (bits & all_but_sign) > infinity;
  }
}
template <class V>
HWY_INLINE V key_of_bits(V bits) {
  if constexpr (has_vectors) {
    return hn::Xor(bits, hn::Or(hn::ShiftRight<sign>(bits), vector_of(sign_bit)));
  } else {
    return bits ^ ((bits >> sign) | sign_bit);
  }
}
template <class V>
HWY_INLINE V bits_of_key(V key) {
  if constexpr (has_vectors) {
    return hn::Xor(key, hn::Or(hn::Not(hn::ShiftRight<sign>(key)), vector_of(sign_bit)));
  } else {
    return key ^ (~(key >> sign) | sign_bit);
  }
}
template <class V>
HWY_INLINE V either(V a, V b) {
  if constexpr (has_vectors) {
    return hn::Or(a, b);
  } else {
    return a | b;
  }
}

bool keys_of_samples(const float* samples, std::int64_t count, std::uint32_t* keys) {
  using V = Vector<Number>;
  const std::int64_t n = vector_lanes<Number>();
  V nan = vector_of<Number>(0);
  std::int64_t i = 0;
  for (; i + n <= count; i += n) {
    const V bits = load_vector(reinterpret_cast<const Number*>(samples + i));
    const V absent_here = are_nan(bits);
    nan = either(nan, absent_here);
    store_vector(either(key_of_bits(bits), absent_here), reinterpret_cast<Number*>(keys + i));
  }
  Number found[sizeof(V) / sizeof(Number)];
  store_vector(nan, found);
  Number any = 0;
  for (const Number lane : found) any |= lane;
  for (; i < count; ++i) {
    keys[i] = key_of(samples[i]);
    if (keys[i] == absent<std::uint32_t>) any = 1;
  }
  return any != 0;
}

void samples_of_keys(std::uint32_t* keys, std::int64_t count) {
  const std::int64_t n = vector_lanes<Number>();
  std::int64_t i = 0;
  for (; i + n <= count; i += n) {
    auto* const at = reinterpret_cast<Number*>(keys + i);
    store_vector(bits_of_key(load_vector<Number>(at)), at);
  }
  for (; i < count; ++i) {
    const auto sample = sample_of<float>(keys[i]);
    std::memcpy(keys + i, &sample, sizeof(sample));
  }
}

}  // namespace
}  // namespace tamis::median_detail::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tamis::median_detail::cpu {

bool keys_of_floats(Simd simd, const float* samples, std::int64_t count, std::uint32_t* keys) {
  return TAMIS_SIMD(simd, keys_of_samples)(samples, count, keys);
}
void floats_of_keys(Simd simd, std::uint32_t* keys, std::int64_t count) {
  TAMIS_SIMD(simd, samples_of_keys)(keys, count);
}

}  // namespace tamis::median_detail::cpu
#endif
