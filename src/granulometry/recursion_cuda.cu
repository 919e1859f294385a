// One pass of the recursion: a warp marches along z through its window and does several unit steps on the way, the
// step i slices behind step 0. Whatever is quiet (no distance above the level) is neither loaded, computed nor stored.
#include "granulometry/recursion_cuda.cuh"

#include <algorithm>
#include <type_traits>

#include "core/cuda/launch.hpp"

namespace tamis::granulometry_detail {
namespace {

using namespace recursion_kernel;

constexpr int ring = 4;  ///< slots: slices on their way while one is computed

template <Neighbours neighbours>
__host__ __device__ constexpr int steps(int planes) {
  if (neighbours == Neighbours::Box3) return planes <= 8 ? 2 : 1;
  return planes <= 6 ? 3 : planes <= 8 ? 2 : 1;
}

/// Slices a result needs beyond its own, on either side.
template <Neighbours neighbours, int count>
constexpr int reach = is_solid(neighbours) ? count : 0;

/// Rows of a warp that are its own: the others are what `count` steps need.
template <int count>
constexpr int own_rows = 32 - 2 * count;

/// The window of a warp, and where its rows are.
struct Place {
  int column, band, bands;
  std::int64_t first_row;   ///< in y; the halo included
  std::int64_t begin, end;  ///< slices of its result
};

template <int count>
__device__ Place place_of(const RecursionPass& pass) {
  const Windows& w = pass.windows;
  Place place;
  place.bands = w.bands(own_rows<count>);
  int index = static_cast<int>(blockIdx.x);
  place.band = index % place.bands;
  place.first_row = std::int64_t{place.band} * own_rows<count> - count;
  index /= place.bands;
  place.column = index % w.columns;
  place.begin = std::int64_t{index / w.columns} * pass.chunk;
  place.end = place.begin + pass.chunk < w.nz ? place.begin + pass.chunk : w.nz;
  return place;
}

/// For slices from `first` on, whether the window has a distance above the last level; true if any of the results has.
/// A slice takes part in all steps of a pass or in none: its halo in x belongs to windows whose distances may be
/// larger, and rise above a level some steps before its own do.
__device__ bool find_busy(const RecursionPass& pass, const Place& place, std::int64_t first, int count, int last_level,
                          bool* busy) {
  const Windows& w = pass.windows;
  bool any = false;
  const std::uint16_t* const peaks = pass.peaks + (std::int64_t{place.column} * place.bands + place.band) * w.nz;
  for (int i = static_cast<int>(threadIdx.x); i < count; i += 32) {
    const std::int64_t z = first + i;
    busy[i] = z >= 0 && z < w.nz && peaks[z] > last_level;
    any |= busy[i] && z >= place.begin && z < place.end;
  }
  __syncwarp();
  return __any_sync(whole_warp, any);
}

__global__ void band_peaks_kernel(const Windows w, int own, int halo, const std::uint16_t* groups,
                                  std::uint16_t* bands) {
  const std::int64_t z = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (z >= w.nz) return;
  const int count = w.bands(own);
  for (std::int64_t i = blockIdx.y; i < std::int64_t{w.columns} * count; i += gridDim.y) {
    const std::int64_t first = i % count * own - halo;
    int peak = 0;
    for (std::int64_t g = max(first, std::int64_t{0}) / Windows::peak_rows;
         g * Windows::peak_rows < min(first + 32, w.ny); ++g) {
      peak = max(peak, static_cast<int>(groups[w.peak(z, static_cast<int>(i / count), static_cast<int>(g))]));
    }
    bands[i * w.nz + z] = static_cast<std::uint16_t>(peak);
  }
}

/// Rows of a window in memory, for one slice after the other.
template <int planes>
struct Rows {
  static constexpr int edges = edge_words(planes);
  std::int64_t row;       ///< of the first row of the warp
  std::int64_t of_slice;  ///< rows from a slice to the next
  std::int64_t pitch;     ///< rows from a window to the one after it
  bool first, last;       ///< there is no window before, after

  __device__ Rows(const Windows& w, const Place& place, std::int64_t z)
      : row(w.row(z, place.column, place.first_row)),
        of_slice(w.columns * w.pitch),
        pitch(w.pitch),
        first(place.column == 0),
        last(place.column + 1 == w.columns) {}

