// Medians prepared once and run on image after image in device memory. Frames from the host go through gpu_frames.hpp,
// everything else through median.hpp, and arrays on a GPU of others through gpu_array.hpp.
#pragma once

#include <memory>

#include <tamis/context.hpp>
#include <tamis/gpu_frames.hpp>
#include <tamis/image.hpp>
#include <tamis/median.hpp>

namespace tamis {
namespace cuda {
class PreparedWork;
}

/// A median, or a smoother, with its workspace on the GPU `context.gpu`: up to four images (one a padded copy, of bool
/// and of u8 windows that no network has; bool whose windows shrink another one a step), and for windows above some 45
/// by 45 of other types up to 25 times the image, but 1 GB at most as long as windows are below some 4,000 by 4,000;
/// from the pool of the stream.
///
/// Everything is prepared by the constructor, which has made a first run: run() takes no memory, waits for nothing, and
/// can be captured into a CUDA graph. Not to be used from two threads at once.
class GpuMedian {
 public:
  struct Options {
    MedianOptions median = {};
    void* stream = nullptr;  ///< the caller's cudaStream_t; nullptr: one of its own
  };

  /// For images of this type and shape. Throws InputError as median(), EnvironmentError without a GPU or memory.
  GpuMedian(const Context& context, Type type, const Shape& shape, const Options& options);
  /// The same for Perrot's smoother.
  GpuMedian(const Context& context, Type type, const Shape& shape, const SmoothOptions& options,
            void* stream = nullptr);
  ~GpuMedian();
  GpuMedian(GpuMedian&&) noexcept;
  GpuMedian& operator=(GpuMedian&&) noexcept;

  /// Queues the filter of `image` into `out`: device memory that does not overlap, as in an Image: dense, x fastest,
  /// bool packed into words of 64. Rows of a multiple of 16 bytes at such addresses are used where they lie, others
  /// through copies on the device.
  void run(const void* image, void* out);

  /// The stream (cudaStream_t) on which run() queues.
  [[nodiscard]] void* stream() const;
  /// Waits for the last run. Throws InputError if one since the last wait() had NaN that NanPolicy::Refuse refuses; its
  /// result is of no use.
  void wait();

 private:
  std::unique_ptr<cuda::PreparedWork> work_;
};

}  // namespace tamis
