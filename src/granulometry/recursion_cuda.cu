// The recursion: in its turn a warp marches along z through a piece and does the unit steps of a pass on the way, step
// i slices behind step 0. Whatever is quiet (no distance above the level) is neither loaded, computed nor stored.
#include "granulometry/recursion_cuda.cuh"

#include <algorithm>
#include <type_traits>

#include "core/cuda/launch.hpp"

namespace tamis::granulometry_detail {
namespace {

using namespace recursion_kernel;

constexpr int ring = 4;                 ///< slots: slices on their way while one is computed
constexpr int warps_of_processor = 16;  ///< what 128 registers a lane allow

template <Neighbours neighbours>
__host__ __device__ constexpr int steps(int planes) {
  if (neighbours == Neighbours::Box3) return planes <= 8 ? 2 : 1;
  return planes <= 6 ? 3 : planes <= 8 ? 2 : 1;
}

/// Slices a result needs beyond its own, on either side.
template <Neighbours neighbours, int count>
constexpr int reach = is_solid(neighbours) ? count : 0;

/// Rows of a warp that are its own: the others are what `count` steps need.
template <int count>
constexpr int own_rows = 32 - 2 * count;

/// A piece, and where its rows are.
struct Place {
  int chunk, column, band;
  std::int64_t first_row;   ///< in y; the halo included
  std::int64_t begin, end;  ///< slices of its result

