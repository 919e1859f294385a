// Distances in bit planes from the first to the last sweep: a word holds one plane of 28 voxels, and a step of a sweep,
// "no more than one above the voxel before", costs less than four logic instructions a plane for all of them.
//
// Along x a word is its own line, and the step is replaced by an addition: what it carries through a run of ones is a
// bit of the place where the run began. Along y and z each thread sweeps a few rows or slices back and forth, and
// sweeps them again with what its neighbours found.
#include "granulometry/separable_distance.hpp"

#include <algorithm>

#include "core/cuda/launch.hpp"
#include "granulometry/bit_planes.cuh"

namespace tamis::granulometry_detail {
namespace {

constexpr unsigned whole_warp = ~0U;
constexpr int halo_bits = Windows::halo / 2;  ///< in an even or odd word
constexpr int own_count = Windows::own_x / 2;
constexpr std::uint32_t own_bits = ((1U << own_count) - 1) << halo_bits;
static_assert(Windows::own_x + 2 * Windows::halo == 64 && Windows::halo % 2 == 0 && halo_bits > 0);

constexpr int line = 8;  ///< rows or slices of a thread

template <int planes>
__device__ __forceinline__ Planes<planes> filled(std::uint32_t word) {
  Planes<planes> result;
#pragma unroll
  for (int i = 0; i < planes; ++i) result.bit[i] = word;
  return result;
}

// Plain operators, which the compiler joins into three-input logic as it sees fit: ptxas 13.0 crashes where the
// instruction is written out and inputs turn out to be constants.

/// b where the mask is 1, c where it is 0.
__device__ __forceinline__ std::uint32_t pick(std::uint32_t mask, std::uint32_t b, std::uint32_t c) {
  return (mask & b) | (~mask & c);
}
template <int planes>
__device__ __forceinline__ Planes<planes> pick(std::uint32_t mask, const Planes<planes>& b, const Planes<planes>& c) {
  Planes<planes> result;
#pragma unroll
  for (int i = 0; i < planes; ++i) result.bit[i] = pick(mask, b.bit[i], c.bit[i]);
  return result;
}

/// One digit of the comparison a < b, lowest first: decided here, or as it was below.
__device__ __forceinline__ std::uint32_t below_digit(std::uint32_t a, std::uint32_t b, std::uint32_t below) {
  return (~a & b) | (below & (~a | b));
}
template <int planes>
__device__ __forceinline__ std::uint32_t below(const Planes<planes>& a, const Planes<planes>& b) {
  std::uint32_t result = ~a.bit[0] & b.bit[0];
#pragma unroll
  for (int i = 1; i < planes; ++i) result = below_digit(a.bit[i], b.bit[i], result);
  return result;
}
/// Where the numbers exceed `value`.
template <int planes>
__device__ __forceinline__ std::uint32_t above(const Planes<planes>& a, int value) {
  std::uint32_t result = 0;
#pragma unroll
  for (int i = 0; i < planes; ++i) result = below_digit(value >> i & 1 ? ~0U : 0U, a.bit[i], result);
  return result;
}

// ---- along x -----------------------------------------------------------------------------------------------------

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
/// each digit of its place travels as the carry of an addition:
///
///     full      0 0 1 1 1 1 0 1 1 0      (bit 0 on the right)
///     + digit           1                the 0 before the run of four lies at a place with this digit, that before
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

// ---- sweeps ------------------------------------------------------------------------------------------------------

/// No more than one above the voxel before. A number that cannot be one more is not below any, and never chosen.
/// Returns where it was.
template <int planes>
__device__ __forceinline__ std::uint32_t relax(Planes<planes>& distance, const Planes<planes>& before) {
  const std::uint32_t where = below(before, distance);
  std::uint32_t carry = ~0U;
#pragma unroll
  for (int i = 0; i < planes; ++i) {
    distance.bit[i] = pick(where, before.bit[i] ^ carry, distance.bit[i]);
    carry &= before.bit[i];
  }
  return where;
}

/// The minimum with a number that is `steps` further away.
template <int planes>
__device__ __forceinline__ void relax_by(Planes<planes>& distance, const Planes<planes>& before, int steps) {
  Planes<planes> sum;
  std::uint32_t carry = 0;
#pragma unroll
  for (int i = 0; i < planes; ++i) {
    const std::uint32_t digit = steps >> i & 1 ? ~0U : 0U;
    sum.bit[i] = before.bit[i] ^ digit ^ carry;
    carry = (before.bit[i] & digit) | (carry & (before.bit[i] | digit));
  }
  const std::uint32_t where = steps >> planes != 0 ? 0 : below(sum, distance) & ~carry;
  distance = pick(where, sum, distance);
}

/// The distances of a thread's line, as if nothing lay beyond.
template <int planes>
__device__ __forceinline__ void sweep(Planes<planes> (&at)[line]) {
#pragma unroll
  for (int i = 1; i < line; ++i) relax(at[i], at[i - 1]);
#pragma unroll
  for (int i = line - 2; i >= 0; --i) relax(at[i], at[i + 1]);
}

/// A sweep with what lies beyond: upwards from the first number, or downwards from the last. It goes no further than it
/// makes a difference.
template <bool upwards, int planes>
__device__ __forceinline__ void sweep_on(Planes<planes> (&at)[line], const Planes<planes>& beyond) {
  bool goes_on = relax(at[upwards ? 0 : line - 1], beyond) != 0;
#pragma unroll
  for (int i = 1; i < line; ++i) {
    if (!goes_on) continue;
    goes_on = (upwards ? relax(at[i], at[i - 1]) : relax(at[line - 1 - i], at[line - i])) != 0;
  }
}

// ---- along x and y -----------------------------------------------------------------------------------------------

constexpr int tallest_tile = 1024;

/// The rows that a block has in shared memory: all of a slice, or a part with what may reach into it.
struct Tile {
  int rows = 0;  ///< a multiple of 32 lines
  int halo = 0;

