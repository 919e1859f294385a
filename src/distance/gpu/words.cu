// A warp goes through a row in parts of 1024 voxels, a word to each lane: what lies beyond a word is the last background
// before it and the first behind it, which lanes tell each other.
#include "distance/gpu/steps.hpp"

#include "core/gpu/launch.hpp"
#include "core/gpu/warp.cuh"

namespace tamis::distance_detail::gpu {
namespace {

using cuda::whole_warp;

constexpr int warps = 8;  // of a block
constexpr int part = 32 * 32;
/// No background: farther than a square can say, and still a sum that does not overflow.
constexpr int far = 1 << 28;

struct Rows {
  const std::uint32_t* object;
  const std::uint32_t* domain;  ///< nullptr: what is not object is background; otherwise only inside of it
  bool same_domain;             ///< one slice for all
  bool low, high;               ///< background before and behind a row
  int words;                    ///< of a row
  int most;                     ///< steps that matter
  std::int64_t y, x, count;
};

__device__ __forceinline__ std::uint32_t bits_of(const Rows& rows, std::int64_t row, std::int64_t word) {
  if (word >= rows.words) return rows.high ? 0U : ~0U;
  std::uint32_t bits = rows.object[row * rows.words + word];
  if (rows.domain) bits |= ~rows.domain[(rows.same_domain ? row % rows.y : row) * rows.words + word];
  const std::int64_t left = rows.x - word * 32;
  if (left >= 32) return bits;
  const std::uint32_t behind = left <= 0 ? ~0U : ~0U << left;
  return rows.high ? bits & ~behind : bits | behind;
}

/// The first background behind a part.
__device__ __forceinline__ int background_behind(const Rows& rows, std::int64_t row, int parts, int now) {
  const int lane = threadIdx.x % 32;
  for (int next = now + 1;; ++next) {
    if (next >= parts) return rows.high ? parts * part : far;
    if ((next - now - 1) * part > rows.most) return far;
    const std::uint32_t holes = ~bits_of(rows, row, std::int64_t{next} * 32 + lane);
    const unsigned some = __ballot_sync(whole_warp, holes != 0);
    if (some == 0) continue;
    const int first = __ffs(some) - 1;
    return next * part + first * 32 + __ffs(__shfl_sync(whole_warp, holes, first)) - 1;
  }
}

__global__ void __launch_bounds__(warps * 32) words_kernel(const Rows rows, Word* out) {
  const std::int64_t row = std::int64_t{blockIdx.x} * warps + threadIdx.x / 32;
  if (row >= rows.count) return;
  const int lane = threadIdx.x % 32;
  const int parts = (rows.words + 31) / 32;
  int carried = rows.low ? -1 : -far;
  for (int now = 0; now < parts; ++now) {
    const int own = now * 32 + lane;
    const std::uint32_t bits = bits_of(rows, row, own);
    const std::uint32_t holes = ~bits;
    int before = max(carried, holes ? own * 32 + 31 - __clz(holes) : -far);
    int behind = holes ? own * 32 + __ffs(holes) - 1 : far;
#pragma unroll
    for (int distance = 1; distance < 32; distance *= 2) {
      const int lower = __shfl_up_sync(whole_warp, before, distance);
      if (lane >= distance) before = max(before, lower);
      const int upper = __shfl_down_sync(whole_warp, behind, distance);
      if (lane + distance < 32) behind = min(behind, upper);
    }
    const int last = __shfl_sync(whole_warp, before, 31);
    const int lower = __shfl_up_sync(whole_warp, before, 1);
    before = lane > 0 ? lower : carried;
    const int ahead = background_behind(rows, row, parts, now);
    const int upper = __shfl_down_sync(whole_warp, min(behind, ahead), 1);
    behind = lane < 31 ? upper : ahead;
    carried = last;
    if (own >= rows.words) continue;
    Word word;
    word.bits = bits;
    word.before = static_cast<std::uint16_t>(min(own * 32 - before, most_steps));
    word.behind = static_cast<std::uint16_t>(min(behind - (own * 32 + 31), most_steps));
    out[row * rows.words + own] = word;
  }
}

}  // namespace

void find_words(const cuda::Stream& stream, const Task& task, int most, Word* words) {
  const Shape& shape = task.plan.shape;
  Rows rows{};
  rows.object = reinterpret_cast<const std::uint32_t*>(task.object.words);
  if (task.neutral) rows.domain = reinterpret_cast<const std::uint32_t*>(task.domain.words);
  rows.same_domain = task.domain.slices == 1;
  rows.low = task.plan.x.low;
  rows.high = task.plan.x.high;
  rows.words = static_cast<int>(pitch_of(shape.x) / 32);
  rows.most = most;
  rows.y = shape.y;
  rows.x = shape.x;
  rows.count = shape.z * shape.y;
  cuda::launch(stream, {dim3(static_cast<unsigned>((rows.count + warps - 1) / warps)), dim3(warps * 32)},
               "distances along x", words_kernel, rows, words);
}

}  // namespace tamis::distance_detail::gpu
