// The recursion on the GPU: from distances to sizes. granulometry/README.md tells the story.
#pragma once

#include <cstdint>

#include "core/gpu/stream.hpp"
#include "granulometry/gpu/recursion/schedule.hpp"
#include "granulometry/gpu/windows.hpp"

namespace tamis::granulometry_detail::gpu {

/// Which neighbours a voxel takes its maximum over.
enum class Neighbours : std::uint8_t { Cross3, Cross2, Box3, Box2 };
[[nodiscard]] TAMIS_BOTH constexpr bool is_volumetric(Neighbours n) {
  return n == Neighbours::Cross3 || n == Neighbours::Box3;
}

/// Numbers of a volume in windows: the words of each row, and the bits at its ends that the neighbours need.
struct PlaneRows {
  std::uint32_t* words = nullptr;  ///< 2 * stored_planes a row: plane 0 even, plane 0 odd, plane 1 even ...
  /// edge_words a row, eight words in each. Of the first word bits 2, 3 (the first own voxels) and 28, 29 (the last
  /// ones) stay where they are; those of the next words are turned to the left by 4, 8, ... which fills all places.
  std::uint32_t* edges = nullptr;
};
[[nodiscard]] TAMIS_BOTH constexpr int edge_words(int planes) { return (planes + 3) / 4; }
/// Rows lie in vectors of two planes: numbers of 7 planes have an eighth one in memory, which is 0.
[[nodiscard]] TAMIS_BOTH constexpr int stored_planes(int planes) { return planes + planes % 2; }

struct Recursion {
  Schedule schedule;
  /// Two volumes, the second behind the first (windows.row_count() rows on). Both hold the distances; even passes go
  /// from the first to the second.
  PlaneRows numbers;
  std::uint32_t rows_of_slice = 0, pitch = 0;   ///< as in windows, counted in 32 bits
  std::int64_t count_begin = 0, count_end = 0;  ///< slices that are counted
  unsigned long long* counts = nullptr;         ///< voxels of each value
  std::uint8_t* map = nullptr;                  ///< samples of 1 byte (2 past 8 planes); nullptr: not wanted
  std::int64_t map_pitch = 0;                   ///< bytes of a row: columns * own_x samples
};

/// Planes that hold distances up to `largest`, as the kernels come: 4, 6, 7, 8 or 16.
[[nodiscard]] int planes_for(std::int64_t largest);
/// Unit steps of a pass.
[[nodiscard]] int steps_of_pass(Neighbours neighbours, int planes);

/// Queues all passes of a schedule that was made.
void run_recursion(const cuda::Stream& stream, Neighbours neighbours, int planes, const Recursion& recursion);

}  // namespace tamis::granulometry_detail::gpu
