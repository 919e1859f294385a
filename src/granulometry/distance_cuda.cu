// Distance = how many unit erosions a voxel survives, plus one for being there. A pass does four erosions: a warp
// marches along z, each erosion one slice behind the one before, and counts survival in two bit planes.
#include "granulometry/distance_cuda.hpp"

#include <algorithm>

#include "core/cuda/launch.hpp"
#include "core/cuda/warp.cuh"
#include "granulometry/bit_planes.cuh"
#include "granulometry/recursion_cuda.cuh"

namespace tamis::granulometry_detail {
namespace {

using recursion_kernel::own_bits;
using recursion_kernel::whole_warp;

constexpr int steps = 4;

// ---- packing -----------------------------------------------------------------------------------------------------

/// Every second bit of a word, from bit 0 on.
__device__ std::uint32_t every_second(std::uint64_t bits) {
  bits &= 0x5555555555555555U;
  bits = (bits | bits >> 1) & 0x3333333333333333U;
  bits = (bits | bits >> 2) & 0x0F0F0F0F0F0F0F0FU;
  bits = (bits | bits >> 4) & 0x00FF00FF00FF00FFU;
  bits = (bits | bits >> 8) & 0x0000FFFF0000FFFFU;
  return static_cast<std::uint32_t>(bits | bits >> 16);
}

/// The own voxels of a window; zeros outside the image.
__device__ std::uint64_t own_voxels(const Windows& w, const BitImage& image, std::int64_t z, int column,
                                    std::int64_t y) {
  if (z < 0 || z >= w.nz || y < 0 || y >= w.ny) return 0;
  const std::int64_t first = std::int64_t{column} * Windows::own_x;
  const std::uint64_t* const row =
      image.words + ((image.slices == 1 ? 0 : z) * w.ny + y) * image.words_of_row + first / 64;
  const int shift = static_cast<int>(first % 64);
  std::uint64_t bits = row[0] >> shift;
  if (shift > 0 && first / 64 + 1 < image.words_of_row) bits |= row[1] << (64 - shift);
  return bits & ((std::uint64_t{1} << Windows::own_x) - 1);
}

__global__ void __launch_bounds__(128) pack_kernel(const Windows w, const BitImage object, const BitImage domain,
                                                   bool neutral, BitRow* out, std::uint8_t* depth) {
  const int lane = static_cast<int>(threadIdx.x);
  const int column = static_cast<int>(blockIdx.x * blockDim.y + threadIdx.y);
  if (column >= w.columns) return;
  const std::int64_t y = std::int64_t{blockIdx.y} * 32 + lane;
  for (std::int64_t z = blockIdx.z; z < w.nz; z += gridDim.z) {
    const std::uint64_t inside = own_voxels(w, object, z, column, y);
    std::uint64_t bits = inside;
    if (neutral) bits |= ~own_voxels(w, domain, z, column, y);
    if (y < w.pitch - 2 * Windows::halo) {
      out[w.row(z, column, y)] = {every_second(bits) << 2, every_second(bits >> 1) << 2};
    }
    if (!depth) continue;
    const unsigned busy = __ballot_sync(whole_warp, inside != 0);
    const std::int64_t group = y / Windows::depth_rows;
    if (lane % Windows::depth_rows == 0 && group < w.depth_groups()) {
      depth[w.depth(z, column, static_cast<int>(group))] = (busy >> lane & 0xFFU) != 0;
    }
  }
}

// ---- erosion -----------------------------------------------------------------------------------------------------

constexpr int band_own = 32 - 2 * Windows::halo;
constexpr int band_groups = band_own / Windows::depth_rows + 2;  ///< a part of one above, and of one below

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
        const Slice& mask = outside[is_solid(neighbours) ? i : 0];
        counted = out & ~mask;
        out = out | mask;
      }
      // Survivors are nested, so the sum of four bits is two exclusive ors.
      Slice ones_now = is_solid(neighbours) ? ones[i] : ones_next;
      Slice twos_now = is_solid(neighbours) ? twos[i] : twos_next;
      if (is_solid(neighbours)) {
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

/// For each slice which groups of rows have something left, in this window and in those before and after (which do not
/// matter where it has nothing); false if it has nothing at all.
__device__ bool find_busy(const ErosionPass& pass, int band, int column, std::int64_t first, int count,
                          unsigned* busy) {
  const Windows& w = pass.windows;
  bool any = false;
  for (int i = static_cast<int>(threadIdx.x); i < count; i += 32) {
    const std::int64_t z = first + i;
    unsigned bits = 0;
    if (z < 0 || z >= w.nz) {
      bits = (z < 0 ? pass.open_below : pass.open_above) ? own_groups : 0;
    } else {
      for (int side = 0; side < 3; ++side) {
        const int c = side == 0 ? column : side == 1 ? column - 1 : column + 1;
        if (c < 0 || c >= w.columns) continue;
#pragma unroll
        for (int g = 0; g < band_groups; ++g) {
          const int group = band * (band_own / Windows::depth_rows) - 1 + g;
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

template <Neighbours neighbours, bool neutral>
__global__ void __launch_bounds__(32, neutral ? 16 : 32) erosion_kernel(const ErosionPass pass) {
  constexpr int lag = is_solid(neighbours) ? steps : 0;
  extern __shared__ unsigned shared_busy[];
  if (*pass.left_from == 0) return;
  const Windows& w = pass.windows;
  const int lane = static_cast<int>(threadIdx.x);
  const int bands = w.bands(band_own);
  int index = static_cast<int>(blockIdx.x);
  const int band = index % bands;
  index /= bands;
  const int column = index % w.columns;
  const std::int64_t begin = std::int64_t{index / w.columns} * pass.chunk;
  const std::int64_t end = begin + pass.chunk < w.nz ? begin + pass.chunk : w.nz;
  const std::int64_t first = begin - lag;
  const std::int64_t last = end + lag;
  // A step asks for slices up to `lag` before the first one that enters.
  const std::int64_t first_flag = first - lag;
  if (!neutral && !find_busy(pass, band, column, first_flag, static_cast<int>(last - first_flag), shared_busy)) return;
  const unsigned* const busy = shared_busy - first_flag;

  const std::int64_t row = std::int64_t{band} * band_own - Windows::halo + lane;
  const Reader reader{pass, column, lane, row, neutral ? ~0U : 0U};
  const Reader domain_reader{pass, column, lane, row, 0};
  const auto read = [&](std::int64_t z) -> Slice {
    if (z >= last) return filled(0);
    if (z < 0 || z >= w.nz) return filled(neutral || (z < 0 ? pass.open_below : pass.open_above) ? ~0U : 0U);
    if (neutral) return reader.read(pass.from, z, all_busy);
    return busy[z] == 0 ? filled(0) : reader.read(pass.from, z, busy[z]);
  };
  const auto read_domain = [&](std::int64_t z) -> Slice {
    return z >= 0 && z < w.nz ? domain_reader.read(pass.domain, z, all_busy) : filled(0);
  };

  Erosions<neighbours> erosions;
  Slice outside[steps];
  Slice ahead[3] = {read(first), read(first + 1), read(first + 2)};
  bool left = false;
  bool changed = false;
  int quiet = 0;  // slices without anything that have entered in a row
  const bool own_row = lane >= Windows::halo && lane < 32 - Windows::halo;
  for (std::int64_t z = first; z < last; ++z) {
    const Slice now = ahead[0];
    ahead[0] = ahead[1];
    ahead[1] = ahead[2];
    ahead[2] = read(z + 3);
    if (neutral) {  // the domain of the slices that leave each step
#pragma unroll
      for (int i = 0; i < (is_solid(neighbours) ? steps : 1); ++i) {
        outside[i] = ~read_domain(is_solid(neighbours) ? z - 1 - i : z);
      }
    }
    Slice ones;
    Slice twos;
    const bool now_busy = neutral || busy[z] != 0;
    quiet = now_busy ? 0 : quiet + 1;
    if (!neutral && is_solid(neighbours) && quiet > 2 * steps + 2) continue;  // all that is in flight is 0
    const Slice out = erosions.advance(now, neutral ? outside : nullptr, ones, twos);
    const std::int64_t result = z - lag;
    if (result < begin || (!neutral && busy[result] == 0)) continue;
    Slice survivors = out & filled(own_bits);
    if (neutral) {
      survivors = survivors & read_domain(result);
      const Slice lost = (reader.read(pass.from, result, all_busy) ^ out) & filled(own_bits);
      changed |= own_row && (lost.even | lost.odd) != 0;
    }
    const std::int64_t at = w.row(result, column, row);
    if (own_row) {
      *reinterpret_cast<uint2*>(pass.to + at) = make_uint2(out.even, out.odd);
      *reinterpret_cast<uint4*>(pass.counts + at) = make_uint4(ones.even, ones.odd, twos.even, twos.odd);
    }
    const unsigned lanes = __ballot_sync(whole_warp, own_row && (survivors.even | survivors.odd) != 0);
    left |= lanes != 0;
    if (lane < band_own / Windows::depth_rows && (lanes >> (Windows::halo + Windows::depth_rows * lane) & 0xFFU) != 0) {
      pass.depth[w.depth(result, column, band * (band_own / Windows::depth_rows) + lane)] =
          static_cast<std::uint8_t>(pass.index + 2);
    }
  }
  // Many warps would store the same word: a look first spares most of them the trip.
  if (lane == 0 && left && *pass.left_to == 0) *pass.left_to = 1;
  if (__any_sync(whole_warp, changed) && lane == 0 && *pass.changed == 0) *pass.changed = 1;
}

template <Neighbours neighbours>
void run(const cuda::Stream& stream, const ErosionPass& pass) {
  constexpr int lag = is_solid(neighbours) ? steps : 0;
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

// ---- assembly ----------------------------------------------------------------------------------------------------

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
    const uint4 piece = reinterpret_cast<const uint4*>(words)[i];
    row.even.bit[2 * i] = piece.x;
    row.odd.bit[2 * i] = piece.y;
    row.even.bit[2 * i + 1] = piece.z;
    row.odd.bit[2 * i + 1] = piece.w;
  }
  return row;
}

/// Stores the rows of a warp, `rows` of them, in two places; through shared memory, so that lanes store neighbours.
template <int planes>
__device__ __forceinline__ void write_rows(recursion_kernel::Slot<planes>& staging, const PlaneRows (&to)[2],
                                           std::int64_t first, int rows, int lane, const WindowRow<planes>& row) {
  using recursion_kernel::Slot;
  constexpr int edges = edge_words(planes);
  std::uint32_t own[edges];
  recursion_kernel::gather_edges(row, own);
  __syncwarp();
  recursion_kernel::Row<planes>::write(staging, lane, row);
  __syncwarp();
  const int pieces = rows * Slot<planes>::pieces_of_row;
#pragma unroll
  for (int i = 0; i < Slot<planes>::pieces_of_row; ++i) {
    const int piece = i * 32 + lane;
    if (piece >= pieces) continue;
    const uint4 words = staging.piece[Slot<planes>::place(piece)];
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
  __shared__ recursion_kernel::Slot<planes> staging[assembly_warps];
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

void pack_windows(const cuda::Stream& stream, const Windows& windows, const BitImage& object, const BitImage* domain,
                  BitRow* out, std::uint8_t* depth) {
  constexpr unsigned warps = 4;
  cuda::LaunchShape shape;
  shape.threads = dim3(32, warps);
  shape.blocks = dim3((static_cast<unsigned>(windows.columns) + warps - 1) / warps,
                      static_cast<unsigned>((windows.pitch + 31) / 32),
                      static_cast<unsigned>(std::min<std::int64_t>(windows.nz, 65535)));
  cuda::launch(stream, shape, "packing", pack_kernel, windows, object, domain ? *domain : BitImage{}, domain != nullptr,
               out, depth);
}

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

void restart_depths(const cuda::Stream& stream, std::uint8_t* depth, std::int64_t count) {
  cuda::LaunchShape shape;
  shape.threads = dim3(256);
  shape.blocks = dim3(static_cast<unsigned>(std::min<std::int64_t>((count + 255) / 256, 65535)));
  cuda::launch(stream, shape, "distances", restart_kernel, depth, count);
}

void assemble_distances(const cuda::Stream& stream, int planes, const Assembly& assembly) {
  if (planes == 4) return assemble<4>(stream, assembly);
  if (planes == 6) return assemble<6>(stream, assembly);
  if (planes == 8) return assemble<8>(stream, assembly);
  assemble<16>(stream, assembly);
}

}  // namespace tamis::granulometry_detail
