// Granulometry by balls on a GPU.
#pragma once

#include <functional>

#include <tamis/gpu/array.hpp>

#include "core/gpu/stream.hpp"
#include "distance/gpu/squares.hpp"
#include "granulometry/balls/run.hpp"
#include "granulometry/gpu/host.hpp"

namespace tamis::granulometry_detail::gpu::balls {

using distance_detail::gpu::tell_of_cpu;

/// Squares may be too large (distance/gpu/squares.hpp, wide.hpp), or a ball's slices have more voxels than lists have
/// indices: the CPU does those.
struct TooWide {
  const char* what;  ///< is too wide
};

/// Where slices of a map go: to a sink on the host, or into an array of the device's.
struct Destination {
  MapSink sink;
  std::function<GpuOutput(Type)> allocate;  ///< called with the first slices
};

struct EngineTask {
  BitVolume object;
  BitVolume domain;  ///< none: everything counts
  Destination destination;
};

/// Runs on a device that is current and a stream of it. Fills all but border_voxels of the sizes. Throws TooWide.
[[nodiscard]] BallSizes run(const Context& context, const cuda::Stream& stream, const BallRequest& request,
                            const EngineTask& task, const BallMapRequest& map);

/// The same of bits on the host, by all GPUs of the context.
[[nodiscard]] BallSizes run_of_host(const Context& context, const BallRequest& request, const EngineTask& task,
                                    const BallMapRequest& map);

}  // namespace tamis::granulometry_detail::gpu::balls
