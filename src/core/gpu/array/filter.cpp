#include "core/door.hpp"
#include "core/gpu/array/filter.hpp"

#include "core/gpu/array/call.hpp"
#include "core/gpu/array/images.hpp"

namespace tamis::cuda {
namespace {

void run(const Stream& stream, const GpuFilter& filter, const GpuArray& image, const GpuOutput& out) {
  const bool apart = overlap(image, as_input(out));
  const ArrayInput input(stream, image);
  const ArrayResult result(stream, out, apart);
  if (!run_once(stream, filter, filter.shape, input.get(), result.get())) refuse_nan(filter, "the array");
  result.deliver();
}

}  // namespace

void filter_array(const Context& context, const GpuArray& image, const GpuOutput& out, const PlanFilter& plan) {
  door::enter(context, "filter", [&] {
    const ArrayCall call(context, image.gpu);
    require_array(image, "image");
    const GpuFilter filter = plan();
    require_result(image, out);
    try {
      run(call.stream(), filter, image, out);
    } catch (const OutOfMemory&) {
      refuse_memory(context, filter.what, image, filter.images * stored_bytes(image));
    }
    call.finish();
  });
}

}  // namespace tamis::cuda
