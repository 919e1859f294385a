// Distance = how many unit erosions a voxel survives, plus one for being there. A pass does four erosions: a warp
// marches along z, each erosion one slice behind the one before, and counts survival in two bit planes.
#include <cstdint>

#include "core/gpu/launch.hpp"
#include "core/gpu/warp.cuh"
#include "granulometry/gpu/bit_planes.cuh"
#include "granulometry/gpu/distance/erosions.hpp"
#include "granulometry/gpu/recursion/stored_rows.cuh"

namespace tamis::granulometry_detail::gpu::erosion_kernel {
namespace {

// The four erosions of a pass on bits: one row a lane, one slice after the other, survival counted in two bit planes.

using cuda::whole_warp;

constexpr int steps = 4;

/// One row of a window.
struct Slice {
  std::uint32_t even, odd;
};

__device__ __forceinline__ Slice operator&(const Slice& a, const Slice& b) { return {a.even & b.even, a.odd & b.odd}; }
__device__ __forceinline__ Slice operator|(const Slice& a, const Slice& b) { return {a.even | b.even, a.odd | b.odd}; }
__device__ __forceinline__ Slice operator^(const Slice& a, const Slice& b) { return {a.even ^ b.even, a.odd ^ b.odd}; }
__device__ __forceinline__ Slice operator~(const Slice& a) { return {~a.even, ~a.odd}; }
__device__ __forceinline__ Slice filled(std::uint32_t word) { return {word, word}; }

/// A voxel and its two neighbours along x.
__device__ __forceinline__ Slice along_x(const Slice& a) {
  return {a.even & a.odd & a.odd << 1, a.even & a.odd & a.even >> 1};
}
/// The two neighbours along y.
__device__ __forceinline__ Slice beside_y(const Slice& a) {
  return {__shfl_up_sync(whole_warp, a.even, 1) & __shfl_down_sync(whole_warp, a.even, 1),
          __shfl_up_sync(whole_warp, a.odd, 1) & __shfl_down_sync(whole_warp, a.odd, 1)};
}
__device__ __forceinline__ Slice erode_cross(const Slice& a) { return along_x(a) & beside_y(a); }
__device__ __forceinline__ Slice erode_box(const Slice& a) {
  const Slice x = along_x(a);
  return x & beside_y(x);
}

/// The erosions of a pass, in flight.
template <Neighbours neighbours>
struct Erosions {
  Slice centre[steps] = {};
  Slice behind[steps] = {};  ///< cross: the slice before; box: the slice before, eroded in itself
  Slice flat[steps] = {};    ///< box: the centre, eroded in itself
  Slice ones[steps] = {};    ///< counts of the slice that leaves this step next
  Slice twos[steps] = {};

  /// `next` enters; what leaves is `steps` slices behind (no slice behind in the flat forms).
  __device__ __forceinline__ Slice advance(Slice next, const Slice* outside, Slice& ones_out, Slice& twos_out) {
    Slice ones_next = filled(0);
    Slice twos_next = filled(0);
#pragma unroll
    for (int i = 0; i < steps; ++i) {
      Slice out = filled(0);
      if constexpr (neighbours == Neighbours::Cross3) {
        out = erode_cross(centre[i]) & behind[i] & next;
        behind[i] = centre[i];
        centre[i] = next;
      } else if constexpr (neighbours == Neighbours::Box3) {
        const Slice flat_next = erode_box(next);
        out = flat[i] & behind[i] & flat_next;
        behind[i] = flat[i];
        flat[i] = flat_next;
      } else {
        out = neighbours == Neighbours::Cross2 ? erode_cross(next) : erode_box(next);
      }
      Slice counted = out;
      if (outside) {  // what lies outside the domain stays, and does not count
        const Slice& mask = outside[is_volumetric(neighbours) ? i : 0];
        counted = out & ~mask;
        out = out | mask;
      }
      // Survivors are nested, so the sum of four bits is two exclusive ors.
      Slice ones_now = is_volumetric(neighbours) ? ones[i] : ones_next;
      Slice twos_now = is_volumetric(neighbours) ? twos[i] : twos_next;
      if (is_volumetric(neighbours)) {
        ones[i] = ones_next;
        twos[i] = twos_next;
      }
      ones_next = ones_now ^ counted;
      twos_next = i % 2 == 1 ? twos_now ^ counted : twos_now;
      next = out;
    }
    ones_out = ones_next;
    twos_out = twos_next;
    return next;
  }
};

}  // namespace
}  // namespace tamis::granulometry_detail::gpu::erosion_kernel

