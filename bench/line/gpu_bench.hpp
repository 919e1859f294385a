// The parts of line_gpu_bench. Each compares answers with the CPU's before it times, and prints lines of JSON.
#pragma once

#include <string>

#include <tamis/image.hpp>

#include "bench/gpu_timer.hpp"
#include "core/gpu/stream.hpp"

namespace tamis::line_bench {

using namespace bench;

struct Arguments {
  int repetitions = 7;
  std::string only;  ///< of the part's name and its cases, the beginning: "openings u8 traced"
};

inline bool wanted(const Arguments& arguments, const std::string& name) {
  return name.starts_with(arguments.only) || arguments.only.starts_with(name + " ");
}

/// Throws if two images differ: nothing is timed after a wrong answer.
void require_same(const Image& got, const Image& expected, const std::string& what);

/// Prepared openings of stacks of 60 Mpx images at angles 10 degrees apart, beside copies.
void measure_openings(const cuda::Stream& stream, const Arguments& arguments);
/// Sweeps over angles: on the device, and by the public functions from and to the host.
void measure_sweeps(const cuda::Stream& stream, const Arguments& arguments);
/// Frames from page-locked memory and back, beside the bus alone.
void measure_frames(const Arguments& arguments);

}  // namespace tamis::line_bench
