#include "median/gpu/step.hpp"

#include "core/gpu/launch.hpp"
#include "median/gpu/keys.cuh"
#include "median/gpu/padded.hpp"
#include "median/plan/gpu_tiles.hpp"

namespace tamis::median_detail::gpu {
namespace {

struct MajorityTask {
  const std::byte* bits = nullptr;    ///< padded; the first of slice 0, row 0
  const std::byte* inside = nullptr;  ///< the same of what is in the image, or null: everything counts
  std::int64_t pitch = 0, slice = 0;
  cuda::DeviceImage to;
  std::int64_t nx = 0, ny = 0;
  std::int64_t words = 0;  ///< of 32 bits in a row of results, what pads it too
  std::int64_t first_slice = 0;
  int rows = 0;  ///< of a strip
  std::int64_t rank = 0;
  double percentile = 50;
  DeviceRuns runs;
};

/// Set bits of `length` from bit `x` of a row on.
__device__ __forceinline__ int set_bits(const std::byte* row, std::int64_t x, std::int64_t length) {
  const auto* words = reinterpret_cast<const std::uint32_t*>(row) + (x >> 5);
  const unsigned shift = static_cast<unsigned>(x) & 31;
  std::uint32_t now = __ldg(words);
  int count = 0;
  for (; length > 0; length -= 32) {
    const std::uint32_t next = __ldg(++words);
    const std::uint32_t bits = __funnelshift_r(now, next, shift);
    count += __popc(length >= 32 ? bits : bits & ((1U << length) - 1));
    now = next;
  }
  return count;
}

struct Tally {
  std::int64_t set = 0, seen = 0;
  __device__ __forceinline__ void add(const MajorityTask& task, const DeviceRun& run, std::int64_t at, std::int64_t x,
                                      int sign) {
    const std::int64_t row = at + run.row(task.pitch, task.slice);
    set += sign * set_bits(task.bits + row, x + run.x, run.length);
    if (task.inside) seen += sign * set_bits(task.inside + row, x + run.x, run.length);
  }
};

/// A warp makes 32 results of each row of a strip, a word of them.
__global__ void __launch_bounds__(128) majority_kernel(MajorityTask task) {
  const std::int64_t word = static_cast<std::int64_t>(blockIdx.x) * blockDim.y + threadIdx.y;
  const std::int64_t x = word * 32 + threadIdx.x;
  if (word >= task.words) return;
  const std::int64_t z = task.first_slice + blockIdx.z;
  std::int64_t y = static_cast<std::int64_t>(blockIdx.y) * task.rows;
  const std::int64_t end = min(y + task.rows, task.ny);
  std::int64_t at = z * task.slice + y * task.pitch;
  std::byte* to = task.to.data + z * task.to.slice + y * task.to.pitch;
  Tally tally;
  tally.seen = task.inside ? 0 : task.runs.samples;
  for (const DeviceRun& run : task.runs.whole()) tally.add(task, run, at, x, 1);
  for (;;) {
    const std::int64_t rank = task.inside ? device_rank_of(task.percentile, tally.seen) : task.rank;
    bool set = tally.seen - tally.set <= rank;
    if (tally.seen == 0) set = set_bits(task.bits + at, x, 1) != 0;
    const unsigned bits = __ballot_sync(~0U, set && x < task.nx);
    if (threadIdx.x == 0) reinterpret_cast<std::uint32_t*>(to)[word] = bits;
    if (++y == end) return;
    for (const DeviceRun& run : task.runs.leaving()) tally.add(task, run, at, x, -1);
    at += task.pitch;
    to += task.to.pitch;
    for (const DeviceRun& run : task.runs.entering()) tally.add(task, run, at, x, 1);
  }
}

class MajorityRanks : public cuda::DeviceFilter {
 public:
  MajorityRanks(const cuda::Stream& stream, const Step& step, const DeviceRunList& runs)
      : stream_(stream), workspace_(step.workspace), padding_(stream, step), slices_(step.shape.z) {
    step.workspace.want(padding_.bytes());
    if (step.varies()) {
      inside_ = cuda::DeviceBuffer<std::byte>(stream, padding_.bytes());
      padding_.fill_inside(inside_.data());
      task_.inside = padding_.origin(inside_.data());
    }
    task_.pitch = padding_.pitch();
    task_.slice = padding_.slice();
    task_.nx = step.shape.x;
    task_.ny = step.shape.y;
    task_.rank = step.rank.rank;
    task_.percentile = step.rank.percentile;
    task_.runs = runs.get();
    // Rows of a Bool image are whole words of 64 bits.
    task_.words = (step.shape.x + 63) / 64 * 2;
    task_.rows = strip_rows(step.shape.y, task_.words * slices_, runs.samples(), runs.changes());
  }

  void run(const cuda::DeviceImage& image, const cuda::DeviceImage& out, unsigned*) const override {
    padding_.fill(image, workspace_.data());
    MajorityTask task = task_;
    task.bits = padding_.origin(workspace_.data());
    task.to = out;
    constexpr int warps = 4;
    const auto columns = static_cast<unsigned>((task.words + warps - 1) / warps);
    const auto strips = static_cast<unsigned>((task.ny + task.rows - 1) / task.rows);
    for_slices(slices_, [&](std::int64_t first, unsigned count) {
      task.first_slice = first;
      cuda::launch(stream_, {dim3(columns, strips, count), dim3(32, warps)}, "majority of bits", majority_kernel, task);
    });
  }

 private:
  const cuda::Stream& stream_;
  const Workspace& workspace_;
  Padding padding_;
  cuda::DeviceBuffer<std::byte> inside_;  ///< where windows shrink
  MajorityTask task_;
  std::int64_t slices_;
};

}  // namespace

cuda::DeviceStep majority_step(const cuda::Stream& stream, const Step& step, const DeviceRunList& runs) {
  return std::make_unique<MajorityRanks>(stream, step, runs);
}

}  // namespace tamis::median_detail::gpu
