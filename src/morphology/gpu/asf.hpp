// Alternating sequential filters of images of the host on a GPU.
#pragma once

#include <optional>

#include <tamis/context.hpp>
#include <tamis/image.hpp>
#include <tamis/morphology.hpp>

namespace tamis::morphology_detail::gpu {

/// All steps one after the other on the GPU, so that the image crosses the bus once each way and not at every step.
/// Nothing where the device has no room for the image and what all the steps hold: the caller goes step by step then,
/// which needs less. Throws as asf() does.
[[nodiscard]] std::optional<Image> asf_in_one(const Context& context, const Image& image, const AsfOptions& options);

}  // namespace tamis::morphology_detail::gpu
