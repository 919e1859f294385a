#include "core/cpu/simd.hpp"

#include <string>

#include <tamis/error.hpp>

namespace tamis {
namespace {

#if defined(__x86_64__)
constexpr std::int64_t avx512 = HWY_AVX3 | HWY_AVX3_DL;
constexpr std::int64_t avx2 = HWY_AVX2;
#else
constexpr std::int64_t avx512 = 0;
constexpr std::int64_t avx2 = 0;
#endif

/// Asked once: in a virtual machine every question to the processor is a trip to the host.
std::int64_t supported() {
  static const std::int64_t targets = hwy::SupportedTargets();
  return targets;
}

std::int64_t require(std::int64_t targets, const char* name) {
  const std::int64_t usable = supported() & targets;
  if (usable == 0) throw ResourceError(std::string("this machine has no ") + name);
  return usable;
}

}  // namespace

std::int64_t simd_targets(Simd simd) {
  switch (simd) {
    case Simd::Best:
      return supported();
    case Simd::Avx512:
      return require(avx512, "AVX-512");
    case Simd::Avx2:
      return require(avx2, "AVX2");
    case Simd::Portable:
      return 0;
  }
  return 0;
}

const char* simd_name(Simd simd) {
  const std::int64_t targets = simd_targets(simd);
#if defined(__x86_64__)
  if (targets & avx512) return "AVX-512";
  if (targets & avx2) return "AVX2";
#elif defined(__aarch64__)
  if (targets & HWY_NEON) return "NEON";
#endif
  return "portable";
}

}  // namespace tamis
