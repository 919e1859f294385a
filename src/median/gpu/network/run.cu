#include "median/gpu/step.hpp"

#include <algorithm>

#include "core/gpu/launch.hpp"
#include "core/visit_type.hpp"
#include "median/gpu/network/rows.cuh"

namespace tamis::median_detail::gpu {
namespace {

/// Samples along x and y, and along z, of a square or cube with its origin in the middle; 0 if it is none.
struct Edges {
  int edge = 0, depth = 0;
};
Edges edges_of(const OffsetSet& window) {
  constexpr std::int64_t most = 9;
  const OffsetBox& box = window.box();
  const std::int64_t edge = box.high.x - box.low.x + 1, depth = box.high.z - box.low.z + 1;
  const auto centred = [](std::int64_t low, std::int64_t high, std::int64_t samples) {
    return low == -(samples / 2) && high == low + samples - 1;
  };
  if (!window.is_box() || edge > most || depth > most || !centred(box.low.x, box.high.x, edge) ||
      !centred(box.low.y, box.high.y, edge) || !centred(box.low.z, box.high.z, depth)) {
    return {};
  }
  return {static_cast<int>(edge), static_cast<int>(depth)};
}

/// A window of one row or column that a kernel has; length 0 if none has it.
struct Line {
  int length = 0;
  bool along_x = false;
};
Line line_of(const RankStep& step) {
  constexpr std::int64_t most = 15;
  const OffsetBox& box = step.window.box();
  const std::int64_t half = step.count / 2;
  if (!step.window.is_box() || step.rank != half || step.count < 3 || step.count > most || step.count % 2 == 0)
    return {};
  const auto length = static_cast<int>(step.count);
  if (box == OffsetBox{{0, 0, -half}, {0, 0, half}}) return {length, true};
  if (box == OffsetBox{{0, -half, 0}, {0, half, 0}}) return {length, false};
  return {};
}

/// No kernel if there is none.
template <class Sample>
NetworkKernel kernel_of(const RankStep& step) {
  constexpr int most_of_any_rank = 7;
  const auto [edge, depth] = edges_of(step.window);
  const bool square = depth == 1 && edge > 1, cube = depth == 3 && edge == 3;
  if ((square || cube) && edge % 2 == 1 && step.rank == step.count / 2) return square_network<Sample>(edge, depth);
  if ((square && edge <= most_of_any_rank) || cube) return rank_network<Sample>(edge, depth);
  const Line line = line_of(step);
  return line.length > 0 ? line_network<Sample>(line.length, line.along_x) : NetworkKernel{};
}

class NetworkRanks : public cuda::DeviceFilter {
 public:
  NetworkRanks(const cuda::Stream& stream, const NetworkKernel& kernel, const Step& step)
      : stream_(stream), kernel_(kernel.kernel), looks_for_nan_(step.type == Type::F32) {
    task_.nx = static_cast<int>(step.shape.x);
    task_.ny = static_cast<int>(step.shape.y);
    task_.nz = static_cast<int>(step.shape.z);
    task_.border = step.border.kind;
    task_.outside = outside_bits(step.type, step.border);
    task_.rank = static_cast<int>(step.rank.rank);
    grid_ = TileGrid::of(task_.nx, task_.ny, task_.nz, kernel.wide, kernel.side);
  }

  [[nodiscard]] bool looks_for_nan() const override { return looks_for_nan_; }

  void run(const cuda::DeviceImage& image, const cuda::DeviceImage& out, unsigned* nan) const override {
    constexpr int most_slices = 65535;  // of a launch
    NetworkTask task = task_;
    task.from = image;
    task.to = out;
    task.nan = nan;
    for (; task.first_slice < task.nz; task.first_slice += most_slices) {
      const auto slices = static_cast<unsigned>(std::min(task.nz - task.first_slice, most_slices));
      cuda::launch(stream_, {dim3(static_cast<unsigned>(grid_.blocks), slices), dim3(32, TileGrid::warps)},
                   "ranks by networks", kernel_, task, grid_);
    }
  }

 private:
  const cuda::Stream& stream_;
  void (*kernel_)(NetworkTask, TileGrid);
  bool looks_for_nan_;
  NetworkTask task_;
  TileGrid grid_;
};

}  // namespace

cuda::DeviceStep network_step(const cuda::Stream& stream, const Step& step) {
  if (step.type == Type::Bool) return nullptr;
  const NetworkKernel kernel =
      visit_filter_type(step.type, [&]<class Sample>(Sample) { return kernel_of<Sample>(step.rank); });
  if (!kernel.kernel) return nullptr;
  return std::make_unique<NetworkRanks>(stream, kernel, step);
}

}  // namespace tamis::median_detail::gpu
