// A filter prepared on a stream. Only with CUDA.
#pragma once

#include <string_view>
#include <utility>

#include "core/cuda/device_filter.hpp"
#include "core/cuda/find_nan.hpp"
#include "morphology/filter_run.hpp"

namespace tamis::morphology_detail {

class PreparedFilter : public cuda::DeviceFilter {
 public:
  PreparedFilter(const cuda::Stream& stream, FilterPlan plan, Type type, const Shape& shape)
      : stream_(stream),
        shape_(shape),
        refuses_nan_(type == Type::F32 && plan.nan == NanPolicy::Refuse),
        run_(stream, std::move(plan), type, shape, type == Type::F32 && !refuses_nan_) {}

  void run(const DeviceImage& image, const DeviceImage& out, unsigned* nan) const override {
    const bool by_itself = run_.looks_for_nan();
    if (refuses_nan_ && !by_itself) cuda::find_nan(stream_, image, shape_, nan);
    run_.run(image, out, refuses_nan_ && by_itself ? nan : nullptr);
  }
  [[nodiscard]] bool refuses_nan() const override { return refuses_nan_; }
  [[nodiscard]] std::string_view what() const override { return run_.plan().what; }

 private:
  const cuda::Stream& stream_;
  Shape shape_;
  bool refuses_nan_;
  FilterRun run_;
};

}  // namespace tamis::morphology_detail
