// How far a scanned page is turned, and the page turned back.
#pragma once

#include <tamis/compiler.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <tamis/context.hpp>
#include <tamis/image.hpp>

namespace TAMIS_PUBLIC tamis {

/// How the angle is found, from the ink: what is darker than its surroundings (brighter, on a dark page) and thin.
///   Closing     closings by long segments along traced lines (Karas 2015, section 6.1.3): at their own angle rules and
///               staves stay dark. Knows nothing of pages without long lines.
///   Projection  the ink summed along parallel lines; at the angle of the text the sums differ most from line to line
///               (Postl 1986). Knows rules too.
///   Fused       Projection, and Closing where that knows nothing
enum class DeskewMethod : std::uint8_t { Fused, Projection, Closing };
[[nodiscard]] std::string_view name(DeskewMethod method);

struct DeskewOptions {
  DeskewMethod method = DeskewMethod::Fused;
  double max_angle = 15;  ///< degrees to either side, above 0, at most 45
  /// Degrees between the angles tried first, above 0, at most 1, and so that they are at most 100,000; the answer is finer.
  double step = 0.25;
  /// Closing: samples of a segment, at least 2; otherwise half of the page's shorter edge.
  std::optional<std::int64_t> length = {};
  bool expand = false;  ///< room for the corners; otherwise the page keeps its size
  /// What comes into the corners: a value of the page's type. Otherwise the background: the median of what is
  /// brighter than the middle between the page's extremes, or of what is darker, whichever is more.
  std::optional<double> fill = {};
};

/// Angles are degrees, counter-clockwise as the page is seen: positive where the text rises to the right.
struct Skew {
  std::optional<double> angle;  ///< nothing: no lines and no text that say
  std::vector<double> angles;   ///< the angles tried first, rising
  std::vector<double> scores;   ///< of each angle, as a multiple of what an angle has along which nothing lies
  double confidence = 0;        ///< score of the answer; below `least_confidence` (sideways: twice that) it is none
  DeskewMethod method = DeskewMethod::Projection;  ///< that knew the answer: Projection or Closing
  bool sideways = false;  ///< found along the columns: the lines of text run up or down. The page is not turned upright
  Device device = Device::Cpu;  ///< Cuda where closings were tried there; all else is done by the CPU
};
inline constexpr double least_confidence = 4;

/// Of an image of type Bool, U8, U16, I16 or F32. Pages with more than 2048 samples along an edge are looked at
/// reduced. The same on every device and with any number of threads. Time O(samples + angles * 2048^2) at most. Throws
/// InputError for volumes, other types, NaN and infinities, and options out of range.
[[nodiscard]] Skew find_skew(const Context& context, const Image& page, const DeskewOptions& options = {});

/// What is looked at of a page of several channels: the luma (299 R + 587 G + 114 B) / 1000 of three or more, rounded,
/// otherwise the first. Throws InputError for channels of different shape or type.
[[nodiscard]] Image page_of(std::span<const Image> channels);

struct RotateOptions {
  double fill = 0;                 ///< outside of the image; a value of the image's type
  std::optional<Shape> size = {};  ///< of the result, otherwise the image's; both have one centre
};
/// The image turned counter-clockwise about its centre, by cubic convolution (Keys 1981, a = -1/2), slice by slice on
/// volumes. Rounded and clamped to the type; Bool: where the interpolated value is at least 1/2.
/// Throws InputError for types other than Bool, U8, U16, I16, F32, and for an angle that is no number. O(samples).
[[nodiscard]] Image rotate(const Context& context, const Image& image, double degrees,
                           const RotateOptions& options = {});
/// The same into `out`, whose memory is used again if type and shape fit. `out` must not be `image`.
void rotate(const Context& context, const Image& image, double degrees, const RotateOptions& options, Image& out);

/// Room for all of a turned image: the smallest such shape.
[[nodiscard]] Shape rotated_shape(const Shape& shape, double degrees);

/// The background of each channel, as DeskewOptions::fill says. `page` as page_of makes it.
[[nodiscard]] std::vector<double> background(const Context& context, std::span<const Image> channels,
                                             const Image& page);

struct Straightened {
  std::vector<Image> channels;  ///< empty where the skew has no angle
  Skew skew;
};
/// Finds the skew of a page (one image a channel) and turns it back. Throws as find_skew() and rotate().
[[nodiscard]] Straightened deskew(const Context& context, std::span<const Image> channels,
                                  const DeskewOptions& options = {});

}  // namespace tamis
