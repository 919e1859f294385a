// Erosions and dilations of bits by balls, by the distance to the background: time does not grow with the radius.
#pragma once

#include <tamis/morphology.hpp>

namespace tamis::morphology_detail {

/// Whether this is the faster way, and there is memory for squares of distances: two bytes a voxel.
[[nodiscard]] bool goes_by_distance(const Context& context, Operation operation, const Image& image,
                                    const MorphologyOptions& options);

/// The result; goes_by_distance() has to be true.
void run_by_distance(const Context& caller, Operation operation, const Image& image, const MorphologyOptions& options,
                     Image& out);

}  // namespace tamis::morphology_detail
