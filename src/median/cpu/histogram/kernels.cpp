#include "median/cpu/histogram/run.hpp"

#include <algorithm>
#include <limits>

#include "core/cpu/simd.hpp"

#define HWY_TARGET_INCLUDE "median/cpu/histogram/kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "median/cpu/histogram/group_sweep-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tamis::median_detail::cpu::HWY_NAMESPACE {
namespace {

template <class Column, class Sum>
HWY_INLINE void sweep_rows(const HistogramTask& task, std::byte* scratch) {
  GroupSweep<Column, Sum, values_of_a_group, groups_of_bytes, CountOrder::ByGroup, HistogramTask> groups(
      task, groups_of_bytes, scratch);
  const auto hear = [&task]() HWY_ATTR {
    if (task.step) task.step->stop_if_cancelled();
  };
  for (std::int64_t y = 0; y < task.rows; ++y) {
    hear();
    groups.bring(y == 0 ? SweepMove::First : SweepMove::Down, task.keys + y * task.row_stride, hear);
    std::uint8_t* const out = task.out + y * task.out_stride;
    const auto put = [out](std::int64_t x, std::int64_t first, std::int64_t value, auto&&...) HWY_ATTR {
      out[x] = static_cast<std::uint8_t>(first + value);
    };
    if (task.ranks) {
      const std::int32_t* const ranks = task.ranks + y * task.rank_stride;
      groups.sweep_row([ranks](std::int64_t x) HWY_ATTR { return std::int64_t{std::max(ranks[x], 0)}; }, put);
    } else {
      groups.sweep_row([&task](std::int64_t) HWY_ATTR { return std::int64_t{task.rank}; }, put);
    }
  }
}

void small_histograms(const HistogramTask& task, std::byte* scratch) {
  sweep_rows<std::uint8_t, std::uint16_t>(task, scratch);
}
void large_histograms(const HistogramTask& task, std::byte* scratch) {
  sweep_rows<std::uint16_t, std::uint32_t>(task, scratch);
}

}  // namespace
}  // namespace tamis::median_detail::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tamis::median_detail::cpu {
namespace {

template <class Count>
bool counts_up_to(std::int64_t n) {
  return n <= std::numeric_limits<Count>::max();
}
}  // namespace

bool histogram_fits(std::int64_t width, std::int64_t height, std::int64_t depth) {
  return counts_up_to<std::uint16_t>(height * depth) && counts_up_to<std::int32_t>(width * height * depth);
}

std::int64_t histogram_scratch_bytes(const HistogramTask& task) {
  const std::int64_t bytes = sweep_count_bytes(task.columns, task.width, task.height, task.depth,
                                               counts_of_column(groups_of_bytes, values_of_a_group));
  return std::max(bytes, span_scratch_bytes(task));
}

void run_histograms(Simd simd, const HistogramTask& task, std::byte* scratch) {
  if (run_spans(simd, task, scratch)) return;
  if (counts_are_small(task.width, task.height, task.depth)) {
    TAMIS_SIMD(simd, small_histograms)(task, scratch);
  } else {
    TAMIS_SIMD(simd, large_histograms)(task, scratch);
  }
}

}  // namespace tamis::median_detail::cpu
#endif
