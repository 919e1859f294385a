// What a warp does at each slice of its march through a piece, decided before it starts.
#pragma once

#include <cstdint>

#include "granulometry/gpu/recursion/turns.cuh"

namespace tamis::granulometry_detail::gpu::recursion_kernel {

constexpr int ring = 4;  ///< slots: slices on their way while one is computed

/// What a warp does in an iteration of its march: a slice enters, and each step computes the one that is behind it.
struct Todo {
  static constexpr int most_steps = 3;
  static constexpr int fetch = 0x40;
  static constexpr int store = 0x80;
  __device__ static constexpr int compute(int step) { return 1 << step; }
  /// The slice that is behind, or the one after that, has to be computed in this step.
  __device__ static constexpr int join(int step) { return 1 << (most_steps + step); }

  std::uint8_t bits;
  std::uint8_t slice;  ///< that enters, counted from the first of the halo
};

/// A slice is busy if the window has a distance above the last level of the pass. A busy slice takes part in all steps:
/// the halo in x belongs to windows with larger distances, which can wake it steps before its own distances would.
/// Slices beyond the result need fewer steps the farther away they are.
template <int lag>
__device__ int todo_of(const Schedule& s, const Piece& piece, const std::uint16_t* peaks, int last_level, int slice) {
  const auto is_busy = [&](std::int64_t z) { return z >= 0 && z < s.windows.nz && peaks[z] > last_level; };
  const auto has_step = [&](std::int64_t z, int step) {
    return z >= piece.begin - (s.steps - 1 - step) && z < piece.end + (s.steps - 1 - step) && is_busy(z);
  };
  const std::int64_t z = piece.begin - lag + slice;
  int bits = 0;
  if (z < piece.end + lag && is_busy(z)) bits |= Todo::fetch;
  if (z - lag >= piece.begin && is_busy(z - lag)) bits |= Todo::store;
  for (int step = 0; step < s.steps; ++step) {
    const std::int64_t behind = lag > 0 ? z - step - 1 : z;
    const bool compute = has_step(behind, step);
    if (compute) bits |= Todo::compute(step);
    if (compute || has_step(behind + 1, step)) bits |= Todo::join(step);
  }
  return bits;
}

/// Lists the iterations of a march, and returns their number. Where nothing is to be done for a while, one iteration
/// stays: it lets an empty slice enter, which is what the next busy one finds behind it.
template <int lag>
__device__ int plan_march(const Schedule& s, const Piece& piece, int pass, Todo* todo) {
  const auto lane = static_cast<int>(threadIdx.x);
  const int slices = static_cast<int>(piece.end - piece.begin) + 2 * lag;
  const int last_level = s.first_level(pass) - (s.steps - 1);
  const std::uint16_t* const peaks = s.peaks + (std::int64_t{piece.column} * s.bands + piece.band) * s.windows.nz;
  __syncwarp();  // lanes may still read the plan of the piece before
  int count = 0;
  int last = 0;
  for (int first = 0; first < slices; first += 32) {
    const int slice = first + lane;
    const int bits = slice < slices ? todo_of<lag>(s, piece, peaks, last_level, slice) : 0;
    const int before = __shfl_up_sync(whole_warp, bits, 1);
    const unsigned wanted = __ballot_sync(whole_warp, (bits | (lane == 0 ? last : before)) != 0);
    if (wanted >> lane & 1) {
      todo[count + __popc(wanted & ((1U << lane) - 1U))] = {static_cast<std::uint8_t>(bits),
                                                            static_cast<std::uint8_t>(slice)};
    }
    count += __popc(wanted);
    last = __shfl_sync(whole_warp, bits, 31);
  }
  if (lane < ring - 1) todo[count + lane] = {};  // asked for, and empty
  __syncwarp();
  return count;
}

}  // namespace tamis::granulometry_detail::gpu::recursion_kernel
