// The prepared form: rank_run_cuda does the work.
#include <tamis/gpu_median.hpp>

#include <functional>
#include <memory>
#include <utility>

#include "median/median_plan.hpp"

#ifdef TAMIS_CUDA
#include "core/cuda/device_filter.hpp"
#include "core/cuda/find_nan.hpp"
#include "median/rank_run_cuda.hpp"

namespace tamis {
namespace {

using namespace median_detail;

class PreparedMedian : public cuda::DeviceFilter {
 public:
  PreparedMedian(const cuda::Stream& stream, const MedianPlan& plan)
      : stream_(stream),
        shape_(plan.shape),
        what_(plan.what),
        refuses_nan_(plan.type == Type::F32 && plan.nan == NanPolicy::Refuse),
        run_(stream, plan, !refuses_nan_) {}

  void run(const cuda::DeviceImage& image, const cuda::DeviceImage& out, unsigned* nan) const override {
    const bool by_itself = run_.looks_for_nan();
    if (refuses_nan_ && !by_itself) cuda::find_nan(stream_, image, shape_, nan);
    run_.run(image, out, refuses_nan_ && by_itself ? nan : nullptr);
  }
  [[nodiscard]] bool refuses_nan() const override { return refuses_nan_; }
  [[nodiscard]] std::string_view what() const override { return what_; }

 private:
  const cuda::Stream& stream_;
  Shape shape_;
  std::string_view what_;
  bool refuses_nan_;
  PlanRun run_;
};

/// Plans at once, so that bad options are refused before anything is made.
cuda::MakeFilter filter_of(MedianPlan plan) {
  return
      [plan = std::move(plan)](const cuda::Stream& stream) { return std::make_unique<PreparedMedian>(stream, plan); };
}

}  // namespace

GpuMedian::GpuMedian(const Context& context, Type type, const Shape& shape, const Options& options) {
  const cuda::DeviceScope scope(cuda::usable_gpu(context));
  cuda::require_samples("median", shape);
  work_ = std::make_unique<cuda::PreparedWork>(context.gpu, options.stream, type, shape,
                                               filter_of(plan_median(type, shape, options.median)));
}

GpuMedian::GpuMedian(const Context& context, Type type, const Shape& shape, const SmoothOptions& options,
                     void* stream) {
  const cuda::DeviceScope scope(cuda::usable_gpu(context));
  cuda::require_samples("smooth", shape);
  work_ = std::make_unique<cuda::PreparedWork>(context.gpu, stream, type, shape,
                                               filter_of(plan_smooth(type, shape, options)));
}

void GpuMedian::run(const void* image, void* out) {
  const cuda::DeviceScope scope(work_->stream().device());
  work_->run(image, out);
}

void* GpuMedian::stream() const { return work_->stream().get(); }

void GpuMedian::wait() {
  const cuda::DeviceScope scope(work_->stream().device());
  work_->wait();
}

GpuFrames::GpuFrames(const Context& context, Type type, const Shape& shape, const MedianFrames& options) {
  start(context, "median", type, shape, options.in_flight,
        [&](const cuda::Stream& stream) { return filter_of(plan_median(type, shape, options.median))(stream); });
}

}  // namespace tamis

#else
#include "core/no_gpu_work.hpp"

namespace tamis {

GpuMedian::GpuMedian(const Context& context, Type, const Shape&, const Options&) { refuse_gpu(context); }
GpuMedian::GpuMedian(const Context& context, Type, const Shape&, const SmoothOptions&, void*) { refuse_gpu(context); }
void GpuMedian::run(const void*, void*) {}
void* GpuMedian::stream() const { return nullptr; }
void GpuMedian::wait() {}
GpuFrames::GpuFrames(const Context& context, Type, const Shape&, const MedianFrames&) { refuse_gpu(context); }

}  // namespace tamis
#endif

namespace tamis {

GpuMedian::~GpuMedian() = default;
GpuMedian::GpuMedian(GpuMedian&&) noexcept = default;
GpuMedian& GpuMedian::operator=(GpuMedian&&) noexcept = default;

}  // namespace tamis
