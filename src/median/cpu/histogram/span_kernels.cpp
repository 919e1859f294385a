#include "median/cpu/histogram/run.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "core/cpu/simd.hpp"

#define HWY_TARGET_INCLUDE "median/cpu/histogram/span_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "median/cpu/histogram/span_counts-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tamis::median_detail::cpu::HWY_NAMESPACE {
namespace {

#if HWY_TARGET != HWY_SCALAR

/// All columns of a row have their counts, of all values; the window's counts of a span slide along it, to each of
/// whose results the next column adds what the first takes. While that is read, columns ahead are changed to the next
/// row. The value of the rank is in the span or, seldom, the span moves, for some 40 ns where windows are 31 wide.
/// `has_ring`: counts of the window's columns in the span are kept side by side, for where columns of the window do not
/// stay in the nearest cache. `tall`: counts of a column need all of a byte, so that differences do not fit.
template <bool has_ring, bool tall>
class Sweep {
 public:
  Sweep(const HistogramTask& task, std::byte* scratch)
      : task_(task),
        seen_(task.columns + task.width - 1),
        records_(reinterpret_cast<std::uint8_t*>(scratch)),
        ring_(records_ + (seen_ + 1) * record_bytes) {
    std::memset(scratch, 0, static_cast<std::size_t>(span_scratch_bytes(task)));
  }

  HWY_INLINE void run() {
    begin();
    task_.ranks ? sweep<true>() : sweep<false>();
  }

 private:
  /// Columns that are changed before the window comes to them: their bytes have to be in the cache when they are read
  /// in other pieces.
  static constexpr std::int64_t ahead = 8;

  HWY_INLINE static std::uint64_t first_of_group(std::uint64_t key) {
    return key & ~static_cast<std::uint64_t>(group_values - 1);
  }
  HWY_INLINE static const std::uint8_t* before_step(std::uint64_t key) {
    constexpr std::int64_t bytes_of_a_value = groups / group_values;
    return steps.before[0] + first_of_group(key) * bytes_of_a_value;
  }
  template <bool leaves>
  HWY_INLINE static void change_group(std::uint8_t* record, std::uint64_t key) {
    std::uint8_t* const at = record + up_to_at + first_of_group(key);
    std::uint64_t counts = 0;
    std::memcpy(&counts, at, sizeof(counts));
    counts = leaves ? counts - steps.up_to[key] : counts + steps.up_to[key];
    std::memcpy(at, &counts, sizeof(counts));
  }

  template <bool leaves>
  HWY_INLINE static void change(std::uint8_t* record, std::uint64_t less, std::uint64_t more) {
    for (std::int64_t i = 0; i < groups; i += byte_lanes) {
      const Bytes d;
      auto before = hn::Add(hn::Load(d, record + before_at + i), hn::Load(d, before_step(more) + i));
      if (leaves) before = hn::Sub(before, hn::Load(d, before_step(less) + i));
      hn::Store(before, d, record + before_at + i);
    }
    if (leaves) change_group<true>(record, less);
    change_group<false>(record, more);
  }

  /// The columns of the first row's windows, some at a time so that they stay in the cache.
  HWY_INLINE void begin() {
    constexpr std::int64_t some = 64;
    for (std::int64_t first = 0; first < seen_; first += some) {
      const std::int64_t last = std::min(first + some, seen_);
      for (std::int64_t z = 0; z < task_.depth; ++z) {
        for (std::int64_t y = 0; y < task_.height; ++y) {
          const std::uint8_t* const keys = task_.keys + z * task_.slice_stride + y * task_.row_stride;
          for (std::int64_t x = first; x < last; ++x) change<false>(records_ + x * record_bytes, 0, keys[x]);
        }
      }
    }
  }

