// Thresholds of the samples themselves. Cells of keys are counted, each with its sum, so that the two classes are known
// exactly wherever the edge of a cell separates them. Only cells inside of which a better value may lie are counted
// again, in finer ones, until they are single values: README.md says why few are.
#include <algorithm>
#include <cmath>
#include <optional>

#include "core/visit_type.hpp"
#include "threshold/samples.hpp"

namespace tamis::threshold_detail {
namespace {

/// Holds every sample, and sums and squares of all floats; on x86 with more digits than a double.
using Number = long double;

struct Cell {
  std::uint64_t key = 0;  ///< the first
  int shift = 0;          ///< 0: all samples have that key
  CellCount counted;
  [[nodiscard]] bool open() const { return shift > 0; }
  [[nodiscard]] std::uint64_t last_key() const { return key + ((std::uint64_t{1} << shift) - 1); }
  [[nodiscard]] Number distance() const {
    return std::ldexp(static_cast<Number>(counted.high), CellCount::low_bits) + static_cast<Number>(counted.low);
  }
};

/// Dark are the cells before `edge`.
struct Split {
  std::size_t edge = 0;
  double value = 0;
};

class ExactSearch {
 public:
  ExactSearch(Samples& samples, const KeyRange& range) : samples_(samples), range_(range), least_(number(range.low)) {
    count(CellRule::over(range.low, range.high));
  }

  double mean_of_all() {
    measure();
    return static_cast<double>(dark_sum_.back() + dark_.back() * least_) / static_cast<double>(samples_.count());
  }

  double find(ThresholdMethod method) {
    // So few samples are no class, but outliers, which are left out.
    const auto outliers = static_cast<Number>(samples_.count() / 100000);
    Split split;
    while (cells_.size() > 1 || cells_[0].open()) {
      measure();
      open_.clear();
      const std::optional<Split> found = method == ThresholdMethod::Otsu ? otsu()
                                         : method == ThresholdMethod::Li ? li()
                                                                         : first_above(0, midpoint);
      if (!found) {
        count_open();
        continue;
      }
      split = *found;
      const Number dark = dark_[split.edge], bright = dark_.back() - dark;
      if (std::min(dark, bright) > outliers) break;
      const auto edge = cells_.begin() + static_cast<std::ptrdiff_t>(split.edge);
      least_known_ = least_known_ && dark > bright;
      dark > bright ? cells_.erase(edge, cells_.end()) : cells_.erase(cells_.begin(), edge);
    }
    return split.value;
  }

 private:
  using Mean = Number (*)(Number dark, Number bright);
  static Number midpoint(Number dark, Number bright) { return (dark + bright) / 2; }
  static Number log_mean(Number dark, Number bright) {
    return dark > 0 ? (dark - bright) / std::log(dark / bright) : 0;
  }

  [[nodiscard]] Number number(std::uint64_t key) const {
    return visit_type(samples_.type(),
                      [key](auto zero) { return static_cast<Number>(sample_of_key<decltype(zero)>(key)); });
  }
  // Less the least sample.
  [[nodiscard]] Number first_of(std::size_t cell) const { return number(cells_[cell].key) - least_; }
  [[nodiscard]] Number last_of(std::size_t cell) const { return number(cells_[cell].last_key()) - least_; }

  /// Counts the cells of the rule in place of those that are there.
  void count(const CellRule& rule) {
    std::vector<Cell> fresh;
    const std::vector<CellCount> counts = samples_.cells(rule);
    for (std::size_t i = 0; i < counts.size(); ++i) {
      const CellCount& c = counts[i];
      if (c.count == 0) continue;
      Cell cell{rule.first + (std::uint64_t{i} << rule.shift), rule.shift, c};
      if (c.count == 1 || (c.low == 0 && c.high == 0))
        cell = {cell.key + c.low + (c.high << CellCount::low_bits), 0, {c.count, 0, 0}};
      fresh.push_back(cell);
    }
    const auto begin =
        std::find_if(cells_.begin(), cells_.end(), [&](const Cell& cell) { return cell.key >= rule.first; });
    const auto end = std::find_if(begin, cells_.end(), [&](const Cell& cell) { return cell.key > rule.last; });
    cells_.insert(cells_.erase(begin, end), fresh.begin(), fresh.end());
  }

  /// Counts the first open cells that stand side by side, as long as their keys are so few that finer cells are 16
  /// times as fine, or single keys: neighbours may be far apart, and a search would not end that counts the same cells
  /// again.
  void count_open() {
    std::sort(open_.begin(), open_.end());
    const Cell first = cells_[open_[0]];
    const std::uint64_t most_keys = std::uint64_t{CellRule::most_cells} << std::max(first.shift - 4, 0);
    std::size_t last = open_[0];
    for (const std::size_t i : open_) {
      if (i <= last + 1 && cells_[i].last_key() - first.key < most_keys) last = i;
    }
    count(CellRule::over(first.key, cells_[last].last_key()));
  }

  /// The dark class of every edge: edge i lies before cell i.
  void measure() {
    if (!least_known_) least_ = number(cells_[0].key);
    dark_.assign(1, 0);
    dark_sum_.assign(1, 0);
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      const Cell& cell = cells_[i];
      const auto samples = static_cast<Number>(cell.counted.count);
      // Cells of floats have one exponent, so that keys are proportional to values.
      const Number behind = cell.open() ? cell.distance() * (number(cell.key + 1) - number(cell.key)) : 0;
      dark_.push_back(dark_[i] + samples);
      dark_sum_.push_back(dark_sum_[i] + (samples * first_of(i) + behind));
    }
  }

