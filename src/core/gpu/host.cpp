#include "core/gpu/host.hpp"

#include <string>

#include <fmt/format.h>
#include <tamis/error.hpp>

#include "core/filter_image.hpp"
#include "core/gpu/image_slabs.hpp"
#include "core/stage.hpp"

namespace tamis::cuda {
namespace {

[[noreturn]] void refuse_nan_of(const GpuFilter& filter, const Image& image) {
  refuse_nan(filter, "the image", " at " + first_nan(image));
}

/// False if the slab holds NaN that is refused; nothing was written then.
bool run_slab(const Stream& stream, const GpuFilter& filter, const ImageSlabs& slabs, const ImageSlab& slab,
              const Image& image, Image& out) {
  const Shape shape = slabs.shape(slab);
  const DeviceStore from(stream, filter.type, shape);
  const DeviceStore to(stream, filter.type, shape);
  slabs.fill(stream, slab, image, from);
  if (!run_once(stream, filter, shape, from.get(), to.get())) return false;
  slabs.read(stream, slab, to, out);
  stream.synchronize();
  return true;
}

}  // namespace

void filter_image(const Context& context, const GpuFilter& filter, const Image& image, Image& out) {
  const DeviceScope scope(context.gpu);
  const Stream stream(context.gpu);
  Stage stage(context, std::string(filter.what), filter.shape.z * filter.shape.y);
  const ImageSlabs slabs(filter.type, filter.shape, filter.reach);
  const auto refuse = [&] {
    refuse_device_memory(context, filter.what, filter.shape, filter.images * slabs.bytes(slabs.least()));
  };
  const std::int64_t budget = device_memory_budget(context, context.gpu);
  std::int64_t thickness = slabs.thickness(budget, filter.images);
  if (filter.images * slabs.bytes(thickness) > budget) refuse();
  bool may_hold_nan = filter.refuses_nan();
  for (std::int64_t begin = 0; begin < slabs.length();) {
    // The GPU says whether there is NaN, and then the host where. Nothing is to be written if the last slab holds some.
    if (may_hold_nan && thickness < slabs.length()) {
      if (holds_nan(context, image)) refuse_nan_of(filter, image);
      may_hold_nan = false;
    }
    const ImageSlab slab = slabs.at(begin, thickness);
    try {
      if (!run_slab(stream, filter, slabs, slab, image, out)) refuse_nan_of(filter, image);
    } catch (const OutOfMemory&) {
      if (thickness == slabs.least()) refuse();
      thickness = (thickness + 1) / 2;
      continue;
    }
    stage.advance(slabs.rows(slab));
    begin = slab.end;
  }
}

void refuse_device_memory(const Context& context, std::string_view what, const Shape& shape, std::int64_t bytes) {
  throw ResourceError(fmt::format(
      "GPU memory: {} of {} takes about {} MiB at least, got {} MiB; wanted more free memory, or device cpu", what,
      to_string(shape), (bytes >> 20U) + 1, device_memory_budget(context, context.gpu) >> 20U));
}

}  // namespace tamis::cuda
