// What medians of images and of views have in common: the run of a plan.
#pragma once

#include <functional>

#include <tamis/context.hpp>
#include <tamis/image.hpp>
#include <tamis/median.hpp>

#include "median/plan/steps.hpp"

namespace tamis::median_detail {

/// Whether an image has so many short rows that x and y are better exchanged, and windows that can be.
[[nodiscard]] bool turns(const Context& context, const MedianPlan& plan);
/// The same steps where x and y are exchanged.
[[nodiscard]] MedianPlan transposed(MedianPlan plan);

/// Whether bits that lie as bytes, run as such, stay 0 and 1.
[[nodiscard]] bool keeps_to_bits(const MedianPlan& plan);

/// Plans and runs. `plan` is called once the image is known to be one.
MedianFacts run(const Context& context, const char* what, const std::function<MedianPlan()>& plan, const Image& image,
                Image& out);

}  // namespace tamis::median_detail
