// Ranks of packed bits: of n samples the one of rank r is set if at least n - r are, so windows only count.
#pragma once

#include <tamis/context.hpp>
#include <tamis/image.hpp>

#include "median/cpu/bits/slab.hpp"
#include "median/plan/steps.hpp"

namespace tamis::median_detail::cpu {

/// Whether sums of rows and columns are taken, otherwise each sample of the window.
[[nodiscard]] bool sums_bits(const RankStep& step);
/// Of a result, about, on one thread.
[[nodiscard]] double bits_nanoseconds(const RankStep& step);

/// Runs a step on one band after the other; keeps its memory. Time for 64 samples: for boxes about the square of the
/// digits of the window's count, whatever the window; otherwise the window's count.
class BitBands {
 public:
  BitBands(const Context& context, const RankStep& step, const Image& image, Image& out);
  void run(const Band& band);

 private:
  void run_rows(const Band& band, bool alike);
  void make_thresholds();
  void put_threshold(std::uint64_t* planes, std::int64_t x, std::int64_t threshold) const;
  void sum_rows(const Band& band, std::int64_t z);
  void run_box(const Band& band, std::int64_t z);
  void run_mask(const Band& band, std::int64_t z);
  void put_unseen(const Band& band, bool alike);
  [[nodiscard]] ThresholdTask task_for(const Band& band, std::int64_t z, std::int64_t y);

  Simd simd_;
  const RankStep& step_;
  const Image& image_;
  Image& out_;
  bool by_sums_;
  std::int64_t words_;   ///< of a row of results
  std::int64_t stride_;  ///< from plane to plane
  int planes_, row_planes_ = 0;
  BitSlab slab_;
  std::vector<std::int32_t> counts_;  ///< of each result of a row or of all rows, where they vary
  std::int64_t threshold_rows_ = 0;   ///< words from a row's thresholds to the next
  std::vector<std::uint64_t> thresholds_, sums_, slice_sums_;
  std::vector<BitRow> sources_;
};

}  // namespace tamis::median_detail::cpu
