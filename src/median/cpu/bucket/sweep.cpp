#include "median/cpu/bucket/sweep.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "core/cpu/simd.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "median/cpu/bucket/sweep.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "median/cpu/histogram/group_counts-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tamis::median_detail::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

constexpr std::int64_t bins = buckets_of_a_group;

/// Counts of a column: not a power of two, for columns side by side have to lie in different places of the cache.
constexpr std::int64_t stride_of(std::int64_t groups) { return ((groups + 1) | 1) * bins; }

/// `Column` counts the keys of a column of the window, `Sum` those of all. A column has the counts of its groups, then
/// those of each group's buckets.
template <class Column, class Sum>
class Sweeper {
 public:
  explicit Sweeper(const BucketSweep& sweep)
      : sweep_(sweep),
        seen_(sweep.columns + sweep.width - 1),
        stride_(stride_of(sweep.groups)),
        fit_(std::numeric_limits<Column>::max() / (sweep.height * sweep.depth)),
        counts_(reinterpret_cast<Column*>(sweep.counts)) {}

  HWY_INLINE void run(BucketMove move, const BucketRow& row) {
    bring(move, sweep_.buckets + row.z * sweep_.slice_stride + row.y * sweep_.row_stride);
    if (row.ranks) {
      sweep_row<true>(row);
    } else {
      sweep_row<false>(row);
    }
  }

 private:
  /// The counts of columns to a row of results, the windows of which begin at `first`.
  HWY_INLINE void bring(BucketMove move, const std::uint16_t* first) {
    const std::int64_t row = sweep_.row_stride, slice = sweep_.slice_stride;
    const std::int64_t height = sweep_.height, depth = sweep_.depth;
    switch (move) {
      case BucketMove::First:
        std::memset(counts_, 0, static_cast<std::size_t>((seen_ + 1) * stride_) * sizeof(Column));
        for (std::int64_t z = 0; z < depth; ++z) replace<false>(first, first + z * slice, height, row);
        return;
      case BucketMove::Down:
        return replace<true>(first - row, first + (height - 1) * row, depth, slice);
      case BucketMove::Up:
        return replace<true>(first + height * row, first, depth, slice);
      case BucketMove::Through:
        return replace<true>(first - slice, first + (depth - 1) * slice, height, row);
    }
  }

  template <bool leaves>
  HWY_INLINE void replace(const std::uint16_t* leaving, const std::uint16_t* entering, std::int64_t n,
                          std::int64_t next) {
    const std::int64_t seen = seen_, stride = stride_;
    const auto& up_to = steps<Column, bins>.up_to;
    for (std::int64_t i = 0; i < n; ++i, leaving += next, entering += next) {
      Column* column = counts_;
      for (std::int64_t x = 0; x < seen; ++x, column += stride) {
        const std::int64_t less = leaving[x], more = entering[x];
        change<bins>(column, leaves ? up_to[less / bins + 1] : nullptr, up_to[more / bins + 1]);
        if (leaves) change<bins, Column>(column + bins + less / bins * bins, up_to[less % bins], nullptr);
        change<bins, Column>(column + bins + more / bins * bins, nullptr, up_to[more % bins]);
      }
    }
  }

  /// The counts of one group in the window, and of all groups before it. Those of other groups stay as they were when
  /// they were last wanted.
  struct Place {
    GroupCounts<Column, Sum, bins> counts;
    std::int64_t group = 0;
    std::int64_t before = 0;
    alignas(64) Sum kept[most_groups][bins];
    std::int64_t kept_at[most_groups];
  };

  HWY_INLINE const Column* group_at(std::int64_t group, std::int64_t x) const {
    return counts_ + x * stride_ + (group + 1) * bins;
  }

  /// Takes up a group for the window that begins at x: from where it was, or summed afresh if that is less work.
  HWY_INLINE void take_up(Place& place, std::int64_t group, std::int64_t x) const {
    const std::int64_t width = sweep_.width, stride = stride_;
    const std::int64_t from = place.kept_at[group];
    place.group = group;
    GroupCounts<Column, Sum, bins> counts;
    if (from < 0 || 2 * (x - from) >= width) {
      counts.clear();
      counts.add(group_at(group, x), width, stride, fit_);
    } else {
      counts.load(place.kept[group]);
      const Column* column = group_at(group, from);
      for (std::int64_t i = from; i < x; ++i, column += stride) counts.move(column, column + width * stride);
    }
    place.counts = counts;
    counts.store(place.kept[group]);
    place.kept_at[group] = x;
  }
  HWY_INLINE void leave(Place& place, std::int64_t x) const {
    place.counts.store(place.kept[place.group]);
    place.kept_at[place.group] = x;
  }
  /// Keys of the group that was taken up last.
  static HWY_INLINE std::int64_t keys_of(const Place& place) { return place.kept[place.group][bins - 1]; }
  static HWY_INLINE bool has(const Place& place, std::int64_t rank) {
    return rank >= place.before && rank < place.before + keys_of(place);
  }

