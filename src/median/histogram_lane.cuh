// A histogram of bytes for each lane of a warp, in shared memory: counter k of lane l lies in bank l, so no two lanes
// meet.
#pragma once

#include <cstdint>

namespace tamis::median_detail {

/// How counters of `bits` bits share words. A word and all others of its lane are 128 bytes apart.
template <int bits>
struct Counters;

/// Shifted so that the upper bits of byte `byte` of a word count 128 bytes each.
template <int byte>
__device__ __forceinline__ std::uint32_t byte_times_128(std::uint32_t word) {
  constexpr int shift = 8 * byte - 7;
  return shift < 0 ? word << -shift : word >> (shift < 0 ? 0 : shift);
}

/// Up to 255 samples: key k is counted in word k % 64, byte k / 64.
template <>
struct Counters<8> {
  static constexpr int words = 64;
  template <int byte>
  static __device__ __forceinline__ std::uint32_t place(std::uint32_t keys) {
    return byte_times_128<byte>(keys) & 0x1F80U;
  }
  /// What counts byte `byte` once less.
  template <int byte>
  static __device__ __forceinline__ std::uint32_t minus_one(std::uint32_t keys) {
    return 0xFFFFFFFFU << (keys >> (8 * byte + 3) & 0x18U);
  }
  static __device__ __forceinline__ std::uint32_t place_of(int key) {
    return static_cast<std::uint32_t>(key & 63) << 7;
  }
  static __device__ __forceinline__ int count(std::uint32_t word, int key) {
    return static_cast<int>(word >> (key >> 3 & 0x18) & 0xFF);
  }
};

/// Up to 65,535: in word k % 128, half k / 128.
template <>
struct Counters<16> {
  static constexpr int words = 128;
  template <int byte>
  static __device__ __forceinline__ std::uint32_t place(std::uint32_t keys) {
    return byte_times_128<byte>(keys) & 0x3F80U;
  }
  template <int byte>
  static __device__ __forceinline__ std::uint32_t minus_one(std::uint32_t keys) {
    // The lower half is the sign of the inverted byte, twice: all ones for a key below 128. __byte_perm knows no signs.
    constexpr std::uint32_t sign = 8 + byte, ones = 4;
    std::uint32_t result;
    asm("prmt.b32 %0, %1, %2, %3;"
        : "=r"(result)
        : "r"(~keys), "r"(0xFFFFFFFFU), "n"(ones << 12 | ones << 8 | sign << 4 | sign));
    return result;
  }
  static __device__ __forceinline__ std::uint32_t place_of(int key) {
    return static_cast<std::uint32_t>(key & 127) << 7;
  }
  static __device__ __forceinline__ int count(std::uint32_t word, int key) {
    return static_cast<int>(key < 128 ? word & 0xFFFF : word >> 16);
  }
};

/// More than that: a word each.
template <>
struct Counters<32> {
  static constexpr int words = 256;
  template <int byte>
  static __device__ __forceinline__ std::uint32_t place(std::uint32_t keys) {
    return byte_times_128<byte>(keys) & 0x7F80U;
  }
  template <int byte>
  static __device__ __forceinline__ std::uint32_t minus_one(std::uint32_t) {
    return 0xFFFFFFFFU;
  }
  static __device__ __forceinline__ std::uint32_t place_of(int key) { return static_cast<std::uint32_t>(key) << 7; }
  static __device__ __forceinline__ int count(std::uint32_t word, int) { return static_cast<int>(word); }
};

/// One lane's histogram, and a key with the number of samples below it.
template <int bits>
class HistogramLane {
 public:
  __device__ HistogramLane(std::uint32_t* words, unsigned lane)
      : words_(reinterpret_cast<std::byte*>(words)), lane_bytes_(lane * 4U) {}

  /// `length` keys side by side come in (or go out).
  template <bool in>
  __device__ __forceinline__ void move(const std::byte* keys, std::int64_t length) {
    const unsigned shift = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(keys) & 3) * 8;
    const auto* words = reinterpret_cast<const std::uint32_t*>(keys - shift / 8);
    const std::uint32_t copies = static_cast<std::uint32_t>(key_) * 0x01010101U;
    std::uint32_t now = __ldg(words);
    auto left = static_cast<int>(length);
    for (; left >= 4; left -= 4) {
      const std::uint32_t next = __ldg(++words);
      const std::uint32_t four = __funnelshift_r(now, next, shift);
      count<in, 0>(four);
      count<in, 1>(four);
      count<in, 2>(four);
      count<in, 3>(four);
      tally<in>(four, copies, highest_bits);
      now = next;
    }
    if (left == 0) return;
    const std::uint32_t some = __funnelshift_r(now, __ldg(++words), shift);
    count<in, 0>(some);
    if (left > 1) count<in, 1>(some);
    if (left > 2) count<in, 2>(some);
    tally<in>(some, copies, highest_bits >> (32 - 8 * left));
  }

  /// The key with index `rank` in order; from where the last one was. There are more samples than that.
  __device__ __forceinline__ int find(int rank) {
    while (below_ > rank) below_ -= samples_of(--key_);
    for (;;) {
      const int next = below_ + samples_of(key_);
      if (next > rank) return key_;
      below_ = next;
      ++key_;
    }
  }

 private:
  static constexpr std::uint32_t highest_bits = 0x80808080U;

  template <bool in, int byte>
  __device__ __forceinline__ void count(std::uint32_t keys) {
    const std::uint32_t less = Counters<bits>::template minus_one<byte>(keys);
    atomicAdd(word(Counters<bits>::template place<byte>(keys)), in ? 0U - less : less);
  }
  /// Of four keys at once whether they are below the current one, whose four copies are given.
  template <bool in>
  __device__ __forceinline__ void tally(std::uint32_t keys, std::uint32_t copies, std::uint32_t which) {
    const std::uint32_t difference = (keys | highest_bits) - (copies & ~highest_bits);
    const std::uint32_t less = ((~keys & copies) | (~(keys ^ copies) & ~difference)) & which;
    below_ += in ? __popc(less) : -__popc(less);
  }
  [[nodiscard]] __device__ __forceinline__ int samples_of(int key) const {
    return Counters<bits>::count(*word(Counters<bits>::place_of(key)), key);
  }
  [[nodiscard]] __device__ __forceinline__ std::uint32_t* word(std::uint32_t place) const {
    return reinterpret_cast<std::uint32_t*>(words_ + (place | lane_bytes_));
  }

  std::byte* words_;
  unsigned lane_bytes_;
  int key_ = 0;
  int below_ = 0;
};

}  // namespace tamis::median_detail
