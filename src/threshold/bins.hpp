// From counts to a Histogram whose bins are values: the arithmetic that does not depend on who counted.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include <tamis/threshold.hpp>


namespace tamis::threshold_detail {

/// The histogram of whole numbers from `lowest` on from how often each occurs; at least one does.
inline Histogram histogram_of_values(const std::vector<std::int64_t>& counts, double lowest) {
  const auto first = std::find_if(counts.begin(), counts.end(), [](auto n) { return n > 0; });
  const auto last = std::find_if(counts.rbegin(), counts.rend(), [](auto n) { return n > 0; }).base();
  Histogram result;
  std::int64_t places = 0;
  for (auto it = first; it != last; ++it) {
    result.samples += *it;
    places += *it * (it - counts.begin());
  }
  const auto sum = static_cast<double>(static_cast<long double>(result.samples) * lowest + static_cast<long double>(places));
  result.minimum = lowest + static_cast<double>(first - counts.begin());
  result.maximum = lowest + static_cast<double>(last - counts.begin() - 1);
  result.first_centre = result.minimum;
  result.mean = sum / static_cast<double>(result.samples);
  result.counts.assign(first, last);
  return result;
}

/// The same of samples of up to 16 bits from how often each bit pattern occurs.
template <class T>
Histogram histogram_of_patterns(const std::vector<std::int64_t>& patterns) {
  std::vector<std::int64_t> counts(patterns.size());
  // The patterns of negative numbers come behind those of the others.
  const auto negative = std::is_signed_v<T> ? patterns.begin() + static_cast<std::ptrdiff_t>(patterns.size() / 2)
                                            : patterns.begin();
  std::rotate_copy(patterns.begin(), negative, patterns.end(), counts.begin());
  return histogram_of_values(counts, static_cast<double>(std::numeric_limits<T>::lowest()));
}

}  // namespace tamis::threshold_detail
