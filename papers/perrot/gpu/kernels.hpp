// The GPU kernels of G. Perrot, "Implementing a fast median filter" (2013), for the benchmark. History: tamis uses none
// of them.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include <tamis/image.hpp>

#include "core/gpu/stream.hpp"

namespace tamis::perrot::gpu {

enum class Kernel : std::uint8_t {
  Identity,         ///< a texture fetch and a write: the reference throughput
  Histogram,        ///< 256 grey levels, histograms where the compiler puts them: in local memory
  HistogramShared,  ///< samples and histograms in shared memory; edges up to 15
  Sort,             ///< 3x3, nine registers sorted
  Forgetful,        ///< forgetful selection in registers, edges 3 to 9
  ForgetfulShared,  ///< 5x5, samples through shared memory
  Smoother          ///< medians along y, then x, by Torben Mogensen's selection; odd edges
};
[[nodiscard]] std::string_view name(Kernel kernel);
/// Whether samples have to be below 256.
[[nodiscard]] constexpr bool is_histogram(Kernel kernel) {
  return kernel == Kernel::Histogram || kernel == Kernel::HistogramShared;
}

struct Version {
  Kernel kernel = Kernel::Identity;
  int edge = 1;
  int outputs = 1;  ///< pixels a thread: 2 for forgetful selection up to 7x7 and the smoother
};

/// Threads along x and y.
struct Block {
  int x = 32;
  int y = 8;
};
/// Those worth a try: 128 and 256 threads as in the paper, histograms 64.
[[nodiscard]] std::vector<Block> blocks_of(const Version& version);

/// A U16 image as a texture, and a version's answer in device memory.
class Paper {
 public:
  Paper(const cuda::Stream& stream, const Shape& shape);
  ~Paper();
  Paper(const Paper&) = delete;
  Paper& operator=(const Paper&) = delete;

  void prepare(const Version& version, const Block& block);
  /// Each queues its part of a call: dense samples from the host, the kernel, dense samples to the host.
  void upload(const void* samples) const;
  void run() const;
  void download(void* samples) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace tamis::perrot::gpu
