// Histograms that slide with the window, of keys in groups: counts of one group are kept up to date. To be included by
// files of kernels after <hwy/highway.h>, once for each instruction set: hence the guard.
#if defined(TAMIS_GROUP_SWEEP) == defined(HWY_TARGET_TOGGLE)
#ifdef TAMIS_GROUP_SWEEP
#undef TAMIS_GROUP_SWEEP
#else
#define TAMIS_GROUP_SWEEP
#endif

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>

#include "median/cpu/histogram/group_counts-inl.hpp"
#include "median/cpu/histogram/run.hpp"

HWY_BEFORE_NAMESPACE();
namespace tamis::median_detail::cpu::HWY_NAMESPACE {
namespace {

/// Full boxes, `width` by `height` by `depth` of a Task, which also says the strides of the keys and how many `columns`
/// of results a row has. `Column` counts the keys of a column of the window, `Sum` those of all. A column has the counts
/// of all groups before each group, and those of each group's `bins` values.
template <class Column, class Sum, std::int64_t bins, std::int64_t most_groups, CountOrder order, class Task>
class GroupSweep {
 public:
  using Counts = GroupCounts<Column, Sum, bins>;

  /// `counts`: counts_of_column() for each column that windows see, and one more.
  GroupSweep(const Task& task, std::int64_t groups, std::byte* counts)
      : task_(task),
        seen_(task.columns + task.width - 1),
        groups_(groups),
        stride_(order == CountOrder::ByColumn ? counts_of_column(groups, bins) : bins),
        group_stride_(order == CountOrder::ByColumn ? bins : seen_ * bins),
        fit_(std::numeric_limits<Column>::max() / (task.height * task.depth)),
        before_(reinterpret_cast<Column*>(counts)),
        groups_at_(before_ + (order == CountOrder::ByColumn ? bins : (seen_ + 1) * bins)) {}

  /// The counts of columns to a row of results, the windows of which begin at `first`. hear() may throw: counts of windows
  /// of a million columns are half a gigabyte, of which pages have to be had before the first key is counted.
  template <class Key, class Hear>
  HWY_INLINE void bring(SweepMove move, const Key* first, const Hear& hear) {
    const std::int64_t row = task_.row_stride, slice = task_.slice_stride;
    const std::int64_t height = task_.height, depth = task_.depth;
    switch (move) {
      case SweepMove::First:
        clear((seen_ + 1) * counts_of_column(groups_, bins), hear);
        for (std::int64_t z = 0; z < depth; ++z) replace<false>(first, first + z * slice, height, row);
        return;
      case SweepMove::Down:
        return replace<true>(first - row, first + (height - 1) * row, depth, slice);
      case SweepMove::Up:
        return replace<true>(first + height * row, first, depth, slice);
      case SweepMove::Through:
        return replace<true>(first - slice, first + (depth - 1) * slice, height, row);
    }
  }

  /// Finds the key of the rank `rank_at(x)` for each column x of results, and says put(x, first, value, rank, counts):
  /// the key is first + value, where `first` begins its group; `rank` is its rank in the group, of which `counts` are
  /// the running sums.
  template <class RankAt, class Put>
  HWY_INLINE void sweep_row(const RankAt& rank_at, const Put& put) const {
    const std::int64_t columns = task_.columns, stride = stride_, reach = task_.width * stride_;
    Place place;
    std::fill_n(place.kept_at, groups_, -1);
    look_up(place, rank_at(0), 0);
    // What changes with every result stays in registers.
    Counts counts = place.counts;
    std::int64_t first = place.group * bins, before = place.before;  // key of the group, keys before it
    const Column* group = group_at(place.group, 0);                  // of the window's first column
    const Column* before_group = before_ + place.group;
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
        before_group = before_ + x * stride + place.group;
        value = counts.below(static_cast<Sum>(wanted - before + 1));
      }
      put(x, first, value, wanted - before, counts);
      // To the next window. One column more than there are is allocated, so the last step may read on.
      before += static_cast<std::int64_t>(before_group[reach]) - static_cast<std::int64_t>(before_group[0]);
      counts.move(group, group + reach);
    }
  }

 private:
  template <class Hear>
  HWY_INLINE void clear(std::int64_t counts, const Hear& hear) {
    constexpr std::int64_t piece = std::int64_t{1} << 23;  // milliseconds
    for (std::int64_t i = 0; i < counts; i += piece) {
      hear();
      std::memset(before_ + i, 0, static_cast<std::size_t>(std::min(piece, counts - i)) * sizeof(Column));
    }
  }

  template <bool leaves, class Key>
  HWY_INLINE void replace(const Key* leaving, const Key* entering, std::int64_t n, std::int64_t next) {
    const std::int64_t seen = seen_, stride = stride_, group_stride = group_stride_;
    const auto& up_to = steps<Column, bins>.up_to;
    for (std::int64_t i = 0; i < n; ++i, leaving += next, entering += next) {
      Column* before = before_;
      Column* group = groups_at_;
      for (std::int64_t x = 0; x < seen; ++x, before += stride, group += stride) {
        const std::int64_t less = leaving[x], more = entering[x];
        change<bins>(before, leaves ? up_to[less / bins + 1] : nullptr, up_to[more / bins + 1]);
        if (leaves) change<bins, Column>(group + less / bins * group_stride, up_to[less % bins], nullptr);
        change<bins, Column>(group + more / bins * group_stride, nullptr, up_to[more % bins]);
      }
    }
  }

  /// The counts of one group in the window, and of all groups before it. Those of other groups stay as they were when
  /// they were last wanted.
  struct Place {
    Counts counts;
    std::int64_t group = 0;
    std::int64_t before = 0;
    alignas(64) Sum kept[most_groups][bins];
    std::int64_t kept_at[most_groups];
  };

  HWY_INLINE const Column* group_at(std::int64_t group, std::int64_t x) const {
    return groups_at_ + group * group_stride_ + x * stride_;
  }

  /// Takes up a group for the window that begins at x: from where it was, or summed afresh if that is less work.
  HWY_INLINE void take_up(Place& place, std::int64_t group, std::int64_t x) const {
    const std::int64_t width = task_.width, stride = stride_;
    const std::int64_t from = place.kept_at[group];
    place.group = group;
    Counts counts;
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
    Counts before;
    before.clear();
    before.add(before_ + x * stride_, task_.width, stride_, fit_);
    alignas(64) Sum numbers[bins];
    before.store(numbers);
    // Group 0 has no keys before it, so at least one number is at or below the rank. Unused groups come last.
    const std::int64_t group = std::min(before.below(static_cast<Sum>(rank + 1)), groups_) - 1;
    place.before = static_cast<std::int64_t>(numbers[group]);
    take_up(place, group, x);
  }

  /// Tries the neighbours of the present group first.
  HWY_NOINLINE void find_group(Place& place, std::int64_t rank, std::int64_t x) const {
    leave(place, x);
    if (rank < place.before) {
      take_up(place, place.group - 1, x);
      place.before -= keys_of(place);
    } else if (place.group + 1 < groups_) {
      place.before += keys_of(place);
      take_up(place, place.group + 1, x);
    }
    if (!has(place, rank)) look_up(place, rank, x);
  }

  const Task& task_;
  std::int64_t seen_;  ///< columns
  std::int64_t groups_;
  std::int64_t stride_;        ///< from column to column
  std::int64_t group_stride_;  ///< from group to group of a column
  std::int64_t fit_;     ///< columns that have no more keys than one may have
  Column* before_;     ///< of all groups before each group
  Column* groups_at_;  ///< of the values of each group
};

}  // namespace
}  // namespace tamis::median_detail::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
