#include "median/cpu/bucket/kernels.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "core/cpu/simd.hpp"

#define HWY_TARGET_INCLUDE "median/cpu/bucket/kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "median/cpu/rank_set/set_bit-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tamis::median_detail::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR
/// Which of some corners the window sees, a bit each. Without vectors of Highway's the compiler makes its own.
template <class Corner>
class Seen {
  using Part = typename Corner::part;

 public:
  /// Corners of a call.
  static constexpr std::int64_t count = 64;

  explicit Seen(const BucketTask<Corner>& task) : task_(task) {}

  /// A coordinate is inside where its distance from the window's first is at most that of its last.
  [[nodiscard]] std::uint64_t at(std::int64_t number) const {
    const auto* const corners = task_.corners + number;
    const auto part = [](std::int64_t value) { return static_cast<Part>(value); };
    const Part x = part(x_), y = part(task_.y), z = part(task_.z);
    const Part last_x = part(task_.width - 1), last_y = part(task_.height - 1), last_z = part(task_.depth - 1);
    std::uint8_t seen[count];
    for (std::int64_t i = 0; i < count; ++i) {
      const auto inside = [&](unsigned axis, Part first, Part last) {
        return static_cast<Part>(static_cast<Part>(corners[i] >> axis * Corner::bits) - first) <= last ? 1 : 0;
      };
      int all = inside(0, x, last_x) & inside(1, y, last_y);
      if (Corner::deep) all &= inside(Corner::deep ? 2 : 0, z, last_z);
      seen[i] = static_cast<std::uint8_t>(all);
    }
    std::uint64_t bits = 0;
    for (unsigned i = 0; i < count; i += 8) bits |= bits_of(seen + i) << i;
    return bits;
  }
  void next_x() { ++x_; }

 private:
  /// Eight bytes of 0 or 1: the product moves each to its bit of the highest byte.
  static std::uint64_t bits_of(const std::uint8_t* bytes) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes, sizeof(word));
    return word * 0x0102040810204080U >> 56U;
  }

  const BucketTask<Corner>& task_;
  std::int64_t x_ = 0;
};
#else
/// Which corners of a row of vectors the window sees, a bit each.
template <class Corner>
class Seen {
  using Whole = typename Corner::whole;
  using Part = typename Corner::part;
  const hn::ScalableTag<Whole> whole_;
  const hn::Repartition<Part, hn::ScalableTag<Whole> > part_;

 public:
  static constexpr std::int64_t lanes = hn::MaxLanes(hn::ScalableTag<Whole>());
  static constexpr std::int64_t most_vectors = 8;
  /// Corners of a call.
  static constexpr std::int64_t count = std::min<std::int64_t>(64, most_vectors* lanes);

  explicit HWY_INLINE Seen(const BucketTask<Corner>& task)
      : corners_(task.corners),
        last_(hn::Set(whole_, Corner::of(task.depth - 1, task.height - 1, task.width - 1))),
        first_(hn::Set(whole_, Corner::of(task.z, task.y, 0))) {}

  /// A coordinate is inside where its distance from the window's first is at most that of its last.
  HWY_INLINE std::uint64_t at(std::int64_t number) const {
    std::uint64_t bits = 0;
    for (std::int64_t i = 0; i < count; i += lanes) {
      const auto corners = hn::BitCast(part_, hn::LoadU(whole_, corners_ + number + i));
      const auto distance = hn::Sub(corners, hn::BitCast(part_, first_));
      const auto beyond = hn::BitCast(whole_, hn::SaturatedSub(distance, hn::BitCast(part_, last_)));
      std::uint64_t some = 0;
      hn::StoreMaskBits(whole_, hn::Eq(beyond, hn::Zero(whole_)), reinterpret_cast<std::uint8_t*>(&some));
      bits |= some << static_cast<unsigned>(i);
    }
    return bits;
  }
  HWY_INLINE void next_x() { first_ = hn::Add(first_, hn::Set(whole_, Whole{1})); }

 private:
  const Whole* corners_;
  hn::Vec<hn::ScalableTag<Whole> > last_, first_;
};
#endif

/// `together`: sets of bits that are counted before it is asked whether they are enough: the answer is hard to predict.
template <int together, class Corner>
HWY_INLINE void select_row(const BucketTask<Corner>& task) {
  Seen<Corner> seen(task);
  constexpr std::int64_t count = Seen<Corner>::count;
  for (std::int64_t i = 0; i < task.results; ++i, seen.next_x()) {
    std::int64_t left = task.place[i];
    std::int64_t number = (task.bucket[i] - task.first_bucket) << static_cast<unsigned>(task.shift);
    for (;; number += together * count) {
      std::uint64_t bits[together];
      std::int64_t before[together + 1] = {};
      for (int s = 0; s < together; ++s) {
        bits[s] = seen.at(number + s * count);
        before[s + 1] = before[s] + std::popcount(bits[s]);
      }
      if (HWY_LIKELY(left < before[together])) {
        int s = 0;
        for (int t = 1; t < together; ++t) s += left >= before[t] ? 1 : 0;
        task.number[i] = static_cast<std::uint32_t>(number + s * count + set_bit(bits[s], left - before[s]));
        break;
      }
      left -= before[together];
    }
  }
}

template <class Corner>
void select_any(const BucketTask<Corner>& task) {
  const std::int64_t sets = (std::int64_t{1} << static_cast<unsigned>(task.shift)) / Seen<Corner>::count;
  if (sets <= 1) {
    select_row<1>(task);
  } else if (sets <= 2) {
    select_row<2>(task);
  } else {
    select_row<4>(task);
  }
}

}  // namespace
}  // namespace tamis::median_detail::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tamis::median_detail::cpu {

void select_in_buckets(Simd simd, const BucketTask<FlatCorner>& task) {
  TAMIS_SIMD(simd, select_any<FlatCorner>)(task);
}
void select_in_buckets(Simd simd, const BucketTask<LargeFlatCorner>& task) {
  TAMIS_SIMD(simd, select_any<LargeFlatCorner>)(task);
}
void select_in_buckets(Simd simd, const BucketTask<DeepCorner>& task) {
  TAMIS_SIMD(simd, select_any<DeepCorner>)(task);
}
void select_in_buckets(Simd simd, const BucketTask<LargeDeepCorner>& task) {
  TAMIS_SIMD(simd, select_any<LargeDeepCorner>)(task);
}

}  // namespace tamis::median_detail::cpu
#endif
