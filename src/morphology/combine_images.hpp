// Differences of whole images.
#pragma once

#include <tamis/context.hpp>
#include <tamis/image.hpp>

#include "morphology/plan/steps.hpp"

namespace tamis::morphology_detail {

/// What `how` does, for results that had to be made whole first.
void combine_images(const Context& context, Combine how, const Image& result, const Image& image, Image& out);

}  // namespace tamis::morphology_detail
