// The recursion on the GPU: from distances to sizes. granulometry/README.md tells the story.
#pragma once

#include <cstdint>

#include "core/gpu/stream.hpp"
#include "granulometry/gpu/windows.hpp"

namespace tamis::granulometry_detail::gpu {

// Who does what when, in the recursion on the GPU.
//
// The volume falls into pieces: a chunk of slices of a band of rows of a column of windows. A piece takes part in the
// passes from the first on whose last level lies below its largest distance. Warps take turns, all of a pass before
// those of the next one, and start a turn as soon as the pieces around it have the earlier passes behind them: between
// passes nobody waits for the slowest. A turn only waits for earlier ones, which running warps hold, so this ends
// whatever the number of warps.

struct Schedule {
  static constexpr int most_groups = 256;
  static constexpr int low_planes = 6;  ///< of pieces that are not tall, where there are more

  Windows windows;
  int steps = 0;  ///< unit steps of a pass; the last one of the last pass is level 0
  int passes = 0;
  int halo = 0;   ///< rows on either side of a piece that it needs
  int own = 0;    ///< rows of a piece that are its own
  int chunk = 0;  ///< slices
  int bands = 0, chunks = 0;
  int pieces = 0;
  int passes_of_group = 1;  ///< counted as one when pieces are put in order; a piece may then have idle turns
  int groups = 0;
  /// Voxels lie in a domain that may end anywhere. Then what a window's halo in x holds can reach its voxels past
  /// slices that have none: peaks are those of the windows beside it too.
  bool ragged = false;
  const std::uint16_t* peaks = nullptr;  ///< largest distance of each slice of each band, as make_schedule() finds them

  // What make_schedule() finds.
  int* order = nullptr;                 ///< pieces, those that take part earliest first
  int* done = nullptr;                  ///< of a piece: passes behind it, or in which it takes no part
  int* group = nullptr;                 ///< of a piece: that of its first pass
  int* members = nullptr;               ///< pieces of each group
  int* tall = nullptr;                  ///< of a piece: whether a size that low_planes do not hold may reach it
  unsigned long long* turns = nullptr;  ///< taken, in each of two launches

  Schedule() = default;
  Schedule(const Windows& windows, int steps, int passes, int chunk);

  [[nodiscard]] TAMIS_BOTH int piece(int in_z, int column, int band) const {
    return (in_z * windows.columns + column) * bands + band;
  }
  /// Level of the first step of a pass.
  [[nodiscard]] TAMIS_BOTH int first_level(int pass) const { return (passes - pass) * steps - 1; }
};

/// Entries of the array of largest distances, and of the memory of a schedule.
[[nodiscard]] std::int64_t band_peak_count(const Schedule& schedule);
[[nodiscard]] std::int64_t schedule_ints(const Schedule& schedule);
/// Points the schedule to its memory.
void place_schedule(Schedule& schedule, int* memory);

/// Queues the largest distance in each slice of each band, from those of groups of rows, and the order of the pieces.
void make_schedule(const cuda::Stream& stream, const Schedule& schedule, const std::uint16_t* group_peaks,
                   std::uint16_t* band_peaks);

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
