// Rows of numbers in memory, on their way and lent to the windows beside; and what the last pass gives of them.
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

// What the last pass gives: how many voxels have each value, and the map of sizes.

/// Voxels of each value, as a warp finds them. Values have two digits of three bits (and a rest of one or two): how
/// often a pair of digits meets is a product of bit matrices, for which there is an instruction.
template <int planes>
class Tally {
 public:
  static_assert(planes <= 8);

  /// Counts rows [first, end) of a slice that lies in shared memory.
  __device__ __forceinline__ void add(const Slot<planes>& slot, int first, int end, int lane) {
    constexpr int words_of_product = 4;
    const int digit = lane / words_of_product;
    const std::uint32_t m0 = digit & 1 ? 0U : ~0U;
    const std::uint32_t m1 = digit & 2 ? 0U : ~0U;
    const std::uint32_t m2 = digit & 4 ? 0U : ~0U;
    for (int group = first / words_of_product; group * words_of_product < end; ++group) {
      const int at = group * words_of_product + lane % words_of_product;
      const std::uint32_t own = at >= first && at < end ? own_bits : 0;
      const WindowRow<planes> row = Row<planes>::read(slot, at);
      add_word(row.even, own, m0, m1, m2);
      add_word(row.odd, own, m0, m1, m2);
    }
  }

  __device__ __forceinline__ void flush(unsigned long long* counts, int lane) const {
#pragma unroll
    for (int rest = 0; rest < rests; ++rest) {
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        const int value = rest * 64 + lane / 4 * 8 + lane % 4 * 2 + i;
        if (sum_[rest][i] > 0 && value < 1 << planes) {
          atomicAdd(counts + value, static_cast<unsigned long long>(sum_[rest][i]));
        }
      }
    }
  }

 private:
  static constexpr int rests = planes > 6 ? 1 << (planes - 6) : 1;

  __device__ __forceinline__ static std::uint32_t plane(const Planes<planes>& word, int i) {
    return i < planes ? word.bit[i < planes ? i : 0] : 0;
  }
  __device__ __forceinline__ void add_word(const Planes<planes>& word, std::uint32_t own, std::uint32_t m0,
                                           std::uint32_t m1, std::uint32_t m2) {
    // a & (b ^ c), three times
    const std::uint32_t low = logic<0x60>(logic<0x60>(word.bit[0] ^ m0, word.bit[1], m1), word.bit[2], m2);
    std::uint32_t high = logic<0x60>(own, word.bit[3], m0);
    high = logic<0x60>(logic<0x60>(high, plane(word, 4), m1), plane(word, 5), m2);
#pragma unroll
    for (int rest = 0; rest < rests; ++rest) {
      std::uint32_t part = high;
      if constexpr (planes > 6) {
        part = logic<0x60>(high, word.bit[6], rest & 1 ? 0U : ~0U);
        if constexpr (planes > 7) part = logic<0x60>(part, word.bit[7], rest & 2 ? 0U : ~0U);
      }
      multiply(sum_[rest], part, low);
    }
  }
  __device__ __forceinline__ static void multiply(int (&sum)[2], std::uint32_t high, std::uint32_t low) {
#if __CUDA_ARCH__ >= 800
    asm("mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.and.popc {%0, %1}, {%2}, {%3}, {%0, %1};"
        : "+r"(sum[0]), "+r"(sum[1])
        : "r"(high), "r"(low));
#else
    // GPUs before Ampere lack the instruction for `and`.
    const int row = static_cast<int>(threadIdx.x % 32) / 4;
    const int column = static_cast<int>(threadIdx.x % 4) * 2;
    for (int k = 0; k < 4; ++k) {
      const std::uint32_t a = __shfl_sync(whole_warp, high, row * 4 + k);
      sum[0] += __popc(a & __shfl_sync(whole_warp, low, column * 4 + k));
      sum[1] += __popc(a & __shfl_sync(whole_warp, low, (column + 1) * 4 + k));
    }
#endif
  }

  int sum_[rests][2] = {};
};

/// The same for any number of planes, value by value as they occur in the warp.
template <int planes, class Add>
__device__ __forceinline__ void count_values(const WindowRow<planes>& row, bool own_row, Add add) {
  const std::uint32_t own = own_row ? own_bits : 0;
  std::uint32_t even = 0;
  std::uint32_t odd = 0;
#pragma unroll
  for (int i = 0; i < planes; ++i) {
    even |= row.even.bit[i];
    odd |= row.odd.bit[i];
  }
  even &= own;
  odd &= own;
  for (unsigned lanes; (lanes = __ballot_sync(whole_warp, (even | odd) != 0)) != 0;) {
    const int speaker = __ffs(static_cast<int>(lanes)) - 1;
    const bool from_even = even != 0;
    const int bit = __ffs(static_cast<int>(from_even ? even : odd)) - 1;
    int value = 0;
#pragma unroll
    for (int i = 0; i < planes; ++i) {
      value |= static_cast<int>(((from_even ? row.even.bit[i] : row.odd.bit[i]) >> (bit & 31)) & 1U) << i;
    }
    value = __shfl_sync(whole_warp, value, speaker);
    std::uint32_t same_even = even;
    std::uint32_t same_odd = odd;
#pragma unroll
    for (int i = 0; i < planes; ++i) {
      const std::uint32_t digit = (value >> i) & 1 ? 0U : ~0U;
      same_even = logic<0x60>(same_even, row.even.bit[i], digit);  // a & (b ^ c)
      same_odd = logic<0x60>(same_odd, row.odd.bit[i], digit);
    }
    even &= ~same_even;
    odd &= ~same_odd;
    add(value, cuda::warp_sum(static_cast<unsigned>(__popc(same_even) + __popc(same_odd))));
  }
}

/// The 56 own voxels of a row as samples.
template <int planes>
__device__ __forceinline__ void write_samples(const WindowRow<planes>& row, std::uint8_t* out) {
  if constexpr (planes <= 8) {
    // Eight voxels at a time: four bits of each word, spread to four bytes by a multiplication.
#pragma unroll
    for (int part = 0; part < 7; ++part) {
      std::uint32_t even = 0;
      std::uint32_t odd = 0;
#pragma unroll
      for (int i = 0; i < planes; ++i) {
        even |= ((((row.even.bit[i] >> (2 + 4 * part)) & 15U) * 0x00204081U) & 0x01010101U) << i;
        odd |= ((((row.odd.bit[i] >> (2 + 4 * part)) & 15U) * 0x00204081U) & 0x01010101U) << i;
      }
      uint2 samples;
      samples.x = __byte_perm(even, odd, 0x5140);
      samples.y = __byte_perm(even, odd, 0x7362);
      reinterpret_cast<uint2*>(out)[part] = samples;
    }
  } else {
    for (int b = 0; b < 28; ++b) {
      std::uint32_t pair = 0;
#pragma unroll
      for (int i = 0; i < planes; ++i) {
        pair |= ((row.even.bit[i] >> (2 + b)) & 1U) << i | ((row.odd.bit[i] >> (2 + b)) & 1U) << (16 + i);
      }
      reinterpret_cast<std::uint32_t*>(out)[b] = pair;
    }
  }
}

}  // namespace tamis::granulometry_detail::gpu::recursion_kernel
