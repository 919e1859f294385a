#include "median/gpu/step.hpp"

#include "core/gpu/launch.hpp"
#include "median/gpu/histogram/lane.cuh"
#include "median/gpu/padded.hpp"
#include "median/plan/gpu_tiles.hpp"

namespace tamis::median_detail::gpu {
namespace {

struct HistogramTask {
  const std::byte* keys = nullptr;  ///< padded; of slice 0, row 0
  std::int64_t pitch = 0, slice = 0;
  cuda::DeviceImage to;
  std::int64_t nx = 0, ny = 0;
  std::int64_t first_slice = 0;
  int rows = 0;  ///< of a strip
  int rank = 0;
  DeviceRuns runs;
};

/// A block is one warp, which goes down a strip of 32 columns.
template <int bits>
__global__ void __launch_bounds__(32) histogram_kernel(HistogramTask task) {
  __shared__ std::uint32_t words[Counters<bits>::words * 32];
  for (int i = 0; i < Counters<bits>::words; ++i) words[i * 32 + threadIdx.x] = 0;
  HistogramLane<bits> histogram(words, threadIdx.x);
  const std::int64_t x = static_cast<std::int64_t>(blockIdx.x) * 32 + threadIdx.x;
  const std::int64_t z = task.first_slice + blockIdx.z;
  std::int64_t y = static_cast<std::int64_t>(blockIdx.y) * task.rows;
  const std::int64_t end = min(y + task.rows, task.ny);
  const std::byte* at = task.keys + z * task.slice + y * task.pitch + x;
  std::byte* to = task.to.data + z * task.to.slice + y * task.to.pitch + x;
  const auto keys = [&](const DeviceRun& run) { return at + run.row(task.pitch, task.slice) + run.x; };
  for (const DeviceRun& run : task.runs.whole()) histogram.template move<true>(keys(run), run.length);
  for (;;) {
    const int key = histogram.find(task.rank);
    if (x < task.nx) *to = static_cast<std::byte>(key);
    if (++y == end) return;
    task.runs.visit_leaving([&](const DeviceRun& run) { histogram.template move<false>(keys(run), run.length); },
                            [&](const DeviceRun& run) { histogram.template move_one<false>(keys(run)); });
    at += task.pitch;
    to += task.to.pitch;
    task.runs.visit_entering([&](const DeviceRun& run) { histogram.template move<true>(keys(run), run.length); },
                             [&](const DeviceRun& run) { histogram.template move_one<true>(keys(run)); });
  }
}

using HistogramKernel = void (*)(HistogramTask);

/// The narrowest counters let the most warps run.
HistogramKernel kernel_of(std::int64_t samples) {
  constexpr std::int64_t most_of_8 = 255, most_of_16 = 65535;
  if (samples <= most_of_8) return histogram_kernel<8>;
  return samples <= most_of_16 ? histogram_kernel<16> : histogram_kernel<32>;
}

class HistogramRanks : public cuda::DeviceFilter {
 public:
  HistogramRanks(const cuda::Stream& stream, const Step& step, const DeviceRunList& runs)
      : stream_(stream),
        workspace_(step.workspace),
        padding_(stream, step),
        kernel_(kernel_of(step.rank.count)),
        slices_(step.shape.z) {
    step.workspace.want(padding_.bytes());
    task_.pitch = padding_.pitch();
    task_.slice = padding_.slice();
    task_.nx = step.shape.x;
    task_.ny = step.shape.y;
    task_.rank = static_cast<int>(step.rank.rank);
    task_.runs = runs.get();
    columns_ = (step.shape.x + 31) / 32;
    task_.rows = strip_rows(step.shape.y, columns_ * slices_, runs.samples(), runs.changes());
  }

  void run(const cuda::DeviceImage& image, const cuda::DeviceImage& out, unsigned*) const override {
    padding_.fill(image, workspace_.data());
    HistogramTask task = task_;
    task.keys = padding_.origin(workspace_.data());
    task.to = out;
    const auto strips = static_cast<unsigned>((task.ny + task.rows - 1) / task.rows);
    for_slices(slices_, [&](std::int64_t first, unsigned count) {
      task.first_slice = first;
      cuda::launch(stream_, {dim3(static_cast<unsigned>(columns_), strips, count), dim3(32)}, "ranks by histograms",
                   kernel_, task);
    });
  }

 private:
  const cuda::Stream& stream_;
  const Workspace& workspace_;
  Padding padding_;
  HistogramKernel kernel_;
  HistogramTask task_;
  std::int64_t slices_, columns_;
};

}  // namespace

cuda::DeviceStep histogram_step(const cuda::Stream& stream, const Step& step, const DeviceRunList& runs) {
  return std::make_unique<HistogramRanks>(stream, step, runs);
}

}  // namespace tamis::median_detail::gpu
