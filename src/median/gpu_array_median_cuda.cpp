// Medians of arrays that lie on a GPU.
#include <functional>
#include <string>

#include <tamis/error.hpp>
#include <tamis/gpu_array.hpp>

#include "core/cuda/array_call.hpp"
#include "core/cuda/array_images.hpp"
#include "median/rank_run_cuda.hpp"

namespace tamis {
namespace {

using namespace median_detail;

void run_plan(const cuda::Stream& stream, const MedianPlan& plan, const GpuArray& image, const GpuOutput& out) {
  const bool apart = cuda::overlap(image, cuda::as_input(out));
  const cuda::ArrayInput input(stream, image);
  const cuda::ArrayResult result(stream, out, apart);
  if (!run_once(stream, plan, input.get(), result.get())) {
    throw InputError(std::string(plan.what) + ": the array holds NaN; wanted numbers, or nan ignore");
  }
  result.deliver();
}

/// Where memory is short the error says how much it may take.
void filter(const Context& context, const GpuArray& image, const GpuOutput& out,
            const std::function<MedianPlan()>& make_plan) {
  const cuda::ArrayCall call(context, image.gpu);
  cuda::require_array(image, "image");
  const MedianPlan plan = make_plan();
  cuda::require_result(image, out);
  try {
    run_plan(call.stream(), plan, image, out);
  } catch (const cuda::OutOfMemory&) {
    constexpr std::int64_t most_images = 4;
    cuda::refuse_memory(context, plan.what, image, most_images * cuda::stored_bytes(image));
  }
  call.finish();
}

}  // namespace

void median(const Context& context, const GpuArray& image, const GpuOutput& out, const MedianOptions& options) {
  filter(context, image, out, [&] { return plan_median(image.type, image.shape, options); });
}

void smooth(const Context& context, const GpuArray& image, const GpuOutput& out, const SmoothOptions& options) {
  filter(context, image, out, [&] { return plan_smooth(image.type, image.shape, options); });
}

}  // namespace tamis
