// Thresholds straight from the definition, sample by sample. The truth the kernels are compared with.
#pragma once

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

}  // namespace tamis::reference
