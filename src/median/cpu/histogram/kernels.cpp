#include "median/cpu/histogram/kernels.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "core/cpu/simd.hpp"
#include "median/cpu/histogram/span_kernels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "median/cpu/histogram/kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "median/cpu/histogram/group_counts-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tamis::median_detail::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

/// Keys fall into 16 groups of 16 values.
constexpr std::int64_t bins = 16;
constexpr std::int64_t values = bins * bins;

/// `Column` counts the keys of a column of the window, `Sum` those of all.
template <class Column, class Sum>
class Sweep {
 public:
  Sweep(const HistogramTask& task, std::byte* scratch)
      : task_(task),
        seen_(task.columns + task.width - 1),
        before_(reinterpret_cast<Column*>(scratch)),
        groups_(before_ + (seen_ + 1) * bins),
        fit_(std::numeric_limits<Column>::max() / (task.height * task.depth)) {
    std::memset(scratch, 0, static_cast<std::size_t>((seen_ + 1) * bins * (bins + 1)) * sizeof(Column));
    for (std::int64_t key = 0; key < values; ++key) group_of_[key] = key / bins * bins * seen_;
  }

  HWY_INLINE void run() {
    for (std::int64_t i = 0; i < task_.height; ++i) {
      const std::uint8_t* const keys = task_.keys + i * task_.row_stride;
      replace<false>(keys, keys);
    }
    for (std::int64_t y = 0; y < task_.rows; ++y) {
      if (y > 0) {
        const std::uint8_t* const leaving = task_.keys + (y - 1) * task_.row_stride;
        replace<true>(leaving, leaving + task_.height * task_.row_stride);
      }
      sweep_row(y);
    }
  }

 private:
  using Counts = GroupCounts<Column, Sum, bins>;

  template <bool leaves>
  HWY_INLINE void replace(const std::uint8_t* leaving, const std::uint8_t* entering) {
    const std::int64_t seen = seen_;
    const auto& up_to = steps<Column, bins>.up_to;
    for (std::int64_t z = 0; z < task_.depth; ++z) {
      Column* before = before_;
      Column* group = groups_;
      for (std::int64_t x = 0; x < seen; ++x, before += bins, group += bins) {
        const std::int64_t less = leaving[x], more = entering[x];
        change<bins>(before, leaves ? up_to[less / bins + 1] : nullptr, up_to[more / bins + 1]);
        if (leaves) change<bins, Column>(group + group_of_[less], up_to[less % bins], nullptr);
        change<bins, Column>(group + group_of_[more], nullptr, up_to[more % bins]);
      }
      leaving += task_.slice_stride;
      entering += task_.slice_stride;
    }
  }

  /// The counts of one group in the window, and of all groups before it. Those of other groups stay as they were when
  /// they were last wanted.
  struct Place {
    Counts counts;
    std::int64_t group = 0;
    std::int64_t before = 0;
    const Column* columns = nullptr;       ///< of the group
    alignas(64) Sum kept[bins + 1][bins];  ///< and one to look into
    std::int64_t kept_at[bins];
  };

  /// Takes up a group for the window that begins at x: from where it was, or summed afresh if that is less work.
  HWY_INLINE void take_up(Place& place, std::int64_t group, std::int64_t x) const {
    const std::int64_t width = task_.width;
    const std::int64_t from = place.kept_at[group];
    place.group = group;
    place.columns = groups_ + group * bins * seen_;
    if (from < 0 || 2 * (x - from) >= width) {
      place.counts.clear();
      const Column* column = place.columns + x * bins;
      place.counts.add(column, width, bins, fit_);
      return;
    }
    place.counts.load(place.kept[group]);
    const Column* column = place.columns + from * bins;
    for (std::int64_t i = from; i < x; ++i, column += bins) {
      place.counts.move(column, column + width * bins);
    }
  }
  HWY_INLINE void leave(Place& place, std::int64_t x) const {
    place.counts.store(place.kept[place.group]);
    place.kept_at[place.group] = x;
  }

  /// The group of the first result of a row.
  HWY_INLINE void take_up_first(Place& place, std::int64_t rank) const {
    Counts& before = place.counts;
    before.clear();
    before.add(before_, task_.width, bins, fit_);
    // None are before group 0, so that one is at or below every rank.
    const std::int64_t group = before.below(static_cast<Sum>(rank + 1)) - 1;
    before.store(place.kept[bins]);
    place.before = place.kept[bins][group];
    take_up(place, group, 0);
  }

