// The first two sweeps: a block measures the distances of a slice along x as it reads the bits, and sweeps them along y
// in shared memory.
#include <algorithm>

#include "core/gpu/launch.hpp"
#include "granulometry/gpu/distance/sweep_line.cuh"
#include "granulometry/gpu/distance/sweeps.hpp"

namespace tamis::granulometry_detail::gpu::sweep_kernel {
namespace {

// Distances along x. A word of bits is its own line here, and the sweep is replaced by an addition: what it carries
// through a run of ones is a bit of the position where the run began.

/// Even bits into the lower half, odd ones into the upper.
__device__ __forceinline__ std::uint32_t unzip(std::uint32_t bits) {
  std::uint32_t moved = (bits ^ bits >> 1) & 0x22222222U;
  bits ^= moved ^ moved << 1;
  moved = (bits ^ bits >> 2) & 0x0C0C0C0CU;
  bits ^= moved ^ moved << 2;
  moved = (bits ^ bits >> 4) & 0x00F000F0U;
  bits ^= moved ^ moved << 4;
  moved = (bits ^ bits >> 8) & 0x0000FF00U;
  return bits ^ moved ^ moved << 8;
}

/// Bit `digit` of 2b + 1 for every bit b of a word.
__device__ __forceinline__ std::uint32_t digit_of_odd(int digit) {
  if (digit == 0) return ~0U;
  if (digit == 1) return 0xAAAAAAAAU;
  if (digit == 2) return 0xCCCCCCCCU;
  if (digit == 3) return 0xF0F0F0F0U;
  if (digit == 4) return 0xFF00FF00U;
  return digit == 5 ? 0xFFFF0000U : 0U;
}

/// Distances to the last 0 before each voxel; `before` ones end where the window begins.
///
/// Pairs of an even and an odd voxel: in a pair that is not all ones the last 0 is known. Through a run of full pairs
/// each digit of its position travels as the carry of an addition:
///
///     full      0 0 1 1 1 1 0 1 1 0      (bit 0 on the right)
///     + digit           1                the 0 before the run of four lies at a position with this digit, that before
///     = sum     0 1 0 0 0 0 0 1 1 0      the run of two does not: full & ~sum is the digit in the runs
///
/// The bit below the own ones stands for the window before.
template <int planes>
__device__ __forceinline__ WindowRow<planes> distances_from_before(std::uint32_t even, std::uint32_t odd, int before) {
  constexpr int digits = planes < 6 ? 7 : planes + 1;  // numbers wrap beyond all there can be
  constexpr std::uint32_t virtual_pair = 1U << (halo_bits - 1);
  const std::uint32_t full = even & odd;
  const std::uint32_t starts = ~full & full >> 1;
  const auto place_before = static_cast<std::uint32_t>(2 * halo_bits - 1 - min(before, 1 << planes));
  Planes<digits> far;
  std::uint32_t borrow = 0;
#pragma unroll
  for (int i = 0; i < digits; ++i) {
    std::uint32_t place = i == 0 ? ~odd : digit_of_odd(i);
    const std::uint32_t bit_before =
        i < halo_bits - 1 ? place_before << (halo_bits - 1 - i) : place_before >> (i - (halo_bits - 1));
    place = pick(virtual_pair, bit_before, place);
    const std::uint32_t sum = full + ((place & starts) << 1);
    const std::uint32_t zero = pick(full, ~sum, place);
    far.bit[i] = digit_of_odd(i) ^ zero ^ borrow;
    borrow = below_digit(digit_of_odd(i), zero, borrow);
  }
  Planes<digits> near;  // an even voxel is one further than the odd one before it, or 0
  std::uint32_t carry = ~0U;
#pragma unroll
  for (int i = 0; i < digits; ++i) {
    const std::uint32_t moved = far.bit[i] << 1;
    near.bit[i] = even & (moved ^ carry);
    carry &= moved;
  }
  std::uint32_t much_even = 0;
  std::uint32_t much_odd = 0;
#pragma unroll
  for (int i = planes; i < digits; ++i) {
    much_even |= near.bit[i];
    much_odd |= far.bit[i];
  }
  WindowRow<planes> row;
#pragma unroll
  for (int i = 0; i < planes; ++i) {
    row.even.bit[i] = near.bit[i] | much_even;
    row.odd.bit[i] = (far.bit[i] | much_odd) & own_bits;
  }
  return row;
}

/// A row of bits in words of 32, zeros outside.
struct BitsOfRow {
  const std::uint32_t* words;
  int count;

