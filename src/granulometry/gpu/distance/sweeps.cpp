#include "granulometry/gpu/distance/sweeps.hpp"

namespace tamis::granulometry_detail::gpu {

std::int64_t separable_distance_words(const Windows& windows, int planes) {
  return windows.row_count() * 2 * stored_planes(planes);
}

bool planes_suffice(int planes, unsigned bound, std::int64_t cap) {
  const std::int64_t most = (std::int64_t{1} << planes) - 1;
  return bound < most || (cap > 0 && cap <= most);
}

void separable_distances(const cuda::Stream& stream, int planes, const SeparableDistance& task) {
  sweep_in_slices(stream, planes, task);
  sweep_between_slices(stream, planes, task);
}

}  // namespace tamis::granulometry_detail::gpu
