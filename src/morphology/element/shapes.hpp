// The sets behind the names of structuring elements. Sizes have been checked by the caller.
#pragma once

#include <cstdint>

#include <tamis/element.hpp>

namespace tamis::morphology_detail {

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

}  // namespace tamis::morphology_detail