  /// The group with the key before which there are `rank` others, from the counts of all groups.
  HWY_INLINE void look_up(Place& place, std::int64_t rank, std::int64_t x) const {
    GroupCounts<Column, Sum, bins> before;
    before.clear();
    before.add(counts_ + x * stride_, sweep_.width, stride_, fit_);
    alignas(64) Sum numbers[bins];
    before.store(numbers);
    // None are before group 0, so that one is at or below every rank. Groups that are not there come last.
    const std::int64_t group = std::min(before.below(static_cast<Sum>(rank + 1)), sweep_.groups) - 1;
    place.before = static_cast<std::int64_t>(numbers[group]);
    take_up(place, group, x);
  }

  /// Mostly it is a neighbour of the present group.
  HWY_NOINLINE void find_group(Place& place, std::int64_t rank, std::int64_t x) const {
    leave(place, x);
    if (rank < place.before) {
      take_up(place, place.group - 1, x);
      place.before -= keys_of(place);
    } else if (place.group + 1 < sweep_.groups) {
      place.before += keys_of(place);
      take_up(place, place.group + 1, x);
    }
    if (!has(place, rank)) look_up(place, rank, x);
  }

  template <bool varies>
  HWY_INLINE void sweep_row(const BucketRow& row) {
    const std::int64_t columns = sweep_.columns, stride = stride_, reach = sweep_.width * stride_;
    const auto rank_at = [&](std::int64_t x) { return std::int64_t{varies ? std::max(row.ranks[x], 0) : row.rank}; };
    Place place;
    std::fill_n(place.kept_at, sweep_.groups, -1);
    look_up(place, rank_at(0), 0);
    // What changes with every result stays in registers.
    GroupCounts<Column, Sum, bins> counts = place.counts;
    std::int64_t first = place.group * bins, before = place.before;  // bucket of the group, keys before it
    const Column* group = group_at(place.group, 0);                  // of the window's first column
    const Column* before_group = counts_ + place.group;
    alignas(64) Sum sums[bins + bins] = {};  // zeros, then the counts
    for (std::int64_t x = 0; x < columns; ++x, group += stride, before_group += stride) {
      const std::int64_t wanted = rank_at(x);
      std::int64_t value = counts.below(static_cast<Sum>(wanted - before + 1));
      if (HWY_UNLIKELY(wanted < before || value == bins)) {
        place.counts = counts;
        place.before = before;
        find_group(place, wanted, x);
        counts = place.counts;
        before = place.before;
        first = place.group * bins;
        group = group_at(place.group, x);
        before_group = counts_ + x * stride + place.group;
        value = counts.below(static_cast<Sum>(wanted - before + 1));
      }
      counts.store(sums + bins);
      row.bucket[x] = static_cast<std::uint16_t>(first + value);
      row.place[x] = static_cast<std::uint32_t>(wanted - before - static_cast<std::int64_t>(sums[bins + value - 1]));
      // To the next window. Behind the last column is more memory, which does not count.
      before += static_cast<std::int64_t>(before_group[reach]) - static_cast<std::int64_t>(before_group[0]);
      counts.move(group, group + reach);
    }
  }

  const BucketSweep& sweep_;
  std::int64_t seen_;    ///< columns
  std::int64_t stride_;  ///< from column to column
  std::int64_t fit_;     ///< columns that have no more keys than one may have
  Column* counts_;
};

void small_sweep(const BucketSweep& sweep, BucketMove move, const BucketRow& row) {
  Sweeper<std::uint8_t, std::uint16_t>(sweep).run(move, row);
}
void large_sweep(const BucketSweep& sweep, BucketMove move, const BucketRow& row) {
  Sweeper<std::uint16_t, std::uint32_t>(sweep).run(move, row);
}

}  // namespace
}  // namespace tamis::median_detail::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tamis::median_detail::cpu {
namespace {

HWY_EXPORT(small_sweep);
HWY_EXPORT(large_sweep);

template <class Count>
bool counts_up_to(std::int64_t n) {
  return n <= std::numeric_limits<Count>::max();
}
bool is_small(const BucketSweep& sweep) {
  const std::int64_t column = sweep.height * sweep.depth;
  return counts_up_to<std::uint8_t>(column) && counts_up_to<std::uint16_t>(sweep.width * column);
}

}  // namespace

std::int64_t bucket_sweep_bytes(const BucketSweep& sweep) {
  const std::int64_t counts = (sweep.columns + sweep.width) * (sweep.groups + 2) * buckets_of_a_group;
  return counts * static_cast<std::int64_t>(is_small(sweep) ? sizeof(std::uint8_t) : sizeof(std::uint16_t));
}

void sweep_buckets(Simd simd, const BucketSweep& sweep, BucketMove move, const BucketRow& row) {
  if (is_small(sweep)) {
    TAMIS_SIMD(simd, small_sweep)(sweep, move, row);
  } else {
    TAMIS_SIMD(simd, large_sweep)(sweep, move, row);
  }
}

}  // namespace tamis::median_detail::cpu
#endif
