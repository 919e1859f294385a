// What finds the largest numbers of a volume, and cuts boxes out of its bits. Queued; nothing waits.
#pragma once

#include <cstdint>

#include "core/gpu/stream.hpp"
#include "granulometry/gpu/distance/erosions.hpp"
#include "granulometry/gpu/large/boxes.hpp"
#include "granulometry/gpu/windows.hpp"

namespace tamis::granulometry_detail::gpu {

/// Runs as they are found, in any order.
struct TopRuns {
  /// Where there are more, boxes would come to a large share of the volume: an octahedron of size 200 has some 350.
  static constexpr unsigned most = 2048;

  unsigned count = 0;  ///< also beyond the room
  TopRun runs[most];
};

/// Adds the runs of peaks that are `top`; the count is 0 before.
void find_top_runs(const cuda::Stream& stream, const Windows& windows, const std::uint16_t* peaks, int top,
                   TopRuns* found);

/// Copies a box of an image into the first rows and columns of slices of so many rows and words, with one slice of
/// zeros after it and zeros beside it.
void cut_out(const cuda::Stream& stream, const BitImage& image, std::int64_t rows_of_image, const Box& box,
             std::uint64_t* to, std::int64_t rows, std::int64_t words_of_row);

}  // namespace tamis::granulometry_detail::gpu
