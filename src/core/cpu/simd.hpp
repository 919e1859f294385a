// Which instruction set a call uses. A file with kernels includes, after HWY_TARGET_INCLUDE, this and then
// <hwy/foreach_target.h>, <hwy/highway.h>; it writes its kernels once, between HWY_BEFORE_NAMESPACE and
// HWY_AFTER_NAMESPACE, exports them with HWY_EXPORT and calls them with TAMIS_SIMD(context.simd, kernel)(...).
// The choice travels in the context, so nothing global is set.
#pragma once

// AVX-512, AVX2 and the portable form are what we build and test; SSE targets are left out.
#ifndef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4)
#endif

#include <cstddef>
#include <cstdint>

#include <hwy/targets.h>
#include <tamis/context.hpp>

namespace tamis {

/// Highway's mask of the targets `simd` allows on this machine. Throws ResourceError if the machine lacks it.
std::int64_t simd_targets(Simd simd);
/// "AVX-512", "AVX2", "NEON", "portable": what `simd` comes to on this machine.
const char* simd_name(Simd simd);

// The index into a table of kernels depends on the targets a translation unit is compiled for: hence static.
[[maybe_unused]] static inline std::size_t simd_index(std::int64_t targets) {
  hwy::ChosenTarget chosen;
  chosen.Update(targets);
  return chosen.GetIndex();
}

}  // namespace tamis

#define TAMIS_SIMD(simd, kernel) (*HWY_DISPATCH_TABLE(kernel)[::tamis::simd_index(::tamis::simd_targets(simd))])

/// Lists of types, for functions of each: Do(type, the end of its functions' names). Samples of filters; lanes that order
/// them, where keys of floats are int32_t; counts.
#define TAMIS_EACH_SAMPLE(Do) Do(std::uint8_t, u8) Do(std::uint16_t, u16) Do(std::int16_t, i16) Do(float, f32)
#define TAMIS_EACH_LANE(Do) Do(std::uint8_t, u8) Do(std::uint16_t, u16) Do(std::int16_t, i16) Do(std::int32_t, i32)
#define TAMIS_EACH_COUNT(Do) Do(std::uint8_t, u8) Do(std::uint16_t, u16) Do(std::uint32_t, u32)
