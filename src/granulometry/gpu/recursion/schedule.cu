#include "granulometry/gpu/recursion/recursion.hpp"

#include <algorithm>

#include "core/gpu/launch.hpp"
#include "core/gpu/warp.cuh"

namespace tamis::granulometry_detail::gpu {
namespace {

constexpr int threads_of_order = 1024;
using cuda::whole_warp;

__global__ void band_peaks_kernel(const Schedule s, const std::uint16_t* groups, std::uint16_t* bands) {
  const Windows& w = s.windows;
  const std::int64_t z = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (z >= w.nz) return;
  const int count = s.bands;
  for (std::int64_t i = blockIdx.y; i < std::int64_t{w.columns} * count; i += gridDim.y) {
    const std::int64_t first = i % count * s.own - s.halo;
    const auto column = static_cast<int>(i / count);
    const int beside = s.ragged ? 1 : 0;
    int peak = 0;
    for (int c = max(column - beside, 0); c <= min(column + beside, w.columns - 1); ++c) {
      for (std::int64_t g = max(first, std::int64_t{0}) / Windows::peak_rows;
           g * Windows::peak_rows < min(first + 32, w.ny); ++g) {
        peak = max(peak, static_cast<int>(groups[w.peak(z, c, static_cast<int>(g))]));
      }
    }
    bands[i * w.nz + z] = static_cast<std::uint16_t>(peak);
  }
}

/// Marks the pieces that a distance of this one reaches: D - 1 voxels away, at most, it makes sizes of D.
__device__ void mark_tall(const Schedule& s, int piece, int peak) {
  const int reach = peak - 1;
  const int chunk = piece / s.bands / s.windows.columns;
  const int column = piece / s.bands % s.windows.columns;
  const int band = piece % s.bands;
  const int chunks = (reach + s.chunk - 1) / s.chunk;
  const int columns = (reach + Windows::own_x - 1) / Windows::own_x;
  const int bands = (reach + s.halo + s.own - 1) / s.own;  // the peak may lie in the halo
  for (int z = max(chunk - chunks, 0); z <= min(chunk + chunks, s.chunks - 1); ++z) {
    for (int x = max(column - columns, 0); x <= min(column + columns, s.windows.columns - 1); ++x) {
      for (int y = max(band - bands, 0); y <= min(band + bands, s.bands - 1); ++y) s.tall[s.piece(z, x, y)] = 1;
    }
  }
}

/// The group of a piece: a distance D takes part in the passes whose last level is below D.
__global__ void group_kernel(const Schedule s) {
  const int piece = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (piece >= s.pieces) return;
  const int strips = s.bands * s.windows.columns;
  const std::int64_t begin = std::int64_t{piece / strips} * s.chunk;
  const std::int64_t end = min(begin + s.chunk, s.windows.nz);
  const std::uint16_t* const peaks = s.peaks + std::int64_t{piece % strips} * s.windows.nz;
  int peak = 0;
  for (std::int64_t z = begin; z < end; ++z) peak = max(peak, static_cast<int>(peaks[z]));
  const int first_pass = peak == 0 ? s.passes : max(0, s.passes - 1 - (peak - 1) / s.steps);
  const int group = peak == 0 ? s.groups : first_pass / s.passes_of_group;
  s.group[piece] = group;
  s.done[piece] = peak == 0 ? s.passes : group * s.passes_of_group;
  if (peak > 0) atomicAdd(s.members + group, 1);
  if (peak >= 1 << Schedule::low_planes) mark_tall(s, piece, peak);
}

/// One block a group: its pieces in their order in space, which keeps neighbours together in the cache.
__global__ void __launch_bounds__(threads_of_order) order_kernel(const Schedule s) {
  __shared__ int of_warp[threads_of_order / 32];
  const int group = static_cast<int>(blockIdx.x);
  const auto thread = static_cast<int>(threadIdx.x);
  int next = 0;
  for (int g = 0; g < group; ++g) next += s.members[g];
  const int pieces = s.pieces;
  for (int first = 0; first < pieces; first += threads_of_order) {
    const int piece = first + thread;
    const bool member = piece < pieces && s.group[piece] == group;
    const unsigned members = __ballot_sync(whole_warp, member);
    if (thread % 32 == 0) of_warp[thread / 32] = __popc(members);
    __syncthreads();
    int before = __popc(members & ((1U << (thread % 32)) - 1U));
    int all = 0;
    for (int w = 0; w < threads_of_order / 32; ++w) {
      if (w < thread / 32) before += of_warp[w];
      all += of_warp[w];
    }
    if (member) s.order[next + before] = piece;
    next += all;
    __syncthreads();
  }
}

}  // namespace

Schedule::Schedule(const Windows& of, int steps_of_pass, int all_passes, int slices)
    : windows(of),
      steps(steps_of_pass),
      passes(all_passes),
      halo(steps),
      own(32 - 2 * halo),
      chunk(slices),
      bands(windows.bands(own)),
      chunks(static_cast<int>((windows.nz + chunk - 1) / chunk)),
      pieces(chunks * windows.columns * bands),
      passes_of_group((passes + most_groups - 1) / most_groups),
      groups((passes + passes_of_group - 1) / passes_of_group) {}

std::int64_t band_peak_count(const Schedule& s) { return std::int64_t{s.windows.columns} * s.bands * s.windows.nz; }

std::int64_t schedule_ints(const Schedule& s) { return 4 + Schedule::most_groups + std::int64_t{4} * s.pieces; }

void place_schedule(Schedule& s, int* memory) {
  s.turns = reinterpret_cast<unsigned long long*>(memory);
  s.members = memory + 4;
  s.group = s.members + Schedule::most_groups;
  s.done = s.group + s.pieces;
  s.order = s.done + s.pieces;
  s.tall = s.order + s.pieces;
}

void make_schedule(const cuda::Stream& stream, const Schedule& s, const std::uint16_t* group_peaks,
                   std::uint16_t* band_peaks) {
  const Windows& w = s.windows;
  constexpr unsigned threads = 128;
  cuda::LaunchShape shape;
  shape.threads = dim3(threads);
  shape.blocks = dim3(static_cast<unsigned>((w.nz + threads - 1) / threads),
                      static_cast<unsigned>(std::min<std::int64_t>(std::int64_t{w.columns} * s.bands, 65535)));
  cuda::launch(stream, shape, "peaks", band_peaks_kernel, s, group_peaks, band_peaks);

  cuda::check(cudaMemsetAsync(s.turns, 0, sizeof(int) * (4 + Schedule::most_groups), stream.get()), "clear a schedule");
  cuda::check(cudaMemsetAsync(s.tall, 0, sizeof(int) * static_cast<std::size_t>(s.pieces), stream.get()),
              "clear a schedule");
  shape.blocks = dim3((static_cast<unsigned>(s.pieces) + threads - 1) / threads);
  cuda::launch(stream, shape, "schedule", group_kernel, s);
  shape.threads = dim3(threads_of_order);
  shape.blocks = dim3(static_cast<unsigned>(s.groups));
  cuda::launch(stream, shape, "schedule", order_kernel, s);
}

}  // namespace tamis::granulometry_detail::gpu
