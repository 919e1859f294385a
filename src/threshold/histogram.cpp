#include "threshold/histogram.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>
#include <type_traits>
#include <utility>

#include <tamis/error.hpp>

#include "core/memory.hpp"
#include "core/visit_type.hpp"
#include "threshold/bins.hpp"
#include "threshold/cpu/kernels.hpp"
#include "threshold/device.hpp"
#include "threshold/keys.hpp"
#include "threshold/samples.hpp"

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

/// Tables that bands add to: as many as are worked on at the same time.
template <class Table>
class Tables {
 public:
  template <class... Arguments>
  [[nodiscard]] Table* take(const Arguments&... arguments) {
    const std::lock_guard lock(guard_);
    if (idle_.empty()) idle_.push_back(all_.emplace_back(std::make_unique<Table>(arguments...)).get());
    Table* const table = idle_.back();
    idle_.pop_back();
    return table;
  }
  void give_back(Table* table) {
    const std::lock_guard lock(guard_);
    idle_.push_back(table);
  }
  [[nodiscard]] const std::vector<std::unique_ptr<Table>>& all() const { return all_; }

 private:
  std::vector<std::unique_ptr<Table>> all_;
  std::vector<Table*> idle_;
  std::mutex guard_;
};

/// How often each bit pattern of a sample occurs.
template <class T>
std::vector<std::int64_t> count_patterns(const Context& context, SliceSource& source, const Domain& domain,
                                         DeviceSamples* device) {
  const Layout& layout = source.layout();
  Stage stage(context, "histogram", layout.shape.z * layout.shape.y);
  if (device) {
    for_each_slab(context, source, [&](const Slab& slab) { device->count(slab, RangeRule(), stage); });
    return device->counts(Counter<T>::bins);
  }
  Tables<Counter<T>> tables;
  for_each_slab(context, source, [&](const Slab& slab) {
    for_each_band(context, layout, slab, &stage, [&](const Band& band) {
      Counter<T>* const counter = tables.take();
      for (std::int64_t y = 0; y < band.rows; ++y) {
        counter->add(reinterpret_cast<const T*>(band.samples + y * band.row_stride), layout.shape.x,
                     domain.row(band.z, band.y + y));
      }
      tables.give_back(counter);
    });
  });
  std::vector<std::int64_t> counts(static_cast<std::size_t>(Counter<T>::bins));
  for (const auto& counter : tables.all()) {
    counter->flush();
    for (std::int64_t i = 0; i < Counter<T>::bins; ++i) counts[static_cast<std::size_t>(i)] += counter->total(i);
  }
  return counts;
}

/// A source in memory or a file, a pass for each question.
class SourceSamples final : public Samples {
 public:
  SourceSamples(const Context& context, SliceSource& source, const Domain& domain, DeviceSamples* device)
      : Samples(source.layout().type, domain.volume, "image"),
        context_(context),
        source_(source),
        domain_(domain),
        device_(device) {}

 private:
  std::vector<std::int64_t> answer(const Question& question) override {
    const Layout& layout = source_.layout();
    Stage stage(context_, "histogram", layout.shape.z * layout.shape.y);
    const auto size = static_cast<std::size_t>(numbers_of(question));
    Tables<std::vector<std::int64_t>> tables;
    for_each_slab_on(device_, context_, source_, [&](const Slab& slab) {
      if (device_) {
        device_->count(slab, question, stage);
        return;
      }
      for_each_band(context_, layout, slab, &stage, [&](const Band& band) {
        PackJob job{layout.type, band.samples, band.row_stride, band.rows, layout.shape.x};
        job.domain = domain_.row(band.z, band.y);
        std::vector<std::int64_t>* const table = tables.take(size);
        cpu::count(context_.simd, job, question, table->data());
        tables.give_back(table);
      });
    });
    if (device_) return device_->counts(numbers_of(question));
    const bool largest = std::holds_alternative<RangeRule>(question);
    std::vector<std::int64_t>& numbers = *tables.take(size);
    for (const auto& table : tables.all()) {
      for (std::size_t i = 0; table.get() != &numbers && i < size; ++i) {
        // Keys are unsigned.
        const auto more = static_cast<std::uint64_t>((*table)[i]), so_far = static_cast<std::uint64_t>(numbers[i]);
        numbers[i] = static_cast<std::int64_t>(largest ? std::max(more, so_far) : more + so_far);
      }
    }
    return std::move(numbers);
  }

  /// Reads the samples once more.
  void refuse_nan() override {
    const Layout& layout = source_.layout();
    const std::int64_t per_slice = band_count(layout) / layout.shape.z;
    for_each_slab(context_, source_, [&](const Slab& slab) {
      for (std::int64_t i = slab.z0 * per_slice; i < (slab.z0 + slab.count) * per_slice; ++i) {
        visit_type(type(), [&](auto zero) {
          const auto found = find_first<decltype(zero)>(band_at(layout, slab, i), layout.shape.x, domain_,
                                                        [](auto v) { return v != v; });
          if (found) throw InputError("the image holds NaN at " + found->position(layout.shape) + "; wanted numbers");
        });
      }
    });
  }

  const Context& context_;
  SliceSource& source_;
  const Domain& domain_;
  DeviceSamples* device_;
};

template <class T>
Histogram count_values(const Context& context, SliceSource& source, const Domain& domain, DeviceSamples* device) {
  return histogram_of_patterns<T>(count_patterns<T>(context, source, domain, device));
}

}  // namespace

std::unique_ptr<Samples> samples_of(const Context& context, SliceSource& source, const Domain& domain,
                                    DeviceSamples* device) {
  return std::make_unique<SourceSamples>(context, source, domain, device);
}

Histogram histogram_inside(const Context& context, SliceSource& source, const Domain& domain, DeviceSamples* device) {
  return visit_type(source.layout().type, [&](auto sample) {
    using T = decltype(sample);
    if constexpr (sizeof(T) <= 2) return count_values<T>(context, source, domain, device);
    return histogram_of(*samples_of(context, source, domain, device));
  });
}

double value_inside(const Context& context, SliceSource& source, const Domain& domain, DeviceSamples* device,
                    ThresholdMethod method) {
  if (sample_bytes(source.layout().type) > 2) {
    return value_of(*samples_of(context, source, domain, device), method, context.cancel);
  }
  return value_of(histogram_inside(context, source, domain, device), method, context.cancel);
}

}  // namespace tamis::threshold_detail
