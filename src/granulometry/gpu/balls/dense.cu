// Balls of the squares 2 to 6, all at once: bits of equal squares are joined, shifted and masked, a word of 32 voxels to
// a lane. Noise has so many of them that lists do not pay.
#include "core/gpu/launch.hpp"
#include "core/gpu/warp.cuh"
#include "granulometry/gpu/balls/boxes.hpp"

namespace tamis::granulometry_detail::gpu::balls {
namespace {

using cuda::whole_warp;

struct Rows {
  std::uint16_t* squares;
  std::int64_t words;  ///< of a row
  std::int64_t y, z;
  std::int64_t plane;  ///< words of a plane
};

Rows rows_of(const SquareRows<std::uint16_t>& squares) {
  const std::int64_t words = squares.pitch / 32;
  return {squares.data, words, squares.y, squares.z, squares.z * squares.y * words};
}

/// Three bits of each square up to 6, in planes; a warp has a row.
__global__ void __launch_bounds__(256) codes_kernel(const Rows rows, std::uint32_t* codes) {
  const std::int64_t row = std::int64_t{blockIdx.x} * 8 + threadIdx.x / 32;
  if (row >= rows.y * rows.z) return;
  const int lane = threadIdx.x % 32;
  for (std::int64_t first = 0; first < rows.words; first += 32) {
    const int count = static_cast<int>(min(rows.words - first, std::int64_t{32}));
    const std::uint16_t* const from = rows.squares + (row * rows.words + first) * 32 + lane;
    std::uint32_t own[3] = {};
#pragma unroll 8
    for (int i = 0; i < count; ++i) {
      unsigned square = from[i * 32];
      if (square > dense_most) square = 0;
#pragma unroll
      for (int plane = 0; plane < 3; ++plane) {
        const unsigned bits = __ballot_sync(whole_warp, square >> plane & 1);
        if (lane == i) own[plane] = bits;
      }
    }
    if (lane >= count) continue;
#pragma unroll
    for (int plane = 0; plane < 3; ++plane) codes[plane * rows.plane + row * rows.words + first + lane] = own[plane];
  }
}

constexpr int block_rows = 4;  // along y and along z: a warp has a row, and neighbours stay in the cache

/// Raises the squares of words, of each lane one, to those of planes.
__device__ __forceinline__ void raise(const std::uint32_t (&planes)[3], bool writes, std::uint16_t* to) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int group = 0; group < 32; group += 8) {
    const int from = group + lane / 4;
    const int bit = 8 * (lane % 4);
    std::uint32_t bits[3];
#pragma unroll
    for (int plane = 0; plane < 3; ++plane) bits[plane] = __shfl_sync(whole_warp, planes[plane], from) >> bit & 0xffU;
    const bool there = __shfl_sync(whole_warp, writes, from);
    if (!there || (bits[0] | bits[1] | bits[2]) == 0) continue;
    auto* const eight = reinterpret_cast<uint4*>(to + (from - lane) * 32 + bit);
    uint4 own = *eight;
    const auto pair = [&](int i) {
      std::uint32_t value = 0;
#pragma unroll
      for (int plane = 0; plane < 3; ++plane) {
        value |= (bits[plane] >> (2 * i) & 1U) << plane | (bits[plane] >> (2 * i + 1) & 1U) << (16 + plane);
      }
      return value;
    };
    const auto raised = [&](std::uint32_t there, int i) {  // balls of other programs reach over the background
      return __vmaxu2(there, pair(i) & __vcmpne2(there, 0));
    };
    own.x = raised(own.x, 0);
    own.y = raised(own.y, 1);
    own.z = raised(own.z, 2);
    own.w = raised(own.w, 3);
    *eight = own;
  }
}