  [[nodiscard]] Number between_classes(Number dark, Number dark_sum) const {
    const Number bright = dark_.back() - dark;
    const Number step = dark_sum / dark - (dark_sum_.back() - dark_sum) / bright;
    return dark > 0 && bright > 0 ? dark * bright * (step * step) : 0;
  }

  /// What no split inside of the cell exceeds. The criterion is convex in the number and the sum of dark samples, and
  /// these lie in a triangle: both ends of the cell, and a corner where all samples are equal to its least or its
  /// largest.
  [[nodiscard]] Number most_inside(std::size_t i) const {
    const Cell& cell = cells_[i];
    const Number least =
        static_cast<Number>(cell.counted.count) - cell.distance() / static_cast<Number>(cell.last_key() - cell.key);
    return between_classes(dark_[i] + least, dark_sum_[i] + least * first_of(i));
  }

  /// Otsu 1979.
  std::optional<Split> otsu() {
    Number most = 0;
    Split best;
    for (std::size_t i = 1; i < cells_.size(); ++i) {
      const Number value = between_classes(dark_[i], dark_sum_[i]);
      if (value > most) best.edge = i;
      most = std::max(most, value);
    }
    constexpr Number rounding = 1e-9L;
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      if (cells_[i].open() && (i + 1 == best.edge || most_inside(i) >= most * (1 - rounding))) open_.push_back(i);
    }
    if (!open_.empty()) return std::nullopt;
    best.value = static_cast<double>(number(cells_[best.edge - 1].key));
    return best;
  }

  [[nodiscard]] Number mean_at(std::size_t edge, Mean mean) const {
    return mean(dark_sum_[edge] / dark_[edge], (dark_sum_.back() - dark_sum_[edge]) / (dark_.back() - dark_[edge]));
  }

  /// The mean of the classes at an edge, which lies at or above the last dark sample and below the first bright one.
  [[nodiscard]] std::optional<Split> split_at(std::size_t edge, Mean mean) const {
    if (!open_.empty()) return std::nullopt;
    const Number found = mean_at(edge, mean);
    const auto value = static_cast<double>(least_ + (range_.whole && mean == midpoint ? std::floor(found) : found));
    const auto dark = static_cast<double>(number(cells_[edge - 1].last_key()));
    const auto bright = static_cast<double>(number(cells_[edge].key));
    return Split{edge, value < bright && value > dark ? value : dark};
  }

  /// The first split, from an edge on, whose classes have a mean that lies below the first bright sample. Means grow
  /// with the edge. Nothing, if cells have to be counted.
  std::optional<Split> first_above(std::size_t edge, Mean mean) {
    for (; edge < cells_.size(); ++edge) {
      const Number here = edge > 0 ? mean_at(edge, mean) : -1;
      if (edge > 0 && here < first_of(edge)) break;
      if (cells_[edge].open() && here < last_of(edge)) open_.push_back(edge);
      if (!open_.empty() && open_.back() != edge) break;
    }
    return split_at(std::min(edge, cells_.size() - 1), mean);
  }

  /// The last split, up to an edge, whose classes have a mean that lies at or above the last dark sample.
  std::optional<Split> last_below(std::size_t edge, Mean mean) {
    for (; edge > 1; --edge) {
      const Number here = mean_at(edge, mean);
      if (here >= last_of(edge - 1)) break;
      if (cells_[edge - 1].open() && here >= first_of(edge - 1)) open_.push_back(edge - 1);
      if (!open_.empty() && open_.back() != edge - 1) break;
    }
    if (edge == 1 && cells_[0].open()) open_.push_back(0);
    return split_at(edge, mean);
  }

  /// Li and Tam 1998, from the mean on, until no sample changes sides. Each step goes the way of the first one, so it
  /// ends at the first split on that way that stays as it is.
  std::optional<Split> li() {
    const Number start = dark_sum_.back() / dark_.back();
    std::size_t edge = 0;
    while (edge < cells_.size() && last_of(edge) <= start) ++edge;
    const bool inside = edge < cells_.size() && cells_[edge].open() && first_of(edge) <= start;
    if (inside || (!least_known_ && cells_[0].open())) {
      open_.push_back(inside ? edge : 0);
      return std::nullopt;
    }
    edge = std::clamp<std::size_t>(edge, 1, cells_.size() - 1);
    return mean_at(edge, log_mean) >= start ? first_above(edge, log_mean) : last_below(edge, log_mean);
  }

  Samples& samples_;
  const KeyRange range_;
  Number least_ = 0;         ///< sample
  bool least_known_ = true;  ///< or else it is in the first cell
  std::vector<Cell> cells_;  ///< those that hold samples, in order
  std::vector<Number> dark_, dark_sum_;
  std::vector<std::size_t> open_;  ///< cells that have to be counted again
};

}  // namespace

double exact_value(Samples& samples, const KeyRange& range, ThresholdMethod method) {
  ExactSearch search(samples, range);
  return method == ThresholdMethod::Mean ? search.mean_of_all() : search.find(method);
}

}  // namespace tamis::threshold_detail