  /// Of the window that begins at x, the sums of the span that begins with value `first`. The ring is filled.
  HWY_INLINE Sums span_at(std::int64_t x, std::int64_t first) const {
    Sums sums;
    sums.set(none);
    const std::uint8_t* before = records_ + x * record_bytes + before_at + (first >> group_bits);
    const std::uint8_t* up_to = records_ + x * record_bytes + up_to_at + first;
    std::uint8_t* slot = ring_;
    std::int64_t left = task_.width;
    for (; left > 1; left -= 2, before += 2 * record_bytes, up_to += 2 * record_bytes, slot += 2 * span) {
      const auto before_one = before_of(before), before_other = before_of(before + record_bytes);
      for (std::int64_t p = 0; p < byte_parts; ++p) {
        const auto one = counts_of(before_one, up_to, p);
        const auto other = counts_of(before_other, up_to + record_bytes, p);
        if (has_ring) {
          hn::Store(one, Bytes(), slot + p * byte_lanes);
          hn::Store(other, Bytes(), slot + span + p * byte_lanes);
        }
        if (tall) {
          sums.add(one, p);
          sums.add(other, p);
        } else {
          sums.add(hn::Add(one, other), p);
        }
      }
    }
    if (left > 0) {
      for (std::int64_t p = 0; p < byte_parts; ++p) {
        const auto last = counts_of(before_of(before), up_to, p);
        if (has_ring) hn::Store(last, Bytes(), slot + p * byte_lanes);
        sums.add(last, p);
      }
    }
    return sums;
  }

  /// The group of the value of the limit.
  HWY_INLINE std::int64_t group_of(std::int64_t x, std::int16_t limit) const {
    Sums sums;
    sums.set(none);
    const std::uint8_t* before = records_ + x * record_bytes + before_at;
    for (std::int64_t i = 0; i < task_.width; ++i, before += record_bytes) {
      for (std::int64_t p = 0; p < byte_parts; ++p) sums.add(hn::Load(Bytes(), before + p * byte_lanes), p);
    }
    return static_cast<std::int64_t>(sums.below(limit)) - 1;
  }

  /// The span that is kept up to date.
  struct Place {
    std::int64_t first = highest_span / 2;  ///< value
    std::int64_t back = -1;                 ///< first value of the one before, if it was not near
    std::int64_t ring_from = 0;             ///< column at the beginning of the ring

    /// If no sum is below a limit, its value may be the first or one before: not that of a span, but of the lowest.
    [[nodiscard]] std::uint32_t least() const { return first == 0 ? 0 : 1; }
    /// Whether the value is in the span, given how many sums are below its limit.
    [[nodiscard]] bool has(std::uint32_t below) const { return below - least() < span - 1; }
  };

  /// Moves the span to the value of the limit, which is above or below it.
  HWY_NOINLINE Sums move(Place& place, std::int64_t x, std::int16_t limit, bool up) const {
    const std::int64_t near = place.first + (up ? span_step : -span_step);
    const bool returns = place.back >= 0 && (place.back > place.first) == up;
    return find(place, x, limit, returns ? place.back : std::clamp(near, std::int64_t{0}, highest_span));
  }
  /// A span with the value of the limit for the window that begins at x; that which begins with `guess`, if it is.
  HWY_INLINE Sums find(Place& place, std::int64_t x, std::int16_t limit, std::int64_t guess) const {
    const std::int64_t first = place.first;
    place.first = guess;
    Sums sums = span_at(x, guess);
    if (!place.has(sums.below(limit))) {
      const std::int64_t middle = group_values * (group_of(x, limit) - span_groups / 2);
      place.first = std::clamp(middle, std::int64_t{0}, highest_span);
      sums = span_at(x, place.first);
    }
    place.back = std::abs(place.first - first) > span ? first : -1;
    place.ring_from = x;
    return sums;
  }

  /// Where the keys of a row begin that leave and enter columns, and what is known of its results.
  struct Row {
    const std::uint8_t* leaving;
    const std::uint8_t* entering;
    std::uint8_t* out;
    const std::int32_t* ranks;
  };

  template <bool varies>
  [[nodiscard]] HWY_INLINE std::int16_t limit_at(const Row& row, std::int64_t x) const {
    return limit_of(varies ? std::max(row.ranks[x], 0) : task_.rank);
  }

