// Scores of angles, by sums along parallel lines and by ink in long lines; and the angle with the highest.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include <tamis/context.hpp>
#include <tamis/image.hpp>

namespace tamis::line_detail {

/// Which way the text runs: its lines cross the columns of the image, or its rows.
enum class Reading : std::uint8_t { Across, Along };

/// Ink laid out for the sums: the columns (Along: the rows) of the image, one after the other.
///
/// At angle A column x is moved down by x tan A, so that what was level becomes a row, and the columns are added up.
/// The moves are whole sixteenths of a sample, and what comes of it is smoothed in sixteenths too. If instead each
/// column were interpolated between two samples, it would be blurred, except at 0 degrees: there everything would look
/// sharper than anywhere else, and the answer for pages turned by less than a degree would be 0.
class Projection {
 public:
  Projection(const Image& ink, Reading reading);

  /// The energy at each angle (degrees, at most 46 to either side): the sum of the squared differences of the smoothed
  /// sums. Whole numbers up to the last step, so it does not depend on threads.
  [[nodiscard]] std::vector<double> energies(const Context& context, const std::vector<double>& angles) const;

  /// The angle that moves one end of a line of text by a sample against the other: finer ones tell nothing new.
  [[nodiscard]] double resolution() const;

 private:
  [[nodiscard]] double energy(double angle) const;

  Reading reading_;
  std::int64_t lines_;   ///< that are moved
  std::int64_t extent_;  ///< samples of each
  std::vector<std::int16_t> samples_;
};

// How much ink lies in long straight lines, for lines at any angle (Karas 2015, section 6.1.3).

/// The sum of what openings of the ink by segments of `length` samples along traced lines leave, for each angle: on a
/// page with an even ground that is its brightness less the sum of the closings of the page. Segments have to lie
/// within the image.
[[nodiscard]] std::vector<double> ink_in_lines(const Context& context, const Image& ink, std::int64_t length,
                                               const std::vector<double>& angles);

/// The sum of all ink.
[[nodiscard]] double total_ink(const Image& ink);

// The angle with the highest score.

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
