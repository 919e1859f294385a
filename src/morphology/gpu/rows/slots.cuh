// Rows in shared memory.
#pragma once

#include <cstddef>

#include "morphology/gpu/rows/cells.cuh"

namespace tamis::morphology_detail::gpu {

constexpr int piece_bytes = 16;

/// Each lane sees only its own words: nobody waits for anybody. They lie in pieces of 16 bytes, one lane's beside the
/// next one's.
template <int words>
struct Slot {
  static_assert(words % 4 == 0);
  uint4 piece[words / 4 * 32];

  __device__ __forceinline__ Words<words> read(int lane) const {
    Words<words> row;
#pragma unroll
    for (int i = 0; i < words / 4; ++i) {
      const uint4 own = piece[i * 32 + lane];
      row.word[4 * i] = own.x;
      row.word[4 * i + 1] = own.y;
      row.word[4 * i + 2] = own.z;
      row.word[4 * i + 3] = own.w;
    }
    return row;
  }
  __device__ __forceinline__ void write(int lane, const Words<words>& row) {
#pragma unroll
    for (int i = 0; i < words / 4; ++i) {
      piece[i * 32 + lane] = make_uint4(row.word[4 * i], row.word[4 * i + 1], row.word[4 * i + 2], row.word[4 * i + 3]);
    }
  }
  /// Where a byte of the lane's words lies.
  __device__ __forceinline__ std::byte* at(int lane, int byte) {
    return reinterpret_cast<std::byte*>(piece + byte / piece_bytes * 32 + lane) + byte % piece_bytes;
  }
};

}  // namespace tamis::morphology_detail::gpu
