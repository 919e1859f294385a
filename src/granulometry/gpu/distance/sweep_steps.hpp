// The two launches that separable_distances() queues, one after the other.
#pragma once

#include "granulometry/gpu/distance/sweeps.hpp"

namespace tamis::granulometry_detail::gpu {

/// Distances within each slice, along x and then along y, into task.work.
void sweep_in_slices(const cuda::Stream& stream, int planes, const SeparableDistance& task);

/// From task.work along z to the distances, and what is known about them (peaks, largest, bound).
void sweep_between_slices(const cuda::Stream& stream, int planes, const SeparableDistance& task);

}  // namespace tamis::granulometry_detail::gpu
