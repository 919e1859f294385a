// Rows of numbers in memory: in shared memory on their way, and what each lends to the windows beside it.
#pragma once

#include <cstdint>

#include "core/gpu/warp.cuh"
#include "granulometry/gpu/bit_planes.cuh"
#include "granulometry/gpu/recursion/recursion.hpp"

namespace tamis::granulometry_detail::gpu::recursion_kernel {

constexpr unsigned own_bits = 0x3FFFFFFCU;
using cuda::whole_warp;

/// A ring of slices in shared memory, filled by asynchronous copies of vectors of 16 bytes. The vectors of a row
/// are permuted, so that neither the copies nor the lanes, a row each, meet in a bank.
template <int planes>
struct Slot {
  static constexpr int vectors_of_row = stored_planes(planes) / 2;
  static constexpr int edge_words = gpu::edge_words(planes);
  uint4 vectors[32 * (vectors_of_row < 3 ? 3 : vectors_of_row)];  ///< at least what the samples of a map take
  alignas(16) std::uint32_t before[32 * edge_words];              ///< the edges of the windows beside
  alignas(16) std::uint32_t after[32 * edge_words];

  /// Position of vector i of the slice, counted row by row.
  __device__ __forceinline__ static int position(int i) {
    if constexpr (vectors_of_row == 2 || vectors_of_row == 4 || vectors_of_row == 8) {
      return position(i / vectors_of_row, i % vectors_of_row);
    }
    return i;
  }
  __device__ __forceinline__ static int position(int row, int vector_of_row) {
    int turned = vector_of_row;
    if (vectors_of_row == 2) turned ^= (row >> 2) & 1;
    if (vectors_of_row == 4) turned ^= (row >> 1) & 3;
    if (vectors_of_row == 8) turned ^= row & 7;
    return row * vectors_of_row + turned;
  }
};

/// The first `low` planes; what is larger than they can say becomes the largest number that they can.
template <int low, int planes>
__device__ __forceinline__ WindowRow<low> saturated(const WindowRow<planes>& row) {
  std::uint32_t even = 0;
  std::uint32_t odd = 0;
#pragma unroll
  for (int i = low; i < planes; ++i) {
    even |= row.even.bit[i];
    odd |= row.odd.bit[i];
  }
  WindowRow<low> result;
#pragma unroll
  for (int i = 0; i < low; ++i) {
    result.even.bit[i] = row.even.bit[i] | even;
    result.odd.bit[i] = row.odd.bit[i] | odd;
  }
  return result;
}
template <int planes, int low>
__device__ __forceinline__ WindowRow<planes> widened(const WindowRow<low>& row) {
  WindowRow<planes> result = {};
#pragma unroll
  for (int i = 0; i < low; ++i) {
    result.even.bit[i] = row.even.bit[i];
    result.odd.bit[i] = row.odd.bit[i];
  }
  return result;
}

template <int planes>
struct Row {
  __device__ __forceinline__ static WindowRow<planes> read(const Slot<planes>& slot, int lane) {
    WindowRow<planes> row;
#pragma unroll
    for (int i = 0; i < Slot<planes>::vectors_of_row; ++i) {
      const uint4 vector = slot.vectors[Slot<planes>::position(lane, i)];
      row.even.bit[2 * i] = vector.x;
      row.odd.bit[2 * i] = vector.y;
      if (2 * i + 1 == planes) continue;
      row.even.bit[2 * i + 1] = vector.z;
      row.odd.bit[2 * i + 1] = vector.w;
    }
    return row;
  }
  __device__ __forceinline__ static void write(Slot<planes>& slot, int lane, const WindowRow<planes>& row) {
#pragma unroll
    for (int i = 0; i < Slot<planes>::vectors_of_row; ++i) {
      const bool last = 2 * i + 1 == planes;
      slot.vectors[Slot<planes>::position(lane, i)] =
          make_uint4(row.even.bit[2 * i], row.odd.bit[2 * i], last ? 0 : row.even.bit[2 * i + (last ? 0 : 1)],
                     last ? 0 : row.odd.bit[2 * i + (last ? 0 : 1)]);
    }
  }
};

constexpr unsigned edge_mask = 0x3000000CU;  ///< own bits that a neighbour needs

__device__ __forceinline__ std::uint32_t turned(std::uint32_t word, int left) {
  return __funnelshift_l(word, word, static_cast<unsigned>(left));
}

/// The edges of a row, as PlaneRows has them.
template <int planes>
__device__ __forceinline__ void gather_edges(const WindowRow<planes>& row, std::uint32_t* edges) {
#pragma unroll
  for (int word = 0; word < 2 * planes; ++word) {
    const std::uint32_t bits = word % 2 == 0 ? row.even.bit[word / 2] : row.odd.bit[word / 2];
    std::uint32_t& edge = edges[word / 8];
    const int left = 4 * (word % 8);
    if (left == 0) {
      edge = bits & edge_mask;
    } else {
      edge = choose(edge_mask << left | edge_mask >> (32 - left), turned(bits, left), edge);
    }
  }
}

/// Fills the halo of a row in x. Turned by 24, the low ends of the window after lie beside the high ends of the window
/// before, as they do in the row, across the ends of a word.
template <int planes>
__device__ __forceinline__ void add_edges(WindowRow<planes>& row, const std::uint32_t* before,
                                          const std::uint32_t* after) {
  constexpr int edge_words = Slot<planes>::edge_words;
  std::uint32_t both[edge_words];
#pragma unroll
  for (int e = 0; e < edge_words; ++e) both[e] = choose(0x33333333U, before[e], turned(after[e], 24));
#pragma unroll
  for (int word = 0; word < 2 * planes; ++word) {
    std::uint32_t& bits = word % 2 == 0 ? row.even.bit[word / 2] : row.odd.bit[word / 2];
    bits = choose(0xC0000003U, turned(both[word / 8], (36 - 4 * (word % 8)) % 32), bits);
  }
}

}  // namespace tamis::granulometry_detail::gpu::recursion_kernel
