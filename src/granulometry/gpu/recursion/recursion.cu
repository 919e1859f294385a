// The recursion: in its turn a warp marches along z through a piece and does the unit steps of a pass on the way, step
// i slices behind step 0. Whatever is quiet (no distance above the level) is neither loaded, computed nor stored.
#include "granulometry/gpu/recursion/recursion.hpp"

#include <algorithm>
#include <type_traits>

#include "core/gpu/launch.hpp"
#include "core/gpu/warp.cuh"
#include "granulometry/gpu/recursion/march.cuh"

namespace tamis::granulometry_detail::gpu {
namespace {

using namespace recursion_kernel;

/// What 128 registers a lane allow. Three steps on seven planes want 168.
__host__ __device__ constexpr unsigned warps_of_processor(int planes) { return planes == 7 ? 12 : 16; }

/// Steps that keep half of their state in shared memory.
template <Neighbours neighbours>
__host__ __device__ constexpr int kept(int planes) {
  return neighbours == Neighbours::Cross3 && planes >= 6 && planes != 7 ? 1 : 0;
}

template <Neighbours neighbours>
__host__ __device__ constexpr int steps(int planes) {
  if (neighbours == Neighbours::Box3) return planes <= 8 ? 2 : 1;
  return planes <= 7 ? 3 : planes <= 8 ? 2 : 1;
}

/// Slices a result needs beyond its own, on either side.
template <Neighbours neighbours, int count>
constexpr int reach = is_volumetric(neighbours) ? count : 0;

/// Planes of a piece that no size reaches which wants all of them.
template <int planes>
constexpr int low_planes = planes == 7 ? Schedule::low_planes : planes;

struct NoTally {};

template <Neighbours neighbours, int planes, int count>
struct Shared {
  Slot<planes> slot[ring];
  Slot<planes> keep[kept<neighbours>(planes) > 0 ? kept<neighbours>(planes) : 1];
  Turns turns;
  Todo todo[1];  ///< as many as most_iterations
};

template <int lag>
__host__ __device__ constexpr int most_iterations(int slices) {
  return (slices + 2 * lag + 31) / 32 * 32 + ring - 1;
}

/// All steps of a pass on one piece, on `low` planes of those that there are.
template <Neighbours neighbours, int planes, int low, int count, bool last, class Tally>
__device__ __forceinline__ void march_through(const Recursion& task, const Piece& piece, int pass,
                                              Shared<neighbours, planes, count>& shared, Tally& tally, int lane) {
  constexpr int lag = reach<neighbours, count>;
  const Schedule& s = task.schedule;
  const int iterations = plan_march<lag>(s, piece, pass, shared.todo);

  March<neighbours, low, count, kept<neighbours>(planes)> march;
  const int first_level = s.first_level(pass);
  const Rows<planes> entering(s.windows, piece, piece.begin - lag, pass % 2);
  const Rows<planes> leaving(s.windows, piece, piece.begin - 2 * lag, (pass + 1) % 2);
  const auto fetch = [&](int i) {
    const Todo todo = shared.todo[i];
    if (todo.bits & Todo::fetch) entering.fetch(shared.slot[i % ring], task, todo.slice, lane);
    __pipeline_commit();
  };
  for (int i = 0; i < ring - 1; ++i) fetch(i);

  for (int i = 0; i < iterations; ++i) {
    Slot<planes>& slot = shared.slot[i % ring];
    __syncwarp();  // lanes may still read the slot's slice before
    fetch(i + ring - 1);
    const int todo = shared.todo[i].bits;
    WindowRow<planes> row = {};
    if (todo & Todo::fetch) {
      __pipeline_wait_prior(ring - 1);
      __syncwarp();
      row = entering.receive(slot, lane);
    }
    row = widened<planes>(march.advance(saturated<low>(row), first_level, todo, shared.keep, lane));
    if ((todo & Todo::store) == 0) continue;  // on the map such a slice stays 0
    if constexpr (!last) {
      leaving.template store<count>(slot, task, shared.todo[i].slice, lane, row);
    } else {
      const std::int64_t result = piece.begin + shared.todo[i].slice - 2 * lag;
      const bool own_row = lane >= count && lane < 32 - count;
      if (result >= task.count_begin && result < task.count_end) {
        if constexpr (planes <= 8) {
          __syncwarp();
          Row<planes>::write(slot, lane, row);
          __syncwarp();
          tally.add(slot, count, 32 - count, lane);
        } else {
          count_values(row, own_row, [&](int value, unsigned voxels) {
            if (lane == 0) atomicAdd(task.counts + value, static_cast<unsigned long long>(voxels));
          });
        }
      }
      if (task.map) {
        __syncwarp();
        write_map<planes, count>(slot, task, piece, result, lane, row);
      }
    }
  }
  __syncwarp();  // lanes may still read a slot
}

/// All passes but the last, or the last.
template <Neighbours neighbours, int planes, int count, bool last>
__global__ void __launch_bounds__(32, warps_of_processor(planes))
    recursion_kernel(const __grid_constant__ Recursion task) {
  extern __shared__ uint4 memory[];
  auto& shared = *reinterpret_cast<Shared<neighbours, planes, count>*>(memory);
  const Schedule& s = task.schedule;
  const int lane = static_cast<int>(threadIdx.x);
  std::conditional_t<last && planes <= 8, Tally<(planes <= 8 ? planes : 8)>, NoTally> tally;
  if (lane == 0) shared.turns = {0, last ? s.passes - 1 : 0, 0, 0, 0};
  __syncwarp();
  while (take_turn(shared.turns, s, s.turns + last, last ? s.passes : s.passes - 1, lane)) {
    // The same in all lanes, which the compiler sees that way: the levels need no registers of the lanes.
    const int pass = cuda::warp_max(shared.turns.pass);
    const Piece piece(s, shared.turns.piece);
    if constexpr (!last) wait_for_neighbours(s, piece, pass, lane);
    if (planes == 7 && cuda::warp_max(s.tall[shared.turns.piece]) == 0) {
      march_through<neighbours, planes, low_planes<planes>, count, last>(task, piece, pass, shared, tally, lane);
    } else {
      march_through<neighbours, planes, planes, count, last>(task, piece, pass, shared, tally, lane);
    }
    if constexpr (!last) report(s, shared.turns, lane);
  }
  if constexpr (last && planes <= 8) tally.flush(task.counts, lane);
}

template <Neighbours neighbours, int planes>
void run(const cuda::Stream& stream, const Recursion& task) {
  constexpr int count = steps<neighbours>(planes);
  const Schedule& s = task.schedule;
  int processors = 0;
  cuda::check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, stream.device()), "ask a device");
  cuda::LaunchShape shape;
  constexpr int warps = warps_of_processor(planes);
  shape.blocks = dim3(static_cast<unsigned>(std::min(s.pieces, warps * processors)));
  shape.threads = dim3(32);
  shape.shared_bytes =
      sizeof(Shared<neighbours, planes, count>) + sizeof(Todo) * most_iterations<reach<neighbours, count>>(s.chunk);
  if (s.passes > 1) {
    cuda::launch(stream, shape, "recursion", recursion_kernel<neighbours, planes, count, false>, task);
  }
  cuda::launch(stream, shape, "recursion", recursion_kernel<neighbours, planes, count, true>, task);
}

