// The last sweep, along z: a warp sweeps 8 slices back and forth, learns what reaches them from beyond, and sweeps them
// again. It stores the distances twice, with the largest of each group of rows.
#include "core/gpu/launch.hpp"
#include "core/gpu/warp.cuh"
#include "granulometry/gpu/distance/sweep_line.cuh"
#include "granulometry/gpu/distance/sweeps.hpp"

namespace tamis::granulometry_detail::gpu {
namespace {

using namespace sweep_kernel;
using cuda::whole_warp;

constexpr int band = 16;                ///< rows of a warp; a lane holds the even or the odd voxels of one
constexpr int sweepers = 8;             ///< warps that sweep
constexpr int depth = sweepers * line;  ///< slices of a block
static_assert(band % Windows::peak_rows == 0);

/// Where a lane's numbers are.
struct Lane {
  int column;
  std::int64_t y;
  int parity;
  bool inside;
};

/// Numbers of `line` slices, from `z` on in steps of 1 or -1; outside the volume what the border says.
template <int planes>
__device__ __forceinline__ void read_line(Planes<planes> (&at)[line], const SeparableDistance& task, const Lane& lane,
                                          std::int64_t z, int step) {
  const Windows& w = task.windows;
  const std::int64_t slice = step * w.row(1, 0, -Windows::halo) * 2 * stored_planes(planes);
  const std::uint32_t* words = task.work + w.row(z, lane.column, lane.y) * 2 * stored_planes(planes) + lane.parity;
  const std::int64_t last = z + step * (line - 1);
  if (lane.inside && min(z, last) >= 0 && max(z, last) < w.nz) {
#pragma unroll
    for (int i = 0; i < line; ++i) {
#pragma unroll
      for (int plane = 0; plane < planes; ++plane) at[i].bit[plane] = words[2 * plane];
      words += slice;
    }
    return;
  }
#pragma unroll
  for (int i = 0; i < line; ++i) {
    const std::int64_t here = z + step * i;
    at[i] = filled<planes>((here < 0 && task.open_below) || (here >= w.nz && task.open_above) ? ~0U : 0U);
    if (lane.inside && here >= 0 && here < w.nz) {
#pragma unroll
      for (int plane = 0; plane < planes; ++plane) at[i].bit[plane] = words[2 * plane];
    }
    words += slice;
  }
}

/// The distances that reach slice `from` from beyond. Looks on, by steps of 1 or -1, while a smaller one could come.
template <int planes>
__device__ __forceinline__ Planes<planes> look_beyond(const SeparableDistance& task, const Lane& lane,
                                                      std::int64_t from, int step) {
  Planes<planes> result = filled<planes>(~0U);
  for (int done = 0;; done += line) {
    Planes<planes> at[line];
    read_line(at, task, lane, from + step * done, step);
#pragma unroll
    for (int i = line - 2; i >= 0; --i) relax(at[i], at[i + 1]);
    relax_by(result, at[0], done);
    const std::int64_t next = from + step * (done + line);
    const bool border_seen = next < -1 || next > task.windows.nz;
    if (border_seen || (done + line) >> planes != 0) return result;
    const std::uint32_t could = above(result, done + line) & own_bits;
    if (!__any_sync(whole_warp, could != 0)) return result;
  }
}

/// The numbers of a warp, words first by plane, then by lane.
template <int planes>
struct WarpNumbers {
  std::uint32_t word[planes][32];

  __device__ __forceinline__ void put(int lane, const Planes<planes>& number) {
#pragma unroll
    for (int i = 0; i < planes; ++i) word[i][lane] = number.bit[i];
  }
  __device__ __forceinline__ Planes<planes> get(int lane) const {
    Planes<planes> number;
#pragma unroll
    for (int i = 0; i < planes; ++i) number.bit[i] = word[i][lane];
    return number;
  }
};

template <int planes>
struct SharedMemory {
  static constexpr int vectors_of_row = stored_planes(planes) / 2;
  WarpNumbers<planes> ends[2][sweepers];  ///< of each warp's line, then what lies before and after it
  uint4 staging[sweepers][band * vectors_of_row];