  __device__ __forceinline__ std::uint32_t word(int i) const { return i >= 0 && i < count ? words[i] : 0; }
};

/// 64 bits from bit `first` on, which may lie outside.
__device__ __forceinline__ uint2 bits_from(const BitsOfRow& row, int first) {
  const int at = first >> 5;
  const std::uint32_t middle = row.word(at + 1);
  return make_uint2(__funnelshift_r(row.word(at), middle, static_cast<unsigned>(first) % 32),
                    __funnelshift_r(middle, row.word(at + 2), static_cast<unsigned>(first) % 32));
}

/// Ones from before bit `first` downwards, or from it upwards; at most about 2^planes. `bits` are the first 64 of them.
template <int planes>
__device__ __forceinline__ int ones_before(const BitsOfRow& row, int first, uint2 bits) {
  for (int ones = 0;; bits = bits_from(row, first - ones - 64)) {
    if (bits.y != ~0U) return ones + __clz(static_cast<int>(~bits.y));
    if (bits.x != ~0U) return ones + 32 + __clz(static_cast<int>(~bits.x));
    ones += 64;
    if (ones >= 1 << planes) return ones;
  }
}
template <int planes>
__device__ __forceinline__ int ones_after(const BitsOfRow& row, int first, uint2 bits) {
  for (int ones = 0;; bits = bits_from(row, first + ones)) {
    if (bits.x != ~0U) return ones + __ffs(static_cast<int>(~bits.x)) - 1;
    if (bits.y != ~0U) return ones + 32 + __ffs(static_cast<int>(~bits.y)) - 1;
    ones += 64;
    if (ones >= 1 << planes) return ones;
  }
}

/// Distances along x of the window that begins at bit `first`.
template <int planes>
__device__ __forceinline__ WindowRow<planes> distances_in_row(const BitsOfRow& row, int first) {
  const uint2 bits = bits_from(row, first);
  const uint2 bits_before = bits_from(row, first - 64);
  const uint2 bits_after = bits_from(row, first + Windows::own_x);
  const std::uint32_t low = unzip(bits.x);
  const std::uint32_t high = unzip(bits.y);
  const std::uint32_t even = __byte_perm(low, high, 0x5410) << halo_bits & own_bits;
  const std::uint32_t odd = __byte_perm(low, high, 0x7632) << halo_bits & own_bits;
  if ((even | odd) == 0) return {};

  WindowRow<planes> result = distances_from_before<planes>(even, odd, ones_before<planes>(row, first, bits_before));
  // Backwards the odd voxel of a pair comes first.
  const WindowRow<planes> back = distances_from_before<planes>(
      __brev(odd), __brev(even), ones_after<planes>(row, first + Windows::own_x, bits_after));
  Planes<planes> even_back;
  Planes<planes> odd_back;
#pragma unroll
  for (int i = 0; i < planes; ++i) {
    even_back.bit[i] = __brev(back.odd.bit[i]);
    odd_back.bit[i] = __brev(back.even.bit[i]);
  }
  result.even = pick(below(even_back, result.even), even_back, result.even);
  result.odd = pick(below(odd_back, result.odd), odd_back, result.odd);
  return result;
}

}  // namespace
}  // namespace tamis::granulometry_detail::gpu::sweep_kernel

namespace tamis::granulometry_detail::gpu {
namespace {

using namespace sweep_kernel;

constexpr int tallest_tile = 1024;
constexpr int lowest_tile = 512;  ///< where there are several

/// The rows that a block has in shared memory: all of a slice, or a part with what may reach into it. The first begins
/// and the last ends with the slice, where nothing reaches in.
struct Tile {
  int rows = 0;  ///< a multiple of 32 lines
  int halo = 0;
  int count = 0;  ///< of tiles

