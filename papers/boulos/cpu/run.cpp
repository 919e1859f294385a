#include "papers/boulos/cpu/run.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <tamis/error.hpp>

#include "papers/boulos/cpu/scheme.hpp"

namespace tamis::boulos::cpu {
namespace {

/// Passes a map of 16-bit counters on, as bytes if they fit.
void write_paper_map(const std::vector<std::uint16_t>& counters, const Shape& shape,
                     const granulometry_detail::MapOutput& map) {
  const Type type = granulometry_detail::map_type(*std::max_element(counters.begin(), counters.end()));
  map.start(type);
  if (type == Type::U16) {
    map.sink(reinterpret_cast<const std::byte*>(counters.data()), 0, shape.z);
    return;
  }
  const std::vector<std::uint8_t> narrow(counters.begin(), counters.end());
  map.sink(reinterpret_cast<const std::byte*>(narrow.data()), 0, shape.z);
}

}  // namespace

Sizes run(const Context& context, const granulometry_detail::Request& request,
          const granulometry_detail::MapOutput& map, std::int64_t budget) {
  const Shape& shape = request.object->shape();
  const granulometry_detail::Grid grid = granulometry_detail::make_grid(shape, request.options.element);
  const std::int64_t bytes = scheme_bytes(grid) + (map ? 3 * shape.count() : 0);
  budget = std::max<std::int64_t>(budget, 0);
  if (bytes > budget) {
    throw ResourceError("memory: algorithm paper needs " + std::to_string((bytes >> 20) + 1) +
                        " MiB beside the bits, got " + std::to_string(budget >> 20) +
                        " MiB; wanted a larger memory limit, or recursion");
  }
  std::vector<std::uint16_t> counters(map ? static_cast<std::size_t>(shape.count()) : 0);
  std::vector<std::int64_t> rows_if_left(static_cast<std::size_t>(grid.batch));  // 0: the slice empties
  Sizes sizes;
  for (std::int64_t item = 0; item < grid.batch; ++item) {
    SchemeTask task;
    task.object = request.object;
    task.domain = request.domain;
    task.first_row = item * grid.rows();
    task.grid = grid;
    task.chessboard = granulometry_detail::is_chessboard(request.options.element);
    task.neutral = request.options.border == DomainBorder::Neutral;
    task.max_size = request.options.max_size.value_or(-1);
    std::uint16_t* const out = map ? counters.data() + item * grid.rows() * grid.x : nullptr;
    const std::vector<std::int64_t> volume = scheme_volumes(context, task, out);
    // Slices end at different sizes; what is left of one that has ended stays.
    const std::size_t rows = std::max(sizes.volume.size(), volume.size());
    sizes.volume.resize(rows, sizes.volume.empty() ? 0 : sizes.volume.back());
    for (std::size_t n = 0; n < rows; ++n) sizes.volume[n] += n < volume.size() ? volume[n] : volume.back();
    if (volume.back() > 0) rows_if_left[static_cast<std::size_t>(item)] = static_cast<std::int64_t>(volume.size());
  }
  sizes.limited = request.options.max_size && sizes.volume.back() > 0;
  sizes.never_empties = !sizes.limited && sizes.volume.back() > 0;
  if (!map) return sizes;
  // What never erodes counts as one more than the last row, in whichever slice it lies.
  for (std::int64_t item = 0; item < grid.batch; ++item) {
    const auto own = static_cast<std::uint16_t>(rows_if_left[static_cast<std::size_t>(item)]);
    std::uint16_t* const begin = counters.data() + item * grid.rows() * grid.x;
    if (own > 0) std::replace(begin, begin + grid.rows() * grid.x, own, static_cast<std::uint16_t>(sizes.rows()));
  }
  write_paper_map(counters, shape, map);
  return sizes;
}

}  // namespace tamis::boulos::cpu