/// A word of each lane; where rows are longer than a warp the first and the last only give their bits.
__device__ __forceinline__ void paint_words(const Rows& rows, const std::uint32_t* codes, int y, int z, int word,
                                            bool writes) {
  const bool there = word >= 0 && word < rows.words;
  // For each square what its balls cover of this row, by how far along x they reach.
  std::uint32_t own[dense_most + 1] = {}, one[dense_most + 1] = {}, two[dense_most + 1] = {};
#pragma unroll 1  // more loads at once take more registers than there are
  for (int dz = -2; dz <= 2; ++dz) {
#pragma unroll
    for (int dy = -2; dy <= 2; ++dy) {
      const int away = dy * dy + dz * dz;
      if (away >= dense_most) continue;
      const int at_y = y + dy;
      const int at_z = z + dz;
      if (at_y < 0 || at_y >= rows.y || at_z < 0 || at_z >= rows.z) continue;
      const std::int64_t at = (std::int64_t{at_z} * rows.y + at_y) * rows.words + word;
      std::uint32_t bits[3] = {};
      if (there) {
#pragma unroll
        for (int plane = 0; plane < 3; ++plane) bits[plane] = codes[plane * rows.plane + at];
      }
#pragma unroll
      for (int square = 2; square <= dense_most; ++square) {
        if (away >= square) continue;
        const std::uint32_t middles = ((square & 1) ? bits[0] : ~bits[0]) & ((square & 2) ? bits[1] : ~bits[1]) &
                                      ((square & 4) ? bits[2] : ~bits[2]);
        own[square] |= middles;
        if (away + 1 < square) one[square] |= middles;
        if (away + 4 < square) two[square] |= middles;
      }
    }
  }
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int square = 2; square <= dense_most; ++square) {
    const auto spread = [&](std::uint32_t bits, int steps) {
      std::uint32_t before = __shfl_up_sync(whole_warp, bits, 1);
      std::uint32_t behind = __shfl_down_sync(whole_warp, bits, 1);
      if (lane == 0) before = 0;
      if (lane == 31) behind = 0;
      own[square] |= __funnelshift_l(before, bits, steps) | __funnelshift_r(bits, behind, steps);
    };
    spread(one[square], 1);
    if (square >= 5) spread(two[square], 2);
  }
  const std::uint32_t high = own[6] | own[5] | own[4];
  const std::uint32_t planes[3] = {(own[5] & ~own[6]) | (~high & own[3]), own[6] | (~high & (own[3] | own[2])), high};
  const std::int64_t at = (std::int64_t{z} * rows.y + y) * rows.words + word;
  raise(planes, there && writes, rows.squares + at * 32);
}

__global__ void __launch_bounds__(block_rows * block_rows * 32, cuda::blocks_of_processor(3, block_rows * block_rows * 32))
    paint_kernel(const Rows rows, const std::uint32_t* codes) {
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  const std::int64_t blocks_y = (rows.y + block_rows - 1) / block_rows;
  const int y = static_cast<int>(blockIdx.x % blocks_y) * block_rows + warp % block_rows;
  const int z = static_cast<int>(blockIdx.x / blocks_y) * block_rows + warp / block_rows;
  if (y >= rows.y || z >= rows.z) return;
  if (rows.words <= 32) return paint_words(rows, codes, y, z, lane, true);
  for (int first = 0; first < rows.words; first += 30) {
    paint_words(rows, codes, y, z, first - 1 + lane, lane > 0 && lane < 31);
  }
}

}  // namespace

void code_dense(const cuda::Stream& stream, const SquareRows<std::uint16_t>& squares, std::uint32_t* codes) {
  const Rows rows = rows_of(squares);
  const std::int64_t count = squares.z * squares.y;
  cuda::launch(stream, {dim3(static_cast<unsigned>((count + 7) / 8)), dim3(256)}, "small balls", codes_kernel, rows, codes);
}

void paint_dense(const cuda::Stream& stream, const std::uint32_t* codes, const SquareRows<std::uint16_t>& squares) {
  const std::int64_t blocks = (squares.y + block_rows - 1) / block_rows * ((squares.z + block_rows - 1) / block_rows);
  cuda::launch(stream, {dim3(static_cast<unsigned>(blocks)), dim3(block_rows * block_rows * 32)}, "small balls",
               paint_kernel, rows_of(squares), codes);
}

}  // namespace tamis::granulometry_detail::gpu::balls
