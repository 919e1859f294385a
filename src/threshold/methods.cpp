// The automatic methods, each a function of the histogram alone. Sums run forwards for the dark class and backwards
// for the bright one, so that over empty bins a criterion stays the same to the last bit and the first bin wins.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <tamis/error.hpp>
#include <tamis/threshold.hpp>

#include "core/door.hpp"
#include "threshold/samples.hpp"

namespace tamis {
namespace {

using Bins = std::vector<double>;

std::int64_t size(const Histogram& h) { return static_cast<std::int64_t>(h.counts.size()); }
double count(const Histogram& h, std::int64_t i) { return static_cast<double>(h.counts[static_cast<std::size_t>(i)]); }

/// sums[i] = f(0) + ... + f(i)
template <class F>
Bins forward_sums(std::int64_t bins, F f) {
  Bins sums(static_cast<std::size_t>(bins));
  double sum = 0;
  for (std::int64_t i = 0; i < bins; ++i) sums[static_cast<std::size_t>(i)] = sum += f(i);
  return sums;
}

/// sums[i] = f(i + 1) + ... + f(bins - 1)
template <class F>
Bins sums_above(std::int64_t bins, F f) {
  Bins sums(static_cast<std::size_t>(bins));
  double sum = 0;
  for (std::int64_t i = bins - 1; i > 0; --i) sums[static_cast<std::size_t>(i - 1)] = sum += f(i);
  return sums;
}

/// The centre of the first bin, but for the last, with the largest criterion.
template <class F>
double first_maximum(const Histogram& h, F criterion) {
  std::int64_t best = 0;
  double largest = -std::numeric_limits<double>::infinity();
  for (std::int64_t i = 0; i + 1 < size(h); ++i) {
    const double value = criterion(static_cast<std::size_t>(i));
    if (value > largest) {
      largest = value;
      best = i;
    }
  }
  return h.centre(best);
}

/// Moments of the classes "up to and including bin i" and "above bin i".
struct Classes {
  Bins dark, bright;          ///< samples
  Bins dark_sum, bright_sum;  ///< sum of values, less the origin of each
  double origin = 0;          ///< the minimum where that of a double would cost digits
  explicit Classes(const Histogram& h) {
    constexpr double far = 65536;
    if (std::max(std::abs(h.minimum), std::abs(h.maximum)) > far) origin = h.minimum;
    const auto samples = [&](std::int64_t i) { return count(h, i); };
    const auto values = [&](std::int64_t i) { return count(h, i) * value(h, i); };
    dark = forward_sums(size(h), samples);
    bright = sums_above(size(h), samples);
    dark_sum = forward_sums(size(h), values);
    bright_sum = sums_above(size(h), values);
  }
  [[nodiscard]] double value(const Histogram& h, std::int64_t i) const {
    return (h.first_centre - origin) + static_cast<double>(i) * h.bin_width;
  }
  [[nodiscard]] double dark_mean(std::size_t i) const { return dark_sum[i] / dark[i]; }
  [[nodiscard]] double bright_mean(std::size_t i) const { return bright_sum[i] / bright[i]; }
};

/// Otsu 1979: the largest variance between the classes.
double otsu(const Histogram& h) {
  const Classes classes(h);
  return first_maximum(h, [&](std::size_t i) {
    const double step = classes.dark_mean(i) - classes.bright_mean(i);
    // Over 65536 bins the maximum is flat; the product in single precision picks the bin that scikit-image picks.
    const float weight = static_cast<float>(classes.dark[i]) * static_cast<float>(classes.bright[i]);
    return static_cast<double>(weight) * (step * step);
  });
}

/// -p log p of a bin. Where there are many bins most hold few samples, so that few logarithms have to be taken.
class Entropy {
 public:
  explicit Entropy(double samples) : samples_(samples) {
    for (std::size_t n = 1; n < few_.size(); ++n) few_[n] = computed(static_cast<double>(n));
  }
  double operator()(std::int64_t n) const {
    const auto place = static_cast<std::size_t>(n);
    return place < few_.size() ? few_[place] : computed(static_cast<double>(n));
  }

