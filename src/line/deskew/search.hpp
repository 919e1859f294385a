// The angle with the highest score.
#pragma once

#include <functional>
#include <vector>

namespace tamis::line_detail {

/// Scores of angles (degrees), all at once so that they can be computed side by side.
using Scores = std::function<std::vector<double>(const std::vector<double>& angles)>;

/// -limit ... limit about 0, which is one of them.
[[nodiscard]] std::vector<double> angle_grid(double limit, double step);

/// The middle one; of an even number the upper.
[[nodiscard]] double median_of(std::vector<double> values);

/// Index of the largest; of equal ones the lowest.
[[nodiscard]] std::size_t index_of_largest(const std::vector<double>& values);

struct Summit {
  double angle = 0;
  double score = 0;    ///< the largest seen
  bool inside = true;  ///< false: the scores still rise where the search had to end
};

/// Climbs from `start`: eleven angles `spacing` apart, then about the best of them finer ones, down to `finest`; at the
/// end the top of a parabola through the five about the best (least squares). Stays within `limit` of 0.
[[nodiscard]] Summit climb(const Scores& scores, double start, double spacing, double finest, double limit);

/// The centre of mass of the peak about `angles[top]`, as far down as where the scores fall below 0.3 of its height
/// over `ground`. For peaks that are wide, with a ragged top.
[[nodiscard]] double centre_of_peak(const std::vector<double>& angles, const std::vector<double>& scores,
                                    std::size_t top, double ground);

struct Range {
  double low = 0;
  double high = 0;
};
/// How far that peak reaches: the first angles past it.
[[nodiscard]] Range range_of_peak(const std::vector<double>& angles, const std::vector<double>& scores, std::size_t top,
                                  double ground);

}  // namespace tamis::line_detail