  /// Rows from one tile to the next.
  [[nodiscard]] __host__ __device__ int step() const { return rows - 2 * halo; }
  [[nodiscard]] __host__ __device__ int threads() const { return rows / line * 2; }
  /// Words from one plane to the next: lines begin at 16 bytes, planes in other banks.
  [[nodiscard]] __host__ __device__ int stride() const { return rows + 4; }
};

/// Tiles of all rows, or those that come to the fewest, with what they have twice.
Tile tile_of(const Windows& w, int planes) {
  constexpr int height = 32 * line;
  if (w.ny <= tallest_tile) return {static_cast<int>((w.ny + height - 1) / height * height), 0, 1};
  Tile best;
  for (int rows = tallest_tile; rows >= lowest_tile && rows > 2 << planes; rows -= height) {
    Tile tile{rows, 1 << planes, 0};
    tile.count = static_cast<int>((w.ny - 2 * tile.halo + tile.step() - 1) / tile.step());
    if (best.rows == 0 || std::int64_t{tile.count} * rows < std::int64_t{best.count} * best.rows) best = tile;
  }
  return best;
}

/// The numbers of a block, in shared memory.
template <int planes>
class Exchange {
 public:
  __device__ Exchange(std::uint32_t* memory, int threads) : memory_(memory), threads_(threads) {}

  __device__ __forceinline__ void put(int thread, const Planes<planes>& number) const {
#pragma unroll
    for (int i = 0; i < planes; ++i) memory_[i * threads_ + thread] = number.bit[i];
  }
  __device__ __forceinline__ Planes<planes> get(int thread) const {
    Planes<planes> number;
#pragma unroll
    for (int i = 0; i < planes; ++i) number.bit[i] = memory_[i * threads_ + thread];
    return number;
  }

