// Filters prepared once and run on image after image in device memory: what GpuMorphology and GpuMedian have in common.
#pragma once

#include <tamis/compiler.hpp>

#include <memory>

namespace tamis::cuda {
class PreparedState;
}

namespace TAMIS_PUBLIC tamis {

/// A filter for images of one type and shape with its workspace on a GPU. Not to be used from two threads at once.
class GpuPrepared {
 public:
  /// Queues the filter of `image` into `out`: device memory that does not overlap, as in an Image: dense, x fastest,
  /// bool packed into words of 64. Rows of a multiple of 16 bytes at such addresses are used where they lie, others
  /// through copies on the device. Waits for nothing, and can be captured into a CUDA graph.
  void run(const void* image, void* out);

  /// The stream (cudaStream_t) on which run() queues.
  [[nodiscard]] void* stream() const;
  /// Waits for the last run. Throws InputError if one since the last wait() had NaN that NanPolicy::Refuse refuses; its
  /// result is of no use.
  void wait();

 protected:
  explicit GpuPrepared(std::unique_ptr<cuda::PreparedState> work);
  ~GpuPrepared();
  GpuPrepared(GpuPrepared&&) noexcept;
  GpuPrepared& operator=(GpuPrepared&&) noexcept;

 private:
  std::unique_ptr<cuda::PreparedState> work_;
};

}  // namespace tamis
