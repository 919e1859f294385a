// Granulometry on a GPU: times of one volume against the floors, the CPU and the paper's kernel, and the data of the
// paper's figures. Answers are compared before anything is timed.
#pragma once

#include <string>

namespace tamis::gpu_bench {

/// One volume, FILE or foam:N, everything that is claimed of it. One JSON object on standard output.
void bench_one(const std::string& what, int repetitions);
/// Only its `u8_job`. One JSON object on standard output.
void bench_jobs(const std::string& what, int repetitions);
/// The paper's figures: cube, x, y, z or openings. JSON lines on standard output.
void bench_sweep(const std::string& which);

}  // namespace tamis::gpu_bench