  template <bool varies>
  HWY_INLINE void sweep() {
    std::int64_t first = highest_span / 2;  // of the span at the left
    for (std::int64_t y = 0; y < task_.rows; ++y) {
      Row row;
      row.leaving = task_.keys + (y - 1) * task_.row_stride;
      row.entering = row.leaving + task_.height * task_.row_stride;
      row.out = task_.out + y * task_.out_stride;
      row.ranks = task_.ranks ? task_.ranks + y * task_.rank_stride : nullptr;
      sweep_row<varies>(row, first, y > 0);
    }
  }
  template <bool varies>
  HWY_INLINE void sweep_row(const Row& row, std::int64_t& first, bool changes) const {
    // Columns of several slices change slice by slice, all before they are read.
    const std::int64_t changed = changes && task_.depth == 1 ? std::min(seen_, task_.width + ahead) : seen_;
    if (changes) {
      for (std::int64_t z = 0; z < task_.depth; ++z) {
        change_columns(row.leaving + z * task_.slice_stride, row.entering + z * task_.slice_stride, changed);
      }
    }
    Place place;
    place.first = first;
    Sums sums = find(place, 0, limit_at<varies>(row, 0), first);
    first = place.first;
    sums = sweep_part<varies, true>(row, place, sums, 0, seen_ - changed);
    sweep_part<varies, false>(row, place, sums, seen_ - changed, task_.columns);
  }

  HWY_NOINLINE void change_columns(const std::uint8_t* leaving, const std::uint8_t* entering,
                                   std::int64_t count) const {
    std::uint8_t* record = records_;
    for (std::int64_t x = 0; x < count; ++x, record += record_bytes) change<true>(record, leaving[x], entering[x]);
  }

  /// What is needed for every result, to stay in registers.
  struct Walk {
    Sums sums;                             ///< of the span in the window
    std::uint32_t least = 0, value = 0;    ///< the span's, and the value if no more sums are below the limit
    const std::uint8_t* up_to = nullptr;   ///< of the span, in the column that comes next;
    const std::uint8_t* before = nullptr;  ///< and before its groups
    std::uint8_t* slot = nullptr;          ///< of the ring: counts of the window's first column
    std::uint8_t *ring = nullptr, *ring_end = nullptr;
    std::int64_t width_bytes = 0;     ///< without a ring: from the window's first column to the next
    std::uint8_t* changed = nullptr;  ///< column ahead
    std::int16_t limit = 0;

    HWY_INLINE void take_up(const Place& place, const std::uint8_t* next) {
      least = place.least();
      value = static_cast<std::uint32_t>(place.first) + least;
      up_to = next + up_to_at + place.first;
      before = next + before_at + (place.first >> group_bits);
    }
    /// To the window that begins a column on.
    HWY_INLINE void slide(std::int64_t column) {
      const std::uint8_t* const before_next = before + column * record_bytes;
      const std::uint8_t* const up_to_next = up_to + column * record_bytes;
      if constexpr (has_ring) {
        for (std::int64_t p = 0; p < byte_parts; ++p) {
          const auto next = counts_of(before_of(before_next), up_to_next, p);
          const auto leaving = hn::Load(Bytes(), slot + p * byte_lanes);
          hn::Store(next, Bytes(), slot + p * byte_lanes);
          if (tall) {
            sums.add(next, p);
            sums.subtract(leaving, p);
          } else {
            sums.add(hn::BitCast(SignedBytes(), hn::Sub(next, leaving)), p);
          }
        }
        slot += span;
        slot = slot == ring_end ? ring : slot;
      } else {
        const auto more_before = hn::Sub(before_of(before_next), before_of(before_next - width_bytes));
        for (std::int64_t p = 0; p < byte_parts; ++p) {
          const std::uint8_t* const less = up_to_next - width_bytes + p * byte_lanes;
          const auto more = hn::Sub(counts_of(more_before, up_to_next, p), hn::LoadU(Bytes(), less));
          sums.add(hn::BitCast(SignedBytes(), more), p);
        }
      }
    }
    HWY_INLINE void advance(std::int64_t columns) {
      up_to += columns * record_bytes;
      before += columns * record_bytes;
      changed += columns * record_bytes;
    }
  };

