// Operations of this family as a GPU filter: steps, differences, and NaN that is left out.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <tamis/context.hpp>
#include <tamis/image.hpp>
#include <tamis/morphology.hpp>

#include "core/frames.hpp"
#include "core/gpu/filter.hpp"
#include "morphology/plan/filter.hpp"

namespace tamis::morphology_detail::gpu {

[[nodiscard]] cuda::GpuFilter make_filter(FilterPlan plan, Type type, const Shape& shape);

/// Filters one after the other. Each is made when its turn comes, so that they need no more memory than the one that
/// needs most; between them the chain is cancelled. At least one.
[[nodiscard]] cuda::GpuFilter make_chain(const Context& context, std::vector<FilterPlan> plans, Type type,
                                         const Shape& shape);

// Alternating sequential filters of images of the host on a GPU.

/// All steps one after the other on the GPU, so that the image crosses the bus once each way and not at every step.
/// Nothing where the device has no room for the image and what all the steps hold: the caller goes step by step then,
/// which needs less. Throws as asf() does.
[[nodiscard]] std::optional<Image> asf_in_one(const Context& context, const Image& image, const AsfOptions& options);

[[nodiscard]] std::unique_ptr<core_detail::FrameWork> frames(const Context& context, Operation operation, Type type,
                                                             const Shape& shape, const Frames::Options& options);

}  // namespace tamis::morphology_detail::gpu
