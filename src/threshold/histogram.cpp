#include "threshold/histogram.hpp"

#include <array>
#include <cstring>
#include <memory>
#include <mutex>
#include <type_traits>

#include <tamis/error.hpp>

#include "core/memory.hpp"
#include "core/visit_type.hpp"
#include "threshold/bins.hpp"
#include "threshold/device.hpp"
#include "threshold/extremes.hpp"
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

/// The bins; nothing is counted yet unless all samples are equal.
template <class T>
Histogram find_range(const Context& context, SliceSource& source, const Domain& domain, DeviceSamples* device,
                     Stage& stage) {
  const Layout& layout = source.layout();
  RangeOfBands<T> range(band_count(layout));
  std::mutex guard;
  const auto take = [&](std::int64_t band, const Extremes<T>& own) {
    const std::lock_guard lock(guard);
    range.take(band, own);
  };
  for_each_slab(context, source, [&](const Slab& slab) {
    if (device) {
      device->find_range(slab, stage,
                         [&](std::int64_t band, const LaneRange* ranges) { take(band, extremes_of<T>(ranges)); });
    } else {
      for_each_band(context, layout, slab, &stage, [&](const Band& band) {
        Extremes<T> own;
        for (std::int64_t y = 0; y < band.rows; ++y) {
          own.add(reinterpret_cast<const T*>(band.samples + y * band.row_stride), layout.shape.x,
                  domain.row(band.z, band.y + y));
        }
        take(band.index, own);
      });
    }
    if (!range.first_nan()) return;
    const auto found =
        find_first<T>(band_at(layout, slab, *range.first_nan()), layout.shape.x, domain, [](T v) { return v != v; });
    throw InputError("the image holds NaN at " + found->position(layout.shape) + "; wanted numbers");
  });
  return range.histogram(domain.volume, "image");
}

template <class T>
Histogram count_bins(const Context& context, SliceSource& source, const Domain& domain, DeviceSamples* device) {
  const Layout& layout = source.layout();
  Stage stage(context, "histogram", 2 * layout.shape.z * layout.shape.y);
  Histogram result = find_range<T>(context, source, domain, device, stage);
  if (result.minimum == result.maximum) return result;
  const BinRule rule = bin_rule(result.minimum, result.maximum);
  const auto bin = [&rule](double v) {
    return std::min(255, static_cast<int>((v * rule.unit - rule.start) * rule.scale));
  };
  if (device) {
    for_each_slab_on(device, context, source, [&](const Slab& slab) { device->count_bins(slab, rule, stage); });
    result.counts = device->bins();
    return result;
  }
  result.counts.assign(256, 0);
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
