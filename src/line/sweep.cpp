#include "line/sweep.hpp"

#include <algorithm>
#include <cmath>

#ifdef TAMIS_CUDA
#include "line/sweep_cuda.hpp"
#endif

namespace tamis::line_detail {
namespace {

struct Range {
  double lowest = 0, highest = 0;
};

Range range_of(const Image& image) {
  Range range{image.row<float>(0, 0)[0], image.row<float>(0, 0)[0]};
  const std::int64_t count = image.shape().count();
  const auto* const samples = image.row<float>(0, 0);
  for (std::int64_t i = 0; i < count; ++i) {
    range.lowest = std::min<double>(range.lowest, samples[i]);
    range.highest = std::max<double>(range.highest, samples[i]);
  }
  return range;
}

}  // namespace

SweepScale sweep_scale(const Context&, const Image& image) {
  if (image.type() != Type::F32) return {};
  const Range range = range_of(image);
  const double extent = range.highest - range.lowest;
  if (!(extent > 0)) return {range.lowest, 1};
  // The largest count is 2^30 to 2^31; 2^32 samples of it fit into a sum.
  return {range.lowest, std::exp2(std::floor(std::log2(extent)) - 30)};
}

SweepResult sweep(const Context& context, const Image& image, const SweepTask& task) {
  require_device(context);
  Stage stage(context, "sweep", image.shape().count() * static_cast<std::int64_t>(task.angles.size()));
#ifdef TAMIS_CUDA
  if (context.device == Device::Cuda) return sweep_cuda(context, image, task, stage);
#endif
  return sweep_cpu(context, image, task, stage);
}

}  // namespace tamis::line_detail