 private:
  [[nodiscard]] double computed(double n) const {
    const double p = n / samples_;
    return -p * std::log(p);
  }
  double samples_;
  std::array<double, 256> few_{};
};

/// Kapur, Sahoo and Wong 1985: the largest sum of the entropies of the classes. Two logarithms for each of 65,536 bins
/// would take longer than to count a small image, so bins that cannot have the largest sum are passed over: one in 64
/// is asked first, and a logarithm lies below each of its tangents.
double kapur(const Histogram& h) {
  const auto n = static_cast<double>(h.samples);
  const Entropy entropy(n);
  const Bins bright = sums_above(size(h), [&](std::int64_t i) { return entropy(h.counts[static_cast<std::size_t>(i)]); });
  const auto for_each_split = [&](auto look) {
    double samples = 0, dark = 0;
    for (std::size_t i = 0; i < h.counts.size(); ++i) {
      if (h.counts[i] == 0) continue;  // the sum is that of the bin before
      samples += static_cast<double>(h.counts[i]);
      if (samples == n) return;
      dark += entropy(h.counts[i]);
      const double p = samples / n, q = (n - samples) / n;
      look(i, p, q, dark / p, bright[i] / q);
    }
  };
  const auto sum_of = [](double p, double q, double dark, double light) { return std::log(p) + dark + std::log(q) + light; };
  double reached = -std::numeric_limits<double>::infinity();
  int turn = 0;
  for_each_split([&](std::size_t, double p, double q, double dark, double light) {
    if (turn++ % 64 == 0) reached = std::max(reached, sum_of(p, q, dark, light));
  });
  constexpr double rounding = 1e-9;
  std::size_t best = 0;
  double largest = -std::numeric_limits<double>::infinity();
  double touch = .25, log_there = std::log(touch);
  for_each_split([&](std::size_t i, double p, double q, double dark, double light) {
    if (dark + light + log_there - 1 + p * q / touch < reached - rounding) return;
    touch = p * q;
    log_there = std::log(touch);
    const double sum = sum_of(p, q, dark, light);
    if (sum > largest) {
      largest = sum;
      best = i;
    }
  });
  return h.centre(static_cast<std::int64_t>(best));
}

/// Li and Lee 1993, iterated as in Li and Tam 1998: minimum cross entropy. Values count from the minimum.
double li(const Histogram& h) {
  const Classes classes(h);
  // With a bin per value this is scikit-image's tolerance for integers, and its results. Other bins are coarser than
  // its iteration over samples, so there the iteration goes on until it stands still.
  const double tolerance = h.by_value ? 0.5 : h.bin_width * 1e-6;
  const double least = h.minimum - classes.origin;
  double next = classes.dark_sum.back() / classes.dark.back() - least;
  double current = -2 * tolerance;
  while (std::abs(next - current) > tolerance) {
    current = next;
    const double bin = std::floor((current + least - (h.first_centre - classes.origin)) / h.bin_width);
    const auto i = static_cast<std::size_t>(std::clamp(bin, 0.0, static_cast<double>(size(h) - 2)));
    const double dark = classes.dark_mean(i) - least;
    const double bright = classes.bright_mean(i) - least;
    if (dark <= 0) break;
    next = (dark - bright) / (std::log(dark) - std::log(bright));
  }
  return next + h.minimum;
}

/// SciPy's uniform_filter1d of size 3 on float32 with its reflected ends: the running sum and the rounding are part
/// of the method, since on plateaus they decide what counts as a maximum.
void smooth(std::vector<float>& bins) {
  const auto n = static_cast<std::int64_t>(bins.size());
  const auto at = [&](std::int64_t i) { return static_cast<double>(bins[static_cast<std::size_t>(i)]); };
  const double last = at(n - 1);
  double before = at(0);  // the sample that leaves the window next
  double sum = before + before + at(1);
  for (std::int64_t i = 0; i < n; ++i) {
    const double centre = at(i);
    bins[static_cast<std::size_t>(i)] = static_cast<float>(sum / 3);
    const double entering = i + 2 < n ? at(i + 2) : last;
    sum += entering - before;
    before = centre;
  }
}

std::vector<std::int64_t> peaks(const std::vector<float>& bins) {
  std::vector<std::int64_t> found;
  bool rising = true;
  for (std::size_t i = 0; i + 1 < bins.size(); ++i) {
    if (rising && bins[i + 1] < bins[i]) {
      rising = false;
      found.push_back(static_cast<std::int64_t>(i));
    } else if (!rising && bins[i + 1] > bins[i]) {
      rising = true;
    }
  }
  return found;
}

/// Neighbouring bins that are no values put together until there are at most 512: rounds of smoothing would not be rid
/// of the noise of more.
Histogram in_few_bins(Histogram h) {
  constexpr std::size_t few = 512;
  if (h.by_value || h.counts.size() <= few) return h;
  std::size_t together = 2;
  while (h.counts.size() > few * together) together *= 2;
  std::vector<std::int64_t> sums((h.counts.size() + together - 1) / together);
  for (std::size_t i = 0; i < h.counts.size(); ++i) sums[i / together] += h.counts[i];
  h.counts = std::move(sums);
  h.first_centre += h.bin_width * static_cast<double>(together - 1) / 2;
  h.bin_width *= static_cast<double>(together);
  return h;
}

/// Prewitt and Mendelsohn 1966: the histogram is smoothed until two peaks are left; the lowest bin between them.
double minimum(const Histogram& all, const std::stop_token& cancel) {
  constexpr int rounds = 10000;
  const Histogram h = in_few_bins(all);
  std::vector<float> bins(h.counts.begin(), h.counts.end());
  for (int round = 0; round < rounds; ++round) {
    if (cancel.stop_requested()) throw Cancelled();
    smooth(bins);
    const auto found = peaks(bins);
    if (found.size() > 2 && round + 1 < rounds) continue;
    if (found.size() != 2) {
      throw InputError(
          fmt::format("minimum: the smoothed histogram has {} peaks; wanted two (try otsu)", found.size()));
    }
    const auto lowest = std::min_element(bins.begin() + found[0], bins.begin() + found[1] + 1);
    return h.centre(lowest - bins.begin());
  }
  return h.minimum;
}

/// Zack, Rogers and Latt 1977: the bin of the longer tail farthest below the line from the peak to the tail's end.
double triangle(const Histogram& h) {
  const std::int64_t bins = size(h);
  const std::int64_t top = std::max_element(h.counts.begin(), h.counts.end()) - h.counts.begin();
  const bool right_tail = top < bins - 1 - top;
  const std::int64_t length = right_tail ? bins - 1 - top : top;
  const auto from_end = [&](std::int64_t i) { return right_tail ? bins - 1 - i : i; };
  const double norm = std::sqrt(count(h, top) * count(h, top) + static_cast<double>(length * length));
  const double height = count(h, top) / norm;
  const double width = static_cast<double>(length) / norm;
  std::int64_t best = 0;
  double farthest = -std::numeric_limits<double>::infinity();
  for (std::int64_t i = 0; i < length; ++i) {
    const double distance = height * static_cast<double>(i) - width * count(h, from_end(i));
    if (distance > farthest) {
      farthest = distance;
      best = i;
    }
  }
  return h.centre(from_end(best));
}

/// Ridler and Calvard 1978: the first value that is the midpoint of the means of its two classes, to within a bin.
double isodata(const Histogram& h) {
  const Classes classes(h);
  for (std::int64_t i = 0; i + 1 < size(h); ++i) {
    const auto k = static_cast<std::size_t>(i);
    const double distance = (classes.dark_mean(k) + classes.bright_mean(k)) / 2 - classes.value(h, i);
    if (distance >= 0 && distance < h.bin_width) return h.centre(i);
  }
  throw InputError("isodata: no value is the midpoint of its classes' means; wanted another method (try otsu)");
}

/// The bins from the first that holds samples to the last, without those of outliers.
Histogram without_outliers(Histogram h) {
  if (h.by_value) return h;
  if (h.ends_hold_outliers) h.counts.front() = h.counts.back() = 0;
  const auto used = [](std::int64_t n) { return n > 0; };
  const auto first = std::find_if(h.counts.begin(), h.counts.end(), used);
  const auto last = std::find_if(h.counts.rbegin(), h.counts.rend(), used).base();
  if (first >= last) return h;
  h.first_centre += static_cast<double>(first - h.counts.begin()) * h.bin_width;
  h.counts.erase(last, h.counts.end());  // where they are: fresh memory takes longer than the bins of a small image
  h.counts.erase(h.counts.begin(), first);
  h.samples = std::accumulate(h.counts.begin(), h.counts.end(), std::int64_t{0});
  return h;
}

}  // namespace

double threshold_detail::value_of(Histogram histogram, ThresholdMethod method, const std::stop_token& cancel) {
  door::require_known(method, ThresholdMethod::Mean, "method");
  if (histogram.samples == 0) throw InputError(fmt::format("{}: the histogram holds no sample", name(method)));
  const auto require_values = [&](const Histogram& h) {
    if (h.counts.size() >= 2) return;
    throw InputError(
        fmt::format("constant image (all samples are {}): {} finds no threshold; wanted two values or more",
                    h.minimum, name(method)));
  };
  require_values(histogram);
  const auto of_inliers = [&](const auto& value) {
    const Histogram inliers = without_outliers(std::move(histogram));
    require_values(inliers);
    return value(inliers);
  };
  switch (method) {
    case ThresholdMethod::Otsu:
      return otsu(histogram);
    case ThresholdMethod::Li:
      return li(histogram);
    case ThresholdMethod::Kapur:
      return of_inliers(kapur);
    case ThresholdMethod::Minimum:
      return of_inliers([&](const Histogram& h) { return minimum(h, cancel); });
    case ThresholdMethod::Triangle:
      return of_inliers(triangle);
    case ThresholdMethod::Isodata:
      return isodata(histogram);
    case ThresholdMethod::Mean:
      return histogram.mean;
    case ThresholdMethod::Value:
    case ThresholdMethod::Band:
    case ThresholdMethod::TwoValues:
      break;
  }
  throw InputError(fmt::format("{} is no automatic method; wanted one of {}", name(method), threshold_method_names()));
}

double threshold_value(const Histogram& histogram, ThresholdMethod method) {
  return threshold_detail::value_of(histogram, method);
}

}  // namespace tamis
