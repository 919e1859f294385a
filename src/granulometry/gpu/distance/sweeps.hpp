// Distances of a solid from its background in three sweeps, one an axis, instead of one erosion a distance.
#pragma once

#include <cstdint>

#include "core/gpu/stream.hpp"
#include "granulometry/gpu/distance/erosions.hpp"
#include "granulometry/gpu/recursion/recursion.hpp"
#include "granulometry/gpu/windows.hpp"

namespace tamis::granulometry_detail::gpu {

/// City-block distances (Neighbours::Cross3, no domain), as assemble_distances leaves them.
struct SeparableDistance {
  Windows windows;
  BitImage object;                              ///< bits past the end of a row are 0
  bool open_below = false, open_above = false;  ///< the volume goes on there: what lies outside does not erode
  std::int64_t cap = 0;                         ///< distances above are this; 0: none
  std::int64_t peaks_begin = 0, peaks_end = 0;  ///< slices whose largest distance is asked for
  std::uint32_t* work = nullptr;                ///< separable_distance_words() of them; what is there does not matter
  PlaneRows to[2];                              ///< distances, twice
  std::uint16_t* peaks = nullptr;
  unsigned* largest = nullptr;  ///< maximum over the asked slices, 0 before
  unsigned* bound = nullptr;    ///< maximum over all slices, 0 before
};

[[nodiscard]] std::int64_t separable_distance_words(const Windows& windows, int planes);

constexpr int most_swept_planes = 8;
/// Queues the sweeps; planes: 4, 6, 7 or 8. Distances too large for the planes become the largest number there is.
void separable_distances(const cuda::Stream& stream, int planes, const SeparableDistance& task);

/// Whether the planes were enough, given what `bound` came to. If not, all is to be done again with more.
[[nodiscard]] bool planes_suffice(int planes, unsigned bound, std::int64_t cap);

// The two launches that separable_distances() queues, one after the other.

/// Distances within each slice, along x and then along y, into task.work.
void sweep_in_slices(const cuda::Stream& stream, int planes, const SeparableDistance& task);

/// From task.work along z to the distances, and what is known about them (peaks, largest, bound).
void sweep_between_slices(const cuda::Stream& stream, int planes, const SeparableDistance& task);

}  // namespace tamis::granulometry_detail::gpu
