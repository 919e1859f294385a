// Squares of 16 bits along y, straight from words, or along z: a block takes 32 columns, two in a word, and lowers them in shared memory.
// m(i) becomes the least of g(i +- d) + (h d)^2, for as long as (h d)^2 is below some m of a thread's. A thread has eight
// samples of two columns, so that a step costs two loads for sixteen samples on both sides. Sums are below 2^16 because
// what is unreached is 181^2, and (h d)^2 no more.
#include <algorithm>

#include "core/gpu/launch.hpp"
#include "core/gpu/warp.cuh"
#include "distance/gpu/steps.hpp"

namespace tamis::distance_detail::gpu {
namespace {

constexpr int columns = 16;  // of words, of a block
constexpr int groups = 32;   // threads along a column
constexpr int own = 8;       // samples of a thread and column
constexpr int pitch = columns + 2;  // words of a row in shared memory: no bank serves two rows of a warp
constexpr int most_rows = 1500;     // in shared memory: a processor has two blocks at least

struct Columns {
  std::uint32_t* samples;  ///< two in each
  const Word* words;       ///< of all rows, or none
  int side_x;
  int count;              ///< samples of a column
  int tile;               ///< of them at a time, a multiple of `own`
  int halo;               ///< rows kept before and behind
  int side;
  unsigned before, behind;  ///< what lies beyond the ends, twice
  std::int64_t stride;    ///< words from a sample to the next
  std::int64_t across;    ///< blocks along x
  std::int64_t outer;     ///< words from a line of blocks to the next
  std::int64_t row_samples;
};

/// (side * steps)^2, or what cannot reach.
template <bool unit>
__device__ __forceinline__ std::uint32_t square_of(int steps, int side) {
  const int length = min(unit ? steps : min(steps, narrow_steps) * side, narrow_steps);
  return static_cast<std::uint32_t>(length * length);
}
template <bool unit>
__device__ __forceinline__ std::uint32_t square_twice(int steps, int side) {
  return square_of<unit>(steps, side) * 0x10001U;
}

__device__ __forceinline__ std::uint32_t largest_of(const std::uint32_t (&least)[own]) {
  return __vmaxu2(__vmaxu2(__vmaxu2(least[0], least[1]), __vmaxu2(least[2], least[3])),
                  __vmaxu2(__vmaxu2(least[4], least[5]), __vmaxu2(least[6], least[7])));
}

/// Eight samples from `at` on in shared memory.
template <bool unit>
__device__ __forceinline__ void lower(const std::uint32_t* at, int side, std::uint32_t (&least)[own]) {
  std::uint32_t squares[own];
  {
    std::uint32_t values[own];
#pragma unroll
    for (int k = 0; k < own; ++k) {
      values[k] = at[k * pitch];
      squares[k] = square_twice<unit>(k + 1, side);
    }
#pragma unroll
    for (int k = 0; k < own; ++k) {
      least[k] = values[k];
#pragma unroll
      for (int j = 0; j < own; ++j) {
        if (j != k) least[k] = __viaddmin_u16x2(values[j], squares[(k > j ? k - j : j - k) - 1], least[k]);
      }
    }
  }
  // squares[(s - 1) % 8] is that of s steps, for the s that the next line is away from the eight samples.
  const std::uint32_t* left = at - pitch;
  const std::uint32_t* right = at + own * pitch;
  const int most = unit ? narrow_reach : narrow_reach / side + 1;
  for (int step = 1; step <= most; step += own) {
    bool done = false;
#pragma unroll
    for (int u = 0; u < own; ++u) {
      if (u % 4 == 0) {
        const std::uint32_t least_sum = square_twice<unit>(step + u, side);
        if (__vmaxu2(largest_of(least), least_sum) == least_sum) {
          done = true;
          break;
        }
      }
      const std::uint32_t l = left[-u * pitch];
      const std::uint32_t r = right[u * pitch];
#pragma unroll
      for (int k = 0; k < own; ++k) {
        least[k] = __viaddmin_u16x2(l, squares[(k + u) % own], least[k]);
        least[k] = __viaddmin_u16x2(r, squares[(own - 1 - k + u) % own], least[k]);
      }
      squares[u] = square_twice<unit>(step + u + own, side);
    }
    if (done) break;
    left -= own * pitch;
    right += own * pitch;
  }
}

/// Squares along x of a part of the block's rows into shared memory, eight of a row to a thread.
template <bool unit>
__device__ __forceinline__ void expand(const Word* words, std::int64_t words_of_row, int side, int inside, int count,
                                       std::uint32_t* to) {
  constexpr int of_row = columns / 4;  // threads
  const int bit = static_cast<int>(threadIdx.x) % of_row * 8;
#pragma unroll 2
  for (int row = static_cast<int>(threadIdx.x) / of_row; row < count; row += columns * groups / of_row) {
    int steps[8];
    steps_of(words[row * words_of_row], bit, steps);
#pragma unroll
    for (int k = 0; k < 8; k += 2) {
      const std::uint32_t low = bit + k < inside ? square_of<unit>(steps[k], side) : 0U;
      const std::uint32_t high = bit + k + 1 < inside ? square_of<unit>(steps[k + 1], side) : 0U;
      to[row * pitch + (bit + k) / 2] = low | high << 16;
    }
  }
}

template <bool unit, bool from_words>
__global__ void __launch_bounds__(columns * groups, cuda::blocks_of_processor(3, columns * groups))
    columns_kernel(const Columns task, unsigned* largest) {
  extern __shared__ std::uint32_t rows[];
  const int column = threadIdx.x % columns;
  const int group = threadIdx.x / columns;
  const std::int64_t line = blockIdx.x / task.across;
  const std::int64_t first_column = blockIdx.x % task.across * columns;
  std::uint32_t* const base = task.samples + line * task.outer + first_column + column;
  const int inside = static_cast<int>(min(task.row_samples - 2 * first_column, std::int64_t{2 * columns}));
  const int halo = task.halo;
  std::uint32_t top = 0;
  for (int first = 0; first < task.count; first += task.tile) {
    const int end = min(task.tile, task.count - first);
    const int there = min(task.tile + halo, task.count - first);  // samples of the column from `first` on
    if (first == 0) {  // later what lies before has been lowered, but was kept
      for (int i = group; i < halo; i += groups) rows[i * pitch + column] = task.before;
    }
    if constexpr (from_words) {
      const Word* const words = task.words + (line * task.count + first) * task.across + blockIdx.x % task.across;
      expand<unit>(words, task.across, task.side_x, inside, there, rows + halo * pitch);
    } else {
#pragma unroll 8
      for (int i = group; i < there; i += groups) {
        rows[(i + halo) * pitch + column] = base[(first + i) * task.stride];
      }
    }
    for (int i = there + group; i < task.tile + halo; i += groups) rows[(i + halo) * pitch + column] = task.behind;
    __syncthreads();
    for (int i = group * own; i < end; i += groups * own) {
      std::uint32_t least[own];
      lower<unit>(rows + (i + halo) * pitch + column, task.side, least);
#pragma unroll
      for (int k = 0; k < own; ++k) {
        if (i + k >= end) continue;
        top = __vmaxu2(top, least[k]);
        base[(first + i + k) * task.stride] = least[k];
      }
    }
    if (first + task.tile >= task.count) break;
    __syncthreads();
    for (int i = group; i < halo; i += groups) rows[i * pitch + column] = rows[(i + task.tile) * pitch + column];
    __syncthreads();
  }
  if (!largest) return;
  const int most = cuda::warp_max(static_cast<int>(max(top & 0xffffU, top >> 16)));
  if (threadIdx.x % 32 == 0) atomicMax(largest, static_cast<unsigned>(most));
}

}  // namespace

void lower_narrow(const cuda::Stream& stream, const Plan& plan, Along along, const Word* words,
                  const SquareRows<std::uint16_t>& rows, unsigned* largest) {
  const Axis& axis = along == Along::Y ? plan.y : plan.z;
  const std::int64_t words_of_row = rows.pitch / 2;
  Columns task{};
  task.samples = reinterpret_cast<std::uint32_t*>(rows.data);
  task.words = words;
  // A side that cannot be reached is as good as any other.
  task.side_x = static_cast<int>(std::min<std::int64_t>(plan.x.side, narrow_steps));
  task.row_samples = rows.x;
  task.count = static_cast<int>(axis.count);
  task.side = static_cast<int>(std::min<std::int64_t>(axis.side, narrow_steps));
  task.before = axis.low ? 0U : narrow_unreached * 0x10001U;
  task.behind = axis.high ? 0U : narrow_unreached * 0x10001U;
  task.stride = along == Along::Y ? words_of_row : rows.y * words_of_row;
  task.across = words_of_row / columns;
  task.outer = along == Along::Y ? rows.y * words_of_row : words_of_row;
  const int rounded = (task.count + own - 1) / own * own;
  // Zeros beyond both ends stop every search at the first of them, or at the next test.
  constexpr int after_zero = 12;
  constexpr int whole_reach = static_cast<int>(narrow_reach) + own;
  if (axis.low && axis.high && rounded + 2 * after_zero <= most_rows) {
    task.halo = after_zero;
    task.tile = rounded;
  } else {
    task.halo = whole_reach;
    task.tile = std::min(rounded, (most_rows - 2 * whole_reach) / own * own);
  }
  const std::int64_t lines = along == Along::Y ? rows.z : rows.y;
  const auto blocks = static_cast<unsigned>(lines * task.across);
  const std::size_t shared = sizeof(std::uint32_t) * pitch * static_cast<std::size_t>(task.tile + 2 * task.halo);
  const cuda::LaunchShape shape{dim3(blocks), dim3(columns * groups), shared};
  const char* const what = along == Along::Y ? "distances along y" : "distances along z";
  const bool unit = task.side == 1 && task.side_x == 1;
  if (along == Along::Z) {
    return unit ? cuda::launch(stream, shape, what, columns_kernel<true, false>, task, largest)
                : cuda::launch(stream, shape, what, columns_kernel<false, false>, task, largest);
  }
  return unit ? cuda::launch(stream, shape, what, columns_kernel<true, true>, task, largest)
              : cuda::launch(stream, shape, what, columns_kernel<false, true>, task, largest);
}

}  // namespace tamis::distance_detail::gpu
