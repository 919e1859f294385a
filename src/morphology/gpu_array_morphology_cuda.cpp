// Filters of arrays that lie on a GPU, by elements.
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tamis/error.hpp>
#include <tamis/gpu_array.hpp>

#include "core/cuda/array_call.hpp"
#include "core/cuda/array_images.hpp"
#include "core/cuda/device_image.hpp"
#include "core/cuda/find_nan.hpp"
#include "morphology/element_family.hpp"
#include "morphology/filter_run.hpp"
#include "morphology/gpu_array_kernels.hpp"

namespace tamis {
namespace {

using cuda::ArrayCall;
using cuda::ArrayInput;
using cuda::ArrayResult;
using cuda::as_input;
using cuda::NanSearch;
using namespace morphology_detail;

[[noreturn]] void refuse_nan(std::string_view what) {
  throw InputError(std::string(what) + ": the array holds NaN; wanted numbers, or nan ignore");
}

/// Filters one after the other.
void run_chain(const Context& context, const cuda::Stream& stream, std::vector<FilterPlan> plans, const GpuArray& image,
               const GpuOutput& out) {
  const bool apart = cuda::overlap(image, as_input(out));
  const ArrayInput input(stream, image);
  const ArrayResult result(stream, out, apart);
  const bool ignore = plans.front().nan == NanPolicy::Ignore;
  const std::string_view what = plans.front().what;
  std::optional<NanSearch> search;
  bool around_nan = false;
  if (image.type == Type::F32) {
    search.emplace(stream);
    // How to go on depends on it; and what would be overwritten is left alone if there is an error.
    if (ignore || apart) {
      search->look_at(input.get(), image.shape);
      around_nan = search->found();
      if (around_nan && !ignore) refuse_nan(what);
      search.reset();
    }
  }
  DeviceStore other;
  if (plans.size() > 1) other = DeviceStore(stream, image.type, image.shape);
  DeviceImage now = input.get();
  for (std::size_t i = 0; i < plans.size(); ++i) {
    if (context.cancel.stop_requested()) throw Cancelled();
    const DeviceImage& next = (plans.size() - i) % 2 == 1 ? result.get() : other.get();
    const FilterRun filter(stream, std::move(plans[i]), image.type, image.shape, around_nan);
    const bool searches = search && i == 0;
    if (searches && !filter.looks_for_nan()) search->look_at(now, image.shape);
    filter.run(now, next, searches && filter.looks_for_nan() ? search->flag() : nullptr);
    now = next;
  }
  result.deliver();
  if (search && search->found()) refuse_nan(what);
}

/// Where memory is short the error says how much it may take.
void filter(const Context& context, const GpuArray& image, const GpuOutput& out, std::string_view what,
            const std::function<std::vector<FilterPlan>()>& make_plans) {
  const ArrayCall call(context, image.gpu);
  cuda::require_array(image, "image");
  std::vector<FilterPlan> plans = make_plans();
  cuda::require_result(image, out);
  try {
    run_chain(context, call.stream(), std::move(plans), image, out);
  } catch (const cuda::OutOfMemory&) {
    constexpr std::int64_t most_images = 5;
    cuda::refuse_memory(context, what, image, most_images * cuda::stored_bytes(image));
  }
  call.finish();
}

}  // namespace

void morphology(const Context& context, Operation operation, const GpuArray& image, const GpuOutput& out,
                const MorphologyOptions& options) {
  filter(context, image, out, name(operation), [&] {
    std::vector<FilterPlan> plans;
    plans.push_back(plan_filter(operation, image.type, image.shape, options));
    return plans;
  });
}

void hitmiss(const Context& context, const GpuArray& image, const GpuOutput& out, const HitMissOptions& options) {
  filter(context, image, out, "hitmiss", [&] {
    std::vector<FilterPlan> plans;
    plans.push_back(plan_hitmiss(image.type, image.shape, options));
    return plans;
  });
}

void asf(const Context& context, const GpuArray& image, const GpuOutput& out, const AsfOptions& options) {
  filter(context, image, out, "asf", [&] {
    const bool opens_first = options.order == AsfOptions::Order::OpenClose;
    std::vector<FilterPlan> plans;
    for (const std::string& element : element_family(options.element)) {
      const MorphologyOptions each{element, options.border, 1, options.nan};
      for (const bool first : {true, false}) {
        const Operation operation = first == opens_first ? Operation::Open : Operation::Close;
        plans.push_back(plan_filter(operation, image.type, image.shape, each));
        plans.back().what = "asf";
      }
    }
    return plans;
  });
}

}  // namespace tamis
