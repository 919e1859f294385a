#include "median/histogram_cuda.hpp"

#include "core/cuda/launch.hpp"
#include "median/device_runs.hpp"
#include "median/histogram_lane.cuh"
#include "median/padded_cuda.hpp"
#include "median/strips.hpp"

namespace tamis::median_detail {
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
  for (const DeviceRun& run : task.runs.whole())
    histogram.template move<true>(at + run.row(task.pitch, task.slice) + run.x, run.length);
  for (;;) {
    const int key = histogram.find(task.rank);
    if (x < task.nx) *to = static_cast<std::byte>(key);
    if (++y == end) return;
    for (const DeviceRun& run : task.runs.leaving())
      histogram.template move<false>(at + run.row(task.pitch, task.slice) + run.x, run.length);
    at += task.pitch;
    to += task.to.pitch;
    for (const DeviceRun& run : task.runs.entering())
      histogram.template move<true>(at + run.row(task.pitch, task.slice) + run.x, run.length);
  }
}

}  // namespace

void histogram_cuda(const cuda::Stream& stream, const RankStep& step, const DeviceRunList& runs, const GpuStep& task) {
  const PaddedImage padded(stream, task, step.window.box());
  HistogramTask work;
  work.keys = padded.origin();
  work.pitch = padded.pitch();
  work.slice = padded.slice();
  work.to = task.to;
  work.nx = task.shape.x;
  work.ny = task.shape.y;
  work.rank = static_cast<int>(step.rank);
  work.runs = runs.get();
  const std::int64_t columns = (task.shape.x + 31) / 32;
  work.rows = strip_rows(task.shape.y, columns * task.shape.z, runs.samples(), runs.changes());
  const auto strips = static_cast<unsigned>((task.shape.y + work.rows - 1) / work.rows);
  // The narrowest counters let the most warps run.
  constexpr std::int64_t most_of_8 = 255, most_of_16 = 65535;
  for_slices(task.shape.z, [&](std::int64_t first, unsigned count) {
    work.first_slice = first;
    const cuda::LaunchShape shape{dim3(static_cast<unsigned>(columns), strips, count), dim3(32)};
    constexpr const char* what = "ranks by histograms";
    if (step.count <= most_of_8) {
      cuda::launch(stream, shape, what, histogram_kernel<8>, work);
    } else if (step.count <= most_of_16) {
      cuda::launch(stream, shape, what, histogram_kernel<16>, work);
    } else {
      cuda::launch(stream, shape, what, histogram_kernel<32>, work);
    }
  });
}

}  // namespace tamis::median_detail