namespace tamis::granulometry_detail::gpu {
namespace {

using namespace erosion_kernel;
using recursion_kernel::own_bits;

constexpr int band_own = 32 - 2 * Windows::halo;
constexpr int band_groups = band_own / Windows::depth_rows + 2;  ///< a part of one above, and of one below
/// Reads rows of the bits, with the bits of the windows beside at the ends.
struct Reader {
  const ErosionPass& pass;
  int column, lane;
  std::int64_t row;       ///< of this lane
  std::uint32_t outside;  ///< what lies outside the image: 0 or all ones

  __device__ __forceinline__ Slice read(const BitRow* rows, std::int64_t z, unsigned busy) const {
    const Windows& w = pass.windows;
    const BitRow* const at = rows + w.row(z, column, row);
    const int group = (lane + Windows::halo) / Windows::depth_rows;
    const auto load = [&](const BitRow* from, int bit) -> Slice {
      if (!(busy >> bit & 1U)) return filled(0);
      const uint2 bits = *reinterpret_cast<const uint2*>(from);
      return {bits.x, bits.y};
    };
    const Slice own = load(at, group);
    const Slice low = column > 0 ? load(at - w.pitch, band_groups + group) : filled(outside);
    const Slice high = column + 1 < w.columns ? load(at + w.pitch, 2 * band_groups + group) : filled(outside);
    if (row < 0 || row >= w.ny) return filled(outside);
    return {choose(3U, low.even >> 28, choose(3U << 30, high.even << 28, own.even)),
            choose(3U, low.odd >> 28, choose(3U << 30, high.odd << 28, own.odd))};
  }
};

constexpr unsigned all_busy = ~0U;
constexpr unsigned own_groups = (1U << band_groups) - 1;

/// What a warp marches through: a band of rows in a column of windows, and the slices of a chunk with `lag` more at
/// either end.
struct March {
  int lane, band, column;
  std::int64_t begin;        ///< first slice of the result
  std::int64_t first, last;  ///< first slice that enters, and the one behind the last

  __device__ __forceinline__ March(const ErosionPass& pass, int lag) {
    const Windows& w = pass.windows;
    lane = static_cast<int>(threadIdx.x);
    const int bands = w.bands(band_own);
    int index = static_cast<int>(blockIdx.x);
    band = index % bands;
    index /= bands;
    column = index % w.columns;
    begin = std::int64_t{index / w.columns} * pass.chunk;
    const std::int64_t end = begin + pass.chunk < w.nz ? begin + pass.chunk : w.nz;
    first = begin - lag;
    last = end + lag;
  }
};

/// For each slice the groups of rows with something left, in this window and in those before and after it (not looked
/// at where this one has nothing); false if this window has nothing in any slice.
__device__ bool find_busy(const ErosionPass& pass, const March& march, std::int64_t first, int count, unsigned* busy) {
  const Windows& w = pass.windows;
  bool any = false;
  for (int i = static_cast<int>(threadIdx.x); i < count; i += 32) {
    const std::int64_t z = first + i;
    unsigned bits = 0;
    if (z < 0 || z >= w.nz) {
      bits = (z < 0 ? pass.open_below : pass.open_above) ? own_groups : 0;
    } else {
      for (int side = 0; side < 3; ++side) {
        const int c = side == 0 ? march.column : side == 1 ? march.column - 1 : march.column + 1;
        if (c < 0 || c >= w.columns) continue;
#pragma unroll
        for (int g = 0; g < band_groups; ++g) {
          const int group = march.band * (band_own / Windows::depth_rows) - 1 + g;
          if (group < 0 || group >= w.depth_groups()) continue;
          // Other warps may raise it to the next pass meanwhile, which does not change the answer.
          const bool left = pass.depth[w.depth(z, c, group)] > pass.index;
          bits |= static_cast<unsigned>(left) << (band_groups * side + g);
        }
        if (bits == 0) break;
      }
    }
    busy[i] = bits;
    any |= bits != 0;
  }
  __syncwarp();
  return __any_sync(whole_warp, any);
}

// Blocks that a multiprocessor holds at a time, by its generation: to ask for more is an error.
#if defined(__CUDA_ARCH__) && (__CUDA_ARCH__ == 750 || __CUDA_ARCH__ == 860)
constexpr int most_blocks = 16;
#elif defined(__CUDA_ARCH__) && (__CUDA_ARCH__ == 890 || __CUDA_ARCH__ >= 1200)
constexpr int most_blocks = 24;
#else
constexpr int most_blocks = 32;
#endif

/// What find_busy() found of each slice; not asked for where the border is neutral.
struct Busy {
  const unsigned* flags;  ///< counted from slice 0 of the volume
  [[nodiscard]] __device__ __forceinline__ unsigned of(std::int64_t z) const { return flags[z]; }
};

/// The slices that enter, and the domain.
template <bool neutral>
class Source {
 public:
  __device__ __forceinline__ Source(const ErosionPass& pass, const March& march, std::int64_t row)
      : pass_(pass),
        march_(march),
        reader_{pass, march.column, march.lane, row, neutral ? ~0U : 0U},
        domain_reader_{pass, march.column, march.lane, row, 0} {}

