// Samples to lanes and back. An F32 becomes the whole number that its bits are, with those of negative numbers turned
// round: the order is then that of the numbers, -0 below +0, and extrema do not depend on the order in which they are
// taken.
#pragma once

#include <cstdint>

#include <tamis/context.hpp>

namespace tamis::morphology_detail::cpu {

inline constexpr std::int32_t key_of_infinity = 0x7f800000;
inline constexpr std::int32_t key_of_minus_infinity = -0x7f800001;

struct SampleKernels {
  /// Keys of `count` samples; NaN becomes `stand_in`. Returns whether there was one.
  bool (*keys)(const float* in, std::int64_t count, std::int32_t stand_in, std::int32_t* out);
  void (*floats)(const std::int32_t* in, std::int64_t count, float* out);
  /// The same, and a copy of bytes, past the caches: results that are larger than these need not be read before they
  /// are written. finish_streams() comes before another thread may read them.
  void (*stream_floats)(const std::int32_t* in, std::int64_t count, float* out);
  void (*stream_bytes)(const std::uint8_t* in, std::int64_t count, std::uint8_t* out);
  void (*finish_streams)();
};

[[nodiscard]] SampleKernels sample_kernels(Simd simd);

}  // namespace tamis::morphology_detail::cpu