  /// To the group with the key before which there are `rank` others.
  HWY_NOINLINE void find_group(Place& place, std::int64_t rank, std::int64_t x) const {
    while (rank < place.before) {
      leave(place, x);
      take_up(place, place.group - 1, x);
      leave(place, x);
      place.before -= place.kept[place.group][bins - 1];
    }
    leave(place, x);
    while (place.group < bins - 1 && rank >= place.before + place.kept[place.group][bins - 1]) {
      place.before += place.kept[place.group][bins - 1];
      take_up(place, place.group + 1, x);
      leave(place, x);
    }
  }

  HWY_INLINE void sweep_row(std::int64_t y) { task_.ranks ? sweep_row<true>(y) : sweep_row<false>(y); }
  template <bool varies>
  HWY_INLINE void sweep_row(std::int64_t y) {
    const std::int64_t width = task_.width, columns = task_.columns, rank = task_.rank;
    const std::int32_t* const ranks = varies ? task_.ranks + y * task_.rank_stride : nullptr;
    std::uint8_t* const out = task_.out + y * task_.out_stride;
    Place place;
    std::fill_n(place.kept_at, bins, -1);
    take_up_first(place, varies ? std::max(ranks[0], 0) : rank);
    // What changes with every result stays in registers.
    Counts counts = place.counts;
    std::int64_t first = place.group * bins, before = place.before;  // value of the group, keys before it
    const Column* group = place.columns;                             // of the window's first column
    const Column* before_group = before_ + place.group;
    for (std::int64_t x = 0; x < columns; ++x, group += bins, before_group += bins) {
      const std::int64_t wanted = varies ? std::max(ranks[x], 0) : rank;
      std::int64_t value = counts.below(static_cast<Sum>(wanted - before + 1));
      if (HWY_UNLIKELY(wanted < before || value == bins)) {
        place.counts = counts;
        place.before = before;
        find_group(place, wanted, x);
        counts = place.counts;
        before = place.before;
        first = place.group * bins;
        group = place.columns + x * bins;
        before_group = before_ + x * bins + place.group;
        value = counts.below(static_cast<Sum>(wanted - before + 1));
      }
      out[x] = static_cast<std::uint8_t>(first + value);
      // To the next window. Behind the last column is more memory, which does not count.
      before += before_group[width * bins] - before_group[0];
      counts.move(group, group + width * bins);
    }
  }

  const HistogramTask& task_;
  std::int64_t seen_;  ///< columns
  Column* before_;     ///< [column][group]
  Column* groups_;     ///< [group][column][value]
  std::int64_t fit_;   ///< columns that have no more keys than one may have
  std::int64_t group_of_[values];
};

void small_histograms(const HistogramTask& task, std::byte* scratch) {
  Sweep<std::uint8_t, std::uint16_t>(task, scratch).run();
}
void large_histograms(const HistogramTask& task, std::byte* scratch) {
  Sweep<std::uint16_t, std::uint32_t>(task, scratch).run();
}

}  // namespace
}  // namespace tamis::median_detail::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tamis::median_detail::cpu {
namespace {

HWY_EXPORT(small_histograms);
HWY_EXPORT(large_histograms);

template <class Count>
bool counts_up_to(std::int64_t n) {
  return n <= std::numeric_limits<Count>::max();
}
bool is_small(std::int64_t width, std::int64_t height, std::int64_t depth) {
  return counts_up_to<std::uint8_t>(height * depth) && counts_up_to<std::uint16_t>(width * height * depth);
}

}  // namespace

bool histogram_fits(std::int64_t width, std::int64_t height, std::int64_t depth) {
  return counts_up_to<std::uint16_t>(height * depth) && counts_up_to<std::int32_t>(width * height * depth);
}

std::int64_t histogram_scratch_bytes(const HistogramTask& task) {
  constexpr std::int64_t counts_of_a_column = 16 + 256;
  const std::int64_t bytes = is_small(task.width, task.height, task.depth) ? 1 : 2;
  return std::max((task.columns + task.width) * counts_of_a_column * bytes, span_scratch_bytes(task));
}

void run_histograms(Simd simd, const HistogramTask& task, std::byte* scratch) {
  if (run_spans(simd, task, scratch)) return;
  if (is_small(task.width, task.height, task.depth)) {
    TAMIS_SIMD(simd, small_histograms)(task, scratch);
  } else {
    TAMIS_SIMD(simd, large_histograms)(task, scratch);
  }
}

}  // namespace tamis::median_detail::cpu
#endif
