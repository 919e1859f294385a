// Counts of a group of keys, as running sums in vectors. To be included by files of kernels after <hwy/highway.h>, once
// for each instruction set: hence the guard.
#if defined(TAMIS_GROUP_COUNTS) == defined(HWY_TARGET_TOGGLE)
#ifdef TAMIS_GROUP_COUNTS
#undef TAMIS_GROUP_COUNTS
#else
#define TAMIS_GROUP_COUNTS
#endif

#include <algorithm>
#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace tamis::median_detail::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

/// Histograms are kept as running sums: of a group, bin i holds its keys up to bin i, so that the bin of a rank is the
/// number of bins at or below it; of the groups, bin i holds the keys of all groups before i. Row v is what a key in
/// bin v adds to its group, row v + 1 what a key in group v adds to the groups.
template <class Count, std::int64_t bins>
struct Steps {
  alignas(64) Count up_to[bins + 1][bins] = {};
  constexpr Steps() {
    for (std::int64_t v = 0; v < bins; ++v) {
      for (std::int64_t i = v; i < bins; ++i) up_to[v][i] = 1;
    }
  }
};
template <class Count, std::int64_t bins>
constexpr Steps<Count, bins> steps;

#if HWY_TARGET == HWY_SCALAR
/// Without vectors of Highway's the compiler makes its own.
template <class Column, class Sum, std::int64_t bins>
struct GroupCounts {
  Sum count[bins];

  void load(const Sum* from) { std::copy_n(from, bins, count); }
  void store(Sum* to) const { std::copy_n(count, bins, to); }
  void clear() { std::fill_n(count, bins, Sum{0}); }
  void add(const Column* more, std::int64_t columns, std::int64_t stride, std::int64_t /*fit*/) {
    for (std::int64_t x = 0; x < columns; ++x, more += stride) {
      for (std::int64_t i = 0; i < bins; ++i) count[i] = static_cast<Sum>(count[i] + more[i]);
    }
  }
  void move(const Column* less, const Column* more) {
    for (std::int64_t i = 0; i < bins; ++i) count[i] = static_cast<Sum>(count[i] + more[i] - less[i]);
  }
  [[nodiscard]] std::int64_t below(Sum limit) const {
    Sum number = 0;
    for (std::int64_t i = 0; i < bins; ++i) number = static_cast<Sum>(number + (count[i] < limit ? 1 : 0));
    return number;
  }
};

/// to += more, -= less: the counts of a group in a column.
template <std::int64_t bins, class Column>
void change(Column* to, const Column* less, const Column* more) {
  for (std::int64_t i = 0; i < bins; ++i) {
    to[i] = static_cast<Column>(to[i] + (more ? more[i] : 0) - (less ? less[i] : 0));
  }
}
#else
/// The counts of a group in as many vectors as they take.
template <class Column, class Sum, std::int64_t bins>
struct GroupCounts {
  using D = hn::CappedTag<Sum, bins>;
  using From = hn::Rebind<Column, D>;
  static constexpr std::int64_t lanes = hn::MaxLanes(D());
  static constexpr std::int64_t parts = bins / lanes;
  hn::Vec<D> part[parts];

  HWY_INLINE void load(const Sum* from) {
    for (std::int64_t p = 0; p < parts; ++p) part[p] = hn::Load(D(), from + p * lanes);
  }
  HWY_INLINE void store(Sum* to) const {
    for (std::int64_t p = 0; p < parts; ++p) hn::Store(part[p], D(), to + p * lanes);
  }
  HWY_INLINE void clear() {
    for (std::int64_t p = 0; p < parts; ++p) part[p] = hn::Zero(D());
  }
  static HWY_INLINE hn::Vec<D> of_column(const Column* counts, std::int64_t p) {
    return hn::PromoteTo(D(), hn::Load(From(), counts + p * lanes));
  }
  /// Columns side by side, `fit` of which have no more keys than one may have.
  HWY_INLINE void add(const Column* more, std::int64_t columns, std::int64_t stride, std::int64_t fit) {
    for (std::int64_t left = columns; left > 0; left -= fit, more += fit * stride) {
      const std::int64_t together = std::min(left, fit);
      for (std::int64_t p = 0; p < parts; ++p) {
        auto sum = hn::Zero(From());
        const Column* from = more + p * lanes;
        for (std::int64_t x = 0; x < together; ++x, from += stride) sum = hn::Add(sum, hn::Load(From(), from));
        part[p] = hn::Add(part[p], hn::PromoteTo(D(), sum));
      }
    }
  }
  HWY_INLINE void move(const Column* less, const Column* more) {
    for (std::int64_t p = 0; p < parts; ++p) {
      part[p] = hn::Sub(hn::Add(part[p], of_column(more, p)), of_column(less, p));
    }
  }
  /// How many are below `limit`.
  HWY_INLINE std::int64_t below(Sum limit) const {
    std::size_t number = 0;
    for (std::int64_t p = 0; p < parts; ++p) number += hn::CountTrue(D(), hn::Lt(part[p], hn::Set(D(), limit)));
    return static_cast<std::int64_t>(number);
  }
};

/// to += more, -= less: the counts of a group in a column.
template <std::int64_t bins, class Column>
HWY_INLINE void change(Column* to, const Column* less, const Column* more) {
  const hn::CappedTag<Column, bins> d;
  constexpr std::int64_t lanes = hn::MaxLanes(hn::CappedTag<Column, bins>());
  for (std::int64_t i = 0; i < bins; i += lanes) {
    auto counts = hn::Load(d, to + i);
    if (less) counts = hn::Sub(counts, hn::Load(d, less + i));
    if (more) counts = hn::Add(counts, hn::Load(d, more + i));
    hn::Store(counts, d, to + i);
  }
}
#endif

}  // namespace
}  // namespace tamis::median_detail::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
