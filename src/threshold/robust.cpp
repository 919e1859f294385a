// Histograms of samples of more than 2 bytes: a bin a value, or bins whose width does not depend on outliers.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <tamis/error.hpp>

#include "core/visit_type.hpp"
#include "threshold/bins.hpp"
#include "threshold/samples.hpp"

namespace tamis::threshold_detail {
namespace {

double number_of(Type type, std::uint64_t key) {
  return visit_type(type, [key](auto zero) { return static_cast<double>(sample_of_key<decltype(zero)>(key)); });
}

/// Bins that hold all samples but those that may be outliers.
struct Central {
  std::int64_t first = 0, last = 0;
  [[nodiscard]] std::int64_t size() const { return last - first + 1; }
};

Central central_of(const std::vector<std::int64_t>& bins, std::int64_t samples) {
  const std::int64_t outside = std::min((samples + 999) / 1000, (samples - 1) / 2);
  const auto at = [&](std::int64_t bin) { return bins[static_cast<std::size_t>(bin)]; };
  Central central{0, static_cast<std::int64_t>(bins.size()) - 1};
  for (std::int64_t sum = at(0); sum <= outside;) sum += at(++central.first);
  for (std::int64_t sum = at(central.last); sum <= outside;) sum += at(--central.last);
  return central;
}

class RobustBins {
 public:
  RobustBins(Samples& samples, const KeyRange& range)
      : samples_(samples), whole_(range.whole), finest_(range.whole ? 0 : -1022) {
    const double low = number_of(samples.type(), range.low), high = number_of(samples.type(), range.high);
    exponent_ = std::max(finest_, high / 2 > low / 2 ? std::ilogb(high / 2 - low / 2) - 15 : finest_);
    const auto index = [&](double number) { return std::floor(std::ldexp(number, -exponent_)); };
    while (index(high) - index(low) >= static_cast<double>(BinRule::most_bins)) ++exponent_;
    first_ = index(low);
    count();
    const int all = exponent_;
    constexpr int most_looks = 8;  // each 2^14 times as close: samples that are still in one bin pass for equal
    for (int looks = 0; central_.size() < enough && exponent_ > finest_; ++looks) {
      if (looks == most_looks && central_.size() == 1) {
        exponent_ = all;
        first_ = index(low);
        clipped_ = false;
        count();
        return;
      }
      look_closer();
      count();
    }
    put_together();
  }

  [[nodiscard]] Histogram histogram() && {
    Histogram result;
    while (!clipped_ && counts_.back() == 0) counts_.pop_back();
    result.counts = std::move(counts_);
    result.by_value = false;
    result.ends_hold_outliers = clipped_;
    result.bin_width = std::ldexp(1.0, exponent_);
    // The middle of a bin's values: that of whole numbers in bins of width 1 is the number.
    result.first_centre = first_ * result.bin_width + (result.bin_width - (whole_ ? 1 : 0)) / 2;
    return result;
  }

 private:
  /// So many bins, or less than twice as many, hold the central samples.
  static constexpr std::int64_t enough = 16383;

  void count() {
    const std::uint64_t zero = visit_type(samples_.type(), [](auto number) { return std::uint64_t{key_of(number)}; });
    counts_ = std::vector<std::int64_t>();  // so that its memory serves again
    counts_ = samples_.bins({std::ldexp(1.0, -exponent_), first_, zero});
    central_ = central_of(counts_, samples_.count());
  }

  /// Bins as fine as can be so that those of the central samples are at most half of them, and in the middle.
  void look_closer() {
    int power = 0;
    while (central_.size() << (power + 1) <= 2 * (enough - 1) && exponent_ - power > finest_) ++power;
    exponent_ -= power;
    first_ = std::ldexp(first_ + static_cast<double>(central_.first), power) -
             static_cast<double>((BinRule::most_bins - (central_.size() << power)) / 2);
    clipped_ = true;
  }

