// What covers each voxel of 32 rows of 32, by number. For paint.cu.
#pragma once

#include <cstdint>

#include "core/gpu/warp.cuh"

namespace tamis::granulometry_detail::gpu::balls {
namespace {

/// Numbers from 1 on in the order in which boxes cover something, 0: nothing. They are kept as planes of bits in Gray
/// code, where the next number differs in one bit: all that is still uncovered changes this bit, and what a box covers
/// is not asked again. So a box costs one plane and not one for each bit of its square. Of a warp; the planes' words
/// are the lanes' own. `Lane`: the type of squares.
template <class Lane>
class Ranks {
 public:
  static constexpr int planes = 8;
  static constexpr int most = 223;
  /// In 16 bytes.
  static constexpr int room = (planes * 32 * 4 + (most + 1) * static_cast<int>(sizeof(Lane))) / 16;
  /// Pieces of 16 bytes that a row's squares have.
  static constexpr int pieces = 2 * static_cast<int>(sizeof(Lane));

  __device__ __forceinline__ explicit Ranks(uint4* space)
      : bits_(reinterpret_cast<std::uint32_t*>(space) + lane()),
        squares_(reinterpret_cast<Lane*>(space + planes * 8)) {}

  __device__ __forceinline__ void clear() {
    count_ = 0;
#pragma unroll
    for (int plane = 0; plane < planes; ++plane) bits_[plane * 32] = 0;
    if (lane() == 0) squares_[0] = 0;
  }

  [[nodiscard]] __device__ __forceinline__ int count() const { return count_; }

  /// A number for what covers some of a row's voxels that are uncovered.
  __device__ __forceinline__ void add(std::uint32_t uncovered, Lane square) {
    ++count_;
    if (lane() == 0) squares_[count_] = square;
    bits_[(__ffs(count_) - 1) * 32] ^= uncovered;
  }

  /// Ends the count: planes become a byte for each voxel. `covered`: the voxels of a row that have a number.
  __device__ __forceinline__ void settle(std::uint32_t covered) const {
    std::uint32_t numbers[planes];
    std::uint32_t above = 0;
#pragma unroll
    for (int plane = planes - 1; plane >= 0; --plane) {
      above ^= bits_[plane * 32];
      numbers[plane] = above & covered;
    }
    transpose(numbers);
#pragma unroll
    for (int i = 0; i < planes; ++i) bits_[i * 32] = numbers[i];
    __syncwarp();
  }

  /// The squares of a piece of a row, once they are settled.
  [[nodiscard]] __device__ __forceinline__ uint4 squares(int row, int piece) const {
    const auto* const bytes = reinterpret_cast<const std::uint8_t*>(bits_) + 4 * (row - lane());
    if constexpr (sizeof(Lane) == 2) {
      const auto two = [&](int i) {
        return squares_[bytes[i * 128 + piece]] | std::uint32_t{squares_[bytes[(i + 1) * 128 + piece]]} << 16;
      };
      return make_uint4(two(0), two(2), two(4), two(6));
    } else if constexpr (sizeof(Lane) == 4) {
      const std::uint8_t* const four = bytes + piece % 2 * 4 * 128 + piece / 2;
      return make_uint4(squares_[four[0]], squares_[four[128]], squares_[four[256]], squares_[four[384]]);
    } else {
      const std::uint8_t* const two = bytes + piece % 4 * 2 * 128 + piece / 4;
      const Lane low = squares_[two[0]];
      const Lane high = squares_[two[128]];
      return make_uint4(static_cast<unsigned>(low), static_cast<unsigned>(low >> 32), static_cast<unsigned>(high),
                        static_cast<unsigned>(high >> 32));
    }
  }

 private:
  __device__ __forceinline__ static int lane() { return static_cast<int>(threadIdx.x % 32); }

  /// Planes to bytes: afterwards register i has voxels i, 8 + i, 16 + i and 24 + i.
  __device__ __forceinline__ static void transpose(std::uint32_t (&numbers)[planes]) {
#pragma unroll
    for (int k = planes / 2; k > 0; k /= 2) {
      const std::uint32_t mask = k == 4 ? 0x0f0f0f0fU : k == 2 ? 0x33333333U : 0x55555555U;
#pragma unroll
      for (int i = 0; i < planes; ++i) {
        if (i & k) continue;
        const std::uint32_t moved = ((numbers[i] >> k) ^ numbers[i + k]) & mask;
        numbers[i + k] ^= moved;
        numbers[i] ^= moved << k;
      }
    }
  }

  std::uint32_t* bits_;  ///< of the lane
  Lane* squares_;
  int count_ = 0;
};

}  // namespace
}  // namespace tamis::granulometry_detail::gpu::balls
