#include "line/deskew/projection.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/cpu/parallel.hpp"

namespace tamis::line_detail {
namespace {

constexpr std::int64_t parts = 16;  ///< of a sample, in moves
// Three boxes in a row, each two samples wide: nearly a Gaussian of deviation 1.
constexpr std::int64_t box = 2 * parts;
constexpr double fade_part = 0.05;

/// 0 to 1 over the first part of an edge and back over the last: text that is cut off by the edge of the image would
/// draw a line along it, at 0 degrees.
std::vector<double> fade(std::int64_t count) {
  std::vector<double> weights(static_cast<std::size_t>(count), 1.0);
  const std::int64_t width = std::max<std::int64_t>(1, std::llround(fade_part * static_cast<double>(count)));
  for (std::int64_t i = 0; i < std::min(width, (count + 1) / 2); ++i) {
    const double part = (static_cast<double>(i) + 0.5) / static_cast<double>(width);
    const double weight = 0.5 - 0.5 * std::cos(std::numbers::pi * part);
    weights[static_cast<std::size_t>(i)] = weight;
    weights[static_cast<std::size_t>(count - 1 - i)] = weight;
  }
  return weights;
}

double mean_of(const Image& ink) {
  const auto* const samples = ink.row<std::uint8_t>(0, 0);
  std::int64_t sum = 0;
  for (std::int64_t i = 0; i < ink.shape().count(); ++i) sum += samples[i];
  return static_cast<double>(sum) / static_cast<double>(ink.shape().count());
}

/// Sums of `box` neighbours, in place: entry i becomes that of i-box+1 ... i.
void smooth(std::vector<std::int64_t>& values) {
  std::int64_t sum = 0;
  std::int64_t past[box] = {};
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::int64_t& oldest = past[i % box];
    sum += values[i] - oldest;
    oldest = values[i];
    values[i] = sum;
  }
}

}  // namespace

Projection::Projection(const Image& ink, Reading reading)
    : reading_(reading),
      lines_(reading == Reading::Across ? ink.shape().x : ink.shape().y),
      extent_(reading == Reading::Across ? ink.shape().y : ink.shape().x),
      samples_(static_cast<std::size_t>(lines_ * extent_)) {
  // Samples count from their mean, so that it does not matter how many a sum has; in eighths, to keep rounding small.
  constexpr double eighths = 8;
  const double mean = mean_of(ink);
  const std::vector<double> across = fade(ink.shape().x);
  const std::vector<double> down = fade(ink.shape().y);
  for (std::int64_t y = 0; y < ink.shape().y; ++y) {
    const auto* const row = ink.row<std::uint8_t>(0, y);
    for (std::int64_t x = 0; x < ink.shape().x; ++x) {
      const double weight = eighths * across[static_cast<std::size_t>(x)] * down[static_cast<std::size_t>(y)];
      const std::int64_t at = reading == Reading::Across ? x * extent_ + y : y * extent_ + x;
      samples_[static_cast<std::size_t>(at)] = static_cast<std::int16_t>(std::lround((row[x] - mean) * weight));
    }
  }
}

double Projection::resolution() const {
  return std::atan(1 / static_cast<double>(std::max<std::int64_t>(lines_, 2) - 1)) * 180 / std::numbers::pi;
}

double Projection::energy(double angle) const {
  // Along: the rows move the other way for the same turn of the page.
  const double slope = std::tan(angle * std::numbers::pi / 180) * (reading_ == Reading::Across ? 1 : -1);
  const double centre = static_cast<double>(lines_ - 1) / 2;
  const auto margin = static_cast<std::int64_t>(std::ceil(std::abs(slope) * centre)) + 1;
  const std::int64_t room = extent_ + 2 * margin + 1;
  // One sum for each sixteenth, each over whole samples: the inner loop is an addition of rows.
  std::vector<std::int32_t> sums(static_cast<std::size_t>(parts * room), 0);
  for (std::int64_t line = 0; line < lines_; ++line) {
    const double move = slope * (static_cast<double>(line) - centre) * parts;
    const auto moved = static_cast<std::int64_t>(std::floor(move + 0.5)) + margin * parts;
    std::int32_t* const to = sums.data() + (moved % parts) * room + moved / parts;
    const std::int16_t* const from = samples_.data() + line * extent_;
    for (std::int64_t i = 0; i < extent_; ++i) to[i] += from[i];
  }
  std::vector<std::int64_t> fine(static_cast<std::size_t>(parts * room + 3 * box), 0);
  for (std::int64_t i = 0; i < room; ++i) {
    for (std::int64_t part = 0; part < parts; ++part) {
      fine[static_cast<std::size_t>(i * parts + part)] = sums[static_cast<std::size_t>(part * room + i)];
    }
  }
  for (int i = 0; i < 3; ++i) smooth(fine);
  double energy = 0;
  for (std::size_t i = parts; i < fine.size(); ++i) {
    const auto difference = static_cast<double>(fine[i] - fine[i - parts]);
    energy += difference * difference;
  }
  return energy;
}

std::vector<double> Projection::energies(const Context& context, const std::vector<double>& angles) const {
  std::vector<double> energies(angles.size());
  parallel_for(context, static_cast<std::int64_t>(angles.size()), [&](std::int64_t i) {
    energies[static_cast<std::size_t>(i)] = energy(angles[static_cast<std::size_t>(i)]);
  });
  return energies;
}

}  // namespace tamis::line_detail
