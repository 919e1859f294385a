// Thresholds: fixed, band and automatic; from samples to bits.
#pragma once

#include <tamis/compiler.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tamis/context.hpp>
#include <tamis/image.hpp>
#include <tamis/image/rows.hpp>

namespace TAMIS_PUBLIC tamis {

/// How the threshold is chosen. TwoValues takes the larger of a file's exactly two values as bright.
enum class ThresholdMethod : std::uint8_t {
  Value, Band, TwoValues, Otsu, Li, Kapur, Minimum, Triangle, Isodata, Mean
};
[[nodiscard]] std::string_view name(ThresholdMethod method);
/// Inverse of name() for the automatic methods ("otsu" ... "mean"). Nothing for an unknown word.
[[nodiscard]] std::optional<ThresholdMethod> threshold_method(std::string_view word);
/// "otsu, li, kapur, minimum, triangle, isodata, mean"
[[nodiscard]] std::string threshold_method_names();

/// Which side of the threshold is the object: bright = above it, dark = the rest of the domain.
enum class Phase : std::uint8_t { Bright, Dark };

struct ThresholdOptions {
  ThresholdMethod method = ThresholdMethod::TwoValues;
  double value = 0;        ///< Value: bright is sample > value
  double low = 0;          ///< Band: bright is low < sample <= high
  double high = 0;
  Phase phase = Phase::Bright;
};

/// The part of an image that counts. Everything outside is neither object nor background of a phase.
struct Region {
  enum class Kind : std::uint8_t { All, Cylinder, Mask };
  Kind kind = Kind::All;
  /// Mask: same shape as the image (a 2-D mask applies to every slice); nonzero is inside. Not owned.
  SliceSource* mask = nullptr;
};

/// A binary image and what became of the choice.
struct Binary {
  Image object;               ///< Bool: the object, inside the domain
  Image domain;               ///< Bool, or empty if all samples count; one slice if the same for every slice
  std::int64_t volume = 0;    ///< samples in the object
  std::int64_t domain_volume = 0;
  double threshold = 0;       ///< the value used (Band: low); for TwoValues the smaller of the two values
  double high = 0;            ///< Band: high
  ThresholdMethod method = ThresholdMethod::Value;
  Device device = Device::Cpu;  ///< what compared the samples: Cpu or Cuda
};

/// Counts of samples per bin. Whole numbers, of any type, that span at most 65,536 values have a bin for each value;
/// others at most 65,536 bins whose width, a power of two, does not depend on outliers (docs/thresholds.md).
struct Histogram {
  double minimum = 0;
  double maximum = 0;
  double first_centre = 0;   ///< the middle of the values of bin 0
  double bin_width = 1;
  std::vector<std::int64_t> counts;
  std::int64_t samples = 0;
  double mean = 0;
  bool by_value = true;             ///< a bin for each value from minimum to maximum
  bool ends_hold_outliers = false;  ///< the first and the last bin hold what lies outside of the bins, too
  [[nodiscard]] double centre(std::int64_t bin) const { return first_centre + static_cast<double>(bin) * bin_width; }
};

/// Histogram of the samples inside the region. Throws InputError for NaN, infinite samples and colour. O(N), one pass;
/// three or more for types wider than 16 bits.
[[nodiscard]] Histogram histogram(const Context& context, SliceSource& source, const Region& region = {});

/// What of an image is NaN or infinite.
struct NonFinite {
  std::int64_t nan = 0;
  std::int64_t infinite = 0;
  std::int64_t first = 0;  ///< index of the first of them, x fastest; 0 if there is none
  std::string place;       ///< the same in words, "x 3, y 0, z 1", without z of an image; empty if there is none
  [[nodiscard]] std::int64_t count() const { return nan + infinite; }
};

/// Counts them, in one pass; other types than f32 and f64 have none and are not read. For images of one channel.
[[nodiscard]] NonFinite find_non_finite(const Context& context, SliceSource& source);
/// The mask of the finite samples of an f32 or f64 source, for a Region that leaves the others out. It reads the
/// source, which has to outlive it. Throws InputError for other types.
[[nodiscard]] std::unique_ptr<SliceSource> finite_mask(SliceSource& source);

/// The value an automatic method chooses: bright is sample > value. Checked against scikit-image. Otsu, Li, Isodata and
/// Mean take a bin for its centre. Throws InputError where the method has no answer (a constant image, a histogram
/// without two peaks).
[[nodiscard]] double threshold_value(const Histogram& histogram, ThresholdMethod method);
/// The same of the samples inside the region, as binarise() takes it: Otsu, Li, Isodata and Mean are exact for all types,
/// whatever the histogram would be. Of 16 bits one pass, of others 2 to some 6, and never more memory than a few MiB.
[[nodiscard]] double threshold_value(const Context& context, SliceSource& source, ThresholdMethod method,
                                     const Region& region = {});

/// Samples to bits, packed while slices arrive; one pass, after those of threshold_value() if the method is automatic.
/// Throws InputError for NaN, colour, a region of another shape, and for TwoValues if there are not exactly two.
[[nodiscard]] Binary binarise(const Context& context, SliceSource& source, const ThresholdOptions& options,
                              const Region& region = {});
/// The same as bytes 0 and 1 to memory of the caller, which has room for all rows and is no part of the source. On the
/// CPU; `object` of what is returned stays empty. `bytes` is partly written where something is thrown.
[[nodiscard]] Binary binarise(const Context& context, SliceSource& source, const ThresholdOptions& options,
                              const Region& region, const ImageRows& bytes);

/// The digital disk inscribed in a slice, the field of view of a tomograph: one Bool slice of shape (1, y, x).
[[nodiscard]] Image inscribed_disk(std::int64_t y, std::int64_t x);

}  // namespace tamis
