#include "morphology/gpu/asf.hpp"

#include <string_view>
#include <utility>
#include <vector>

#include "core/gpu/callers/host.hpp"
#include "core/operation/filter_image.hpp"
#include "morphology/gpu/filter.hpp"

namespace tamis::morphology_detail::gpu {

std::optional<Image> asf_in_one(const Context& context, const Image& image, const AsfOptions& options) {
  const bool opens_first = options.order == AsfOptions::Order::OpenClose;
  const std::string_view first = name(opens_first ? Operation::Open : Operation::Close);
  require_device(context);
  require_image(image, first);
  std::vector<FilterPlan> plans = plan_asf(image.type(), image.shape(), options);
  plans.front().what = first;  // which is the step that meets NaN, and is named on the CPU too
  // Its stages are the caller's.
  Context quiet = context;
  quiet.on_stage = nullptr;
  if (context.on_progress) {
    quiet.on_progress = [&](const Progress& progress) { context.on_progress({"asf", progress.done, progress.total}); };
  }
  const cuda::GpuFilter filter = make_chain(quiet, std::move(plans), image.type(), image.shape());
  const std::int64_t bytes =
      filter.images * cuda::DeviceStore::layout(image.type(), image.shape()).slice * image.shape().z;
  if (bytes > cuda::device_memory_budget(context, context.gpu)) return {};
  Image out(image.type(), image.shape(), image.spacing);
  cuda::filter_image(quiet, filter, image, out);
  return out;
}

}  // namespace tamis::morphology_detail::gpu
