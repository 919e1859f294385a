// Medians of arrays that lie on a GPU.
#include <functional>
#include <optional>
#include <string>

#include <tamis/error.hpp>
#include <tamis/gpu_array.hpp>

#include "core/cuda/array_call.hpp"
#include "core/cuda/array_images.hpp"
#include "core/cuda/find_nan.hpp"
#include "median/rank_run_cuda.hpp"

namespace tamis {
namespace {

using namespace median_detail;

[[noreturn]] void refuse_nan(const MedianPlan& plan) {
  throw InputError(std::string(plan.what) + ": the array holds NaN; wanted numbers, or nan ignore");
}

void run_plan(const cuda::Stream& stream, const MedianPlan& plan, const GpuArray& image, const GpuOutput& out) {
  const bool apart = cuda::overlap(image, cuda::as_input(out));
  const cuda::ArrayInput input(stream, image);
  const cuda::ArrayResult result(stream, out, apart);
  const bool ignore = plan.nan == NanPolicy::Ignore;
  std::optional<cuda::NanSearch> search;
  bool around_nan = false;
  if (image.type == Type::F32) {
    search.emplace(stream);
    search->look_at(input.get(), image.shape);
    // How to go on depends on it; and what would be overwritten is left alone if there is an error.
    if (ignore || apart) {
      around_nan = search->found();
      if (around_nan && !ignore) refuse_nan(plan);
      search.reset();
    }
  }
  PlanRun(stream, plan, around_nan).run(input.get(), result.get());
  result.deliver();
  if (search && search->found()) refuse_nan(plan);
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
