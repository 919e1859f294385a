#include "granulometry/grey_counts.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include <tamis/error.hpp>

#include "core/cpu/parallel.hpp"
#include "core/place.hpp"
#include "core/visit_type.hpp"

namespace tamis::granulometry_detail {
namespace {

// What one thread takes at a time. So few that a sum of 16-bit values fits into 32 bits, which is what makes it fast.
constexpr std::int64_t band = 32768;

std::int64_t bands_of(std::int64_t samples) { return (samples + band - 1) / band; }

template <class T>
const T* samples_of(const Image& image) {
  return reinterpret_cast<const T*>(image.data());
}

struct BandRange {
  double lowest = std::numeric_limits<double>::infinity();
  double highest = -std::numeric_limits<double>::infinity();
  std::int64_t odd = -1;  ///< index of a sample that is no number
};

template <class T>
BandRange range_of_band(const T* samples, std::int64_t count) {
  T lowest = samples[0];
  T highest = samples[0];
  bool finite = true;
  for (std::int64_t i = 0; i < count; ++i) {
    lowest = std::min(lowest, samples[i]);
    highest = std::max(highest, samples[i]);
    // Of an infinity or NaN the difference with itself is NaN.
    if constexpr (std::is_floating_point_v<T>) finite &= samples[i] - samples[i] == 0;
  }
  BandRange range{static_cast<double>(lowest), static_cast<double>(highest), -1};
  if (!finite) {
    range.odd =
        std::find_if(samples, samples + count, [](T v) { return !std::isfinite(static_cast<double>(v)); }) - samples;
  }
  return range;
}

[[noreturn]] void refuse(const Image& image, std::int64_t index) {
  const float value = samples_of<float>(image)[index];
  const std::string what = std::isnan(value) ? "NaN" : value > 0 ? "infinity" : "-infinity";
  throw InputError("granulometry: the image holds " + what + " at " + place_of(image.shape(), index) +
                   "; wanted numbers");
}

/// Counts of a few samples. F32: a double of at least 2^52 and less than 2^53 has its whole part in its last 52 bits;
/// those can be added as integers, several at once.
template <class T>
std::int64_t count_of(const T* samples, std::int64_t count, const GreyScale& scale, Phase phase) {
  if constexpr (std::is_floating_point_v<T>) {
    constexpr double lift = 4503599627370496.0;
    const double factor = (phase == Phase::Bright ? 1 : -1) / scale.step;
    std::uint64_t bits = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      bits += std::bit_cast<std::uint64_t>((static_cast<double>(samples[i]) - scale.base) * factor + lift);
    }
    return static_cast<std::int64_t>(bits - static_cast<std::uint64_t>(count) * std::bit_cast<std::uint64_t>(lift));
  } else {
    using Sum = std::conditional_t<std::is_signed_v<T>, std::int32_t, std::uint32_t>;
    Sum sum = 0;
    for (std::int64_t i = 0; i < count; ++i) sum += static_cast<Sum>(samples[i]);
    const std::int64_t above = std::int64_t{sum} - count * static_cast<std::int64_t>(scale.base);
    return phase == Phase::Bright ? above : -above;
  }
}

}  // namespace

GreyRange grey_range(const Context& context, const Image& image) {
  const std::int64_t samples = image.shape().count();
  std::vector<BandRange> bands(static_cast<std::size_t>(bands_of(samples)));
  visit_type(image.type(), [&](auto sample) {
    parallel_for(context, bands_of(samples), [&](std::int64_t i) {
      bands[static_cast<std::size_t>(i)] =
          range_of_band(samples_of<decltype(sample)>(image) + i * band, std::min(band, samples - i * band));
    });
  });
  BandRange all;
  for (std::size_t i = 0; i < bands.size(); ++i) {
    if (bands[i].odd >= 0) refuse(image, static_cast<std::int64_t>(i) * band + bands[i].odd);
    all.lowest = std::min(all.lowest, bands[i].lowest);
    all.highest = std::max(all.highest, bands[i].highest);
  }
  return {all.lowest, all.highest};
}

GreyScale grey_scale(Type type, const GreyRange& range, Phase phase, std::int64_t samples) {
  GreyScale scale;
  scale.base = (phase == Phase::Bright ? range.lowest : range.highest) + 0.0;  // -0 becomes +0
  scale.whole = type != Type::F32;
  const double extent = range.highest - range.lowest;
  if (scale.whole || extent == 0) return scale;
  const int bits_for_samples = std::bit_width(static_cast<std::uint64_t>(samples));
  const int bits = std::min(51, 62 - bits_for_samples);  // 51: the largest value, rounded up, stays below 2^52
  scale.step = std::ldexp(1.0, std::ilogb(extent) + 1 - bits);
  return scale;
}

std::int64_t grey_count(const Context& context, const Image& image, const GreyScale& scale, Phase phase) {
  const std::int64_t samples = image.shape().count();
  std::atomic<std::int64_t> sum{0};
  visit_type(image.type(), [&](auto sample) {
    parallel_for(context, bands_of(samples), [&](std::int64_t i) {
      const auto* const first = samples_of<decltype(sample)>(image) + i * band;
      sum.fetch_add(count_of(first, std::min(band, samples - i * band), scale, phase), std::memory_order_relaxed);
    });
  });
  return sum;
}

std::int64_t grey_border_count(const Image& image, const GreyScale& scale, Phase phase, bool z_is_axis) {
  const Shape& shape = image.shape();
  std::int64_t sum = 0;
  visit_type(image.type(), [&](auto sample) {
    for (std::int64_t z = 0; z < shape.z; ++z) {
      const bool face = z_is_axis && (z == 0 || z + 1 == shape.z);
      for (std::int64_t y = 0; y < shape.y; ++y) {
        const auto* const row = image.row<decltype(sample)>(z, y);
        if (face || y == 0 || y + 1 == shape.y) {
          for (std::int64_t x = 0; x < shape.x; x += band) {
            sum += count_of(row + x, std::min(band, shape.x - x), scale, phase);
          }
        } else {
          sum += count_of(row, 1, scale, phase);
          if (shape.x > 1) sum += count_of(row + shape.x - 1, 1, scale, phase);
        }
      }
    }
  });
  return sum;
}

std::int64_t grey_floor_count(const Context& context, const Image& image, const GreyScale& scale, Phase phase) {
  const std::int64_t area = image.shape().y * image.shape().x;
  std::atomic<std::int64_t> sum{0};
  visit_type(image.type(), [&](auto sample) {
    parallel_for(context, image.shape().z, [&](std::int64_t z) {
      const auto* const first = image.row<decltype(sample)>(z, 0);
      const auto [low, high] = std::minmax_element(first, first + area);
      sum += area * count_of(phase == Phase::Bright ? low : high, 1, scale, phase);
    });
  });
  return sum;
}

}  // namespace tamis::granulometry_detail
