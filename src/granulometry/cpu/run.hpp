// The CPU backend: runs a validated granulometry, whole or in slabs.
#pragma once

#include <cstdint>
#include <vector>

#include <tamis/context.hpp>
#include <tamis/granulometry.hpp>

#include "granulometry/request.hpp"

namespace tamis::granulometry_detail::cpu {

/// Fills volume, limited and never_empties of the result.
Sizes run(const Context& context, const Request& request, const MapOutput& map);

/// How many voxels in the box the opening of each size T removes, at index T, of an object with nothing around it: for
/// those who compute an image in parts that overlap. With max_size what is left has the size after it.
[[nodiscard]] std::vector<std::int64_t> removed_in(const Context& context, const Image& object,
                                                   const GranulometryOptions& options, const CountedBox& box);

}  // namespace tamis::granulometry_detail::cpu
