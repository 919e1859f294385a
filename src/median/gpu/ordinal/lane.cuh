// The samples that a window sees as a set of ordinals, one set a lane, in shared memory: word k of lane l lies in bank
// l.
#pragma once

#include <cstdint>

namespace tamis::median_detail::gpu {

/// A set of ordinals, a word of it, and how many are in the words before. With `counts_present` also how many of them
/// are below a limit.
template <bool counts_present>
class OrdinalLane {
 public:
  __device__ OrdinalLane(std::byte* set, unsigned lane, int present)
      : set_(set), lane_bytes_(lane * 4U), present_limit_(static_cast<std::uint32_t>(present) << 16) {}

  __device__ void clear(int words) const {
    for (int i = 0; i < words; ++i) *word(static_cast<std::uint32_t>(i) << 7) = 0;
  }

  /// `length` ordinals side by side come in (or go out).
  template <bool in>
  __device__ __forceinline__ void move(const std::uint16_t* ordinals, int length) {
    const unsigned shift = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(ordinals) & 2) * 8;
    const auto* words = reinterpret_cast<const std::uint32_t*>(ordinals - shift / 16);
    // Of half a word, in its upper half: what is below this is in an earlier word of the set.
    const std::uint32_t limit = static_cast<std::uint32_t>(at_) << 21;
    std::uint32_t now = *words;
    int left = length;
#pragma unroll 4
    for (; left >= 2; left -= 2) {
      const std::uint32_t next = *++words;
      const std::uint32_t two = __funnelshift_r(now, next, shift);
      toggle(two << 2, two);
      toggle(two >> 14, two >> 16);
      tally<in>(two << 16, limit);
      tally<in>(two, limit);
      now = next;
    }
    if (left == 0) return;
    const std::uint32_t one = now >> shift & 0xFFFFU;
    toggle(one << 2, one);
    tally<in>(one << 16, limit);
  }

  template <bool in>
  __device__ __forceinline__ void move_one(const std::uint16_t* ordinal) {
    const std::uint32_t one = *ordinal;
    toggle(one << 2, one);
    tally<in>(one << 16, static_cast<std::uint32_t>(at_) << 21);
  }

  /// The ordinal with index `rank` in the set; from where the last one was. There are more than that.
  __device__ __forceinline__ int find(int rank) {
    while (before_ > rank) before_ -= __popc(*word(static_cast<std::uint32_t>(--at_) << 7));
    for (;;) {
      std::uint32_t bits = *word(static_cast<std::uint32_t>(at_) << 7);
      const int next = before_ + __popc(bits);
      if (next > rank) {
        for (int i = before_; i < rank; ++i) bits &= bits - 1;
        return at_ * 32 + __ffs(static_cast<int>(bits)) - 1;
      }
      before_ = next;
      ++at_;
    }
  }
  [[nodiscard]] __device__ int present() const { return present_; }

 private:
  /// `place` has an ordinal times 4, `ordinal` it in its lowest bits; what else is in them does not matter.
  __device__ __forceinline__ void toggle(std::uint32_t place, std::uint32_t ordinal) const {
    constexpr std::uint32_t words = 0x3FF80U;  // 32 ordinals in 128 bytes
    atomicXor(word(place & words), 1U << (ordinal & 31));
  }
  template <bool in>
  __device__ __forceinline__ void tally(std::uint32_t upper_half, std::uint32_t limit) {
    constexpr int step = in ? 1 : -1;
    if (upper_half < limit) before_ += step;
    // The lower half may be anything: ordinals are whole numbers.
    if (counts_present && upper_half < present_limit_) present_ += step;
  }
  [[nodiscard]] __device__ __forceinline__ std::uint32_t* word(std::uint32_t place) const {
    return reinterpret_cast<std::uint32_t*>(set_ + (place | lane_bytes_));
  }

  std::byte* set_;
  unsigned lane_bytes_;
  std::uint32_t present_limit_;
  int at_ = 0;
  int before_ = 0;
  int present_ = 0;
};

}  // namespace tamis::median_detail::gpu
