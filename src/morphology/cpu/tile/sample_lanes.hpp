// What a lane is for each sample type, how rows become lanes and back, and differences of rows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include <tamis/context.hpp>
#include <tamis/image.hpp>

#include "core/bits/ordered_bits.hpp"
#include "core/visit_type.hpp"
#include "morphology/plan/steps.hpp"

namespace tamis::morphology_detail::cpu {

// Samples to lanes and back. An F32 becomes the whole number that its bits are, with those of negative numbers turned
// round: the order is then that of the numbers, -0 below +0, and extrema do not depend on the order in which they are
// taken.

inline constexpr std::int32_t key_of_infinity = 0x7f800000;

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

/// Sample: what lies in the image (64-bit words of a Bool image); Lane: what is computed with (LaneOf).
template <class Lane>
inline constexpr std::int64_t samples_a_lane = std::is_same_v<Lane, std::uint64_t> ? 64 : 1;

/// Calls function(Sample{}) for a type that filters take; bits come in words.
template <class Function>
decltype(auto) visit_sample(Type type, Function&& function) {
  if (type == Type::Bool) return function(std::uint64_t{});
  return visit_filter_type(type, function);
}

/// What an extremum over nothing is.
template <class Sample>
LaneOf<Sample> neutral_lane(Order order) {
  return order == Order::Min ? highest_lane<Sample>() : lowest_lane<Sample>();
}

/// A value that the type has.
template <class Sample>
LaneOf<Sample> lane_of(double value) {
  if constexpr (std::is_same_v<Sample, float>) {
    return detail::ordered_bits(static_cast<float>(value));
  } else if constexpr (std::is_same_v<Sample, std::uint64_t>) {
    return value != 0 ? ~Sample{0} : 0;
  } else {
    return static_cast<Sample>(value);
  }
}

/// a - b, saturated; of bits a and not b.
template <class Sample>
Sample difference(Sample a, Sample b) {
  if constexpr (std::is_same_v<Sample, float>) {
    return a - b;
  } else if constexpr (std::is_same_v<Sample, std::uint64_t>) {
    return a & ~b;
  } else if constexpr (std::is_unsigned_v<Sample>) {
    return static_cast<Sample>(std::max(a, b) - b);
  } else {
    return static_cast<Sample>(
        std::clamp(a - b, int{std::numeric_limits<Sample>::lowest()}, int{std::numeric_limits<Sample>::max()}));
  }
}

/// out = combination of `result` with out and the image's row.
template <class Sample>
void combine(Combine how, const Sample* result, const Sample* image, std::int64_t count, Sample* out) {
  switch (how) {
    case Combine::Result:
      std::memcpy(out, result, static_cast<std::size_t>(count) * sizeof(Sample));
      break;
    case Combine::ImageMinus:
      for (std::int64_t i = 0; i < count; ++i) out[i] = difference(image[i], result[i]);
      break;
    case Combine::MinusImage:
      for (std::int64_t i = 0; i < count; ++i) out[i] = difference(result[i], image[i]);
      break;
    case Combine::OutputMinus:
      for (std::int64_t i = 0; i < count; ++i) out[i] = difference(out[i], result[i]);
      break;
  }
}

}  // namespace tamis::morphology_detail::cpu
