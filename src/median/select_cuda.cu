#include "median/select_cuda.hpp"

#include "core/cuda/border.cuh"
#include "core/cuda/launch.hpp"
#include "median/gpu_keys.cuh"
#include "median/rank_of.cuh"

namespace tamis::median_detail {
namespace {

struct SelectTask {
  cuda::DeviceImage from, to;
  std::int64_t nx = 0, ny = 0, nz = 0;
  std::int64_t first_slice = 0;
  Border::Kind border = Border::Kind::Reflect;
  std::uint32_t outside = 0;
  bool frame_only = false;
  Offset low, high;  ///< of the window
  double percentile = 50;
  DeviceRuns runs;
};

/// The window at one sample.
template <class Sample>
class Window {
 public:
  __device__ Window(const SelectTask& task, std::int64_t z, std::int64_t y, std::int64_t x)
      : task_(task), z_(z), y_(y), x_(x) {
    Sample outside;
    memcpy(&outside, &task.outside, sizeof(Sample));
    outside_ = task.border == Border::Kind::Neutral ? gpu_absent : gpu_key_of(outside);
  }

  /// see(key) for each sample.
  template <class See>
  __device__ void visit(const See& see) const {
    for (const DeviceRun& run : task_.runs.whole()) {
      const std::int64_t z = cuda::seen_at(z_ + run.z, task_.nz, task_.border);
      const std::int64_t y = cuda::seen_at(y_ + run.y, task_.ny, task_.border);
      const bool outside = z < 0 || y < 0;
      const Sample* const row = row_at(outside ? 0 : z, outside ? 0 : y);
      for (std::int64_t x = x_ + run.x; x < x_ + run.x + run.length; ++x) {
        const std::int64_t from = cuda::seen_at(x, task_.nx, task_.border);
        see(outside || from < 0 ? outside_ : gpu_key_of(__ldg(row + from)));
      }
    }
  }
  [[nodiscard]] __device__ bool sees_image() const {
    if (task_.border != Border::Kind::Neutral) return true;
    for (const DeviceRun& run : task_.runs.whole()) {
      const std::int64_t z = z_ + run.z, y = y_ + run.y, x = x_ + run.x;
      const bool row_inside = z >= 0 && z < task_.nz && y >= 0 && y < task_.ny;
      if (row_inside && x < task_.nx && x + run.length > 0) return true;
    }
    return false;
  }
  [[nodiscard]] __device__ bool is_inside() const {
    const auto fits = [](std::int64_t i, std::int64_t low, std::int64_t high, std::int64_t n) {
      return i + low >= 0 && i + high < n;
    };
    return fits(x_, task_.low.x, task_.high.x, task_.nx) && fits(y_, task_.low.y, task_.high.y, task_.ny) &&
           fits(z_, task_.low.z, task_.high.z, task_.nz);
  }
  [[nodiscard]] __device__ const Sample* row_at(std::int64_t z, std::int64_t y) const {
    return reinterpret_cast<const Sample*>(task_.from.data + z * task_.from.slice + y * task_.from.pitch);
  }

 private:
  const SelectTask& task_;
  std::int64_t z_, y_, x_;
  std::uint32_t outside_;
};

/// A thread makes one result.
template <class Sample>
__global__ void __launch_bounds__(256) select_kernel(SelectTask task) {
  const std::int64_t x = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const std::int64_t z = task.first_slice + blockIdx.z;
  if (x >= task.nx) return;
  for (std::int64_t y = blockIdx.y; y < task.ny; y += gridDim.y) {
    const Window<Sample> window(task, z, y, x);
    if (task.frame_only && window.is_inside()) continue;
    std::int64_t present = 0;
    window.visit([&](std::uint32_t key) { present += key != gpu_absent; });
    Sample& out = reinterpret_cast<Sample*>(task.to.data + z * task.to.slice + y * task.to.pitch)[x];
    if (present == 0) {
      out = window.sees_image() ? gpu_sample_of<Sample>(gpu_absent) : window.row_at(z, y)[x];
      continue;
    }
    std::int64_t rank = device_rank_of(task.percentile, present);
    std::uint32_t chosen = 0;  // the upper bits of the result
    for (int bit = 8 * static_cast<int>(sizeof(Sample)) - 1; bit >= 0; --bit) {
      std::int64_t zeros = 0;
      const std::uint32_t wanted = chosen << 1;
      window.visit([&](std::uint32_t key) { zeros += key >> bit == wanted; });
      chosen = wanted;
      if (rank >= zeros) {
        rank -= zeros;
        chosen |= 1;
      }
    }
    out = gpu_sample_of<Sample>(chosen);
  }
}

template <class Sample>
void run(const cuda::Stream& stream, SelectTask task) {
  constexpr unsigned threads = 256, most_rows = 65535;
  const dim3 blocks(static_cast<unsigned>((task.nx + threads - 1) / threads),
                    static_cast<unsigned>(std::min<std::int64_t>(task.ny, most_rows)));
  for_slices(task.nz, [&](std::int64_t first, unsigned count) {
    task.first_slice = first;
    cuda::launch(stream, {dim3(blocks.x, blocks.y, count), dim3(threads)}, "ranks bit by bit", select_kernel<Sample>,
                 task);
  });
}

}  // namespace

void select_cuda(const cuda::Stream& stream, const RankStep& step, const DeviceRunList& runs, const GpuStep& task) {
  SelectTask work;
  work.from = task.from;
  work.to = task.to;
  work.nx = task.shape.x;
  work.ny = task.shape.y;
  work.nz = task.shape.z;
  work.border = task.border.kind;
  work.outside = outside_bits(task.type, task.border);
  work.frame_only = task.frame_only;
  work.low = step.window.box().low;
  work.high = step.window.box().high;
  work.percentile = step.percentile;
  work.runs = runs.get();
  switch (task.type) {
    case Type::U16:
      return run<std::uint16_t>(stream, work);
    case Type::I16:
      return run<std::int16_t>(stream, work);
    case Type::F32:
      return run<float>(stream, work);
    default:
      return run<std::uint8_t>(stream, work);
  }
}

}  // namespace tamis::median_detail
