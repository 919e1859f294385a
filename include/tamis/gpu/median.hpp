// Medians prepared once and run on image after image in device memory. Frames from the host go through frames.hpp,
// everything else through median.hpp, and arrays on a GPU of others through gpu/array.hpp.
#pragma once

#include <tamis/compiler.hpp>

#include <tamis/context.hpp>
#include <tamis/frames.hpp>
#include <tamis/gpu/prepared.hpp>
#include <tamis/image.hpp>
#include <tamis/median.hpp>

namespace TAMIS_PUBLIC tamis {

/// A median, or a smoother, with its workspace on the GPU `context.gpu`: up to four images (one a padded copy, of bool
/// and of u8 windows that no network has; bool whose windows shrink another one a step), and for windows above some 45
/// by 45 of other types up to 25 times the image, but 1 GB at most as long as windows are below some 4,000 by 4,000;
/// from the pool of the stream. Everything is prepared by the constructor, which has made a first run: run() takes no
/// memory.
class GpuMedian : public GpuPrepared {
 public:
  struct Options {
    MedianOptions median = {};
    void* stream = nullptr;  ///< the caller's cudaStream_t; nullptr: one of its own
  };

  /// For images of this type and shape. Throws InputError as median(), ResourceError without a GPU or memory.
  GpuMedian(const Context& context, Type type, const Shape& shape, const Options& options);
  /// The same for Perrot's smoother.
  GpuMedian(const Context& context, Type type, const Shape& shape, const SmoothOptions& options,
            void* stream = nullptr);
};

}  // namespace tamis
