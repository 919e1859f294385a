// The smallest and the largest sample and the mean, for samples of more than 16 bits: found band by band, by whatever
// device, and put together here.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <type_traits>
#include <vector>

#include <fmt/format.h>
#include <tamis/error.hpp>
#include <tamis/threshold.hpp>

#include "threshold/device.hpp"
#include "threshold/find.hpp"

namespace tamis::threshold_detail {

/// Of one band. Eight running minima, maxima and sums side by side are what a compiler can vectorise.
template <class T>
struct Extremes {
  static constexpr std::int64_t lanes = LaneRange::lanes;
  std::array<T, lanes> low;
  std::array<T, lanes> high;
  std::array<double, lanes> sum{};
  std::array<std::uint8_t, lanes> nan{};

  Extremes() {
    low.fill(std::numeric_limits<T>::has_infinity ? std::numeric_limits<T>::infinity() : std::numeric_limits<T>::max());
    high.fill(std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity()
                                                   : std::numeric_limits<T>::lowest());
  }
  void add(T v, std::int64_t lane) {
    const auto k = static_cast<std::size_t>(lane);
    low[k] = v < low[k] ? v : low[k];
    high[k] = v > high[k] ? v : high[k];
    sum[k] += static_cast<double>(v);
    if constexpr (!std::is_integral_v<T>) nan[k] |= static_cast<std::uint8_t>(v != v);
  }
  void add(const T* samples, std::int64_t columns, const std::uint64_t* inside) {
    for_each_inside(
        inside, columns,
        [&](std::int64_t x) {
          for (std::int64_t i = 0; i < 64; i += lanes) {
            for (std::int64_t k = 0; k < lanes; ++k) add(samples[x + i + k], k);
          }
        },
        [&](std::int64_t x) { add(samples[x], x % lanes); });
  }
};

/// What a device found in a band.
template <class T>
Extremes<T> extremes_of(const LaneRange* ranges) {
  Extremes<T> extremes;
  for (std::size_t k = 0; k < extremes.low.size(); ++k) {
    std::memcpy(&extremes.low[k], &ranges[k].low, sizeof(T));
    std::memcpy(&extremes.high[k], &ranges[k].high, sizeof(T));
    extremes.sum[k] = ranges[k].sum;
    extremes.nan[k] = ranges[k].nan != 0;
  }
  return extremes;
}

/// Of all bands. Each has a sum of its own, and these are added in the order of bands: so the mean depends neither on
/// threads nor on the device.
template <class T>
class RangeOfBands {
 public:
  explicit RangeOfBands(std::int64_t bands) : sums_(static_cast<std::size_t>(bands)) {}

  /// One call at a time, in any order of bands.
  void take(std::int64_t band, const Extremes<T>& own) {
    for (std::size_t k = 0; k < own.low.size(); ++k) {
      whole_.low[0] = std::min(whole_.low[0], own.low[k]);
      whole_.high[0] = std::max(whole_.high[0], own.high[k]);
      sums_[static_cast<std::size_t>(band)] += own.sum[k];
      if (own.nan[k]) first_nan_ = std::min(first_nan_, band);
    }
  }

  [[nodiscard]] T low() const { return whole_.low[0]; }
  [[nodiscard]] T high() const { return whole_.high[0]; }
  /// The first band that holds NaN.
  [[nodiscard]] std::optional<std::int64_t> first_nan() const {
    if (first_nan_ == none) return std::nullopt;
    return first_nan_;
  }

  /// 256 bins from low() to high(), still empty; where all samples are equal one bin that holds them. Throws InputError
  /// for infinite samples of `what`, an image or an array.
  [[nodiscard]] Histogram histogram(std::int64_t samples, const char* what) const {
    Histogram result;
    result.minimum = static_cast<double>(low());
    result.maximum = static_cast<double>(high());
    result.samples = samples;
    for (const double sum : sums_) result.mean += sum;
    result.mean /= static_cast<double>(samples);
    if (!std::isfinite(result.minimum) || !std::isfinite(result.maximum)) {
      throw InputError(fmt::format("the {} holds infinite samples (range {} .. {}); a histogram wants finite ones",
                                   what, result.minimum, result.maximum));
    }
    result.first_centre = result.minimum;
    if (result.minimum == result.maximum) {
      result.counts = {samples};
      return result;
    }
    result.bin_width = result.maximum / 256 - result.minimum / 256;
    result.first_centre += result.bin_width / 2;
    return result;
  }

 private:
  static constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();

  Extremes<T> whole_;
  std::vector<double> sums_;
  std::int64_t first_nan_ = none;
};

}  // namespace tamis::threshold_detail
