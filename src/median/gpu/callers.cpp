// The public functions for arrays on a GPU, prepared medians and frames.
#include <tamis/gpu/array.hpp>
#include <tamis/gpu/median.hpp>

#include "core/gpu/array/call.hpp"
#include "core/gpu/callers/frames.hpp"
#include "core/gpu/callers/prepared.hpp"
#include "median/gpu/filter.hpp"

namespace tamis {
namespace {

cuda::PlanFilter planned(Type type, const Shape& shape, const MedianOptions& options) {
  return [=] { return median_detail::gpu::make_filter(median_detail::plan_median(type, shape, options)); };
}
cuda::PlanFilter planned(Type type, const Shape& shape, const SmoothOptions& options) {
  return [=] { return median_detail::gpu::make_filter(median_detail::plan_smooth(type, shape, options)); };
}

}  // namespace

void median(const Context& context, const GpuArray& image, const GpuOutput& out, const MedianOptions& options) {
  cuda::filter_array(context, image, out, planned(image.type, image.shape, options));
}

void smooth(const Context& context, const GpuArray& image, const GpuOutput& out, const SmoothOptions& options) {
  cuda::filter_array(context, image, out, planned(image.type, image.shape, options));
}

GpuMedian::GpuMedian(const Context& context, Type type, const Shape& shape, const Options& options)
    : GpuPrepared(cuda::prepare(context, options.stream, "median", shape, planned(type, shape, options.median))) {}
GpuMedian::GpuMedian(const Context& context, Type type, const Shape& shape, const SmoothOptions& options, void* stream)
    : GpuPrepared(cuda::prepare(context, stream, "smooth", shape, planned(type, shape, options))) {}

std::unique_ptr<core_detail::FrameWork> median_detail::gpu::frames(const Context& context, Type type,
                                                                   const Shape& shape, const MedianFrames& options) {
  return cuda::frames(context, "median", shape, options.in_flight, planned(type, shape, options.median));
}

}  // namespace tamis
