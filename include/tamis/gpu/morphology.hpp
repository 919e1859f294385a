// Erosions, dilations and what is built from them, prepared once and run on image after image in device memory. Frames
// from the host go through frames.hpp, everything else through morphology.hpp, and arrays on a GPU of others
// through gpu/array.hpp.
#pragma once

#include <tamis/compiler.hpp>

#include <tamis/context.hpp>
#include <tamis/frames.hpp>
#include <tamis/gpu/prepared.hpp>
#include <tamis/image.hpp>
#include <tamis/morphology.hpp>

namespace TAMIS_PUBLIC tamis {

/// A filter with its workspace on the GPU `context.gpu`: up to four images, around NaN five more. Of bits of volumes by
/// balls of radius 11 and more, two and a half bytes a voxel for each erosion and dilation.
///
/// run() allocates nothing where one kernel makes a step (rectangles up to 48 rows, 200 bytes wide, say); other steps
/// take memory from the pool of the stream, which the first run, made by the constructor, has filled: later runs take
/// none from the device. Of F32, NanPolicy::Ignore costs three times the work, whether there is NaN or not.
class GpuMorphology : public GpuPrepared {
 public:
  struct Options {
    MorphologyOptions morphology = {};
    void* stream = nullptr;  ///< the caller's cudaStream_t; nullptr: one of its own
  };

  /// For images of this type and shape. Throws InputError as morphology(), ResourceError without a GPU or memory.
  GpuMorphology(const Context& context, Operation operation, Type type, const Shape& shape, const Options& options);
  /// The same for the hit-or-miss.
  GpuMorphology(const Context& context, Type type, const Shape& shape, const HitMissOptions& options,
                void* stream = nullptr);
};

}  // namespace tamis