template <Neighbours neighbours>
void run(const cuda::Stream& stream, int planes, const Recursion& task) {
  if (planes == 4) return run<neighbours, 4>(stream, task);
  if (planes == 6) return run<neighbours, 6>(stream, task);
  if (planes == 7) return run<neighbours, 7>(stream, task);
  if (planes == 8) return run<neighbours, 8>(stream, task);
  return run<neighbours, 16>(stream, task);
}

template <Neighbours neighbours>
int steps_if_known(int planes) {
  return steps<neighbours>(planes);
}

}  // namespace

int planes_for(std::int64_t largest) {
  if (largest < 16) return 4;
  if (largest < 64) return 6;
  if (largest < 128) return 7;
  return largest < 256 ? 8 : 16;
}

int steps_of_pass(Neighbours neighbours, int planes) {
  return neighbours == Neighbours::Box3 ? steps_if_known<Neighbours::Box3>(planes)
                                        : steps_if_known<Neighbours::Cross3>(planes);
}

void run_recursion(const cuda::Stream& stream, Neighbours neighbours, int planes, const Recursion& task) {
  switch (neighbours) {
    case Neighbours::Cross3:
      return run<Neighbours::Cross3>(stream, planes, task);
    case Neighbours::Cross2:
      return run<Neighbours::Cross2>(stream, planes, task);
    case Neighbours::Box3:
      return run<Neighbours::Box3>(stream, planes, task);
    case Neighbours::Box2:
      return run<Neighbours::Box2>(stream, planes, task);
  }
}

}  // namespace tamis::granulometry_detail::gpu
