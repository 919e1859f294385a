#pragma once

#include <functional>
#include <memory>

#include "core/frames.hpp"

namespace tamis::core_detail::cpu {

using FilterFrame = std::function<void(const Context&, const Image&, Image& out)>;

/// Frames through a filter, whatever device the context names. Throws what the filter does of an image of zeros.
[[nodiscard]] std::unique_ptr<FrameWork> frames(const Context& context, Type type, const Shape& shape, int in_flight,
                                                FilterFrame filter);

}  // namespace tamis::core_detail::cpu