  /// Outside the volume: ones where nothing erodes.
  [[nodiscard]] __device__ __forceinline__ Slice read(std::int64_t z, const Busy& busy) const {
    if (z >= march_.last) return filled(0);
    if (z < 0 || z >= pass_.windows.nz) {
      return filled(neutral || (z < 0 ? pass_.open_below : pass_.open_above) ? ~0U : 0U);
    }
    if (neutral) return read_all(z);
    return busy.of(z) == 0 ? filled(0) : reader_.read(pass_.from, z, busy.of(z));
  }
  /// A slice that there is.
  [[nodiscard]] __device__ __forceinline__ Slice read_all(std::int64_t z) const {
    return reader_.read(pass_.from, z, all_busy);
  }
  [[nodiscard]] __device__ __forceinline__ Slice read_domain(std::int64_t z) const {
    return z >= 0 && z < pass_.windows.nz ? domain_reader_.read(pass_.domain, z, all_busy) : filled(0);
  }

 private:
  const ErosionPass& pass_;
  const March& march_;
  Reader reader_, domain_reader_;
};

constexpr int slices_ahead = 3;
/// Slice z; those behind it are on their way from memory meanwhile.
template <bool neutral>
__device__ __forceinline__ Slice take(const Source<neutral>& source, const Busy& busy, std::int64_t z,
                                      Slice (&ahead)[slices_ahead]) {
  const Slice now = ahead[0];
  ahead[0] = ahead[1];
  ahead[1] = ahead[2];
  ahead[2] = source.read(z + slices_ahead, busy);
  return now;
}

/// What lies outside the domain in the slices that leave each step.
template <Neighbours neighbours>
__device__ __forceinline__ void read_outside(const Source<true>& source, std::int64_t z, Slice (&outside)[steps]) {
#pragma unroll
  for (int i = 0; i < (is_volumetric(neighbours) ? steps : 1); ++i) {
    outside[i] = ~source.read_domain(is_volumetric(neighbours) ? z - 1 - i : z);
  }
}

/// A row after the erosions of the pass, and how many of them its voxels survived.
__device__ __forceinline__ void store(const ErosionPass& pass, std::int64_t at, const Slice& out, const Slice& ones,
                                      const Slice& twos) {
  *reinterpret_cast<uint2*>(pass.to + at) = make_uint2(out.even, out.odd);
  *reinterpret_cast<uint4*>(pass.counts + at) = make_uint4(ones.even, ones.odd, twos.even, twos.odd);
}

/// Raises the depth of the groups of rows in which something is left; `lanes` has a bit for each such row.
__device__ __forceinline__ void raise_depth(const ErosionPass& pass, const March& march, std::int64_t z,
                                            unsigned lanes) {
  constexpr int groups = band_own / Windows::depth_rows;
  if (march.lane < groups && (lanes >> (Windows::halo + Windows::depth_rows * march.lane) & 0xFFU) != 0) {
    pass.depth[pass.windows.depth(z, march.column, march.band * groups + march.lane)] =
        static_cast<std::uint8_t>(pass.index + 2);
  }
}

/// Many warps would store the same word: a look first spares most of them the trip.
__device__ __forceinline__ void report(const ErosionPass& pass, int lane, bool left, bool changed) {
  if (lane == 0 && left && *pass.left_to == 0) *pass.left_to = 1;
  if (__any_sync(whole_warp, changed) && lane == 0 && *pass.changed == 0) *pass.changed = 1;
}

template <Neighbours neighbours, bool neutral>
__global__ void __launch_bounds__(32, neutral ? 16 : most_blocks) erosion_kernel(const ErosionPass pass) {
  constexpr int lag = is_volumetric(neighbours) ? steps : 0;
  extern __shared__ unsigned shared_busy[];
  if (*pass.left_from == 0) return;
  const March march(pass, lag);
  // A step asks for slices up to `lag` before the first one that enters.
  const std::int64_t first_flag = march.first - lag;
  if (!neutral && !find_busy(pass, march, first_flag, static_cast<int>(march.last - first_flag), shared_busy)) return;
  const Busy busy{shared_busy - first_flag};
  const std::int64_t row = std::int64_t{march.band} * band_own - Windows::halo + march.lane;
  const Source<neutral> source(pass, march, row);

  Erosions<neighbours> erosions;
  Slice outside[steps];
  Slice ahead[slices_ahead] = {source.read(march.first, busy), source.read(march.first + 1, busy),
                               source.read(march.first + 2, busy)};
  bool left = false;
  bool changed = false;
  int quiet = 0;  // slices without anything that have entered in a row
  const bool own_row = march.lane >= Windows::halo && march.lane < 32 - Windows::halo;
  for (std::int64_t z = march.first; z < march.last; ++z) {
    const Slice now = take(source, busy, z, ahead);
    if constexpr (neutral) read_outside<neighbours>(source, z, outside);
    Slice ones;
    Slice twos;
    const bool now_busy = neutral || busy.of(z) != 0;
    quiet = now_busy ? 0 : quiet + 1;
    if (!neutral && is_volumetric(neighbours) && quiet > 2 * steps + 2) continue;  // all that is in flight is 0
    const Slice out = erosions.advance(now, neutral ? outside : nullptr, ones, twos);
    const std::int64_t result = z - lag;
    if (result < march.begin || (!neutral && busy.of(result) == 0)) continue;
    Slice survivors = out & filled(own_bits);
    if (neutral) {
      survivors = survivors & source.read_domain(result);
      const Slice lost = (source.read_all(result) ^ out) & filled(own_bits);
      changed |= own_row && (lost.even | lost.odd) != 0;
    }
    const std::int64_t at = pass.windows.row(result, march.column, row);
    if (own_row) store(pass, at, out, ones, twos);
    const unsigned lanes = __ballot_sync(whole_warp, own_row && (survivors.even | survivors.odd) != 0);
    left |= lanes != 0;
    raise_depth(pass, march, result, lanes);
  }
  report(pass, march.lane, left, changed);
}

template <Neighbours neighbours>
void run(const cuda::Stream& stream, const ErosionPass& pass) {
  constexpr int lag = is_volumetric(neighbours) ? steps : 0;
  const Windows& w = pass.windows;
  cuda::LaunchShape shape;
  shape.blocks = dim3(static_cast<unsigned>((w.nz + pass.chunk - 1) / pass.chunk * w.columns * w.bands(band_own)));
  shape.threads = dim3(32);
  shape.shared_bytes = static_cast<std::size_t>(pass.chunk + 3 * lag) * sizeof(unsigned);
  if (pass.neutral) {
    cuda::launch(stream, shape, "erosion", erosion_kernel<neighbours, true>, pass);
  } else {
    cuda::launch(stream, shape, "erosion", erosion_kernel<neighbours, false>, pass);
  }
}

}  // namespace

void erosion_pass(const cuda::Stream& stream, const ErosionPass& pass) {
  switch (pass.neighbours) {
    case Neighbours::Cross3:
      return run<Neighbours::Cross3>(stream, pass);
    case Neighbours::Cross2:
      return run<Neighbours::Cross2>(stream, pass);
    case Neighbours::Box3:
      return run<Neighbours::Box3>(stream, pass);
    case Neighbours::Box2:
      return run<Neighbours::Box2>(stream, pass);
  }
}

}  // namespace tamis::granulometry_detail::gpu
