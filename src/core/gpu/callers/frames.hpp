#pragma once

#include <memory>
#include <string_view>

#include "core/frames.hpp"
#include "core/gpu/filter.hpp"

namespace tamis::cuda {

/// Frames through a filter, prepared on the GPU of the context. `what` is said in messages.
[[nodiscard]] std::unique_ptr<core_detail::FrameWork> frames(const Context& context, std::string_view what,
                                                             const Shape& shape, int in_flight, const PlanFilter& plan);

}  // namespace tamis::cuda
