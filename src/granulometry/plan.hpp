// What is decided before any voxel is touched: the grid, the slabs, the width of a lane.
#pragma once

#include <cstdint>

#include <tamis/context.hpp>
#include <tamis/granulometry.hpp>
#include <tamis/image.hpp>
#include <tamis/operations/parse.hpp>

namespace tamis::granulometry_detail {

/// Sizes n: a map of 16 bits holds n + 1, the value of what survives the last opening.
inline constexpr NumberRange size_limits{0, 65534};
/// Radii of balls.
inline constexpr NumberRange radius_limits{1, 65534};

/// The axes along which the element acts. An image is a grid of z = its rows, y = 1: then marching along z, the order
/// of all kernels, walks down the image. Slice by slice means `batch` such images.
struct Grid {
  std::int64_t batch = 1;
  std::int64_t z = 1;
  std::int64_t y = 1;
  std::int64_t x = 1;
  bool y_is_axis = true;  ///< false: the element does not reach along y

  [[nodiscard]] std::int64_t rows() const { return z * y; }
};

/// Throws InputError for a cube on an image, and a limit that no map holds.
void require_options(const GranulometryOptions& options, const Shape& shape);

/// The axes along which `element` acts on an image of this shape.
Grid make_grid(const Shape& shape, Element element);
[[nodiscard]] inline bool is_chessboard(Element element) { return element != Element::Cross; }

/// A part of the grid along z that is worked on at once: results for [begin, end), computed from [from, to).
struct Slab {
  std::int64_t from = 0;
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t to = 0;

  /// Slices whose distances must be exact for the result: half the halo serves the distances, half the openings.
  [[nodiscard]] std::int64_t inner_from() const { return begin - (begin - from) / 2; }
  [[nodiscard]] std::int64_t inner_to() const { return end + (to - end) / 2; }
  bool operator==(const Slab&) const = default;
};

/// The slab that starts at slice `begin` of `depth` and has at most `slices_that_fit` slices with its halo on both
/// sides; empty (end == begin) if the halo leaves no room.
Slab next_slab(std::int64_t begin, std::int64_t depth, std::int64_t halo, std::int64_t slices_that_fit);

/// The same of a slab whose results end at `end` at the latest, as others have what comes after.
Slab next_slab_until(std::int64_t end, std::int64_t begin, std::int64_t depth, std::int64_t halo,
                     std::int64_t slices_that_fit);

/// Distances in a slab are exact, and its result right, if none in [inner_from, inner_to) exceeds what the halo
/// covers. A slab without cut sides is always right.
bool halo_suffices(const Slab& slab, std::int64_t depth, std::int64_t largest_distance);

/// An upper bound of every finite distance.
std::int64_t distance_bound(const Grid& grid, DomainBorder border, bool has_domain);

/// The narrowest type of a map that holds values up to `largest`.
Type map_type(std::int64_t largest);

/// Bytes the operation may use for its own buffers: the context's limit, or most of what the machine has free.
std::int64_t memory_budget(const Context& context);

}  // namespace tamis::granulometry_detail
