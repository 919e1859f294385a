// Reconstruction by dilation and erosion: what is valid, what is made of it, and the choice of the backend.
#include <string>

#include <fmt/format.h>
#include <tamis/error.hpp>
#include <tamis/morphology.hpp>

#include "core/stage.hpp"
#include "morphology/reconstruct_cpu.hpp"
#ifdef TAMIS_CUDA
#include "morphology/reconstruct_cuda.hpp"
#endif

namespace tamis {
namespace {

using namespace morphology_detail;

void validate(const Image& marker, const Image& mask) {
  if (marker.empty() || mask.empty()) throw InputError("reconstruct of a missing image; wanted marker and mask");
  if (marker.type() != mask.type() || !(marker.shape() == mask.shape())) {
    throw InputError(fmt::format("reconstruct: marker {} {}, mask {} {}; wanted one type and shape",
                                 to_string(marker.shape()), name(marker.type()), to_string(mask.shape()),
                                 name(mask.type())));
  }
  if (marker.type() > Type::F32) {
    throw InputError(fmt::format("reconstruct of {} images; wanted bool, u8, u16, i16 or f32: convert them first",
                                 name(marker.type())));
  }
}

std::string position(std::int64_t index, const Shape& shape) {
  return fmt::format("x {}, y {}, z {}", index % shape.x, index / shape.x % shape.y, index / shape.x / shape.y);
}

void refuse(const ReconstructFaults& faults, const Shape& shape, bool turned) {
  if (faults.nan != ReconstructFaults::none) {
    throw InputError(fmt::format("reconstruct: NaN at {}; wanted numbers", position(faults.nan, shape)));
  }
  if (faults.above == ReconstructFaults::none) return;
  throw InputError(fmt::format("reconstruct by {}: the marker is {} the mask at {}; wanted it {} everywhere",
                               turned ? "erosion" : "dilation", turned ? "below" : "above",
                               position(faults.above, shape), turned ? "above or equal" : "below or equal"));
}

Image run(const Context& context, const Image& marker, const Image& mask, const ReconstructOptions& options,
          bool cut_marker) {
  require_device(context);
  validate(marker, mask);
  ReconstructForm form;
  form.turned = options.by == ReconstructOptions::By::Erosion;
  form.full = options.connectivity == Connectivity::Full;
  form.cut_marker = cut_marker;
  Stage stage(context, "reconstruct", marker.shape().count());
  Image out(marker.type(), marker.shape(), marker.spacing);
#ifdef TAMIS_CUDA
  // Only where it is asked for, as for all filters.
  if (context.device == Device::Cuda) {
    refuse(reconstruct_cuda(context, marker, mask, form, out, stage), marker.shape(), form.turned);
    return out;
  }
#endif
  refuse(reconstruct_cpu(context, marker, mask, form, out, stage), marker.shape(), form.turned);
  return out;
}

}  // namespace

Image reconstruct(const Context& context, const Image& marker, const Image& mask, const ReconstructOptions& options) {
  return run(context, marker, mask, options, false);
}

// An element without its origin may leave the erosion above the image in places.

Image open_by_reconstruction(const Context& context, const Image& image, const MorphologyOptions& options,
                             Connectivity connectivity) {
  return run(context, erode(context, image, options), image, {ReconstructOptions::By::Dilation, connectivity}, true);
}

Image close_by_reconstruction(const Context& context, const Image& image, const MorphologyOptions& options,
                              Connectivity connectivity) {
  return run(context, dilate(context, image, options), image, {ReconstructOptions::By::Erosion, connectivity}, true);
}

}  // namespace tamis
