// Reconstruction by dilation and erosion: what is made of it, and the choice of the backend.
#include <tamis/memory.hpp>
#include <tamis/morphology.hpp>

#include "core/door.hpp"
#include "core/operation/filter_image.hpp"
#include "core/stage.hpp"
#include "morphology/cpu/reconstruct/run.hpp"
#include "morphology/reconstruct_cells.hpp"
#ifdef TAMIS_CUDA
#include "morphology/gpu/reconstruct/run.hpp"
#endif

namespace tamis {
namespace {

using namespace morphology_detail;

void validate(const Image& marker, const Image& mask) {
  require_image(marker, "reconstruct");
  require_image(mask, "reconstruct");
  require_pair(marker.type(), marker.shape(), mask.type(), mask.shape());
}

Image run(const Context& context, const Image& marker, const Image& mask, const ReconstructOptions& options,
          bool clip_marker) {
  return door::compute(context, "reconstruct", [&] {
    validate(marker, mask);
    const ReconstructForm form = form_of(options, clip_marker);
    require_memory(context, "reconstruct", bytes_of_reconstruct(marker.type(), marker.shape()));
    Stage stage(context, "reconstruct", marker.shape().count());
    Image out(marker.type(), marker.shape(), marker.spacing);
#ifdef TAMIS_CUDA
    // Only where it is asked for, as for all filters.
    if (context.device == Device::Cuda) {
      refuse_faults(gpu::reconstruct(context, marker, mask, form, out, stage), marker.shape(), form);
      return out;
    }
#endif
    refuse_faults(cpu::reconstruct(context, marker, mask, form, out, stage), marker.shape(), form);
    return out;
  });
}

}  // namespace

std::int64_t bytes_of_reconstruct(Type type, const Shape& shape) {
  return 2 * image_bytes(type == Type::Bool ? Type::U8 : type, shape);
}

Image reconstruct(const Context& context, const Image& marker, const Image& mask, const ReconstructOptions& options) {
  return run(context, marker, mask, options, false);
}

namespace {

/// The eroded or dilated image, which is the marker, is kept meanwhile.
Context beside_marker(const Context& context, const Image& image) {
  require_memory(context, "the marker", image.bytes());
  return beside(context, image.bytes());
}

}  // namespace

// An element without its origin may leave the erosion above the image in places.

Image open_by_reconstruction(const Context& context, const Image& image, const MorphologyOptions& options,
                             Connectivity connectivity) {
  const Context work = beside_marker(context, image);
  return run(work, erode(work, image, options), image, {ReconstructOptions::By::Dilation, connectivity}, true);
}

Image close_by_reconstruction(const Context& context, const Image& image, const MorphologyOptions& options,
                              Connectivity connectivity) {
  const Context work = beside_marker(context, image);
  return run(work, dilate(work, image, options), image, {ReconstructOptions::By::Erosion, connectivity}, true);
}

}  // namespace tamis
