// Which instruction set a call uses. A file with kernels includes, after HWY_TARGET_INCLUDE, this and then
// <hwy/foreach_target.h>, <hwy/highway.h>; it writes its kernels once, between HWY_BEFORE_NAMESPACE and
// HWY_AFTER_NAMESPACE, and calls them, where HWY_ONCE, with TAMIS_SIMD(context.simd, kernel)(...).
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

/// What `simd` comes to of a function that each instruction set has, or of an instance of its template: name<T>. Several
/// kernels are chosen together by a function that returns pointers to them.
#define TAMIS_SIMD(simd, kernel)                                               \
  ([](std::size_t chosen) {                                                    \
    static constexpr decltype(&HWY_STATIC_DISPATCH(kernel)) kernels[] = {      \
        nullptr, HWY_CHOOSE_TARGET_LIST(kernel), HWY_CHOOSE_FALLBACK(kernel)}; \
    return kernels[chosen];                                                    \
  }(::tamis::simd_index(::tamis::simd_targets(simd))))

/// Lists of types, for Do(type) of each. Samples of filters; lanes that order them, where keys of floats are int32_t;
/// counts.
#define TAMIS_EACH_SAMPLE(Do) Do(std::uint8_t) Do(std::uint16_t) Do(std::int16_t) Do(float)
#define TAMIS_EACH_LANE(Do) Do(std::uint8_t) Do(std::uint16_t) Do(std::int16_t) Do(std::int32_t)
#define TAMIS_EACH_COUNT(Do) Do(std::uint8_t) Do(std::uint16_t) Do(std::uint32_t)
