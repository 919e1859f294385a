// What is counted of samples of 4 and 8 bytes on the CPU.
#pragma once

#include <cstdint>

#include <tamis/context.hpp>

#include "threshold/keys.hpp"
#include "threshold/pack_job.hpp"

namespace tamis::threshold_detail::cpu {

/// Adds what the question asks of the job's samples in its domain to numbers_of(question) numbers.
void count(Simd simd, const PackJob& job, const Question& question, std::int64_t* numbers);

}  // namespace tamis::threshold_detail::cpu
