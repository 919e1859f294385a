// Thresholds straight from the definition, sample by sample. The truth the kernels are compared with.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace tamis::reference {

/// above < sample <= up_to, as real numbers: long double holds every sample type and every double.
template <class T>
bool is_bright(T sample, double above, double up_to) {
  const auto v = static_cast<long double>(sample);
  return v > static_cast<long double>(above) && v <= static_cast<long double>(up_to);
}

/// Kapur, Sahoo and Wong 1985, formula (19): for a histogram of consecutive values from `first` on, the t with the
/// largest entropy of "up to and including t" plus entropy of "above t".
inline double kapur(const std::vector<std::int64_t>& counts, double first) {
  const auto entropy = [&](std::size_t begin, std::size_t end) {
    double samples = 0;
    for (std::size_t i = begin; i < end; ++i) samples += static_cast<double>(counts[i]);
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i) {
      const double p = static_cast<double>(counts[i]) / samples;
      if (p > 0) sum -= p * std::log(p);
    }
    return sum;
  };
  double best = -1;
  std::size_t chosen = 0;
  for (std::size_t t = 0; t + 1 < counts.size(); ++t) {
    const double sum = entropy(0, t + 1) + entropy(t + 1, counts.size());
    if (sum > best + 1e-12) {
      best = sum;
      chosen = t;
    }
  }
  return first + static_cast<double>(chosen);
}

/// The distinct values of samples, in order, how often each occurs, and what lies up to each: samples and their sum,
/// less the least value from each.
template <class T>
struct Values {
  std::vector<T> value;
  std::vector<long double> dark, dark_sum;

  explicit Values(std::vector<T> samples) {
    std::sort(samples.begin(), samples.end());
    long double sum = 0;
    for (std::size_t i = 0; i < samples.size(); ++i) {
      sum += static_cast<long double>(samples[i]) - static_cast<long double>(samples[0]);
      if (i + 1 < samples.size() && samples[i + 1] == samples[i]) continue;
      value.push_back(samples[i]);
      dark.push_back(static_cast<long double>(i + 1));
      dark_sum.push_back(sum);
    }
  }
  [[nodiscard]] std::size_t size() const { return value.size(); }
  /// Less the least value.
  [[nodiscard]] long double number(std::size_t i) const {
    return static_cast<long double>(value[i]) - static_cast<long double>(value[0]);
  }
  [[nodiscard]] long double bright(std::size_t i) const { return dark.back() - dark[i]; }
  [[nodiscard]] long double dark_mean(std::size_t i) const { return dark_sum[i] / dark[i]; }
  [[nodiscard]] long double bright_mean(std::size_t i) const { return (dark_sum.back() - dark_sum[i]) / bright(i); }
  /// The threshold, so far above the least value.
  [[nodiscard]] double above(long double number) const {
    return static_cast<double>(static_cast<long double>(value[0]) + number);
  }
};

/// The last of the dark values, and the threshold.
struct Split {
  std::size_t last = 0;
  double threshold = 0;
};

/// The first largest variance between the classes.
template <class T>
Split otsu(const Values<T>& of, bool) {
  long double most = 0;
  Split best;
  for (std::size_t i = 0; i + 1 < of.size(); ++i) {
    const long double step = of.dark_mean(i) - of.bright_mean(i);
    const long double variance = of.dark[i] * of.bright(i) * (step * step);
    if (variance <= most) continue;
    most = variance;
    best = {i, static_cast<double>(of.value[i])};
  }
  return best;
}

/// The first midpoint of the classes' means that separates them; of whole numbers rounded down.
template <class T>
Split isodata(const Values<T>& of, bool whole) {
  for (std::size_t i = 0; i + 1 < of.size(); ++i) {
    const long double middle = (of.dark_mean(i) + of.bright_mean(i)) / 2;
    if (middle < of.number(i + 1)) return {i, of.above(whole ? std::floor(middle) : middle)};
  }
  return {};
}

/// From the mean on, until no sample changes sides.
template <class T>
Split li(const Values<T>& of, bool) {
  long double threshold = of.dark_sum.back() / of.dark.back();
  for (std::size_t before = of.size();;) {
    std::size_t last = 0;
    while (last + 2 < of.size() && of.number(last + 1) <= threshold) ++last;
    if (last == before) return {last, of.above(threshold)};
    before = last;
    const long double dark = of.dark_mean(last), bright = of.bright_mean(last);
    threshold = dark > 0 ? (dark - bright) / std::log(dark / bright) : 0;
  }
}

/// What a method finds, unless one class is so small that it is outliers: then it is asked again without them.
template <class T>
double without_outliers(std::vector<T> samples, Split (*method)(const Values<T>&, bool)) {
  const bool whole = std::all_of(samples.begin(), samples.end(), [](T v) { return v == std::floor(v); });
  const auto few = static_cast<long double>(samples.size() / 100000);
  double threshold = 0;
  for (;;) {
    const Values<T> values(samples);
    if (values.size() < 2) return threshold;
    const Split split = method(values, whole);
    threshold = split.threshold;
    const long double dark = values.dark[split.last], bright = values.dark.back() - dark;
    if (std::min(dark, bright) > few) return threshold;
    const T edge = values.value[split.last];
    std::erase_if(samples, [&](T v) { return dark <= bright ? v <= edge : v > edge; });
  }
}

}  // namespace tamis::reference
