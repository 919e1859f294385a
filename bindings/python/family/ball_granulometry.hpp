// granulometry, size_map and thickness by balls and disks.
#pragma once

#include <tamis/balls.hpp>

#include "python/context.hpp"
#include "python/family/object_arguments.hpp"
#include "python/object/sizes.hpp"

namespace tamis::python {

/// Whether the element of the call is a ball or a disk that grows inside an object.
[[nodiscard]] bool by_balls(const ObjectArguments& arguments);

/// Throws InputError for balls in a 2-D image, and as whole_sides().
[[nodiscard]] SizesResult ball_granulometry_of_array(Call& call, const ObjectArguments& arguments);
struct MeasuredMap {
  ArrayResult map;
  BallSizes balls;
};
[[nodiscard]] MeasuredMap ball_map_of_array(Call& call, const ObjectArguments& arguments, BallMeasure measure,
                                            nb::handle out);

}  // namespace tamis::python