 private:
  std::uint32_t* memory_;
  int threads_;
};

/// Tells the lines of a tile what lies beyond them: lines twice as far at each turn.
template <bool upwards, int planes>
__device__ __forceinline__ void sweep_across(Planes<planes> (&at)[line], std::uint32_t* memory, int thread, int own,
                                             int lines, int threads) {
  const Exchange<planes> exchange[2] = {{memory, threads}, {memory + planes * threads, threads}};
  Planes<planes> reached = at[upwards ? line - 1 : 0];
  int turn = 0;
  __syncthreads();
#pragma unroll
  for (int far = 1; far * line < 1 << planes; far *= 2) {
    exchange[turn % 2].put(thread, reached);
    __syncthreads();
    const bool has = upwards ? own >= far : own + far < lines;
    if (has) relax_by(reached, exchange[turn % 2].get(upwards ? thread - far : thread + far), far * line);
    ++turn;
  }
  exchange[turn % 2].put(thread, reached);
  __syncthreads();
  if (upwards ? own > 0 : own + 1 < lines) {
    sweep_on<upwards>(at, exchange[turn % 2].get(upwards ? thread - 1 : thread + 1));
  }
}

/// Sweeps a tile along y; planes of a parity lie one after the other, and a line in a thread.
template <int planes>
__device__ __forceinline__ void sweep_tile(std::uint32_t* memory, const Tile& tile, bool begins, bool ends) {
  const int thread = static_cast<int>(threadIdx.x);
  const int lines = tile.rows / line;
  const int parity = thread / lines;
  const int own = thread % lines;
  uint4* const first = reinterpret_cast<uint4*>(memory + parity * tile.stride() + own * line);
  const int next_plane = 2 * tile.stride() / 4;
  Planes<planes> at[line];
#pragma unroll
  for (int i = 0; i < planes; ++i) {
#pragma unroll
    for (int part = 0; part < line / 4; ++part) {
      const uint4 words = first[i * next_plane + part];
      at[4 * part].bit[i] = words.x;
      at[4 * part + 1].bit[i] = words.y;
      at[4 * part + 2].bit[i] = words.z;
      at[4 * part + 3].bit[i] = words.w;
    }
  }
  if (begins && own == 0) relax(at[0], filled<planes>(0));
  if (ends && own == lines - 1) relax(at[line - 1], filled<planes>(0));
  sweep(at);

  sweep_across<true>(at, memory, thread, own, lines, tile.threads());
  sweep_across<false>(at, memory, thread, own, lines, tile.threads());
  __syncthreads();
#pragma unroll
  for (int i = 0; i < planes; ++i) {
#pragma unroll
    for (int part = 0; part < line / 4; ++part) {
      first[i * next_plane + part] =
          make_uint4(at[4 * part].bit[i], at[4 * part + 1].bit[i], at[4 * part + 2].bit[i], at[4 * part + 3].bit[i]);
    }
  }
}

template <int planes>
__global__ void __launch_bounds__(tallest_tile / line * 2, planes < 7 ? 3 : 2)
    slice_kernel(const __grid_constant__ SeparableDistance task, const Tile tile) {
  extern __shared__ uint4 dynamic_memory[];
  std::uint32_t* const memory = reinterpret_cast<std::uint32_t*>(dynamic_memory);
  const Windows& w = task.windows;
  const int threads = tile.threads();
  const int thread = static_cast<int>(threadIdx.x);
  const int column = static_cast<int>(blockIdx.x) % w.columns;
  const int index = static_cast<int>(blockIdx.x) / w.columns;
  const std::int64_t first = std::int64_t{index} * tile.step();
  const int own = index > 0 ? tile.halo : 0;  // its first row, and how many
  const int own_rows = static_cast<int>(index + 1 < tile.count ? tile.rows - tile.halo : w.ny - first) - own;
  for (std::int64_t z = blockIdx.y; z < w.nz; z += gridDim.y) {
    const std::uint64_t* const slice =
        task.object.words + (task.object.slices == 1 ? 0 : z) * w.ny * task.object.words_of_row;
    for (int i = thread; i < tile.rows; i += threads) {
      WindowRow<planes> row = {};
      const std::int64_t y = first + i;
      if (y < w.ny) {
        const BitsOfRow bits{reinterpret_cast<const std::uint32_t*>(slice + y * task.object.words_of_row),
                             static_cast<int>(task.object.words_of_row * 2)};
        row = distances_in_row<planes>(bits, column * Windows::own_x);
      }
#pragma unroll
      for (int plane = 0; plane < planes; ++plane) {
        memory[2 * plane * tile.stride() + i] = row.even.bit[plane];
        memory[(2 * plane + 1) * tile.stride() + i] = row.odd.bit[plane];
      }
    }
    __syncthreads();
    sweep_tile<planes>(memory, tile, index == 0, index + 1 == tile.count);
    __syncthreads();

    constexpr int vectors_of_row = stored_planes(planes) / 2;
    uint4* const out = reinterpret_cast<uint4*>(task.work + w.row(z, column, first + own) * 2 * stored_planes(planes));
    for (int i = thread; i < own_rows * vectors_of_row; i += threads) {
      const std::uint32_t* const words = memory + 4 * (i % vectors_of_row) * tile.stride() + i / vectors_of_row + own;
      const bool two = planes % 2 == 0 || i % vectors_of_row < planes / 2;  // else the last plane is alone
      out[i] = make_uint4(words[0], words[tile.stride()], two ? words[2 * tile.stride()] : 0,
                          two ? words[3 * tile.stride()] : 0);
    }
    __syncthreads();
  }
}

template <int planes>
void queue(const cuda::Stream& stream, const SeparableDistance& task) {
  const Windows& w = task.windows;
  const Tile tile = tile_of(w, planes);
  cuda::LaunchShape shape;
  shape.threads = dim3(static_cast<unsigned>(tile.threads()));
  shape.blocks =
      dim3(static_cast<unsigned>(w.columns * tile.count), static_cast<unsigned>(std::min<std::int64_t>(w.nz, 65535)));
  shape.shared_bytes = static_cast<std::size_t>(2 * planes * tile.stride()) * sizeof(std::uint32_t);
  cuda::launch(stream, shape, "distances in slices", slice_kernel<planes>, task, tile);
}

}  // namespace

void sweep_in_slices(const cuda::Stream& stream, int planes, const SeparableDistance& task) {
  if (planes == 4) return queue<4>(stream, task);
  if (planes == 6) return queue<6>(stream, task);
  if (planes == 7) return queue<7>(stream, task);
  queue<8>(stream, task);
}

}  // namespace tamis::granulometry_detail::gpu
