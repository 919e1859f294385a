// Outliers become the median of their window, on a GPU.
#include <tamis/gpu/array.hpp>

#include <limits>
#include <memory>
#include <utility>

#include <tamis/operations/parse.hpp>

#include "core/gpu/array/call.hpp"
#include "core/gpu/launch.hpp"
#include "core/visit_type.hpp"
#include "median/gpu/filter.hpp"

namespace tamis {
namespace {

/// By how much a sample is above, or below, its median before it is an outlier; infinite: it never is.
struct Limits {
  double above, below;
};

struct Task {
  cuda::DeviceImage image, out;
  std::int64_t columns = 0;  ///< samples of a row; of bits words
  std::int64_t ny = 0, rows = 0;
  Limits limits;
};

/// Differences of all types are exact as doubles, but for floats more than 2^29 times apart.
template <class T>
__device__ T of_both(T sample, T median, const Limits& limits) {
  const double difference = static_cast<double>(sample) - static_cast<double>(median);
  return difference > limits.above || -difference > limits.below ? median : sample;
}

/// Of words of bits, which differ by 1 or not at all.
template <>
__device__ std::uint64_t of_both(std::uint64_t samples, std::uint64_t medians, const Limits& limits) {
  const std::uint64_t bright = limits.above < 1 ? samples & ~medians : 0;
  const std::uint64_t dark = limits.below < 1 ? ~samples & medians : 0;
  return samples ^ (bright | dark);
}

/// A thread has a sample; `out` holds the medians.
template <class T>
__global__ void outlier_kernel(Task task) {
  const std::int64_t x = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (x >= task.columns) return;
  for (std::int64_t row = blockIdx.y; row < task.rows; row += gridDim.y) {
    const std::int64_t z = row / task.ny, y = row % task.ny;
    const T* const samples = reinterpret_cast<const T*>(task.image.data + z * task.image.slice + y * task.image.pitch);
    T* const results = reinterpret_cast<T*>(task.out.data + z * task.out.slice + y * task.out.pitch);
    results[x] = of_both(samples[x], results[x], task.limits);
  }
}

class OutlierFilter : public cuda::DeviceFilter {
 public:
  OutlierFilter(const cuda::Stream& stream, cuda::DeviceStep median, Type type, const Shape& shape, const Limits& limits)
      : stream_(stream), median_(std::move(median)), type_(type), shape_(shape), limits_(limits) {}

  void run(const cuda::DeviceImage& image, const cuda::DeviceImage& out, unsigned* nan) const override {
    median_->run(image, out, nan);
    Task task{image, out, shape_.x, shape_.y, shape_.y * shape_.z, limits_};
    if (type_ != Type::Bool) return visit_filter_type(type_, [&](auto sample) { launch<decltype(sample)>(task); });
    task.columns = (shape_.x + 63) / 64;
    launch<std::uint64_t>(task);
  }
  [[nodiscard]] bool looks_for_nan() const override { return median_->looks_for_nan(); }

 private:
  template <class T>
  void launch(const Task& task) const {
    constexpr unsigned threads = 128;
    constexpr std::int64_t most_rows = 65535;
    const auto blocks = static_cast<unsigned>((task.columns + threads - 1) / threads);
    const auto rows = static_cast<unsigned>(task.rows < most_rows ? task.rows : most_rows);
    cuda::launch(stream_, {dim3(blocks, rows), dim3(threads)}, "remove outliers", outlier_kernel<T>, task);
  }

  const cuda::Stream& stream_;
  cuda::DeviceStep median_;
  Type type_;
  Shape shape_;
  Limits limits_;
};

cuda::GpuFilter planned(Type type, const Shape& shape, const OutlierOptions& options) {
  using Which = OutlierOptions::Which;
  constexpr double never = std::numeric_limits<double>::infinity();
  const Limits limits{options.which == Which::Dark ? never : options.threshold,
                      options.which == Which::Bright ? never : options.threshold};
  cuda::GpuFilter filter = median_detail::gpu::make_filter(
      median_detail::plan_median(type, shape, {options.window, 50, 1, options.border, options.nan}));
  filter.what = "remove_outliers";
  filter.make = [=, median = filter.make](const cuda::Stream& stream, const Shape& part, bool around_nan) {
    return std::make_unique<OutlierFilter>(stream, median(stream, part, around_nan), type, part, limits);
  };
  return filter;
}

}  // namespace

void remove_outliers(const Context& context, const GpuArray& image, const GpuOutput& out, const OutlierOptions& options) {
  require_in({0, {}}, options.threshold, "remove_outliers: threshold");
  cuda::filter_array(context, image, out, [&] { return planned(image.type, image.shape, options); });
}

}  // namespace tamis
