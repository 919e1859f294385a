#include "line/sweep/cpu/run.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <limits>
#include <mutex>
#include <type_traits>
#include <utility>

#include "core/cpu/parallel.hpp"
#include "core/place.hpp"
#include "core/visit_type.hpp"

namespace tamis::line_detail::cpu {
namespace {

/// body(z, y, rows): bands of rows that are worth a thread.
template <class Body>
void for_bands(const Context& context, const Shape& shape, Body body) {
  const std::int64_t rows = std::clamp<std::int64_t>((std::int64_t{1} << 16) / shape.x, 1, shape.y);
  const std::int64_t bands = (shape.y + rows - 1) / rows;
  parallel_for(context, bands * shape.z, [&](std::int64_t i) {
    const std::int64_t y = i % bands * rows;
    body(i / bands, y, std::min(rows, shape.y - y));
  });
}

/// Degrees as the map has them, of each angle and of what lies between it and the next one.
std::vector<float> degrees_of(const AngleRange& angles) {
  std::vector<float> degrees;
  const AngleRange halves{angles.first, angles.last, 2 * angles.count};
  for (std::int64_t i = 0; i < halves.count; ++i) {
    const double angle = std::fmod(std::fmod(halves.at(i), 180) + 180, 180);
    const auto rounded = static_cast<float>(angle);
    degrees.push_back(rounded < 180 ? rounded : 0);
  }
  return degrees;
}

template <class Sample>
Sample difference(Sample high, Sample low) {
  if constexpr (std::is_same_v<Sample, float>) {
    return high - low;
  } else {
    return static_cast<Sample>(std::min<std::int32_t>(high - low, std::numeric_limits<Sample>::max()));
  }
}

/// Maps of rows that follow each other, and the contrast of each of `degrees` in counts of the sweep.
template <class Sample>
void take_rows(SweepResult& sweep, const std::vector<float>& degrees, std::int64_t z, std::int64_t y, std::int64_t rows,
               Image& orientation, std::vector<std::int64_t>& histogram) {
  const double per_step = 1 / sweep.scale.step;
  const std::int64_t count = rows * sweep.best.shape().x;
  const auto* const best = sweep.best.row<Sample>(z, y);
  const auto* const twice = sweep.twice.row<std::uint16_t>(z, y);
  auto* const worst = sweep.worst.row<Sample>(z, y);
  auto* const angle = orientation.row<float>(z, y);
  for (std::int64_t i = 0; i < count; ++i) {
    if (best[i] == worst[i]) {
      angle[i] = std::numeric_limits<float>::quiet_NaN();
      worst[i] = 0;
      continue;
    }
    const Sample high = std::max(best[i], worst[i]);
    const Sample low = std::min(best[i], worst[i]);
    if constexpr (std::is_same_v<Sample, float>) {
      histogram[twice[i]] += std::llrint((static_cast<double>(high) - static_cast<double>(low)) * per_step);
    } else {
      histogram[twice[i]] += high - low;
    }
    angle[i] = degrees[twice[i]];
    worst[i] = difference(high, low);
  }
}

/// What lies between two angles counts half for each of them.
std::vector<double> histogram_of(const std::vector<std::int64_t>& counts, double step) {
  std::vector<double> histogram;
  for (std::size_t i = 0; i < counts.size(); i += 2) {
    const std::int64_t before = counts[(i + counts.size() - 1) % counts.size()];
    histogram.push_back(static_cast<double>(before + 2 * counts[i] + counts[i + 1]) / 2 * step);
  }
  return histogram;
}

}  // namespace

std::string first_not_finite(const Context& context, const Image& image) {
  const Shape& shape = image.shape();
  std::atomic<std::int64_t> first{shape.count()};
  for_bands(context, shape, [&](std::int64_t z, std::int64_t y, std::int64_t rows) {
    const auto* const samples = image.row<float>(z, y);
    const std::int64_t count = rows * shape.x;
    const auto* const found = std::find_if(samples, samples + count, [](float v) { return !std::isfinite(v); });
    if (found == samples + count) return;
    const std::int64_t at = (z * shape.y + y) * shape.x + (found - samples);
    std::int64_t known = first.load();
    while (at < known && !first.compare_exchange_weak(known, at)) {
    }
  });
  const std::int64_t at = first.load();
  if (at == shape.count()) return {};
  return place_of(shape, at);
}

void take_maps(const Context& context, SweepResult& sweep, Orientation& result) {
  const std::vector<float> degrees = degrees_of(result.angles);
  Image orientation(Type::F32, sweep.best.shape(), sweep.best.spacing);
  std::vector<std::int64_t> total(degrees.size());
  std::mutex adding;
  for_bands(context, sweep.best.shape(), [&](std::int64_t z, std::int64_t y, std::int64_t rows) {
    std::vector<std::int64_t> own(degrees.size());
    visit_type(sweep.best.type(), [&](auto sample) {
      if constexpr (sizeof(sample) <= sizeof(float)) {
        take_rows<decltype(sample)>(sweep, degrees, z, y, rows, orientation, own);
      }
    });
    const std::lock_guard lock(adding);  // whole numbers: any order gives the same sums
    for (std::size_t i = 0; i < own.size(); ++i) total[i] += own[i];
  });
  result.histogram = histogram_of(total, sweep.scale.step);
  result.orientation = std::move(orientation);
  result.enhanced = std::move(sweep.best);
  result.contrast = std::move(sweep.worst);
  sweep.twice = {};
}

}  // namespace tamis::line_detail::cpu