  /// Starts copies of the slice and of the bits that the windows beside it lend.
  __device__ __forceinline__ void fetch(Slot<planes>& slot, const PlaneRows& from, int lane) const {
    const uint4* const pieces = reinterpret_cast<const uint4*>(from.words + row * (2 * planes)) + lane;
#pragma unroll
    for (int i = 0; i < Slot<planes>::pieces_of_row; ++i) {
      __pipeline_memcpy_async(&slot.piece[Slot<planes>::place(i * 32 + lane)], pieces + i * 32, 16);
    }
    const std::uint32_t* const high = from.high + (row - pitch + lane) * edges;
    const std::uint32_t* const low = from.low + (row + pitch + lane) * edges;
#pragma unroll
    for (int e = 0; e < edges; ++e) {
      if (!first) __pipeline_memcpy_async(&slot.high[lane * edges + e], high + e, 4);
      if (!last) __pipeline_memcpy_async(&slot.low[lane * edges + e], low + e, 4);
    }
  }

  /// The row of this lane with its halo in x. Rows outside the image lie in memory too and are always 0.
  __device__ __forceinline__ WindowRow<planes> receive(const Slot<planes>& slot, int lane) const {
    WindowRow<planes> result = Row<planes>::read(slot, lane);
    std::uint32_t before[edges];
    std::uint32_t after[edges];
#pragma unroll
    for (int e = 0; e < edges; ++e) {
      before[e] = first ? 0 : slot.high[lane * edges + e];
      after[e] = last ? 0 : slot.low[lane * edges + e];
    }
    add_edges(result, before, after);
    return result;
  }

