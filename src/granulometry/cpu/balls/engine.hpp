// Granulometry by balls on the CPU.
#pragma once

#include <memory>

#include "granulometry/balls/run.hpp"

namespace tamis::granulometry_detail::cpu::balls {

/// `domain`: nullptr where everything counts. `sink` is for maps. All that is given has to stay.
[[nodiscard]] std::unique_ptr<BallEngine> make_engine(const Context& context, const BallRequest& request,
                                                      const Image& object, const Image* domain, const MapSink& sink);

}  // namespace tamis::granulometry_detail::cpu::balls
