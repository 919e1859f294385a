#include "morphology/cpu/tile/sample_lanes.hpp"

#include <algorithm>
#include <bit>

#include <hwy/cache_control.h>

#include "core/bits/ordered_bits.hpp"
#include "core/cpu/simd.hpp"

#define HWY_TARGET_INCLUDE "morphology/cpu/tile/sample_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "core/cpu/ordered_bits-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tamis::morphology_detail::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

bool keys(const float* in, std::int64_t count, std::int32_t stand_in, std::int32_t* out) {
  const hn::ScalableTag<std::int32_t> d;
  const hn::Rebind<float, decltype(d)> of;
  const auto n = static_cast<std::int64_t>(hn::Lanes(d));
  const auto magnitude = hn::Set(d, 0x7fffffff);
  const auto infinity = hn::Set(d, key_of_infinity);
  const auto instead = hn::Set(d, stand_in);
  auto largest = hn::Zero(d);
  std::int64_t i = 0;
  for (; i + n <= count; i += n) {
    const auto bits = hn::BitCast(d, hn::LoadU(of, in + i));
    const auto size = hn::And(bits, magnitude);
    largest = hn::Max(largest, size);
    hn::StoreU(hn::IfThenElse(hn::Gt(size, infinity), instead, detail::HWY_NAMESPACE::ordered(d, bits)), d, out + i);
  }
  bool found = hn::GetLane(hn::MaxOfLanes(d, largest)) > key_of_infinity;
  for (; i < count; ++i) {
    const auto bits = std::bit_cast<std::int32_t>(in[i]);
    const bool nan = (bits & 0x7fffffff) > key_of_infinity;
    found = found || nan;
    out[i] = nan ? stand_in : detail::ordered(bits);
  }
  return found;
}

void floats(const std::int32_t* in, std::int64_t count, float* out) {
  const hn::ScalableTag<std::int32_t> d;
  const hn::Rebind<float, decltype(d)> of;
  const auto n = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t i = 0;
  for (; i + n <= count; i += n) hn::StoreU(hn::BitCast(of, detail::HWY_NAMESPACE::ordered(d, hn::LoadU(d, in + i))), of, out + i);
  for (; i < count; ++i) out[i] = detail::float_of_ordered(in[i]);
}

/// Lanes before `out` is at a vector.
template <class D, class T>
HWY_INLINE std::int64_t unaligned_lanes(D d, const T* out, std::int64_t count) {
  const auto bytes = static_cast<std::uintptr_t>(hn::Lanes(d) * sizeof(T));
  const std::uintptr_t over = reinterpret_cast<std::uintptr_t>(out) % bytes;
  return over == 0 ? 0 : std::min(count, static_cast<std::int64_t>((bytes - over) / sizeof(T)));
}

void stream_floats(const std::int32_t* in, std::int64_t count, float* out) {
  const hn::ScalableTag<std::int32_t> d;
  const hn::Rebind<float, decltype(d)> of;
  const auto n = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t i = unaligned_lanes(d, out, count);
  floats(in, i, out);
  for (; i + n <= count; i += n) hn::Stream(hn::BitCast(of, detail::HWY_NAMESPACE::ordered(d, hn::LoadU(d, in + i))), of, out + i);
  floats(in + i, count - i, out + i);
}

void stream_bytes(const std::uint8_t* in, std::int64_t count, std::uint8_t* out) {
  const hn::ScalableTag<std::uint8_t> d;
  const auto n = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t i = unaligned_lanes(d, out, count);
  std::copy_n(in, i, out);
  for (; i + n <= count; i += n) hn::Stream(hn::LoadU(d, in + i), d, out + i);
  std::copy_n(in + i, count - i, out + i);
}

void finish_streams() { hwy::FlushStream(); }

}  // namespace
}  // namespace tamis::morphology_detail::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tamis::morphology_detail::cpu {

SampleKernels sample_kernels(Simd simd) {
  return {TAMIS_SIMD(simd, keys), TAMIS_SIMD(simd, floats), TAMIS_SIMD(simd, stream_floats),
          TAMIS_SIMD(simd, stream_bytes), TAMIS_SIMD(simd, finish_streams)};
}

}  // namespace tamis::morphology_detail::cpu
#endif
