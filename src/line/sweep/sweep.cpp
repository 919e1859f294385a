#include "line/sweep/sweep.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "line/sweep/cpu/run.hpp"
#include "line/traced/lines.hpp"

#ifdef TAMIS_CUDA
#include "line/sweep/gpu/run.hpp"
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

/// Neighbours with the same key.
template <class KeyAt>
std::vector<AngleRun> runs_by(std::size_t begin, std::size_t end, KeyAt key_at) {
  std::vector<AngleRun> runs;
  decltype(key_at(begin)) known;
  for (std::size_t i = begin; i < end; ++i) {
    auto key = key_at(i);
    if (!runs.empty() && key == known) {
      runs.back().last = i;
    } else {
      runs.push_back({i, i});
      known = std::move(key);
    }
  }
  return runs;
}

}  // namespace

std::vector<AngleRun> runs_of_one_segment(const SweepTask& task, const Shape& shape, std::size_t begin,
                                          std::size_t end) {
  if (task.lines == Lines::Invariant) {
    return runs_by(begin, end,
                   [&](std::size_t i) { return StructuringElement::line(task.length, task.angles[i]).sum(2); });
  }
  return runs_by(begin, end, [&](std::size_t i) {
    TracedLines lines = trace_lines(task.angles[i], shape);
    return std::pair(lines.steep, std::move(lines.shift));
  });
}

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
  if (sweep_device(context) == Device::Cuda) return gpu::sweep(context, image, task, stage);
#endif
  return cpu::sweep(context, image, task, stage);
}

}  // namespace tamis::line_detail
