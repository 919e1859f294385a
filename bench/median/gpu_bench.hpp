// The parts of median_gpu_bench. Each compares answers with the CPU's before it times, and prints lines of JSON.
#pragma once

#include <chrono>
#include <string>

#include <tamis/image.hpp>

#include "bench/gpu_noise.hpp"
#include "bench/gpu_timer.hpp"
#include "core/gpu/stream.hpp"

namespace tamis::median_bench {

struct Arguments {
  int repetitions = 7;
  double seconds = 70;  ///< no case begins later
  std::string only;     ///< of the part's name and its cases, the beginning: "rates u8 square"
};

/// What is left of the time, and how it went.
class Run {
 public:
  explicit Run(const Arguments& arguments) : arguments_(arguments) {}

  [[nodiscard]] int repetitions() const { return arguments_.repetitions; }
  /// Whether this case is wanted and there is time for it; a case for which there is none is named.
  [[nodiscard]] bool begins(const std::string& name);
  /// A case that could not be measured: the run goes on, and main() fails.
  void failed(const std::string& name, const std::string& problem);
  [[nodiscard]] bool all_well() const { return well_; }

 private:
  Arguments arguments_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  bool well_ = true;
};

/// Throws if two images differ.
void require_same(const Image& got, const Image& expected);
using bench::noise;
/// A smooth image with noise of an eighth of its range: neighbours are alike, as in photographs.
[[nodiscard]] Image smooth_with_noise(Type type, const Shape& shape);

/// Prepared medians from device memory to device memory, beside copies. Most important first.
void measure_rates(const cuda::Stream& stream, Run& run);
/// Frames from page-locked memory and back, beside the bus and the median alone.
void measure_frames(const cuda::Stream& stream, Run& run);

}  // namespace tamis::median_bench