  /// Results x ... end-1. `changes`: while columns ahead are changed to this row's.
  template <bool varies, bool changes>
  HWY_NOINLINE Sums sweep_part(const Row& of, Place& place, Sums sums, std::int64_t x, std::int64_t end) const {
    Row row = of;
    const std::int64_t columns_ahead = task_.width + ahead;
    row.leaving += columns_ahead;
    row.entering += columns_ahead;
    Walk walk;
    walk.sums = sums;
    walk.take_up(place, records_ + (x + task_.width) * record_bytes);
    walk.changed = records_ + (x + columns_ahead) * record_bytes;
    walk.width_bytes = task_.width * record_bytes;
    walk.ring = ring_;
    walk.ring_end = ring_ + task_.width * span;
    walk.slot = ring_ + (x - place.ring_from) % task_.width * span;
    walk.limit = limit_of(task_.rank);
    for (; x + 1 < end; x += 2) {
      put_result<varies>(row, place, walk, x, 0);
      walk.slide(0);
      if (changes) change<true>(walk.changed, row.leaving[x], row.entering[x]);
      put_result<varies>(row, place, walk, x, 1);
      walk.slide(1);
      if (changes) change<true>(walk.changed + record_bytes, row.leaving[x + 1], row.entering[x + 1]);
      walk.advance(2);
    }
    if (x < end) {
      put_result<varies>(row, place, walk, x, 0);
      walk.slide(0);
      if (changes) change<true>(walk.changed, row.leaving[x], row.entering[x]);
    }
    return walk.sums;
  }

  template <bool varies>
  HWY_INLINE void put_result(const Row& row, Place& place, Walk& walk, std::int64_t first, std::int64_t column) const {
    const std::int64_t x = first + column;
    if (varies) walk.limit = limit_at<varies>(row, x);
    std::uint32_t index = walk.sums.below(walk.limit) - walk.least;
    if (HWY_UNLIKELY(index >= span - 1)) {
      walk.sums = move(place, x, walk.limit, index <= span);
      walk.take_up(place, records_ + (first + task_.width) * record_bytes);
      walk.slot = walk.ring;
      index = walk.sums.below(walk.limit) - walk.least;
    }
    row.out[x] = static_cast<std::uint8_t>(walk.value + index);
  }

  const HistogramTask& task_;
  std::int64_t seen_;      ///< columns
  std::uint8_t* records_;  ///< of columns
  std::uint8_t* ring_;     ///< counts in the span of the window's columns
};

bool sweep(const HistogramTask& task, std::byte* scratch) {
  constexpr std::int64_t least_width = 48;  // some 14 KB
  if (task.height * task.depth > std::numeric_limits<std::int8_t>::max()) {
    Sweep<true, true>(task, scratch).run();
  } else if (task.width >= least_width) {
    Sweep<true, false>(task, scratch).run();
  } else {
    Sweep<false, false>(task, scratch).run();
  }
  return true;
}

#else

bool sweep(const HistogramTask& /*task*/, std::byte* /*scratch*/) { return false; }

#endif

}  // namespace
}  // namespace tamis::median_detail::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tamis::median_detail::cpu {
namespace {

/// Counts of a column have to fit bytes, and those of the window 16 bits. Wide windows take long to move to other
/// values, and flat ones have to often.
bool spans_fit(std::int64_t width, std::int64_t height, std::int64_t depth) {
  constexpr std::int64_t wide = 127;
  return width <= std::max(wide, height) && height * depth <= std::numeric_limits<std::uint8_t>::max() &&
         width * height * depth <= std::numeric_limits<std::uint16_t>::max();
}

}  // namespace

std::int64_t span_scratch_bytes(const HistogramTask& task) {
  constexpr std::int64_t counts_of_a_column = 32 + 256, counts_of_a_span = 32;
  return (task.columns + task.width) * counts_of_a_column + task.width * counts_of_a_span;
}

bool run_spans(Simd simd, const HistogramTask& task, std::byte* scratch) {
  return spans_fit(task.width, task.height, task.depth) && TAMIS_SIMD(simd, sweep)(task, scratch);
}

}  // namespace tamis::median_detail::cpu
#endif