  /// Adds neighbours up while the central samples still lie in enough bins.
  void put_together() {
    for (;;) {
      const double first = std::floor(first_ / 2);
      const auto odd = static_cast<std::int64_t>(first_ - 2 * first);
      const Central central{(central_.first + odd) / 2, (central_.last + odd) / 2};
      if (central.size() < enough) return;
      std::size_t into = 0;  // where they are: fresh memory would take longer than the sums
      for (std::size_t i = 1; i < counts_.size(); ++i) {
        const bool opens = (i + static_cast<std::size_t>(odd)) % 2 == 0;
        into += opens ? 1 : 0;
        counts_[into] = (opens ? 0 : counts_[into]) + counts_[i];
      }
      counts_.resize(into + 1);
      first_ = first;
      ++exponent_;
      central_ = central;
    }
  }

  Samples& samples_;
  bool whole_;
  int finest_;        ///< exponent: below that its reciprocal is no double
  int exponent_ = 0;  ///< bins are 2^exponent wide
  double first_ = 0;  ///< the first begins at first * 2^exponent
  std::vector<std::int64_t> counts_;
  Central central_;
  bool clipped_ = false;
};

bool spans_few_values(Type type, const KeyRange& range) {
  if (type != Type::F32 && type != Type::F64) return range.high - range.low < BinRule::most_bins;
  return range.whole &&
         number_of(type, range.high) - number_of(type, range.low) < static_cast<double>(BinRule::most_bins);
}

Histogram histogram_of(Samples& samples, const KeyRange& range, bool with_mean) {
  const double low = number_of(samples.type(), range.low), high = number_of(samples.type(), range.high);
  if (spans_few_values(samples.type(), range)) {
    // Integers of 64 bits are counted from the least, as doubles may not tell them apart.
    const bool long_ones = samples.type() == Type::I64 || samples.type() == Type::U64;
    const int values = 1 + static_cast<int>(long_ones ? static_cast<double>(range.high - range.low) : high - low);
    return histogram_of_values(samples.bins({1, long_ones ? 0 : low, range.low, values}), low);
  }
  Histogram result;
  result.first_centre = low;
  result.counts = {samples.count()};
  if (low < high) result = RobustBins(samples, range).histogram();
  result.minimum = low;
  result.maximum = high;
  result.samples = samples.count();
  if (with_mean) result.mean = exact_value(samples, range, ThresholdMethod::Mean);
  return result;
}

}  // namespace

Histogram histogram_of(Samples& samples) { return histogram_of(samples, samples.range(), true); }

double value_of(Samples& samples, ThresholdMethod method, const std::stop_token& cancel) {
  const KeyRange range = samples.range();
  const bool exact = method == ThresholdMethod::Otsu || method == ThresholdMethod::Li ||
                     method == ThresholdMethod::Isodata || method == ThresholdMethod::Mean;
  if (exact && range.low < range.high && !spans_few_values(samples.type(), range))
    return exact_value(samples, range, method);
  return value_of(histogram_of(samples, range, false), method, cancel);
}

KeyRange Samples::keys() {
  const std::vector<std::int64_t> found = answer(RangeRule());
  const std::uint64_t all = sample_bytes(type_) == 8 ? ~std::uint64_t{0} : 0xffffffffU;
  const KeyRange range{all - static_cast<std::uint64_t>(found[1]), static_cast<std::uint64_t>(found[0]), found[2] == 0};
  if (std::isnan(number_of(type_, range.low)) || std::isnan(number_of(type_, range.high))) refuse_nan();
  return range;
}

KeyRange Samples::range() {
  const KeyRange range = keys();
  const double low = number_of(type_, range.low), high = number_of(type_, range.high);
  if (std::isfinite(low) && std::isfinite(high)) return range;
  throw InputError(
      fmt::format("the {} holds infinite samples (range {} .. {}); a histogram wants finite ones", what_, low, high));
}

std::vector<CellCount> Samples::cells(const CellRule& rule) {
  const std::vector<std::int64_t> counts = answer(rule);
  std::vector<CellCount> cells(counts.size() / 3);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const auto number = [&](std::size_t k) { return static_cast<std::uint64_t>(counts[3 * i + k]); };
    cells[i] = {number(0), number(1), number(2)};
  }
  return cells;
}

}  // namespace tamis::threshold_detail
