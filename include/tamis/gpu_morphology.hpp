// Erosions, dilations and what is built from them, prepared once and run on image after image in device memory. Frames
// from the host go through gpu_frames.hpp, everything else through morphology.hpp, and arrays on a GPU of others
// through gpu_array.hpp.
#pragma once

#include <memory>

#include <tamis/context.hpp>
#include <tamis/gpu_frames.hpp>
#include <tamis/image.hpp>
#include <tamis/morphology.hpp>

namespace tamis {
namespace cuda {
class PreparedWork;
}

/// A filter with its workspace on the GPU `context.gpu`: up to four images, around NaN five more.
///
/// run() waits for nothing, and can be captured into a CUDA graph. It allocates nothing where one kernel makes a step
/// (rectangles up to 48 rows, 200 bytes wide, say); other steps take memory from the pool of the stream, which the
/// first run, made by the constructor, has filled: later runs take none from the device. Not to be used from two
/// threads at once.
class GpuMorphology {
 public:
  struct Options {
    MorphologyOptions morphology = {};
    void* stream = nullptr;  ///< the caller's cudaStream_t; nullptr: one of its own
  };

  /// For images of this type and shape. Throws InputError as morphology(), EnvironmentError without a GPU or memory.
  GpuMorphology(const Context& context, Operation operation, Type type, const Shape& shape, const Options& options);
  /// The same for the hit-or-miss.
  GpuMorphology(const Context& context, Type type, const Shape& shape, const HitMissOptions& options,
                void* stream = nullptr);
  ~GpuMorphology();
  GpuMorphology(GpuMorphology&&) noexcept;
  GpuMorphology& operator=(GpuMorphology&&) noexcept;

  /// Queues the filter of `image` into `out`: device memory that does not overlap, as in an Image: dense, x fastest,
  /// bool packed into words of 64. Rows of a multiple of 16 bytes at such addresses are used where they lie, others
  /// through copies on the device. Of F32, NanPolicy::Ignore costs three times the work, whether there is NaN or not.
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
