// Ranks of packed bits: of n samples the one of rank r is set if at least n - r are, so windows only count.
#pragma once

#include <cstdint>
#include <vector>

#include <tamis/context.hpp>
#include <tamis/image.hpp>

#include "median/cpu/keys.hpp"
#include "median/plan/steps.hpp"

namespace tamis::median_detail::cpu {

// Counting set bits in windows, 64 samples a word: numbers are kept bit by bit, in planes. Bit i of the words of plane
// p is bit p of the number of sample i.

/// Planes are worked on in blocks of so many words: arrays have as many more words as that, whose bits may be read.
inline constexpr std::int64_t block_words = 8;
/// Numbers below 2^31.
inline constexpr int most_planes = 31;

struct Planes {
  std::uint64_t* words = nullptr;
  std::int64_t stride = 0;  ///< words from plane to plane
};

/// A row of samples that begins at bit `shift` (0 to 63) of its first word.
struct BitRow {
  const std::uint64_t* words = nullptr;
  int shift = 0;
};

/// Planes of the sums of `length` samples i, i + 1, ...: of `words` words from plane 0, which has as many words more as
/// the length reaches. As many planes as the length has binary digits.
void sum_along(Simd simd, const Planes& planes, std::int64_t words, std::int64_t length);

/// to += from, planes of `from` first; to_count is enough for the sum.
void add_planes(Simd simd, const Planes& to, int to_count, const Planes& from, int from_count, std::int64_t words);

struct ThresholdTask {
  const RankStep* step = nullptr;             ///< whose stop is heard
  int planes = 1;                             ///< of the numbers to compare
  const std::uint64_t* thresholds = nullptr;  ///< planes too, plane_stride words each
  std::int64_t plane_stride = 0;
  std::int64_t threshold_rows = 0;  ///< words from a row's thresholds to the next; 0: the same for all
  std::int64_t words = 0, rows = 0;
  std::uint64_t* out = nullptr;  ///< whether the number is at least the threshold
  std::int64_t out_stride = 0;
};

/// Row y: the sums of rows y ... y + height - 1, each of `in_planes` planes of `plane_stride` words, one row after the
/// other.
void slide_down(Simd simd, const ThresholdTask& task, const std::uint64_t* in, int in_planes, std::int64_t height);

/// One row: the number of set samples among count sources.
void count_sources(Simd simd, const ThresholdTask& task, const BitRow* sources, std::int64_t count);

// A part of a packed image with all that windows see around it.

class BitSlab {
 public:
  /// Reads the band and what the step's window sees from it. Neutral shows zeros outside.
  void fill(const Image& image, const RankStep& step, const Band& band);

  /// The samples of a row from x on, x from window.low.x. Two blocks of words past the last may be read.
  [[nodiscard]] BitRow row(std::int64_t z, std::int64_t y, std::int64_t x) const {
    const std::int64_t bit = x - low_;
    return {words_.data() + ((z - z_) * ny_ + (y - y_)) * stride_ + bit / 64, static_cast<int>(bit % 64)};
  }

 private:
  std::int64_t z_ = 0, y_ = 0, ny_ = 0, stride_ = 0, low_ = 0;
  std::vector<std::uint64_t> words_;
};

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
