#include "line/deskew/scores.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>

#include "core/cpu/parallel.hpp"
#include "line/sweep/sweep.hpp"

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

std::vector<double> ink_in_lines(const Context& context, const Image& ink, std::int64_t length,
                                 const std::vector<double>& angles) {
  SweepTask task;
  task.angles = angles;
  task.length = static_cast<double>(length);
  task.lines = Lines::Traced;
  task.fit = true;
  task.maps = false;
  const SweepResult swept = sweep(context, ink, task);
  return {swept.counts.begin(), swept.counts.end()};
}

double total_ink(const Image& ink) {
  const auto* const samples = ink.row<std::uint8_t>(0, 0);
  std::int64_t sum = 0;
  for (std::int64_t i = 0; i < ink.shape().count(); ++i) sum += samples[i];
  return static_cast<double>(sum);
}

namespace {

constexpr int reach = 5;  ///< angles to either side
constexpr double finer = 4;
constexpr int most_moves = 8;

std::vector<double> angles_about(double centre, double spacing, double limit) {
  std::vector<double> angles;
  for (int k = -reach; k <= reach; ++k) angles.push_back(std::clamp(centre + k * spacing, -limit, limit));
  return angles;
}

/// Where the parabola through five equally spaced values has its top, in spacings from the third.
double top_of_parabola(const double* values) {
  const double slope = (2 * (values[4] - values[0]) + values[3] - values[1]) / 10;
  const double bend = (2 * (values[0] + values[4]) - values[1] - values[3] - 2 * values[2]) / 14;
  if (!(bend < 0)) return 0;
  return std::clamp(-slope / (2 * bend), -2.0, 2.0);
}

/// Indices of the scores above the foot of a peak; there has to be one.
struct Peak {
  Peak(const std::vector<double>& scores, std::size_t top, double ground) : first(top), last(top) {
    foot = ground + foot_share * (scores[top] - ground);
    while (first > 0 && scores[first - 1] > foot) --first;
    while (last + 1 < scores.size() && scores[last + 1] > foot) ++last;
  }
  static constexpr double foot_share = 0.3;
  double foot;
  std::size_t first, last;
};

}  // namespace

std::vector<double> angle_grid(double limit, double step) {
  const auto count = static_cast<std::int64_t>(std::floor(limit / step + 1e-9));
  std::vector<double> angles;
  for (std::int64_t i = -count; i <= count; ++i) angles.push_back(static_cast<double>(i) * step);
  return angles;
}

double median_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::size_t index_of_largest(const std::vector<double>& values) {
  return static_cast<std::size_t>(std::max_element(values.begin(), values.end()) - values.begin());
}

Summit climb(const Scores& scores, double start, double spacing, double finest, double limit) {
  Summit summit{start, 0, true};
  for (int moves = 0;;) {
    const std::vector<double> angles = angles_about(summit.angle, spacing, limit);
    const std::vector<double> values = scores(angles);
    const std::size_t best = index_of_largest(values);
    summit = {angles[best], values[best], std::abs(angles[best]) < limit};
    const bool within = best >= 2 && best + 2 < angles.size();
    if (!within && summit.inside && ++moves < most_moves) continue;  // it still rises: on from there
    if (spacing > finest) {
      spacing = std::max(spacing / finer, finest);
      continue;
    }
    if (within && summit.inside) summit.angle += spacing * top_of_parabola(values.data() + best - 2);
    return summit;
  }
}

double centre_of_peak(const std::vector<double>& angles, const std::vector<double>& scores, std::size_t top,
                      double ground) {
  const Peak peak(scores, top, ground);
  double moment = 0;
  double mass = 0;
  for (std::size_t i = peak.first; i <= peak.last; ++i) {
    moment += (scores[i] - peak.foot) * (angles[i] - angles[top]);
    mass += scores[i] - peak.foot;
  }
  return mass > 0 ? angles[top] + moment / mass : angles[top];
}

Range range_of_peak(const std::vector<double>& angles, const std::vector<double>& scores, std::size_t top,
                    double ground) {
  const Peak peak(scores, top, ground);
  return {angles[peak.first == 0 ? 0 : peak.first - 1], angles[std::min(peak.last + 1, angles.size() - 1)]};
}

}  // namespace tamis::line_detail
