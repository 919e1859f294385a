// What a convention of balls asks of voxels.
#pragma once

#include <tamis/balls.hpp>

namespace tamis::granulometry_detail {

/// Throws InputError where a convention counts in voxels and their sides differ. `flat`: disks.
void require_convention(BallConvention convention, const WholeSides& sides, bool flat);

}  // namespace tamis::granulometry_detail