  /// Stores the own rows of a slice, through shared memory, so that lanes store neighbours.
  template <int first_own>
  __device__ __forceinline__ void store(Slot<planes>& staging, const PlaneRows& to, int lane,
                                        const WindowRow<planes>& result) const {
    std::uint32_t low[edges];
    std::uint32_t high[edges];
    gather_edges(result, low, high);
    if (lane >= first_own && lane < 32 - first_own) {
#pragma unroll
      for (int e = 0; e < edges; ++e) {
        to.low[(row + lane) * edges + e] = low[e];
        to.high[(row + lane) * edges + e] = high[e];
      }
    }
    __syncwarp();
    Row<planes>::write(staging, lane, result);
    __syncwarp();
    constexpr int pieces_of_row = Slot<planes>::pieces_of_row;
    uint4* const pieces = reinterpret_cast<uint4*>(to.words + row * (2 * planes)) + lane;
#pragma unroll
    for (int i = 0; i < pieces_of_row; ++i) {
      const int piece = i * 32 + lane;
      if (piece >= first_own * pieces_of_row && piece < (32 - first_own) * pieces_of_row) {
        pieces[i * 32] = staging.piece[Slot<planes>::place(piece)];
      }
    }
  }
};

template <Neighbours neighbours, int planes, int count>
struct March;

template <int planes, int count>
struct March<Neighbours::Cross3, planes, count> {
  CrossStep<planes> step[count];
  /// `busy` points at the slice that enters.
  __device__ __forceinline__ WindowRow<planes> advance(WindowRow<planes> row, int first_level, const bool* busy) {
#pragma unroll
    for (int i = 0; i < count; ++i) row = step[i].advance(row, first_level - i, busy[-i - 1], busy[-i]);
    return row;
  }
};

template <int planes, int count>
struct March<Neighbours::Box3, planes, count> {
  BoxStep<planes> step[count];
  __device__ __forceinline__ WindowRow<planes> advance(WindowRow<planes> row, int first_level, const bool* busy) {
#pragma unroll
    for (int i = 0; i < count; ++i) row = step[i].advance(row, first_level - i, busy[-i - 1]);
    return row;
  }
};

/// Slices are independent: all steps of one at once.
template <int planes, int count, class Step>
struct FlatMarch {
  __device__ __forceinline__ WindowRow<planes> advance(WindowRow<planes> row, int first_level, const bool* busy) {
    if (!*busy) return row;
#pragma unroll
    for (int i = 0; i < count; ++i) row = Step().advance(row, first_level - i);
    return row;
  }
};
template <int planes, int count>
struct March<Neighbours::Cross2, planes, count> : FlatMarch<planes, count, FlatCrossStep<planes>> {};
template <int planes, int count>
struct March<Neighbours::Box2, planes, count> : FlatMarch<planes, count, FlatBoxStep<planes>> {};

/// Stores the own rows of a slice as samples, through shared memory, so that lanes store neighbours.
template <int planes, int first_own>
__device__ __forceinline__ void write_map(Slot<planes>& staging, const RecursionPass& pass, const Place& place,
                                          std::int64_t z, int lane, const WindowRow<planes>& row) {
  constexpr int sample = planes <= 8 ? 1 : 2;
  constexpr int parts = Windows::own_x * sample / static_cast<int>(sizeof(uint2));
  static_assert(sizeof(staging) >= 32 * parts * sizeof(uint2));
  uint2* const memory = reinterpret_cast<uint2*>(&staging);
  write_samples(row, reinterpret_cast<std::uint8_t*>(memory + lane * parts));
  __syncwarp();
  std::uint8_t* const first =
      pass.map + (z * pass.windows.ny + place.first_row) * pass.map_pitch + place.column * (Windows::own_x * sample);
#pragma unroll
  for (int i = 0; i < parts; ++i) {
    const int at = i * 32 + lane;
    const int of_row = at / parts;
    if (of_row >= first_own && of_row < 32 - first_own && place.first_row + of_row < pass.windows.ny) {
      reinterpret_cast<uint2*>(first + of_row * pass.map_pitch)[at % parts] = memory[at];
    }
  }
}

struct NoTally {};

template <int planes>
struct Shared {
  Slot<planes> slot[ring];
  bool busy[1];  ///< as many as the chunk and its halo need
};

template <Neighbours neighbours, int planes, int count, bool last>
__global__ void __launch_bounds__(32, 16) pass_kernel(const RecursionPass pass) {
  constexpr int lag = reach<neighbours, count>;
  extern __shared__ uint4 memory[];
  Shared<planes>& shared = *reinterpret_cast<Shared<planes>*>(memory);
  const Place place = place_of<count>(pass);
  const int lane = static_cast<int>(threadIdx.x);
  const int last_level = pass.first_level - (count - 1);
  // A step asks for slices up to `lag` before the first one that enters.
  const std::int64_t first_flag = place.begin - 2 * lag;
  const int flags = static_cast<int>(place.end - place.begin) + 3 * lag;
  if (!find_busy(pass, place, first_flag, flags, last_level, shared.busy)) return;

  std::conditional_t<last && planes <= 8, Tally<(planes <= 8 ? planes : 8)>, NoTally> tally;
  March<neighbours, planes, count> march;
  const int slices = static_cast<int>(place.end - place.begin) + 2 * lag;
  const bool* const busy = shared.busy + lag;  // of the slices that enter
  Rows<planes> entering(pass.windows, place, place.begin - lag);
  Rows<planes> leaving(pass.windows, place, place.begin - 2 * lag);
  const auto fetch_if_busy = [&](int i) {
    if (i < slices && busy[i]) entering.fetch(shared.slot[i % ring], pass.from, lane);
    entering.row += entering.of_slice;
    __pipeline_commit();
  };
  for (int i = 0; i < ring - 1; ++i) fetch_if_busy(i);

  for (int i = 0; i < slices; ++i, leaving.row += leaving.of_slice) {
    Slot<planes>& slot = shared.slot[i % ring];
    __syncwarp();  // whoever still reads the slot of the slice before
    fetch_if_busy(i + ring - 1);
    WindowRow<planes> row = {};
    if (busy[i]) {
      __pipeline_wait_prior(ring - 1);
      __syncwarp();
      row = entering.receive(slot, lane);
    }
    row = march.advance(row, pass.first_level, busy + i);
    if (i < 2 * lag || !busy[i - lag]) continue;  // on the map such a slice stays 0
    if constexpr (!last) {
      leaving.template store<count>(slot, pass.to, lane, row);
    } else {
      const std::int64_t result = place.begin + i - 2 * lag;
      const bool own_row = lane >= count && lane < 32 - count;
      if (result >= pass.count_begin && result < pass.count_end) {
        if constexpr (planes <= 8) {
          __syncwarp();
          Row<planes>::write(slot, lane, row);
          __syncwarp();
          tally.add(slot, count, 32 - count, lane);
        } else {
          count_values(row, own_row, [&](int value, unsigned voxels) {
            if (lane == 0) atomicAdd(pass.counts + value, static_cast<unsigned long long>(voxels));
          });
        }
      }
      if (pass.map) {
        __syncwarp();
        write_map<planes, count>(slot, pass, place, place.begin + i - 2 * lag, lane, row);
      }
    }
  }
  if constexpr (last && planes <= 8) tally.flush(pass.counts, lane);
}

template <Neighbours neighbours, int planes>
void run(const cuda::Stream& stream, const RecursionPass& pass) {
  constexpr int count = steps<neighbours>(planes);
  const Windows& w = pass.windows;
  const std::int64_t chunks = (w.nz + pass.chunk - 1) / pass.chunk;
  cuda::LaunchShape shape;
  shape.blocks = dim3(static_cast<unsigned>(chunks * w.columns * w.bands(own_rows<count>)));
  shape.threads = dim3(32);
  shape.shared_bytes = sizeof(Shared<planes>) + static_cast<std::size_t>(pass.chunk + 3 * reach<neighbours, count>);
  if (pass.finish == Finish::Planes) {
    cuda::launch(stream, shape, "recursion", pass_kernel<neighbours, planes, count, false>, pass);
  } else {
    cuda::launch(stream, shape, "recursion", pass_kernel<neighbours, planes, count, true>, pass);
  }
}

template <Neighbours neighbours>
void run(const cuda::Stream& stream, int planes, const RecursionPass& pass) {
  if (planes == 4) return run<neighbours, 4>(stream, pass);
  if (planes == 6) return run<neighbours, 6>(stream, pass);
  if (planes == 8) return run<neighbours, 8>(stream, pass);
  return run<neighbours, 16>(stream, pass);
}

template <Neighbours neighbours>
int steps_if_known(int planes) {
  return steps<neighbours>(planes);
}

}  // namespace

int planes_for(std::int64_t largest) {
  if (largest < 16) return 4;
  if (largest < 64) return 6;
  return largest < 256 ? 8 : 16;
}

int steps_of_pass(Neighbours neighbours, int planes) {
  return neighbours == Neighbours::Box3 ? steps_if_known<Neighbours::Box3>(planes)
                                        : steps_if_known<Neighbours::Cross3>(planes);
}

std::int64_t band_peak_count(Neighbours neighbours, int planes, const Windows& windows) {
  return std::int64_t{windows.columns} * windows.bands(32 - 2 * steps_of_pass(neighbours, planes)) * windows.nz;
}

void band_peaks(const cuda::Stream& stream, Neighbours neighbours, int planes, const Windows& windows,
                const std::uint16_t* groups, std::uint16_t* bands) {
  constexpr unsigned threads = 128;
  const int halo = steps_of_pass(neighbours, planes);
  const int own = 32 - 2 * halo;
  cuda::LaunchShape shape;
  shape.threads = dim3(threads);
  shape.blocks =
      dim3(static_cast<unsigned>((windows.nz + threads - 1) / threads),
           static_cast<unsigned>(std::min<std::int64_t>(std::int64_t{windows.columns} * windows.bands(own), 65535)));
  cuda::launch(stream, shape, "peaks", band_peaks_kernel, windows, own, halo, groups, bands);
}

void recursion_pass(const cuda::Stream& stream, Neighbours neighbours, int planes, const RecursionPass& pass) {
  switch (neighbours) {
    case Neighbours::Cross3:
      return run<Neighbours::Cross3>(stream, planes, pass);
    case Neighbours::Cross2:
      return run<Neighbours::Cross2>(stream, planes, pass);
    case Neighbours::Box3:
      return run<Neighbours::Box3>(stream, planes, pass);
    case Neighbours::Box2:
      return run<Neighbours::Box2>(stream, planes, pass);
  }
}

}  // namespace tamis::granulometry_detail
