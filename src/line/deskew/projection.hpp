// How much the sums of ink along parallel lines differ from line to line, for lines at any angle (Postl 1986).
#pragma once

#include <cstdint>
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

}  // namespace tamis::line_detail
