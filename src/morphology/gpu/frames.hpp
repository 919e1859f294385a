#pragma once

#include <memory>

#include "core/frames.hpp"

namespace tamis::morphology_detail::gpu {

[[nodiscard]] std::unique_ptr<core_detail::FrameWork> frames(const Context& context, Operation operation, Type type,
                                                             const Shape& shape, const Frames::Options& options);

}  // namespace tamis::morphology_detail::gpu
