// A histogram of bytes for each lane of a warp, in shared memory: counter k of lane l lies in bank l, so no two lanes
// meet.
#pragma once

#include <cstdint>

namespace tamis::median_detail::gpu {

template <int right>
__device__ __forceinline__ std::uint32_t shifted(std::uint32_t word) {
  return right < 0 ? word << (right < 0 ? -right : 0) : word >> (right < 0 ? 0 : right);
}

/// How counters of `bits` bits share words: those of neighbouring keys lie in one word, which a search passes at once.
/// A word and all others of its lane are 128 bytes apart.
template <int bits>
struct CounterWords {
  static constexpr int keys = 32 / bits;  ///< of a word
  static constexpr int words = 256 / keys;

  /// Where the word of byte `byte` of four keys lies.
  template <int byte>
  static __device__ __forceinline__ std::uint32_t place(std::uint32_t four) {
    constexpr int bits_of_key = bits == 8 ? 2 : bits == 16 ? 1 : 0;  // that choose a counter of the word
    constexpr std::uint32_t mask = (words - 1) << 7;
    return shifted<8 * byte + bits_of_key - 7>(four) & mask;
  }
};
template <int bits>
struct Counters;

/// Up to 255 samples.
template <>
struct Counters<8> : CounterWords<8> {
  /// What counts byte `byte` once less.
  template <int byte>
  static __device__ __forceinline__ std::uint32_t minus_one(std::uint32_t four) {
    return 0xFFFFFFFFU << (shifted<8 * byte - 3>(four) & 0x18U);
  }
  static __device__ __forceinline__ int sum(std::uint32_t word) {
    return static_cast<int>(__dp4a(word, 0x01010101U, 0U));
  }
  /// Which key of the word has index `rank`, which is below the sum.
  static __device__ __forceinline__ int find(std::uint32_t word, int rank) {
    const std::uint32_t sums = word * 0x01010101U;  // byte k: of the first k + 1 counters
    const auto up_to = [&](int key) { return static_cast<int>(sums >> (8 * key) & 0xFF) <= rank ? 1 : 0; };
    return up_to(0) + up_to(1) + up_to(2);
  }
  /// Samples of the word's keys before one of them.
  static __device__ __forceinline__ int before(std::uint32_t word, int key) {
    return static_cast<int>(word * 0x01010100U >> (8 * key) & 0xFF);
  }
};

/// Up to 65,535.
template <>
struct Counters<16> : CounterWords<16> {
  template <int byte>
  static __device__ __forceinline__ std::uint32_t minus_one(std::uint32_t four) {
    // The lower half is the sign of a byte, twice: all ones for an even key. __byte_perm knows no signs.
    constexpr std::uint32_t sign = 8 + byte, ones = 4;
    std::uint32_t result;
    asm("prmt.b32 %0, %1, %2, %3;"
        : "=r"(result)
        : "r"(~(four << 7)), "r"(0xFFFFFFFFU), "n"(ones << 12 | ones << 8 | sign << 4 | sign));
    return result;
  }
  static __device__ __forceinline__ int sum(std::uint32_t word) {
    return static_cast<int>((word & 0xFFFF) + (word >> 16));
  }
  static __device__ __forceinline__ int find(std::uint32_t word, int rank) {
    return static_cast<int>(word & 0xFFFF) <= rank ? 1 : 0;
  }
  static __device__ __forceinline__ int before(std::uint32_t word, int key) {
    return key == 0 ? 0 : static_cast<int>(word & 0xFFFF);
  }
};

/// More than that: a word each.
template <>
struct Counters<32> : CounterWords<32> {
  template <int byte>
  static __device__ __forceinline__ std::uint32_t minus_one(std::uint32_t) {
    return 0xFFFFFFFFU;
  }
  static __device__ __forceinline__ int sum(std::uint32_t word) { return static_cast<int>(word); }
  static __device__ __forceinline__ int find(std::uint32_t, int) { return 0; }
  static __device__ __forceinline__ int before(std::uint32_t, int) { return 0; }
};

/// One lane's histogram, and a word of counters with the number of samples below its keys.
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
    const std::uint32_t copies = static_cast<std::uint32_t>(at_ * Words::keys) * 0x01010101U;
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

  template <bool in>
  __device__ __forceinline__ void move_one(const std::byte* key) {
    const auto one = static_cast<std::uint32_t>(__ldg(reinterpret_cast<const std::uint8_t*>(key)));
    count<in, 0>(one);
    if (one < static_cast<std::uint32_t>(at_ * Words::keys)) below_ += in ? 1 : -1;
  }

  /// The key with index `rank` in order; from where the last one was. There are more samples than that.
  __device__ __forceinline__ int find(int rank) {
    go_to(rank);
    return at_ * Words::keys + Words::find(counters(at_), rank - below_);
  }
  struct Place {
    int key;
    int index;  ///< among samples of this key
  };
  __device__ __forceinline__ Place place_of(int rank) {
    go_to(rank);
    const std::uint32_t now = counters(at_);
    const int key = Words::find(now, rank - below_);
    return {at_ * Words::keys + key, rank - below_ - Words::before(now, key)};
  }
  /// Samples of the highest key.
  [[nodiscard]] __device__ __forceinline__ int highest() const {
    return static_cast<int>(counters(Words::words - 1) >> (32 - bits));
  }

 private:
  using Words = Counters<bits>;
  static constexpr std::uint32_t highest_bits = 0x80808080U;

  /// To the word with the key of a rank.
  __device__ __forceinline__ void go_to(int rank) {
    while (below_ > rank) below_ -= Words::sum(counters(--at_));
    for (;;) {
      const int next = below_ + Words::sum(counters(at_));
      if (next > rank) return;
      below_ = next;
      ++at_;
    }
  }
  template <bool in, int byte>
  __device__ __forceinline__ void count(std::uint32_t keys) {
    const std::uint32_t less = Words::template minus_one<byte>(keys);
    atomicAdd(word(Words::template place<byte>(keys)), in ? 0U - less : less);
  }
  /// Of four keys at once whether they are below the first of the word, whose four copies are given.
  template <bool in>
  __device__ __forceinline__ void tally(std::uint32_t keys, std::uint32_t copies, std::uint32_t which) {
    const std::uint32_t difference = (keys | highest_bits) - (copies & ~highest_bits);
    const std::uint32_t less = ((~keys & copies) | (~(keys ^ copies) & ~difference)) & which;
    below_ += in ? __popc(less) : -__popc(less);
  }
  [[nodiscard]] __device__ __forceinline__ std::uint32_t counters(int at) const {
    return *word(static_cast<std::uint32_t>(at) << 7);
  }
  [[nodiscard]] __device__ __forceinline__ std::uint32_t* word(std::uint32_t place) const {
    return reinterpret_cast<std::uint32_t*>(words_ + (place | lane_bytes_));
  }

  std::byte* words_;
  unsigned lane_bytes_;
  int at_ = 0;
  int below_ = 0;
};

}  // namespace tamis::median_detail::gpu
