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

}  // namespace tamis::threshold_detail::cpu
