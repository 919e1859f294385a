// Counting samples.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <limits>
#include <optional>
#include <string>

#include <tamis/threshold.hpp>

#include "core/place.hpp"
#include "threshold/device.hpp"
#include "threshold/slabs.hpp"

namespace tamis::threshold_detail {

// Finding a sample by its value, where the position matters: error messages and the two values of a file.

template <class T>
struct Found {
  T sample;
  std::int64_t z, y, x;
  [[nodiscard]] std::string position(const Shape& shape) const { return place_of(shape, z, y, x); }
};

/// The first sample of the band that counts and fulfils the condition.
template <class T, class Condition>
std::optional<Found<T>> find_first(const Band& band, std::int64_t columns, const Domain& domain, Condition condition) {
  for (std::int64_t y = 0; y < band.rows; ++y) {
    const auto* const samples = reinterpret_cast<const T*>(band.samples + y * band.row_stride);
    const std::uint64_t* const inside = domain.row(band.z, band.y + y);
    for (std::int64_t x = 0; x < columns; ++x) {
      if (inside && !(inside[x / 64] >> (x % 64) & 1U)) continue;
      if (condition(samples[x])) return Found<T>{samples[x], band.z, band.y + y, x};
    }
  }
  return std::nullopt;
}

/// Calls all(x) for whole words of 64 samples that count, one(x) for single samples.
template <class All, class One>
void for_each_inside(const std::uint64_t* inside, std::int64_t columns, All all, One one) {
  for (std::int64_t x = 0; x < columns; x += 64) {
    const std::int64_t left = std::min<std::int64_t>(64, columns - x);
    std::uint64_t word = ~std::uint64_t{0} >> (64 - left);
    if (inside) word &= inside[x / 64];
    if (word == ~std::uint64_t{0}) {
      all(x);
      continue;
    }
    for (; word != 0; word &= word - 1) one(x + std::countr_zero(word));
  }
}

/// The first band of a kind, whatever order threads meet them in.
class FirstBand {
 public:
  void note(std::int64_t index) {
    std::int64_t seen = first_;
    while (index < seen && !first_.compare_exchange_weak(seen, index)) {
    }
  }
  /// Whether bands of this index can be left out, since an earlier one decides.
  [[nodiscard]] bool before(std::int64_t index) const { return first_ < index; }
  [[nodiscard]] bool any() const { return first_ != none; }
  [[nodiscard]] std::int64_t index() const { return first_; }

 private:
  static constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
  std::atomic<std::int64_t> first_{none};
};

/// Histogram of the samples in the domain, which is not empty; on `device`, unless that is null. Throws InputError for
/// NaN and infinite samples.
[[nodiscard]] Histogram histogram_inside(const Context& context, SliceSource& source, const Domain& domain,
                                         DeviceSamples* device);
/// The value that an automatic method chooses for them.
[[nodiscard]] double value_inside(const Context& context, SliceSource& source, const Domain& domain,
                                  DeviceSamples* device, ThresholdMethod method);
/// How often that looks at the samples.
[[nodiscard]] inline Passes passes_of_histogram(Type type) {
  return sample_bytes(type) <= 2 ? Passes::One : Passes::Several;
}

}  // namespace tamis::threshold_detail
