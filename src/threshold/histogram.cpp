#include "threshold/histogram.hpp"

#include <array>
#include <cmath>
#include <cstring>
#include <memory>
#include <mutex>
#include <type_traits>

#include <fmt/format.h>
#include <tamis/error.hpp>

#include "core/memory.hpp"
#include "core/visit_type.hpp"
#include "threshold/bins.hpp"
#include "threshold/device.hpp"
#include "threshold/find.hpp"

namespace tamis::threshold_detail {
namespace {

/// Counts of one thread, a bin for each pattern of T. Neighbouring samples are often equal, and counting the same bin
/// twice in a row waits for the store; so they go to tables of their own in turn. Sized to stay in L1 or L2.
template <class T>
class Counter {
 public:
  static constexpr std::int64_t bins = std::int64_t{1} << (8 * sizeof(T));
  static constexpr std::int64_t tables = sizeof(T) == 1 ? 8 : 2;

  void add(const T* samples, std::int64_t columns, const std::uint64_t* inside) {
    // Counts have 32 bits: they are emptied before a piece could overflow one.
    constexpr std::int64_t piece = std::int64_t{1} << 30;
    for (std::int64_t x = 0; x < columns; x += piece) {
      const std::int64_t width = std::min(piece, columns - x);
      if (counted_ > piece) flush();
      counted_ += width;
      const T* const start = samples + x;
      for_each_inside(
          inside ? inside + x / 64 : nullptr, width, [&](std::int64_t i) { add_word(start + i); },
          [&](std::int64_t i) { ++counts_[static_cast<Pattern>(start[i])]; });
    }
  }

  void flush() {
    std::int64_t* const totals = totals_.data();
    for (std::int64_t table = 0; table < tables; ++table) {
      const std::uint32_t* const counts = counts_.data() + table * bins;
      for (std::int64_t i = 0; i < bins; ++i) totals[i] += counts[i];
    }
    std::memset(counts_.data(), 0, static_cast<std::size_t>(bins * tables) * sizeof(std::uint32_t));
    counted_ = 0;
  }

  /// After flush().
  [[nodiscard]] std::int64_t total(std::int64_t pattern) const { return totals_[pattern]; }

 private:
  using Pattern = std::make_unsigned_t<T>;

  void add_word(const T* samples) {
    constexpr int bits = 8 * sizeof(T);
    constexpr std::int64_t per_load = 64 / bits;
    for (std::int64_t i = 0; i < 64; i += per_load) {
      std::uint64_t several;
      std::memcpy(&several, samples + i, sizeof several);
      for (std::int64_t k = 0; k < per_load; ++k) {
        ++counts_[k % tables * bins + static_cast<std::int64_t>(several >> (bits * k) & (bins - 1))];
      }
    }
  }

