// Every shape that a text can name is described once, here: a new one is a row, its set and a test (HACKING.md).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <tamis/element.hpp>
#include <tamis/element_shapes.hpp>

namespace tamis::morphology_detail {

// The sets behind the names of structuring elements. Sizes have been checked by the caller.

/// Edges; the origin of an even edge n is at index n/2.
OffsetSet box_set(std::int64_t width, std::int64_t height, std::int64_t depth);
OffsetSet diamond_set(std::int64_t radius);
OffsetSet octahedron_set(std::int64_t radius);
OffsetSet disk_set(double radius);
OffsetSet ball_set(double radius);
OffsetSet ring_set(double radius);
OffsetSet octagon_set(std::int64_t radius);
OffsetSet hexagon_set(double radius);
/// Angles in degrees, azimuth counter-clockwise as the picture is seen, elevation towards larger z.
OffsetSet line_set(double length, double azimuth, double elevation);
/// The sum of a diamond and a square: |x|, |y| <= radius and |x|+|y| <= radius + flat.
OffsetSet bevelled_square_set(std::int64_t radius, std::int64_t flat);
/// Nonzero samples.
OffsetSet mask_set(const Image& mask, const Offset& origin);

/// a dilated by b. `limits.unions` becomes less by those that it took.
OffsetSet minkowski_sum(const OffsetSet& a, const OffsetSet& b, SumLimits& limits);

/// A size as it was read. Whole ones keep all their digits.
struct ElementNumber {
  double value = 0;
  std::int64_t whole = 0;
};
using ElementNumbers = std::span<const ElementNumber>;

/// What a shape is for given sizes.
struct BuiltShape {
  int rank = 2;
  OffsetSet set;
  std::int64_t cross_radius = -1;  ///< 0 and more: a cross, whose set depends on the rank of the image
  std::optional<StructuringElement::Segment> segment;
};

/// The sizes that a growing family of a shape has, for alternating filters: first, first + step ...
struct Growth {
  std::int64_t first = 0;
  std::int64_t step = 0;
};

struct NamedShape {
  ElementShape shape;
  BuiltShape (*build)(ElementNumbers numbers);  ///< of numbers in range
  std::string_view sizes_in_words = "a size";   ///< "a length and angles in degrees", for messages
  std::string_view good_sizes = {};             ///< an example for messages where `shape.example` does not show all
  Growth growth = {};                           ///< step 0: the larger do not contain the smaller
};

/// In the order of the documentation.
[[nodiscard]] std::span<const NamedShape> named_shapes();
/// nullptr where there is none of that name.
[[nodiscard]] const NamedShape* find_shape(std::string_view name);

/// Throws InputError for a number out of its range. Fewer numbers than the shape has sizes: those that it does not need
/// are left out.
[[nodiscard]] BuiltShape build_shape(const NamedShape& named, ElementNumbers numbers);

/// The largest radius of crosses on volumes and of balls: a set keeps one run a row.
inline constexpr std::int64_t largest_solid_radius = 1'000;

// Elements of growing size, as alternating sequential filters take them.

/// "disk:5": the specs of radii 1 ... 5; squares and cubes by edges 3, 5 ... n. Throws InputError for what does not
/// grow.
[[nodiscard]] std::vector<std::string> element_family(const std::string& last);

}  // namespace tamis::morphology_detail
