#include "granulometry/plan.hpp"

#include <algorithm>
#include <limits>

#include <tamis/error.hpp>

#include "core/door.hpp"
#include "core/memory.hpp"

namespace tamis::granulometry_detail {

void require_options(const GranulometryOptions& options, const Shape& shape) {
  door::require_known(options.element, Element::Square, "element");
  door::require_known(options.border, DomainBorder::Neutral, "border");
  if (options.element == Element::Cube && shape.rank == 2) {
    throw InputError("element cube on a 2-D image of " + to_string(shape) + "; wanted square or cross");
  }
  if (options.max_size) require_in(size_limits, static_cast<double>(*options.max_size), "max_size");
}

Grid make_grid(const Shape& shape, Element element) {
  if (shape.rank == 3 && element != Element::Square) return {1, shape.z, shape.y, shape.x, true};
  return {shape.z, shape.y, 1, shape.x, false};
}

Slab next_slab(std::int64_t begin, std::int64_t depth, std::int64_t halo, std::int64_t slices_that_fit) {
  const std::int64_t from = std::max<std::int64_t>(begin - halo, 0);
  if (depth - from <= slices_that_fit) return {from, begin, depth, depth};
  const std::int64_t end = std::max(begin, from + slices_that_fit - halo);
  return {from, begin, end, std::min(end + halo, depth)};
}

Slab next_slab_until(std::int64_t end, std::int64_t begin, std::int64_t depth, std::int64_t halo,
                     std::int64_t slices_that_fit) {
  Slab slab = next_slab(begin, depth, halo, slices_that_fit);
  if (slab.end <= end) return slab;
  slab.end = end;
  slab.to = std::min(end + halo, depth);
  return slab;
}

bool halo_suffices(const Slab& slab, std::int64_t depth, std::int64_t largest_distance) {
  const bool below = slab.from == 0 || largest_distance <= (slab.begin - slab.from) / 2;
  const bool above = slab.to == depth || largest_distance <= (slab.to - slab.end) / 2;
  return below && above;
}

std::int64_t distance_bound(const Grid& grid, DomainBorder border, bool has_domain) {
  if (border == DomainBorder::Background) {
    std::int64_t least = std::min(grid.z, grid.x);
    if (grid.y_is_axis) least = std::min(least, grid.y);
    return (least + 1) / 2;
  }
  // A path inside a domain may wind through all of it.
  return has_domain ? grid.z * grid.y * grid.x : grid.z + grid.y + grid.x;
}

Type map_type(std::int64_t largest) {
  if (largest <= std::numeric_limits<std::uint8_t>::max()) return Type::U8;
  return largest <= std::numeric_limits<std::uint16_t>::max() ? Type::U16 : Type::U32;
}

std::int64_t memory_budget(const Context& context) {
  if (context.memory_bytes > 0) return context.memory_bytes;
  const std::int64_t available = available_memory();
  return available > 0 ? available / 10 * 9 : std::numeric_limits<std::int64_t>::max();
}

}  // namespace tamis::granulometry_detail
