// The ways in which operations on images of the host are done beside plans on a device.
#pragma once

#include <tamis/context.hpp>
#include <tamis/image.hpp>
#include <tamis/morphology.hpp>

#include "core/stage.hpp"
#include "morphology/plan/steps.hpp"

namespace tamis::morphology_detail {

// Erosions and dilations of bits by balls, by the distance to the background: time does not grow with the radius.

/// Whether this is the faster way, and there is memory for squares of distances: two bytes a voxel.
[[nodiscard]] bool goes_by_distance(const Context& context, Operation operation, const Image& image,
                                    const MorphologyOptions& options);

/// The result; goes_by_distance() has to be true.
void run_by_distance(const Context& caller, Operation operation, const Image& image, const MorphologyOptions& options,
                     Image& out);

// Erosions and dilations that leave NaN out.

/// The result of a plan on an F32 image with NaN: a step's result is NaN where it sees NaN and nothing else.
[[nodiscard]] Image run_around_nan(const Context& context, const Plan& plan, const Image& image, Stage& stage);

// Differences of whole images.

/// What `how` does, for results that had to be made whole first.
void combine_images(const Context& context, Combine how, const Image& result, const Image& image, Image& out);

// Images of bits that somebody has as bytes of 0 and 1.

/// Whether bytes of 0 and 1 go through the filter faster as they are than packed to bits, and give the same: a short
/// row is a few words, each step of which costs a call, and boxes of bytes have kernels that take many rows at once.
[[nodiscard]] bool better_as_bytes(Operation operation, const MorphologyOptions& options, const Shape& shape);

}  // namespace tamis::morphology_detail
