// What the erosions counted becomes distances in bit planes: base + 4 * passes + rest + 1 of each voxel.
#include <algorithm>

#include "core/gpu/launch.hpp"
#include "core/gpu/warp.cuh"
#include "granulometry/gpu/distance/erosions.hpp"
#include "granulometry/gpu/recursion/stored_rows.cuh"

namespace tamis::granulometry_detail::gpu {
namespace {

using namespace recursion_kernel;

/// Adds a bit to a count in planes.
template <int planes>
__device__ __forceinline__ void add_bit(Planes<planes>& count, std::uint32_t bit) {
#pragma unroll
  for (int i = 0; i < planes; ++i) {
    const std::uint32_t carry = count.bit[i] & bit;
    count.bit[i] ^= bit;
    bit = carry;
  }
}

constexpr int pass_planes = 5;  ///< 0 to 16 passes

/// One word of distances from its counts: one more than the erosions survived, base + 4 * passes + rest, where it was
/// alive, the old distance elsewhere. Returns where it does not fit: the last pass may go a few erosions past a cap.
template <int planes>
__device__ __forceinline__ std::uint32_t join(Planes<planes>& distance, const Planes<pass_planes>& passes,
                                              std::uint32_t ones, std::uint32_t twos, std::uint32_t alive,
                                              std::int64_t base) {
  Planes<planes + 1> value;
#pragma unroll
  for (int i = 0; i <= planes; ++i) {
    if (i == 0) value.bit[i] = ones;
    if (i == 1) value.bit[i] = twos;
    if (i >= 2 && i < 2 + pass_planes - 1) value.bit[i] = passes.bit[i - 2];
    if (i >= 2 + pass_planes - 1) {  // base is a multiple of what 16 passes add
      const std::int64_t sixteens = base / (4 * Assembly::most_passes);
      const std::uint32_t with = (sixteens + 1) >> (i - 6) & 1 ? ~0U : 0U;
      const std::uint32_t without = sixteens >> (i - 6) & 1 ? ~0U : 0U;
      value.bit[i] = choose(passes.bit[pass_planes - 1], with, without);
    }
  }
  add_bit(value, ~0U);
#pragma unroll
  for (int i = 0; i < planes; ++i) distance.bit[i] = choose(alive, value.bit[i], distance.bit[i]);
  return alive & value.bit[planes];
}

/// Distances above `cap` become `cap`.
template <int planes>
__device__ __forceinline__ void limit(Planes<planes>& distance, std::uint32_t where, std::int64_t cap) {
#pragma unroll
  for (int i = 0; i < planes; ++i) distance.bit[i] = choose(where, cap >> i & 1 ? ~0U : 0U, distance.bit[i]);
}

template <int planes>
__device__ __forceinline__ int largest_of(const WindowRow<planes>& row) {
  std::uint32_t even = own_bits;
  std::uint32_t odd = own_bits;
  int largest = 0;
#pragma unroll
  for (int i = planes - 1; i >= 0; --i) {
    const std::uint32_t even_with = even & row.even.bit[i];
    const std::uint32_t odd_with = odd & row.odd.bit[i];
    if ((even_with | odd_with) == 0) continue;
    even = even_with;
    odd = odd_with;
    largest |= 1 << i;
  }
  return largest;
}

template <int planes>
__device__ __forceinline__ WindowRow<planes> read_row(const std::uint32_t* words) {
  WindowRow<planes> row;
#pragma unroll
  for (int i = 0; i < planes / 2; ++i) {
    const uint4 vector = reinterpret_cast<const uint4*>(words)[i];
    row.even.bit[2 * i] = vector.x;
    row.odd.bit[2 * i] = vector.y;
    row.even.bit[2 * i + 1] = vector.z;
    row.odd.bit[2 * i + 1] = vector.w;
  }
  return row;
}

/// Stores the rows of a warp, `rows` of them, in two places; through shared memory, so that lanes store neighbours.
template <int planes>
__device__ __forceinline__ void write_rows(Slot<planes>& staging, const PlaneRows (&to)[2], std::int64_t first,
                                           int rows, int lane, const WindowRow<planes>& row) {
  constexpr int edges = edge_words(planes);
  std::uint32_t own[edges];
  gather_edges(row, own);
  __syncwarp();
  Row<planes>::write(staging, lane, row);
  __syncwarp();
  const int pieces = rows * Slot<planes>::vectors_of_row;
#pragma unroll
  for (int i = 0; i < Slot<planes>::vectors_of_row; ++i) {
    const int piece = i * 32 + lane;
    if (piece >= pieces) continue;
    const uint4 words = staging.vectors[Slot<planes>::position(piece)];
#pragma unroll
    for (int copy = 0; copy < 2; ++copy) reinterpret_cast<uint4*>(to[copy].words + first * 2 * planes)[piece] = words;
  }
  if (lane >= rows) return;
#pragma unroll
  for (int copy = 0; copy < 2; ++copy) {
#pragma unroll
    for (int e = 0; e < edges; ++e) to[copy].edges[(first + lane) * edges + e] = own[e];
  }
}

/// What the passes left of one row.
struct Survival {
  Planes<pass_planes> passes_even = {};
  Planes<pass_planes> passes_odd = {};
  CountRow rest = {};
  BitRow start = {0, 0};  ///< alive before the first pass
  BitRow last = {0, 0};   ///< and after the last
};

__device__ Survival gather(const Assembly& task, std::int64_t at, int depth, int most) {
  const Windows& w = task.windows;
  Survival result;
  BitRow inside = {own_bits, own_bits};
  if (task.neutral) {
    const BitRow domain = task.domain[at];
    inside = {domain.even & own_bits, domain.odd & own_bits};
  }
  const auto row_of = [&](int pass) -> BitRow {
    const uint2 bits = *reinterpret_cast<const uint2*>(task.rows + pass * w.row_count() + at);
    return {bits.x & inside.even, bits.y & inside.odd};
  };
  if (depth == 0) return result;
  result.start = result.last = row_of(0);
  const int passes = min(depth, most);
  const uint4* counts = reinterpret_cast<const uint4*>(task.counts + at);
  const uint2* rows = reinterpret_cast<const uint2*>(task.rows + at);
#pragma unroll
  for (int pass = 0; pass < Assembly::most_passes; ++pass) {
    if (pass >= passes) break;
    const uint4 part = *counts;
    counts += w.row_count();
    rows += w.row_count();
    result.rest.ones = {result.rest.ones.even | part.x, result.rest.ones.odd | part.y};
    result.rest.twos = {result.rest.twos.even | part.z, result.rest.twos.odd | part.w};
    const uint2 bits = pass + 1 < depth ? *rows : uint2{0, 0};
    result.last = {bits.x & inside.even, bits.y & inside.odd};
    // What is alive is nested, so bit i of its number is the parity of every 2^i-th.
#pragma unroll
    for (int i = 0; i < pass_planes; ++i) {
      if ((pass + 1) % (1 << i) != 0) continue;
      result.passes_even.bit[i] ^= result.last.even;
      result.passes_odd.bit[i] ^= result.last.odd;
    }
  }
  return result;
}

__global__ void restart_kernel(std::uint8_t* depth, std::int64_t count) {
  for (std::int64_t i = blockIdx.x * std::int64_t{blockDim.x} + threadIdx.x; i < count;
       i += std::int64_t{gridDim.x} * blockDim.x) {
    depth[i] = depth[i] > Assembly::most_passes;
  }
}

constexpr unsigned assembly_warps = 4;

/// Largest distance of the rows of a group; every lane has it.
__device__ __forceinline__ int largest_of_group(int largest) {
#pragma unroll
  for (int distance = 1; distance < Windows::peak_rows; distance *= 2) {
    largest = max(largest, __shfl_xor_sync(whole_warp, largest, distance));
  }
  return largest;
}

template <int planes>
__global__ void __launch_bounds__(32 * assembly_warps) assembly_kernel(const Assembly task) {
  __shared__ Slot<planes> staging[assembly_warps];
  const Windows& w = task.windows;
  const int lane = static_cast<int>(threadIdx.x);
  const int column = static_cast<int>(blockIdx.x);
  const std::int64_t y = (std::int64_t{blockIdx.y} * blockDim.y + threadIdx.y) * 32 + lane;
  const bool inside = y < w.ny;
  int largest_here = 0;
  unsigned never = 0;
  int passes = 0;  // that had something to do; what the others should have left was never written
  while (passes < task.passes && task.left[passes] != 0) ++passes;
  for (std::int64_t z = blockIdx.z; z < w.nz; z += gridDim.z) {
    WindowRow<planes> row = {};
    if (inside) {
      const std::int64_t at = w.row(z, column, y);
      if (task.base > 0) row = read_row<planes>(task.to[0].words + at * 2 * planes);
      const int depth = task.neutral ? (passes > 0 ? passes + 1 : 0)
                                     : task.depth[w.depth(z, column, static_cast<int>(y / Windows::depth_rows))];
      const Survival s = gather(task, at, depth, passes);
      const BitRow too_far = {
          join(row.even, s.passes_even, s.rest.ones.even, s.rest.twos.even, s.start.even, task.base),
          join(row.odd, s.passes_odd, s.rest.ones.odd, s.rest.twos.odd, s.start.odd, task.base)};
      if (task.end) {
        limit(row.even, s.last.even, task.cap);
        limit(row.odd, s.last.odd, task.cap);
        if (task.cap == 0 && z >= task.count_begin && z < task.count_end) {
          never += static_cast<unsigned>(__popc(s.last.even) + __popc(s.last.odd));
        }
      }
      if (task.cap > 0 && task.cap >> planes == 0) {  // else no distance exceeds it
        limit(row.even, beyond(row.even, static_cast<int>(task.cap)) | too_far.even, task.cap);
        limit(row.odd, beyond(row.odd, static_cast<int>(task.cap)) | too_far.odd, task.cap);
      }
    }
    const std::int64_t rows = w.ny - (y - lane);
    if (rows > 0) {
      write_rows(staging[threadIdx.y], task.to, w.row(z, column, y - lane), static_cast<int>(min(rows, 32L)), lane,
                 row);
    }
    const int peak = largest_of_group(largest_of(row));
    if (inside && lane % Windows::peak_rows == 0) {
      task.peaks[w.peak(z, column, static_cast<int>(y / Windows::peak_rows))] = static_cast<std::uint16_t>(peak);
    }
    // What is still alive has the number of the round until then, and may turn out to never erode.
    if (task.end && z >= task.peaks_begin && z < task.peaks_end) largest_here = max(largest_here, peak);
  }
  largest_here = cuda::warp_max(largest_here);
  if (lane == 0 && static_cast<unsigned>(largest_here) > *task.largest) {
    atomicMax(task.largest, static_cast<unsigned>(largest_here));
  }
  if (never > 0) atomicAdd(task.never, static_cast<unsigned long long>(never));
}

template <int planes>
void assemble(const cuda::Stream& stream, const Assembly& task) {
  const Windows& w = task.windows;
  constexpr unsigned warps = assembly_warps;
  cuda::LaunchShape shape;
  shape.threads = dim3(32, warps);
  shape.blocks = dim3(static_cast<unsigned>(w.columns), static_cast<unsigned>((w.ny + 32 * warps - 1) / (32 * warps)),
                      static_cast<unsigned>(std::min<std::int64_t>(w.nz, 65535)));
  cuda::launch(stream, shape, "distances", assembly_kernel<planes>, task);
}

}  // namespace

void restart_depths(const cuda::Stream& stream, std::uint8_t* depth, std::int64_t count) {
  cuda::LaunchShape shape;
  shape.threads = dim3(256);
  shape.blocks = dim3(static_cast<unsigned>(std::min<std::int64_t>((count + 255) / 256, 65535)));
  cuda::launch(stream, shape, "distances", restart_kernel, depth, count);
}

void assemble_distances(const cuda::Stream& stream, int planes, const Assembly& assembly) {
  if (planes == 4) return assemble<4>(stream, assembly);
  if (planes == 6) return assemble<6>(stream, assembly);
  if (planes <= 8) return assemble<8>(stream, assembly);
  assemble<16>(stream, assembly);
}

}  // namespace tamis::granulometry_detail::gpu
