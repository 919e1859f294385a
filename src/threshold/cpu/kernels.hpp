// The CPU's kernels: from samples to packed bits, and what is counted of samples of 4 and 8 bytes.
#pragma once

#include <cstdint>

#include <tamis/context.hpp>

#include "threshold/keys.hpp"
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

// What is counted of samples of 4 and 8 bytes on the CPU.

/// Adds what the question asks of the job's samples in its domain to numbers_of(question) numbers.
void count(Simd simd, const PackJob& job, const Question& question, std::int64_t* numbers);

}  // namespace tamis::threshold_detail::cpu
