#include "line/deskew/search.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace tamis::line_detail {
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
