// Reconstruction of arrays that lie on a GPU, and what is made of it.
#include <cstdint>
#include <string>

#include <tamis/gpu/array.hpp>

#include "core/door.hpp"
#include "core/gpu/array/call.hpp"
#include "core/gpu/array/images.hpp"
#include "core/stage.hpp"
#include "morphology/gpu/filter.hpp"
#include "morphology/gpu/reconstruct/run.hpp"
#include "morphology/reconstruct_cells.hpp"

namespace tamis {
namespace {

using cuda::ArrayCall;
using cuda::ArrayInput;
using cuda::ArrayResult;
using namespace morphology_detail;
using namespace morphology_detail::gpu;

/// Beside the arrays: copies of both and of the result, or what lies between an image and its erosion; and the cells.
std::int64_t most_bytes(const GpuArray& mask) {
  constexpr std::int64_t most_images = 5;
  return most_images * cuda::stored_bytes(mask) + bytes_of_cells(mask.type, mask.shape);
}

/// Waits. Cells are made of marker and mask before `out` is written: it may overlap both.
void rebuild(const Context& context, const cuda::Stream& stream, const DeviceImage& marker, const DeviceImage& mask,
             const GpuOutput& out, const ReconstructForm& form) {
  Stage stage(context, "reconstruct", out.shape.count());
  const ArrayResult result(stream, out, false);
  const ReconstructArrays arrays{out.type, out.shape, marker, mask, result.get()};
  refuse_faults(reconstruct_arrays(stream, arrays, form, stage), out.shape, form);
  result.deliver();
}

/// The image rebuilt from its erosion or dilation. NaN in the image is found when cells are made of it, and refused
/// under either policy, so that nobody looks for it here.
void rebuild_from(Operation operation, const Context& context, const GpuArray& image, const GpuOutput& out,
                  const MorphologyOptions& options, const ReconstructOptions& reconstruction) {
  door::enter(context, name(operation), [&] {
    const ArrayCall call(context, image.gpu);
    cuda::require_array(image, "image");
    const cuda::GpuFilter filter =
        make_filter(plan_filter(operation, image.type, image.shape, options), image.type, image.shape);
    cuda::require_result(image, out);
    const cuda::Stream& stream = call.stream();
    try {
      const ArrayInput input(stream, image);
      const DeviceStore marker(stream, image.type, image.shape);
      filter.make(stream, image.shape, false)->run(input.get(), marker.get(), nullptr);
      rebuild(context, stream, marker.get(), input.get(), out, form_of(reconstruction, true));
    } catch (const cuda::OutOfMemory&) {
      cuda::refuse_memory(context, std::string(name(operation)) + " and reconstruct", image, most_bytes(image));
    }
    call.finish();
  });
}

}  // namespace

void reconstruct(const Context& context, const GpuArray& marker, const GpuArray& mask, const GpuOutput& out,
                 const ReconstructOptions& options) {
  door::enter(context, "reconstruct", [&] {
    const ArrayCall call(context, mask.gpu);
    cuda::require_array(marker, "marker");
    cuda::require_array(mask, "mask");
    require_pair(marker.type, marker.shape, mask.type, mask.shape);
    cuda::require_same_place(mask, marker, "marker", false);
    cuda::require_result(mask, out);
    try {
      const ArrayInput from(call.stream(), marker);
      const ArrayInput below(call.stream(), mask);
      rebuild(context, call.stream(), from.get(), below.get(), out, form_of(options, false));
    } catch (const cuda::OutOfMemory&) {
      cuda::refuse_memory(context, "reconstruct", mask, most_bytes(mask));
    }
    call.finish();
  });
}

void open_by_reconstruction(const Context& context, const GpuArray& image, const GpuOutput& out,
                            const MorphologyOptions& options, Connectivity connectivity) {
  rebuild_from(Operation::Erode, context, image, out, options, {ReconstructOptions::By::Dilation, connectivity});
}

void close_by_reconstruction(const Context& context, const GpuArray& image, const GpuOutput& out,
                             const MorphologyOptions& options, Connectivity connectivity) {
  rebuild_from(Operation::Dilate, context, image, out, options, {ReconstructOptions::By::Erosion, connectivity});
}

}  // namespace tamis
