#pragma once

#include <memory>

#include "core/frames.hpp"

namespace tamis::median_detail::gpu {

[[nodiscard]] std::unique_ptr<core_detail::FrameWork> frames(const Context& context, Type type, const Shape& shape,
                                                             const MedianFrames& options);

}  // namespace tamis::median_detail::gpu
