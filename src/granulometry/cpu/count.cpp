#include "granulometry/cpu/field.hpp"

#include <algorithm>
#include <vector>

#include "core/cpu/parallel.hpp"
#include "core/cpu/simd.hpp"

namespace tamis::granulometry_detail::cpu {
#ifndef TAMIS_COUNT_TABLES
#define TAMIS_COUNT_TABLES
namespace {
constexpr std::int64_t count_tables = 8;
}
#endif
}  // namespace tamis::granulometry_detail::cpu

#define HWY_TARGET_INCLUDE "granulometry/cpu/count.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tamis::granulometry_detail::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

template <class Lane>
HWY_INLINE bool is_uniform(const Lane* line) {
  const hn::ScalableTag<Lane> d;
  const auto first = hn::Set(d, *line);
  auto other = hn::Zero(d);
  for (std::int64_t i = 0; i < Field<Lane>::line; i += static_cast<std::int64_t>(hn::Lanes(d))) {
    other = hn::Or(other, hn::Xor(hn::Load(d, line + i), first));
  }
  return hn::AllTrue(d, hn::Eq(other, hn::Zero(d)));
}

/// A size map is made of plateaus: many lines have one value, and elsewhere equal neighbours would wait for each
/// other's counter, so they take turns among count_tables tables.
template <class Lane>
void count_lines(const Lane* row, const Lane* peaks, std::int64_t lines, std::int64_t* tables, std::int64_t bins) {
  for (std::int64_t l = 0; l < lines; ++l, row += Field<Lane>::line) {
    if (peaks[l] == 0) continue;
    if (is_uniform(row)) {
      tables[*row] += Field<Lane>::line;
      continue;
    }
    for (std::int64_t i = 0; i < Field<Lane>::line; i += count_tables) {
      for (std::int64_t t = 0; t < count_tables; ++t) ++tables[t * bins + row[i + t]];
    }
  }
}

/// Lanes begin .. end-1 of a row: whole lines as such, and those that the ends cut lane by lane.
template <class Lane>
void count_row(const Lane* row, const Lane* peaks, std::int64_t begin, std::int64_t end, std::int64_t* tables,
               std::int64_t bins) {
  constexpr std::int64_t line = Field<Lane>::line;
  const std::int64_t first = std::min(end, (begin + line - 1) / line * line);
  const std::int64_t last = std::max(first, end / line * line);
  for (std::int64_t x = begin; x < first; ++x) ++tables[row[x]];
  count_lines(row + first, peaks + first / line, (last - first) / line, tables, bins);
  for (std::int64_t x = last; x < end; ++x) ++tables[row[x]];
}

}  // namespace
}  // namespace tamis::granulometry_detail::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tamis::granulometry_detail::cpu {

template <class Lane>
void count_values(const Context& context, Field<Lane>& field, const FieldBox& box, std::int64_t* counts, Lane largest) {
  const auto count = TAMIS_SIMD(context.simd, count_row<Lane>);
  const std::int64_t bins = std::int64_t{largest} + 1;
  const std::int64_t depth = box.z.end - box.z.begin;
  if (depth <= 0) return;
  const std::int64_t shares = std::min<std::int64_t>(depth, 8L * thread_count(context));
  std::vector<std::vector<std::int64_t>> partial(static_cast<std::size_t>(shares));
  parallel_for(context, shares, [&](std::int64_t i) {
    std::vector<std::int64_t> own(static_cast<std::size_t>(count_tables * bins));
    for (std::int64_t z = box.z.begin + depth * i / shares; z < box.z.begin + depth * (i + 1) / shares; ++z) {
      for (std::int64_t y = box.y.begin; y < box.y.end; ++y) {
        count(field.row(z, y), field.peaks(z, y / field.block_rows()), box.x.begin, box.x.end, own.data(), bins);
      }
    }
    partial[static_cast<std::size_t>(i)] = std::move(own);
  });
  for (const std::vector<std::int64_t>& own : partial) {
    for (std::size_t i = 0; i < own.size(); ++i) counts[static_cast<std::int64_t>(i) % bins] += own[i];
  }
  counts[0] = 0;  // background, as far as it was looked at
}

template void count_values(const Context&, Field<std::uint8_t>&, const FieldBox&, std::int64_t*, std::uint8_t);
template void count_values(const Context&, Field<std::uint16_t>&, const FieldBox&, std::int64_t*, std::uint16_t);
template void count_values(const Context&, Field<std::uint32_t>&, const FieldBox&, std::int64_t*, std::uint32_t);

}  // namespace tamis::granulometry_detail::cpu
#endif