  Buffer<std::uint32_t> counts_{bins * tables};
  Buffer<std::int64_t> totals_{bins};
  std::int64_t counted_ = 0;
};

/// How often each bit pattern of a sample occurs.
template <class T>
std::vector<std::int64_t> count_patterns(const Context& context, SliceSource& source, const Domain& domain,
                                         DeviceSamples* device) {
  const Layout& layout = source.layout();
  Stage stage(context, "histogram", layout.shape.z * layout.shape.y);
  if (device) {
    for_each_slab(context, source, [&](const Slab& slab) { device->count_patterns(slab, stage); });
    return device->patterns();
  }
  std::vector<std::unique_ptr<Counter<T>>> all;
  std::vector<Counter<T>*> idle;
  std::mutex guard;
  const auto take = [&] {
    const std::lock_guard lock(guard);
    if (idle.empty()) idle.push_back(all.emplace_back(std::make_unique<Counter<T>>()).get());
    Counter<T>* const counter = idle.back();
    idle.pop_back();
    return counter;
  };
  for_each_slab(context, source, [&](const Slab& slab) {
    for_each_band(context, layout, slab, &stage, [&](const Band& band) {
      Counter<T>* const counter = take();
      for (std::int64_t y = 0; y < band.rows; ++y) {
        counter->add(reinterpret_cast<const T*>(band.samples + y * band.row_stride), layout.shape.x,
                     domain.row(band.z, band.y + y));
      }
      const std::lock_guard lock(guard);
      idle.push_back(counter);
    });
  });
  std::vector<std::int64_t> counts(static_cast<std::size_t>(Counter<T>::bins));
  for (const auto& counter : all) {
    counter->flush();
    for (std::int64_t i = 0; i < Counter<T>::bins; ++i) counts[static_cast<std::size_t>(i)] += counter->total(i);
  }
  return counts;
}

template <class T>
Histogram count_values(const Context& context, SliceSource& source, const Domain& domain, DeviceSamples* device) {
  return histogram_of_patterns<T>(count_patterns<T>(context, source, domain, device));
}

// Eight running minima, maxima and sums side by side are what a compiler can vectorise; a sum of its own for every
// band, added in the order of bands, makes the mean independent of threads.
template <class T>
struct Extremes {
  static constexpr std::int64_t lanes = 8;
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

template <class T>
Extremes<T> extremes_of(const LaneRange* ranges) {
  static_assert(Extremes<T>::lanes == LaneRange::lanes);
  Extremes<T> extremes;
  for (std::size_t k = 0; k < extremes.low.size(); ++k) {
    std::memcpy(&extremes.low[k], &ranges[k].low, sizeof(T));
    std::memcpy(&extremes.high[k], &ranges[k].high, sizeof(T));
    extremes.sum[k] = ranges[k].sum;
    extremes.nan[k] = ranges[k].nan != 0;
  }
  return extremes;
}

/// Minimum, maximum and mean; counts stay empty.
template <class T>
Histogram find_range(const Context& context, SliceSource& source, const Domain& domain, DeviceSamples* device,
                     Stage& stage) {
  const Layout& layout = source.layout();
  std::vector<double> sums(static_cast<std::size_t>(band_count(layout)));
  Extremes<T> range;
  std::mutex guard;
  FirstBand nan;
  const auto merge = [&](std::int64_t band, const Extremes<T>& own) {
    const std::lock_guard lock(guard);
    for (std::size_t k = 0; k < own.low.size(); ++k) {
      range.low[0] = std::min(range.low[0], own.low[k]);
      range.high[0] = std::max(range.high[0], own.high[k]);
      sums[static_cast<std::size_t>(band)] += own.sum[k];
      if (own.nan[k]) nan.note(band);
    }
  };
  for_each_slab(context, source, [&](const Slab& slab) {
    if (device) {
      device->find_range(slab, stage,
                         [&](std::int64_t band, const LaneRange* ranges) { merge(band, extremes_of<T>(ranges)); });
    } else {
      for_each_band(context, layout, slab, &stage, [&](const Band& band) {
        Extremes<T> own;
        for (std::int64_t y = 0; y < band.rows; ++y) {
          own.add(reinterpret_cast<const T*>(band.samples + y * band.row_stride), layout.shape.x,
                  domain.row(band.z, band.y + y));
        }
        merge(band.index, own);
      });
    }
    if (!nan.any()) return;
    const auto found =
        find_first<T>(band_at(layout, slab, nan.index()), layout.shape.x, domain, [](T v) { return v != v; });
    throw InputError("the image holds NaN at " + found->position() + "; wanted numbers");
  });
  Histogram result;
  result.minimum = static_cast<double>(range.low[0]);
  result.maximum = static_cast<double>(range.high[0]);
  result.samples = domain.volume;
  for (const double sum : sums) result.mean += sum;
  result.mean /= static_cast<double>(result.samples);
  if (!std::isfinite(result.minimum) || !std::isfinite(result.maximum)) {
    throw InputError(fmt::format("the image holds infinite samples (range {} .. {}); a histogram wants finite ones",
                                 result.minimum, result.maximum));
  }
  return result;
}

template <class T>
Histogram count_bins(const Context& context, SliceSource& source, const Domain& domain, DeviceSamples* device) {
  const Layout& layout = source.layout();
  Stage stage(context, "histogram", 2 * layout.shape.z * layout.shape.y);
  Histogram result = find_range<T>(context, source, domain, device, stage);
  result.first_centre = result.minimum;
  if (result.minimum == result.maximum) {
    result.counts = {result.samples};
    return result;
  }
  const BinRule rule = bin_rule(result.minimum, result.maximum);
  const auto bin = [&rule](double v) {
    return std::min(255, static_cast<int>((v * rule.unit - rule.start) * rule.scale));
  };
  result.bin_width = result.maximum / 256 - result.minimum / 256;
  result.first_centre += result.bin_width / 2;
  if (device) {
    for_each_slab_on(device, context, source, [&](const Slab& slab) { device->count_bins(slab, rule, stage); });
    result.counts = device->bins();
    return result;
  }
  result.counts.resize(256);
  std::mutex guard;
  for_each_slab(context, source, [&](const Slab& slab) {
    for_each_band(context, layout, slab, &stage, [&](const Band& band) {
      std::array<std::array<std::int64_t, 256>, 4> counts{};
      for (std::int64_t y = 0; y < band.rows; ++y) {
        const auto* const samples = reinterpret_cast<const T*>(band.samples + y * band.row_stride);
        for_each_inside(
            domain.row(band.z, band.y + y), layout.shape.x,
            [&](std::int64_t x) {
              std::array<int, 64> bins;
              for (std::size_t i = 0; i < 64; ++i) bins[i] = bin(static_cast<double>(samples[x + std::int64_t(i)]));
              for (std::size_t i = 0; i < 64; ++i) ++counts[i % 4][static_cast<std::size_t>(bins[i])];
            },
            [&](std::int64_t x) { ++counts[0][static_cast<std::size_t>(bin(static_cast<double>(samples[x])))]; });
      }
      const std::lock_guard lock(guard);
      for (std::size_t i = 0; i < 256; ++i) {
        for (const auto& table : counts) result.counts[i] += table[i];
      }
    });
  });
  return result;
}

}  // namespace

Histogram histogram_inside(const Context& context, SliceSource& source, const Domain& domain, DeviceSamples* device) {
  return visit_type(source.layout().type, [&](auto sample) {
    using T = decltype(sample);
    if constexpr (sizeof(T) <= 2) {
      return count_values<T>(context, source, domain, device);
    } else {
      return count_bins<T>(context, source, domain, device);
    }
  });
}

}  // namespace tamis::threshold_detail