  /// The vectors of a row are permuted, or rows would meet in a bank.
  __device__ __forceinline__ static int position(int row, int vector) {
    if (vectors_of_row == 2) vector ^= (row >> 2) & 1;
    if (vectors_of_row == 4) vector ^= (row >> 1) & 3;
    return row * vectors_of_row + vector;
  }
};

/// Replaces the end of each line by what reaches its beginning. Direction 0 goes up, 1 down.
template <int planes>
__device__ __forceinline__ void carry_on(WarpNumbers<planes> (&ends)[sweepers], Planes<planes> number, int direction,
                                         int lane) {
  for (int i = 0; i < sweepers; ++i) {
    WarpNumbers<planes>& end = ends[direction == 0 ? i : sweepers - 1 - i];
    Planes<planes> next = end.get(lane);
    end.put(lane, number);
    relax_by(next, number, line);
    number = next;
  }
}

/// This parity's part of an edge word, as PlaneRows has it.
template <int planes>
__device__ __forceinline__ std::uint32_t edges(const Planes<planes>& number, int word, int parity) {
  constexpr std::uint32_t mask = 3U << halo_bits | 3U << (halo_bits + own_count - 2);
  std::uint32_t bits = 0;
#pragma unroll
  for (int i = 4 * word; i < planes && i < 4 * word + 4; ++i) {
    const std::uint32_t own = number.bit[i] & mask;
    bits |= __funnelshift_l(own, own, 8U * (i % 4));
  }
  return __funnelshift_l(bits, bits, 4U * static_cast<unsigned>(parity));
}

template <int planes>
__device__ __forceinline__ int largest_of(const Planes<planes>& number) {
  std::uint32_t left = own_bits;
  int largest = 0;
#pragma unroll
  for (int i = planes - 1; i >= 0; --i) {
    const std::uint32_t with = left & number.bit[i];
    if (with == 0) continue;
    left = with;
    largest |= 1 << i;
  }
  return largest;
}

/// Where a warp stores a slice; one lane of a pair stores the edges of one copy.
struct Output {
  uint4* words[2];
  std::uint32_t* edges;
};

template <int planes>
__device__ __forceinline__ Output output_of(const SeparableDistance& task, const Lane& at, std::int64_t z, int lane) {
  const std::int64_t own_row = task.windows.row(z, at.column, at.y);
  const std::int64_t first = (own_row - lane / 2) * 2 * stored_planes(planes);
  return {{reinterpret_cast<uint4*>(task.to[0].words + first) + lane,
           reinterpret_cast<uint4*>(task.to[1].words + first) + lane},
          (at.parity == 0 ? task.to[0].edges : task.to[1].edges) + own_row * edge_words(planes)};
}

/// Stores a slice of a warp twice, through shared memory, so that lanes store neighbours.
template <int planes>
__device__ __forceinline__ void store_slice(uint4* staging, const Output& out, std::int64_t row_offset, int vectors,
                                            const Lane& at, int lane, const Planes<planes>& number) {
  using Memory = SharedMemory<planes>;
  constexpr int vectors_of_row = Memory::vectors_of_row;
  std::uint32_t* const words = reinterpret_cast<std::uint32_t*>(staging);
  __syncwarp();
#pragma unroll
  for (int i = 0; i < stored_planes(planes); ++i) {
    const std::uint32_t word = i < planes ? number.bit[i < planes ? i : 0] : 0;
    words[4 * Memory::position(lane / 2, i / 2) + 2 * (i % 2) + at.parity] = word;
  }
  __syncwarp();
#pragma unroll
  for (int i = 0; i < band * vectors_of_row; i += 32) {
    if (i + lane >= vectors) continue;
    const uint4 vector = staging[Memory::position((i + lane) / vectors_of_row, (i + lane) % vectors_of_row)];
    out.words[0][row_offset * vectors_of_row + i] = vector;
    out.words[1][row_offset * vectors_of_row + i] = vector;
  }
#pragma unroll
  for (int e = 0; e < edge_words(planes); ++e) {
    std::uint32_t bits = edges(number, e, at.parity);
    bits |= __shfl_xor_sync(whole_warp, bits, 1);
    if (at.inside) out.edges[row_offset * edge_words(planes) + e] = bits;
  }
}

/// Largest distance of the rows of a group; every lane has it.
__device__ __forceinline__ int largest_of_group(int largest) {
#pragma unroll
  for (int distance = 1; distance < 2 * Windows::peak_rows; distance *= 2) {
    largest = max(largest, __shfl_xor_sync(whole_warp, largest, distance));
  }
  return largest;
}

/// The maximum over a warp whose groups of rows agree.
__device__ __forceinline__ void raise(unsigned* to, int value, int lane) {
#pragma unroll
  for (int distance = 2 * Windows::peak_rows; distance < 32; distance *= 2) {
    value = max(value, __shfl_xor_sync(whole_warp, value, distance));
  }
  if (lane == 0 && static_cast<unsigned>(value) > *to) atomicMax(to, static_cast<unsigned>(value));
}

/// Stores the slices of a warp, with their peaks.
template <int planes>
__device__ __forceinline__ void finish(uint4* staging, const SeparableDistance& task, const Lane& at, std::int64_t z,
                                       int lane, Planes<planes> (&numbers)[line]) {
  const Windows& w = task.windows;
  const Output out = output_of<planes>(task, at, z, lane);
  const std::int64_t rows_of_slice = w.row(1, 0, -Windows::halo);
  const int vectors =
      static_cast<int>(min(std::int64_t{band}, w.ny - (at.y - lane / 2))) * SharedMemory<planes>::vectors_of_row;
  std::uint16_t* const peaks = task.peaks + w.peak(z, at.column, static_cast<int>(at.y / Windows::peak_rows));
  int bound = 0;
  int largest = 0;
#pragma unroll
  for (int i = 0; i < line; ++i) {
    if (z + i >= w.nz) continue;
    if (task.cap > 0 && task.cap >> planes == 0) {
      const std::uint32_t too_far = above(numbers[i], static_cast<int>(task.cap));
#pragma unroll
      for (int plane = 0; plane < planes; ++plane) {
        numbers[i].bit[plane] = pick(too_far, task.cap >> plane & 1 ? ~0U : 0U, numbers[i].bit[plane]);
      }
    }
    store_slice(staging, out, i * rows_of_slice, vectors, at, lane, numbers[i]);
    const int peak = largest_of_group(largest_of(numbers[i]));
    if (at.inside && lane % (2 * Windows::peak_rows) == 0) {
      peaks[i] = static_cast<std::uint16_t>(peak);
    }
    bound = max(bound, peak);
    if (z + i >= task.peaks_begin && z + i < task.peaks_end) largest = max(largest, peak);
  }
  raise(task.bound, bound, lane);
  raise(task.largest, largest, lane);
}

/// The warps after the sweepers look beyond the block, one downwards and one upwards, and carry what they see through.
template <int planes>
__global__ void __launch_bounds__(32 * (sweepers + 2), 2)
    between_kernel(const __grid_constant__ SeparableDistance task) {
  __shared__ SharedMemory<planes> memory;
  const Windows& w = task.windows;
  const int bands = w.bands(band);
  const int chunks = static_cast<int>((w.nz + depth - 1) / depth);
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  int index = static_cast<int>(blockIdx.x);
  Lane at;
  at.y = std::int64_t{index % bands} * band + lane / 2;
  index /= bands;
  const std::int64_t begin = std::int64_t{index % chunks} * depth;
  at.column = index / chunks;
  at.parity = lane % 2;
  at.inside = at.y < w.ny;

  const std::int64_t z = begin + warp * line;
  const bool looks = warp >= sweepers;
  const int direction = warp - sweepers;
  Planes<planes> numbers[line];
  if (looks) {
    numbers[0] = look_beyond<planes>(task, at, direction == 0 ? begin - 1 : begin + depth, direction == 0 ? -1 : 1);
  } else {
    read_line(numbers, task, at, z, 1);
    sweep(numbers);
    memory.ends[0][warp].put(lane, numbers[line - 1]);
    memory.ends[1][warp].put(lane, numbers[0]);
  }
  __syncthreads();
  if (looks) carry_on(memory.ends[direction], numbers[0], direction, lane);
  __syncthreads();
  if (looks) return;
  sweep_on<true>(numbers, memory.ends[0][warp].get(lane));
  sweep_on<false>(numbers, memory.ends[1][warp].get(lane));
  // The halo of a word would count as far away where the volume goes on outside.
#pragma unroll
  for (int i = 0; i < line; ++i) {
#pragma unroll
    for (int plane = 0; plane < planes; ++plane) numbers[i].bit[plane] &= own_bits;
  }
  finish(memory.staging[warp], task, at, z, lane, numbers);
}

template <int planes>
void queue(const cuda::Stream& stream, const SeparableDistance& task) {
  const Windows& w = task.windows;
  cuda::LaunchShape shape;
  shape.threads = dim3(32 * (sweepers + 2));
  shape.blocks = dim3(static_cast<unsigned>((w.nz + depth - 1) / depth * w.columns * w.bands(band)));
  cuda::launch(stream, shape, "distances", between_kernel<planes>, task);
}

}  // namespace

void sweep_between_slices(const cuda::Stream& stream, int planes, const SeparableDistance& task) {
  if (planes == 4) return queue<4>(stream, task);
  if (planes == 6) return queue<6>(stream, task);
  if (planes == 7) return queue<7>(stream, task);
  queue<8>(stream, task);
}

}  // namespace tamis::granulometry_detail::gpu
