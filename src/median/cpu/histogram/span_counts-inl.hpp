// Counts of 32 neighbouring values in vectors. To be included by files of kernels after <hwy/highway.h>, once for each
// instruction set: hence the guard.
#if defined(TAMIS_SPAN_COUNTS) == defined(HWY_TARGET_TOGGLE)
#ifdef TAMIS_SPAN_COUNTS
#undef TAMIS_SPAN_COUNTS
#else
#define TAMIS_SPAN_COUNTS
#endif

#include <cstdint>
#include <cstring>
#include <limits>

HWY_BEFORE_NAMESPACE();
namespace tamis::median_detail::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

/// Keys fall into 32 groups of 8 values: a word of bytes each.
constexpr std::int64_t group_values = 8, groups = 32;
constexpr int group_bits = 3;
/// Values that are kept up to date: four groups side by side.
constexpr std::int64_t span = 32, span_groups = span / group_values;
constexpr std::int64_t highest_span = groups * group_values - span;
/// A span moves on by so many: the group that stays is for values that soon go back.
constexpr std::int64_t span_step = span - group_values;

/// What one column of the window has, in bytes: how many keys all groups before each group have; and in each group how
/// many it has up to each value.
constexpr std::int64_t before_at = 0, up_to_at = groups, record_bytes = groups + groups * group_values;

/// What one key adds.
struct Steps {
  alignas(64) std::uint8_t before[groups][groups] = {};
  alignas(64) std::uint64_t up_to[group_values * groups] = {};
  constexpr Steps() {
    for (std::int64_t group = 0; group < groups; ++group) {
      for (std::int64_t i = group + 1; i < groups; ++i) before[group][i] = 1;
    }
    for (std::int64_t key = 0; key < group_values * groups; ++key) {
      up_to[key] = 0x0101010101010101ULL << (key % group_values * 8);
    }
  }
};
constexpr Steps steps;

#if HWY_TARGET != HWY_SCALAR

using Bytes = hn::CappedTag<std::uint8_t, span>;
using SignedBytes = hn::Rebind<std::int8_t, Bytes>;
using Words = hn::CappedTag<std::int16_t, span>;
constexpr std::int64_t byte_lanes = hn::MaxLanes(Bytes()), byte_parts = span / byte_lanes;
constexpr std::int64_t word_lanes = hn::MaxLanes(Words()), word_parts = span / word_lanes;
static_assert(groups == span);  // both fit the same vectors

/// What counts of the window begin with, so that they compare as signed words.
constexpr std::int16_t none = std::numeric_limits<std::int16_t>::min();

/// Counts of the window.
struct Sums {
  hn::Vec<Words> part[word_parts];

  HWY_INLINE void set(std::int16_t count) {
    for (std::int64_t p = 0; p < word_parts; ++p) part[p] = hn::Set(Words(), count);
  }
  /// Adds bytes, part `p` of them.
  template <class V>
  HWY_INLINE void add(V bytes, std::int64_t p) {
    if constexpr (byte_lanes == word_lanes) {
      part[p] = hn::Add(part[p], hn::PromoteTo(Words(), bytes));
    } else {
      const hn::Half<hn::DFromV<V>> half;
      part[2 * p] = hn::Add(part[2 * p], hn::PromoteTo(Words(), hn::LowerHalf(half, bytes)));
      part[2 * p + 1] = hn::Add(part[2 * p + 1], hn::PromoteTo(Words(), hn::UpperHalf(half, bytes)));
    }
  }
  HWY_INLINE void subtract(hn::Vec<Bytes> bytes, std::int64_t p) {
    Sums more;
    more.set(0);
    more.add(bytes, p);
    for (std::int64_t i = 0; i < word_parts; ++i) part[i] = hn::Sub(part[i], more.part[i]);
  }
  /// How many are below `limit`.
  HWY_INLINE std::uint32_t below(std::int16_t limit) const {
    std::size_t count = 0;
    for (std::int64_t p = 0; p < word_parts; ++p) {
      count += hn::CountTrue(Words(), hn::Lt(part[p], hn::Set(Words(), limit)));
    }
    return static_cast<std::uint32_t>(count);
  }
};

/// The value of a rank is the number of values whose sums are below this.
HWY_INLINE std::int16_t limit_of(std::int64_t rank) { return static_cast<std::int16_t>(rank + 1 + none); }

/// The numbers before four groups side by side.
HWY_INLINE hn::Vec<Bytes> before_of(const std::uint8_t* before) {
  std::uint32_t four = 0;
  static_assert(sizeof(four) == span_groups);
  std::memcpy(&four, before, sizeof(four));
  return hn::BitCast(Bytes(), hn::Set(hn::Repartition<std::uint32_t, Bytes>(), four));
}
/// Each for the eight values of its group.
HWY_INLINE hn::Vec<Bytes> spread(hn::Vec<Bytes> before, std::int64_t p) {
  alignas(64) static constexpr std::uint8_t group_of[span] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1,
                                                              2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3};
  return hn::TableLookupBytes(before, hn::Load(Bytes(), group_of + p * byte_lanes));
}

/// How many keys a column has up to each value of a span: part p.
HWY_INLINE hn::Vec<Bytes> counts_of(hn::Vec<Bytes> before, const std::uint8_t* up_to, std::int64_t p) {
  return hn::Add(spread(before, p), hn::LoadU(Bytes(), up_to + p * byte_lanes));
}

#endif

}  // namespace
}  // namespace tamis::median_detail::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