  __device__ Place(const Schedule& s, int piece)
      : chunk(piece / s.bands / s.windows.columns),
        column(piece / s.bands % s.windows.columns),
        band(piece % s.bands),
        first_row(std::int64_t{band} * s.own - s.halo),
        begin(std::int64_t{chunk} * s.chunk),
        end(min(begin + s.chunk, s.windows.nz)) {}
};

// ---- turns -------------------------------------------------------------------------------------------------------

/// The turns of a launch, one after the other, as a warp takes them. In shared memory: the march needs the registers.
struct Turns {
  unsigned long long before;  ///< turns of the passes before this one
  int pass, piece;
  int groups, active;  ///< that were counted; their pieces, which take part in this pass and lead the order
};

/// Takes the next turn before pass `end`; false if there is none. Lane 0 does it for all.
__device__ bool take_turn(Turns& turns, const Schedule& s, unsigned long long* taken, int end, int lane) {
  bool any = false;
  if (lane == 0) {
    const unsigned long long turn = atomicAdd(taken, 1ULL);
    while (turns.pass < end) {
      while (turns.groups <= turns.pass / s.passes_of_group) turns.active += s.members[turns.groups++];
      any = turn < turns.before + static_cast<unsigned long long>(turns.active);
      if (any) break;
      turns.before += static_cast<unsigned long long>(turns.active);
      ++turns.pass;
    }
    if (any) turns.piece = s.order[turn - turns.before];
  }
  __syncwarp();
  return __any_sync(whole_warp, any);
}

/// Waits until the pieces around (lanes 0 to 26, one each) have the earlier passes behind them: until then they write
/// what this one reads, and read what it is going to write.
__device__ void wait_for_neighbours(const Schedule& s, const Place& place, int pass, int lane) {
  const int chunk = place.chunk + lane / 9 - 1;
  const int column = place.column + lane / 3 % 3 - 1;
  const int band = place.band + lane % 3 - 1;
  // No branches: after one the compiler takes the lanes for apart, and the march spills registers.
  const bool exists = (lane < 27) & (chunk >= 0) & (chunk < s.chunks) & (column >= 0) & (column < s.windows.columns) &
                      (band >= 0) & (band < s.bands);
  const int own = s.piece(place.chunk, place.column, place.band);
  const int* const flag = s.done + (exists ? s.piece(chunk, column, band) : own);
  for (;;) {
    int done = 0;
    asm volatile("ld.relaxed.gpu.global.s32 %0, [%1];" : "=r"(done) : "l"(flag) : "memory");
    if (__all_sync(whole_warp, done >= pass)) break;
    __nanosleep(2000);
  }
  asm volatile("fence.acq_rel.gpu;" ::: "memory");
}

/// Says that a piece has this pass behind it.
__device__ void report(const Schedule& s, const Turns& turns, int lane) {
  __syncwarp();
  if (lane != 0) return;
  asm volatile("st.release.gpu.global.s32 [%0], %1;" ::"l"(s.done + turns.piece), "r"(turns.pass + 1) : "memory");
}

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

/// A slice is busy if the window has a distance above the last level of the pass; it takes part in all steps or in
/// none: its halo in x belongs to windows whose distances may be larger, and rise above a level some steps before its
/// own do. Slices beyond the result need fewer steps the farther away they are.
template <int lag>
__device__ int todo_of(const Schedule& s, const Place& place, const std::uint16_t* peaks, int last_level, int slice) {
  const auto is_busy = [&](std::int64_t z) { return z >= 0 && z < s.windows.nz && peaks[z] > last_level; };
  const auto has_step = [&](std::int64_t z, int step) {
    return z >= place.begin - (s.steps - 1 - step) && z < place.end + (s.steps - 1 - step) && is_busy(z);
  };
  const std::int64_t z = place.begin - lag + slice;
  int bits = 0;
  if (z < place.end + lag && is_busy(z)) bits |= Todo::fetch;
  if (z - lag >= place.begin && is_busy(z - lag)) bits |= Todo::store;
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
__device__ int plan_march(const Schedule& s, const Place& place, int pass, Todo* todo) {
  const auto lane = static_cast<int>(threadIdx.x);
  const int slices = static_cast<int>(place.end - place.begin) + 2 * lag;
  const int last_level = s.first_level(pass) - (s.steps - 1);
  const std::uint16_t* const peaks = s.peaks + (std::int64_t{place.column} * s.bands + place.band) * s.windows.nz;
  __syncwarp();  // whoever still reads that of the piece before
  int count = 0;
  int last = 0;
  for (int first = 0; first < slices; first += 32) {
    const int slice = first + lane;
    const int bits = slice < slices ? todo_of<lag>(s, place, peaks, last_level, slice) : 0;
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

/// Rows of a piece in memory. Registers are scarce: 32 bits count the rows.
template <int planes>
struct Rows {
  static constexpr int edges = edge_words(planes);
  std::uint32_t row;  ///< of the first row of the first slice
  bool first, last;   ///< there is no window before, after

  __device__ Rows(const Windows& w, const Place& place, std::int64_t z, int volume)
      : row(static_cast<std::uint32_t>(w.row(z, place.column, place.first_row) + volume * w.row_count())),
        first(place.column == 0),
        last(place.column + 1 == w.columns) {}

  /// Starts copies of a slice and of the bits that the windows beside it lend.
  __device__ __forceinline__ void fetch(Slot<planes>& slot, const Recursion& task, std::uint32_t slice,
                                        int lane) const {
    const PlaneRows& from = task.numbers;
    const std::uint32_t at = row + slice * task.rows_of_slice;
    const uint4* const pieces = reinterpret_cast<const uint4*>(from.words + std::int64_t{at} * (2 * planes)) + lane;
#pragma unroll
    for (int i = 0; i < Slot<planes>::pieces_of_row; ++i) {
      __pipeline_memcpy_async(&slot.piece[Slot<planes>::place(i * 32 + lane)], pieces + i * 32, 16);
    }
    const std::uint32_t* const before = from.edges + std::int64_t{at - task.pitch + lane} * edges;
    const std::uint32_t* const after = from.edges + std::int64_t{at + task.pitch + lane} * edges;
    if (!first) __pipeline_memcpy_async(&slot.before[lane * edges], before, sizeof(std::uint32_t) * edges);
    if (!last) __pipeline_memcpy_async(&slot.after[lane * edges], after, sizeof(std::uint32_t) * edges);
  }

  /// The row of this lane with its halo in x. Rows outside the image lie in memory too and are always 0.
  __device__ __forceinline__ WindowRow<planes> receive(const Slot<planes>& slot, int lane) const {
    WindowRow<planes> result = Row<planes>::read(slot, lane);
    std::uint32_t before[edges];
    std::uint32_t after[edges];
#pragma unroll
    for (int e = 0; e < edges; ++e) {
      before[e] = first ? 0 : slot.before[lane * edges + e];
      after[e] = last ? 0 : slot.after[lane * edges + e];
    }
    add_edges(result, before, after);
    return result;
  }

  /// Stores the own rows of a slice, through shared memory, so that lanes store neighbours.
  template <int first_own>
  __device__ __forceinline__ void store(Slot<planes>& staging, const Recursion& task, std::uint32_t slice, int lane,
                                        const WindowRow<planes>& result) const {
    const PlaneRows& to = task.numbers;
    const std::uint32_t at = row + slice * task.rows_of_slice;
    std::uint32_t own[edges];
    gather_edges(result, own);
    if (lane >= first_own && lane < 32 - first_own) {
#pragma unroll
      for (int e = 0; e < edges; ++e) to.edges[std::int64_t{at + lane} * edges + e] = own[e];
    }
    __syncwarp();
    Row<planes>::write(staging, lane, result);
    __syncwarp();
    constexpr int pieces_of_row = Slot<planes>::pieces_of_row;
    uint4* const pieces = reinterpret_cast<uint4*>(to.words + std::int64_t{at} * (2 * planes)) + lane;
#pragma unroll
    for (int i = 0; i < pieces_of_row; ++i) {
      const int piece = i * 32 + lane;
      if (piece >= first_own * pieces_of_row && piece < (32 - first_own) * pieces_of_row) {
        pieces[i * 32] = staging.piece[Slot<planes>::place(piece)];
      }
    }
  }
};

/// The steps of a pass in one iteration; what the iteration is to do comes as bits of Todo.
template <Neighbours neighbours, int planes, int count>
struct March {
  static constexpr int kept = 0;
};

/// The last `kept` steps keep half of their state in shared memory: there are not enough registers for all.
template <int planes, int count>
struct March<Neighbours::Cross3, planes, count> {
  static constexpr int kept = planes >= 6 ? 1 : 0;
  CrossStep<planes> step[count];

  __device__ __forceinline__ WindowRow<planes> advance(WindowRow<planes> row, int first_level, int todo,
                                                       Slot<planes>* keep, int lane) {
#pragma unroll
    for (int i = 0; i < count; ++i) {
      const bool in_registers = i < count - kept;
      const bool compute = (todo & Todo::compute(i)) != 0;
      const bool join = (todo & Todo::join(i)) != 0;
      if (!in_registers && compute) step[i].pairs = Row<planes>::read(keep[count - 1 - i], lane);
      row = step[i].advance(row, first_level - i, compute, join);
      if (!in_registers && join) Row<planes>::write(keep[count - 1 - i], lane, step[i].pairs);
    }
    return row;
  }
};

template <int planes, int count>
struct March<Neighbours::Box3, planes, count> {
  static constexpr int kept = 0;
  BoxStep<planes> step[count];
  __device__ __forceinline__ WindowRow<planes> advance(WindowRow<planes> row, int first_level, int todo, Slot<planes>*,
                                                       int) {
#pragma unroll
    for (int i = 0; i < count; ++i) row = step[i].advance(row, first_level - i, (todo & Todo::compute(i)) != 0);
    return row;
  }
};

/// Slices are independent: all steps of one at once.
template <int planes, int count, class Step>
struct FlatMarch {
  static constexpr int kept = 0;
  __device__ __forceinline__ WindowRow<planes> advance(WindowRow<planes> row, int first_level, int todo, Slot<planes>*,
                                                       int) {
    if ((todo & Todo::compute(0)) == 0) return row;
#pragma unroll
    for (int i = 0; i < count; ++i) row = Step().advance(row, first_level - i);
    return row;
  }
};
template <int planes, int count>
struct March<Neighbours::Cross2, planes, count> : FlatMarch<planes, count, FlatCrossStep<planes>> {};
template <int planes, int count>
struct March<Neighbours::Box2, planes, count> : FlatMarch<planes, count, FlatBoxStep<planes>> {};

/// Stores the own rows of a slice as samples, through shared memory, so that lanes store neighbours.
template <int planes, int first_own>
__device__ __forceinline__ void write_map(Slot<planes>& staging, const Recursion& task, const Place& place,
                                          std::int64_t z, int lane, const WindowRow<planes>& row) {
  constexpr int sample = planes <= 8 ? 1 : 2;
  constexpr int parts = Windows::own_x * sample / static_cast<int>(sizeof(uint2));
  static_assert(sizeof(staging) >= 32 * parts * sizeof(uint2));
  uint2* const memory = reinterpret_cast<uint2*>(&staging);
  write_samples(row, reinterpret_cast<std::uint8_t*>(memory + lane * parts));
  __syncwarp();
  std::uint8_t* const first = task.map + (z * task.schedule.windows.ny + place.first_row) * task.map_pitch +
                              place.column * (Windows::own_x * sample);
#pragma unroll
  for (int i = 0; i < parts; ++i) {
    const int at = i * 32 + lane;
    const int of_row = at / parts;
    if (of_row >= first_own && of_row < 32 - first_own && place.first_row + of_row < task.schedule.windows.ny) {
      reinterpret_cast<uint2*>(first + of_row * task.map_pitch)[at % parts] = memory[at];
    }
  }
}

struct NoTally {};

template <Neighbours neighbours, int planes, int count>
struct Shared {
  Slot<planes> slot[ring];
  Slot<planes> keep[March<neighbours, planes, count>::kept + 1];  ///< the last one is not used
  Turns turns;
  Todo todo[1];  ///< as many as most_iterations
};

template <int lag>
__host__ __device__ constexpr int most_iterations(int slices) {
  return (slices + 2 * lag + 31) / 32 * 32 + ring - 1;
}

/// All steps of a pass on one piece.
template <Neighbours neighbours, int planes, int count, bool last, class Tally>
__device__ __forceinline__ void march_through(const Recursion& task, const Place& place, int pass,
                                              Shared<neighbours, planes, count>& shared, Tally& tally, int lane) {
  constexpr int lag = reach<neighbours, count>;
  const Schedule& s = task.schedule;
  const int iterations = plan_march<lag>(s, place, pass, shared.todo);

  March<neighbours, planes, count> march;
  const int first_level = s.first_level(pass);
  const Rows<planes> entering(s.windows, place, place.begin - lag, pass % 2);
  const Rows<planes> leaving(s.windows, place, place.begin - 2 * lag, (pass + 1) % 2);
  const auto fetch = [&](int i) {
    const Todo todo = shared.todo[i];
    if (todo.bits & Todo::fetch) entering.fetch(shared.slot[i % ring], task, todo.slice, lane);
    __pipeline_commit();
  };
  for (int i = 0; i < ring - 1; ++i) fetch(i);

  for (int i = 0; i < iterations; ++i) {
    Slot<planes>& slot = shared.slot[i % ring];
    __syncwarp();  // whoever still reads the slot of the slice before
    fetch(i + ring - 1);
    const int todo = shared.todo[i].bits;
    WindowRow<planes> row = {};
    if (todo & Todo::fetch) {
      __pipeline_wait_prior(ring - 1);
      __syncwarp();
      row = entering.receive(slot, lane);
    }
    row = march.advance(row, first_level, todo, shared.keep, lane);
    if ((todo & Todo::store) == 0) continue;  // on the map such a slice stays 0
    if constexpr (!last) {
      leaving.template store<count>(slot, task, shared.todo[i].slice, lane, row);
    } else {
      const std::int64_t result = place.begin + shared.todo[i].slice - 2 * lag;
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
        write_map<planes, count>(slot, task, place, result, lane, row);
      }
    }
  }
  __syncwarp();  // whoever still reads a slot
}

/// All passes but the last, or the last.
template <Neighbours neighbours, int planes, int count, bool last>
__global__ void __launch_bounds__(32, warps_of_processor) recursion_kernel(const __grid_constant__ Recursion task) {
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
    const Place place(s, shared.turns.piece);
    if constexpr (!last) wait_for_neighbours(s, place, pass, lane);
    march_through<neighbours, planes, count, last>(task, place, pass, shared, tally, lane);
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
  shape.blocks = dim3(static_cast<unsigned>(std::min(s.pieces, warps_of_processor * processors)));
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

}  // namespace tamis::granulometry_detail
