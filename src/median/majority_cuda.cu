#include "median/majority_cuda.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "core/cuda/launch.hpp"
#include "median/device_runs.hpp"
#include "median/padded_cuda.hpp"
#include "median/rank_of.cuh"
#include "median/strips.hpp"

namespace tamis::median_detail {
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

}  // namespace

void majority_cuda(const cuda::Stream& stream, const RankStep& step, const DeviceRunList& runs, const GpuStep& task) {
  const PaddedImage padded(stream, task, step.window.box());
  std::optional<PaddedImage> inside;
  if (task.border.kind == Border::Kind::Neutral) inside.emplace(stream, task, step.window.box(), true);
  MajorityTask work;
  work.bits = padded.origin();
  if (inside) work.inside = inside->origin();
  work.pitch = padded.pitch();
  work.slice = padded.slice();
  work.to = task.to;
  work.nx = task.shape.x;
  work.ny = task.shape.y;
  work.rank = step.rank;
  work.percentile = step.percentile;
  work.runs = runs.get();
  constexpr int warps = 4;
  // Rows of a Bool image are whole words of 64 bits.
  const std::int64_t words = (task.shape.x + 63) / 64 * 2;
  const std::int64_t columns = (words + warps - 1) / warps;
  work.rows = strip_rows(task.shape.y, words * task.shape.z, runs.samples(), runs.changes());
  work.words = words;
  const auto strips = static_cast<unsigned>((task.shape.y + work.rows - 1) / work.rows);
  for_slices(task.shape.z, [&](std::int64_t first, unsigned count) {
    work.first_slice = first;
    cuda::launch(stream, {dim3(static_cast<unsigned>(columns), strips, count), dim3(32, warps)}, "majority of bits",
                 majority_kernel, work);
  });
}

}  // namespace tamis::median_detail
