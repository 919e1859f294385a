// The recursion on the GPU: from distances to sizes. README.md tells the story.
#pragma once

#include <cstdint>

#include "core/cuda/stream.hpp"
#include "granulometry/windows.hpp"

namespace tamis::granulometry_detail {

/// Which neighbours a voxel takes its maximum over.
enum class Neighbours : std::uint8_t { Cross3, Cross2, Box3, Box2 };
[[nodiscard]] TAMIS_BOTH constexpr bool is_solid(Neighbours n) {
  return n == Neighbours::Cross3 || n == Neighbours::Box3;
}

/// What a pass leaves behind.
enum class Finish : std::uint8_t { Planes, Count, CountAndMap };

/// Numbers of a volume in windows: the words of each row, and the bits at its ends that the neighbours need.
struct PlaneRows {
  std::uint32_t* words = nullptr;  ///< 2 * planes a row: plane 0 even, plane 0 odd, plane 1 even ...
  std::uint32_t* low = nullptr;    ///< edge_words a row: the first own voxels, for the window before
  std::uint32_t* high = nullptr;   ///< the last own voxels, for the window after
};
[[nodiscard]] TAMIS_BOTH constexpr int edge_words(int planes) { return planes <= 8 ? 1 : 2; }

struct RecursionPass {
  Windows windows;
  PlaneRows from, to;
  const std::uint16_t* peaks = nullptr;  ///< from band_peaks()
  int first_level = 0;                   ///< level of the first step; the others follow downwards
  int chunk = 0;                         ///< slices of a warp
  Finish finish = Finish::Planes;
  std::int64_t count_begin = 0, count_end = 0;  ///< slices that are counted
  unsigned long long* counts = nullptr;         ///< voxels of each value
  std::uint8_t* map = nullptr;                  ///< samples of 1 byte (2 past 8 planes)
  std::int64_t map_pitch = 0;                   ///< bytes of a row: columns * own_x samples
};

/// Planes that hold distances up to `largest`, as the kernels come: 4, 6, 8 or 16.
[[nodiscard]] int planes_for(std::int64_t largest);
/// Unit steps of a pass.
[[nodiscard]] int steps_of_pass(Neighbours neighbours, int planes);

/// Queues the largest distance in each slice of each band of rows that a warp works on, from those of groups of rows.
void band_peaks(const cuda::Stream& stream, Neighbours neighbours, int planes, const Windows& windows,
                const std::uint16_t* groups, std::uint16_t* bands);
/// Entries of their array.
[[nodiscard]] std::int64_t band_peak_count(Neighbours neighbours, int planes, const Windows& windows);

/// Queues one pass.
void recursion_pass(const cuda::Stream& stream, Neighbours neighbours, int planes, const RecursionPass& pass);

}  // namespace tamis::granulometry_detail