  [[nodiscard]] __host__ __device__ int own() const { return rows - 2 * halo; }
  [[nodiscard]] __host__ __device__ int threads() const { return rows / line * 2; }
  /// Words from one plane to the next: lines begin at 16 bytes, planes in other banks.
  [[nodiscard]] __host__ __device__ int stride() const { return rows + 4; }
};

Tile tile_of(const Windows& w, int planes) {
  constexpr std::int64_t step = 32 * line;
  if (w.ny <= tallest_tile) return {static_cast<int>((w.ny + step - 1) / step * step), 0};
  return {tallest_tile, 1 << planes};
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
__global__ void __launch_bounds__(tallest_tile / line * 2, planes < 8 ? 3 : 2)
    slice_kernel(const __grid_constant__ SeparableDistance task, const Tile tile) {
  extern __shared__ uint4 dynamic_memory[];
  std::uint32_t* const memory = reinterpret_cast<std::uint32_t*>(dynamic_memory);
  const Windows& w = task.windows;
  const int threads = tile.threads();
  const int thread = static_cast<int>(threadIdx.x);
  const int column = static_cast<int>(blockIdx.x) % w.columns;
  const std::int64_t first = std::int64_t{static_cast<int>(blockIdx.x) / w.columns} * tile.own() - tile.halo;
  for (std::int64_t z = blockIdx.y; z < w.nz; z += gridDim.y) {
    const std::uint64_t* const slice =
        task.object.words + (task.object.slices == 1 ? 0 : z) * w.ny * task.object.words_of_row;
    for (int i = thread; i < tile.rows; i += threads) {
      WindowRow<planes> row = {};
      const std::int64_t y = first + i;
      if (y >= 0 && y < w.ny) {
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
    sweep_tile<planes>(memory, tile, first <= 0, first + tile.rows >= w.ny);
    __syncthreads();

    constexpr int pieces_of_row = planes / 2;
    const int rows = static_cast<int>(min(std::int64_t{tile.own()}, w.ny - first - tile.halo));
    uint4* const out = reinterpret_cast<uint4*>(task.work + w.row(z, column, first + tile.halo) * 2 * planes);
    for (int i = thread; i < rows * pieces_of_row; i += threads) {
      const std::uint32_t* const words =
          memory + 4 * (i % pieces_of_row) * tile.stride() + i / pieces_of_row + tile.halo;
      out[i] = make_uint4(words[0], words[tile.stride()], words[2 * tile.stride()], words[3 * tile.stride()]);
    }
    __syncthreads();
  }
}

template <int planes>
void sweep_slices(const cuda::Stream& stream, const SeparableDistance& task) {
  const Windows& w = task.windows;
  const Tile tile = tile_of(w, planes);
  const std::int64_t bands = (w.ny + tile.own() - 1) / tile.own();
  cuda::LaunchShape shape;
  shape.threads = dim3(static_cast<unsigned>(tile.threads()));
  shape.blocks =
      dim3(static_cast<unsigned>(w.columns * bands), static_cast<unsigned>(std::min<std::int64_t>(w.nz, 65535)));
  shape.shared_bytes = static_cast<std::size_t>(2 * planes * tile.stride()) * sizeof(std::uint32_t);
  cuda::launch(stream, shape, "distances in slices", slice_kernel<planes>, task, tile);
}

// ---- along z -----------------------------------------------------------------------------------------------------

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
  const std::int64_t slice = step * w.row(1, 0, -Windows::halo) * 2 * planes;
  const std::uint32_t* words = task.work + w.row(z, lane.column, lane.y) * 2 * planes + lane.parity;
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

/// What reaches slice `from` from there on, in steps of 1 or -1: looks no further than something nearer could come.
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
struct SolidMemory {
  static constexpr int pieces_of_row = planes / 2;
  WarpNumbers<planes> ends[2][sweepers];  ///< of each warp's line, then what lies before and after it
  uint4 staging[sweepers][band * pieces_of_row];

  /// Pieces of a row are permuted, or rows would meet in a bank.
  __device__ __forceinline__ static int place(int row, int piece) {
    if (pieces_of_row == 2) piece ^= (row >> 2) & 1;
    if (pieces_of_row == 4) piece ^= (row >> 1) & 3;
    return row * pieces_of_row + piece;
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
  const std::int64_t first = (own_row - lane / 2) * 2 * planes;
  return {{reinterpret_cast<uint4*>(task.to[0].words + first) + lane,
           reinterpret_cast<uint4*>(task.to[1].words + first) + lane},
          (at.parity == 0 ? task.to[0].edges : task.to[1].edges) + own_row * edge_words(planes)};
}

/// Stores a slice of a warp twice, through shared memory, so that lanes store neighbours.
template <int planes>
__device__ __forceinline__ void store_slice(uint4* staging, const Output& out, std::int64_t row_offset, int pieces,
                                            const Lane& at, int lane, const Planes<planes>& number) {
  using Memory = SolidMemory<planes>;
  constexpr int pieces_of_row = Memory::pieces_of_row;
  std::uint32_t* const words = reinterpret_cast<std::uint32_t*>(staging);
  __syncwarp();
#pragma unroll
  for (int i = 0; i < planes; ++i) {
    words[4 * Memory::place(lane / 2, i / 2) + 2 * (i % 2) + at.parity] = number.bit[i];
  }
  __syncwarp();
#pragma unroll
  for (int i = 0; i < band * pieces_of_row; i += 32) {
    if (i + lane >= pieces) continue;
    const uint4 piece = staging[Memory::place((i + lane) / pieces_of_row, (i + lane) % pieces_of_row)];
    out.words[0][row_offset * pieces_of_row + i] = piece;
    out.words[1][row_offset * pieces_of_row + i] = piece;
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
  const int pieces =
      static_cast<int>(min(std::int64_t{band}, w.ny - (at.y - lane / 2))) * SolidMemory<planes>::pieces_of_row;
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
    store_slice(staging, out, i * rows_of_slice, pieces, at, lane, numbers[i]);
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
__global__ void __launch_bounds__(32 * (sweepers + 2), 2) solid_kernel(const __grid_constant__ SeparableDistance task) {
  __shared__ SolidMemory<planes> memory;
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
  // Where nothing is known outside, the halo of a word would count as far away.
#pragma unroll
  for (int i = 0; i < line; ++i) {
#pragma unroll
    for (int plane = 0; plane < planes; ++plane) numbers[i].bit[plane] &= own_bits;
  }
  finish(memory.staging[warp], task, at, z, lane, numbers);
}

template <int planes>
void sweep_solid(const cuda::Stream& stream, const SeparableDistance& task) {
  const Windows& w = task.windows;
  cuda::LaunchShape shape;
  shape.threads = dim3(32 * (sweepers + 2));
  shape.blocks = dim3(static_cast<unsigned>((w.nz + depth - 1) / depth * w.columns * w.bands(band)));
  cuda::launch(stream, shape, "distances", solid_kernel<planes>, task);
}

template <int planes>
void measure(const cuda::Stream& stream, const SeparableDistance& task) {
  sweep_slices<planes>(stream, task);
  sweep_solid<planes>(stream, task);
}

}  // namespace

std::int64_t separable_distance_words(const Windows& windows, int planes) { return windows.row_count() * 2 * planes; }

bool planes_suffice(int planes, unsigned bound, std::int64_t cap) {
  const std::int64_t most = (std::int64_t{1} << planes) - 1;
  return bound < most || (cap > 0 && cap <= most);
}

void separable_distances(const cuda::Stream& stream, int planes, const SeparableDistance& task) {
  if (planes == 4) return measure<4>(stream, task);
  if (planes == 6) return measure<6>(stream, task);
  measure<8>(stream, task);
}

}  // namespace tamis::granulometry_detail
