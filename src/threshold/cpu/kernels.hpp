// From samples to packed bits on the CPU: one compare per sample, 64 samples a word.
#pragma once

#include <cstdint>

#include <tamis/context.hpp>

#include "threshold/pack_job.hpp"

namespace tamis::threshold_detail::cpu {

struct Packed {
  std::int64_t set = 0;  ///< samples in the object
  bool odd = false;      ///< a sample that counts breaks the rule
};

[[nodiscard]] Packed pack(Simd simd, const PackJob& job);

/// Whether compare() can do the job: samples of one byte between two values, all of which count.
[[nodiscard]] bool compares(const PackJob& job);
/// What pack() says of the job, but the object goes to rows of bytes 0 and 1, and no word in between is made.
[[nodiscard]] Packed compare(Simd simd, const PackJob& job, std::byte* out, std::int64_t out_stride);

}  // namespace tamis::threshold_detail::cpu
