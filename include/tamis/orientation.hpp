// Orientation of linear structures: openings by segments at many angles (Soille 1996; Karas et al. 2015, section 6.1).
#pragma once

#include <tamis/compiler.hpp>

#include <cstdint>
#include <optional>
#include <vector>

#include <tamis/context.hpp>
#include <tamis/image.hpp>
#include <tamis/morphology.hpp>
#include <tamis/threshold.hpp>

namespace TAMIS_PUBLIC tamis {

/// Evenly spaced directions first + i (last - first) / count, i < count, so that `last` itself is left out: 180 from 0
/// to 180 are the whole degrees. Degrees, counter-clockwise as the picture is seen.
struct AngleRange {
  double first = 0;
  double last = 180;  ///< above first, by at most 180
  std::int64_t count = 180;

  [[nodiscard]] double step() const { return (last - first) / static_cast<double>(count); }
  [[nodiscard]] double at(std::int64_t i) const {
    return first + (last - first) * static_cast<double>(i) / static_cast<double>(count);
  }
  /// Every direction: what follows the last angle is the first one.
  [[nodiscard]] bool is_whole() const { return last - first == 180; }
  bool operator==(const AngleRange&) const = default;
};

struct OrientationOptions {
  std::vector<double> lengths = {41};  ///< of the segments, one or several, each once
  AngleRange angles;                   ///< at most 32767
  Lines lines = Lines::Invariant;
  Border border = {};           ///< Neutral; Fit along traced lines
  Phase phase = Phase::Bright;  ///< Dark: closings, for dark lines on bright ground
};

/// What the openings by segments of one length leave at each angle, summed over the image. An entry for each angle.
struct AngularSpectrum {
  double length = 1;
  /// Sum of f - opening (Dark: closing - f): what segments at this angle take away. Smallest along the structures.
  std::vector<double> removed;
  /// Sum of the openings themselves (closings), formula 6 of Karas et al. 2015. Largest (smallest) along the
  /// structures.
  std::vector<double> left;
};

struct Orientation {
  /// F32, degrees in [0, 180): at each sample the angle whose opening is the highest (whose closing is the lowest). Of
  /// several that tie the middle between the first and the last one; where angles are all directions and tie in both
  /// halves of the range, this is the shorter way from the first to the last one or, over the range's end, from the
  /// first one in the second half to the last one in the first half. NaN where all tie.
  Image orientation;
  Image enhanced;  ///< supremum of the openings (infimum of the closings), type of the image
  Image contrast;  ///< supremum - infimum of the openings (closings), type of the image; I16 saturates
  AngleRange angles;
  std::vector<AngularSpectrum> spectra;  ///< one for each length, in their order
  std::size_t longest = 0;               ///< the spectrum that the maps and the histogram go with
  /// Contrast of the samples of each orientation, summed: how much there is at each angle. What lies between two angles
  /// counts half for each; angles whose segments are the same set of offsets share theirs evenly.
  std::vector<double> histogram;
  Device device = Device::Cpu;  ///< what the openings ran on: Cpu or Cuda
};

/// The angle at which the least is removed, in [0, 180). Refined by a parabola: let the least value be that of a run of
/// m neighbouring angles (short segments at neighbouring angles are often the same) with middle c; then it goes through
/// the least value at c and the values at the two angles beside the run, (m+1)/2 steps from c. At an end of a range
/// that is not all directions nothing is refined: the middle of the run is the answer. Of several runs the first.
/// Nothing where all angles remove the same.
[[nodiscard]] std::optional<double> dominant_angle(const AngularSpectrum& spectrum, const AngleRange& angles);

/// The mean of directions of lines, of which 0 and 180 degrees are one.
struct AxialMean {
  double angle = 0;      ///< degrees, in [0, 180)
  double resultant = 0;  ///< length of the mean vector: from 0, no direction before others, to 1, all the same
};

/// Half the angle of the sum of histogram[i] exp(2 i angle[i]), and the length of that sum over that of the weights.
/// Nothing where there is no weight, or the directions balance.
[[nodiscard]] std::optional<AxialMean> axial_mean(const std::vector<double>& histogram, const AngleRange& angles);

/// Maps and spectra of an image; volumes slice by slice. The maps are those of the longest segments. Bool (0 and 1),
/// U8, U16, I16 and F32; the spectra of whole numbers are exact, those of F32 sums of values rounded to a 2^31st of the
/// range. The same on every device and thread count.
/// Time: an opening for each different segment. Memory: three times the image, 8 bytes a sample for the angles, and
/// what an opening takes; no image is kept for each angle. Throws InputError for other types, NaN and infinities, no
/// length or one below 1, a length of a traced line that is not whole, angles that are none or an empty or too wide
/// range, borders other than Neutral (Fit along traced lines, but not of F32, where openings are infinite where no
/// segment fits).
[[nodiscard]] Orientation orientation(const Context& context, const Image& image,
                                      const OrientationOptions& options = {});

/// Only the angular spectra and no maps: as fast, and no memory for them.
[[nodiscard]] std::vector<AngularSpectrum> angular_spectra(const Context& context, const Image& image,
                                                           const OrientationOptions& options = {});

}  // namespace tamis
