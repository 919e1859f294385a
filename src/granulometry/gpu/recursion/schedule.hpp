// Who does what when, in the recursion on the GPU.
//
// The volume falls into pieces: a chunk of slices of a band of rows of a column of windows. A piece takes part in the
// passes from the first on whose last level lies below its largest distance. Warps take turns, all of a pass before
// those of the next one, and start a turn as soon as the pieces around it have the earlier passes behind them: between
// passes nobody waits for the slowest. A turn only waits for earlier ones, which running warps hold, so this ends
// whatever the number of warps.
#pragma once

#include <cstdint>

#include "core/gpu/stream.hpp"
#include "granulometry/gpu/windows.hpp"

namespace tamis::granulometry_detail::gpu {

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

}  // namespace tamis::granulometry_detail::gpu
