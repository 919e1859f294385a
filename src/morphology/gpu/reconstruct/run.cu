// Rounds over tiles (tile.hpp), all of them in one kernel: in a round a warp takes one tile after the other
// and puts those it wakes on the list of the next one. So no tile is at work twice at the same time, and what a tile
// sees of the others is at worst old, in which case it is woken. Irregular wavefronts on GPUs: Teodoro et al. 2013.
#include <algorithm>
#include <array>
#include <type_traits>

#include <cooperative_groups.h>

#include "core/gpu/launch.hpp"
#include "morphology/gpu/reconstruct/cells.cuh"
#include "morphology/gpu/reconstruct/run.hpp"
#include "morphology/gpu/reconstruct/tile.hpp"

namespace tamis::morphology_detail::gpu {
namespace {

/// What fits into 48 KB, which every GPU gives.
template <class Form>
constexpr int warps_of_block = sizeof(TileMemory<Form>) > 24 << 10   ? 1
                               : sizeof(TileMemory<Form>) > 12 << 10 ? 2
                                                                     : 4;

/// Then the host looks whether it was cancelled.
constexpr std::uint64_t launch_nanoseconds = 50'000'000;

__device__ __forceinline__ std::uint64_t nanoseconds() {
  std::uint64_t now = 0;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  return now;
}

/// What tests run lane by lane (morphology/test/reconstruct_tile.cpp). Cells that other warps write are not read
/// through the L1, which does not hear of it.
struct DeviceWarp {
  template <class T>
  using Value = T;
  /// What lanes pass to each other.
  template <class T>
  using Word = std::conditional_t<sizeof(T) == 8, unsigned long long, unsigned>;
  static constexpr unsigned all = ~0U;

  static TAMIS_CELL int lane() { return static_cast<int>(threadIdx.x % 32); }
  static TAMIS_CELL void sync() { __syncwarp(); }
  template <class T>
  static TAMIS_CELL T load(const T* from) {
    return from[lane()];
  }
  template <class T>
  static TAMIS_CELL void store(T* to, T value) {
    to[lane()] = value;
  }
  template <class T>
  static TAMIS_CELL T load_global(const T* from) {
    return __ldcg(from + lane());
  }
  template <class T>
  static TAMIS_CELL T cell_global(const T* from) {
    return __ldcg(from);
  }
  template <class T>
  static TAMIS_CELL void store_global(T* to, T value) {
    __stcg(to + lane(), value);
  }
  template <class T>
  static TAMIS_CELL T only_if(bool yes, T value) {
    return yes ? value : T{0};
  }
  template <class T>
  static TAMIS_CELL T min(T a, T b) {
    return a < b ? a : b;
  }
  template <class T>
  static TAMIS_CELL T max(T a, T b) {
    return a < b ? b : a;
  }
  /// The value of the lane `distance` before; 0 where there is none.
  template <class T>
  static TAMIS_CELL T before(T value, int distance) {
    const auto other = static_cast<T>(__shfl_up_sync(all, Word<T>{value}, static_cast<unsigned>(distance)));
    return lane() < distance ? T{0} : other;
  }
  template <class T>
  static TAMIS_CELL T after(T value, int distance) {
    const auto other = static_cast<T>(__shfl_down_sync(all, Word<T>{value}, static_cast<unsigned>(distance)));
    return lane() + distance > 31 ? T{0} : other;
  }
  /// The larger one of lane 0 and `first`, of lane 31 and `last`.
  template <class T>
  static TAMIS_CELL T at_ends(T value, T first, T last) {
    if (lane() == 0) value = max(value, first);
    if (lane() == 31) value = max(value, last);
    return value;
  }
  template <class T>
  static TAMIS_CELL std::uint32_t differ(T a, T b) {
    return __ballot_sync(all, a != b);
  }
  template <class Visit>
  static TAMIS_CELL void each(int count, Visit visit) {
    for (int k = lane(); k < count; k += 32) visit(k);
  }
  template <class Visit>
  static TAMIS_CELL void once(Visit visit) {
    if (lane() == 0) visit();
  }
  template <class Ask>
  static TAMIS_CELL bool any(int count, Ask ask) {
    for (int first = 0; first < count; first += 32) {
      const int k = first + lane();
      if (__any_sync(all, k < count && ask(k))) return true;
    }
    return false;
  }
};

/// Lists of tiles by round, in device memory. Of three counters one is this round's, one the next one's, and one is
/// cleared.
struct Rounds {
  unsigned* count = nullptr;  ///< 3
  unsigned* round = nullptr;  ///< the next one
  unsigned* stop = nullptr;   ///< the round after which this launch ends, once that is known
  unsigned* woken = nullptr;  ///< of a tile: the last round that it is on the list of
  int* list = nullptr;        ///< 2 lists; round 0 needs none, it is that of all tiles
  int tiles = 0;

  static constexpr int head = 5;  ///< words before the arrays
  static std::int64_t words(int tiles) { return head + std::int64_t{3} * tiles; }
  Rounds(unsigned* memory, int all_tiles)
      : count(memory),
        round(memory + 3),
        stop(memory + 4),
        woken(memory + head),
        list(reinterpret_cast<int*>(memory + head + all_tiles)),
        tiles(all_tiles) {}

  __device__ void wake(int tile, unsigned in_round) const {
    if (atomicExch(woken + tile, in_round) == in_round) return;
    const unsigned place = atomicAdd(count + in_round % 3, 1U);
    __stcg(list + std::int64_t{in_round % 2} * tiles + place, tile);
  }
};

template <class Form>
__device__ void run_tile(TileMemory<Form>& memory, const CellGrid<typename Form::Cell>& grid, const Rounds& rounds,
                         int tile, unsigned round) {
  const std::uint32_t directions = TileRun<DeviceWarp, Form>(memory, grid, tile).run(round == 0);
  const int lane = DeviceWarp::lane();
  if (lane >= 27 || (directions >> lane & 1U) == 0) return;
  const TileDirection d(lane);
  rounds.wake(tile + (d.dz * grid.tiles_y + d.dy) * grid.tiles_x + d.dx, round + 1);
}

template <class Form>
__global__ void __launch_bounds__(32 * warps_of_block<Form>)
    rounds_kernel(const CellGrid<typename Form::Cell> grid, const Rounds rounds) {
  extern __shared__ __align__(16) unsigned char shared[];
  const unsigned warp = threadIdx.x / 32;
  TileMemory<Form>& memory = reinterpret_cast<TileMemory<Form>*>(shared)[warp];
  // Neighbouring tiles, and the few of a short list, go to different multiprocessors.
  const unsigned first = warp * gridDim.x + blockIdx.x;
  const unsigned warps = gridDim.x * warps_of_block<Form>;
  const cooperative_groups::grid_group everyone = cooperative_groups::this_grid();
  const bool leader = first == 0 && threadIdx.x == 0;
  const std::uint64_t start = nanoseconds();
  unsigned round = __ldcg(rounds.round);
  for (bool stop = false; !stop; ++round) {
    const unsigned count = __ldcg(rounds.count + round % 3);
    if (count == 0) break;
    if (leader) __stcg(rounds.count + (round + 2) % 3, 0U);
    const int* const list = rounds.list + std::int64_t{round % 2} * rounds.tiles;
    for (unsigned k = first; k < count; k += warps) {
      const int tile = round == 0 ? static_cast<int>(k) : __ldcg(list + k);
      run_tile<Form>(memory, grid, rounds, tile, round);
      __syncwarp();
    }
    // The number of the round, so that whoever is late does not take the next one's stop for this one's.
    if (leader && nanoseconds() - start > launch_nanoseconds) __stcg(rounds.stop, round);
    everyone.sync();
    stop = __ldcg(rounds.stop) == round;
  }
  if (leader) *rounds.round = round;
}

/// Until no tile is left. Throws Cancelled.
template <class Form>
void run_rounds(const cuda::Stream& stream, CellGrid<typename Form::Cell> grid, const Shape& shape, Stage& stage) {
  grid.tiles_x = static_cast<int>((shape.x + Form::nx - 1) / Form::nx);
  grid.tiles_y = static_cast<int>((shape.y + Form::ny - 1) / Form::ny);
  grid.tiles_z = static_cast<int>((shape.z + Form::nz - 1) / Form::nz);
  const int tiles = grid.tiles_x * grid.tiles_y * grid.tiles_z;
  const cuda::DeviceBuffer<unsigned> memory(stream, Rounds::words(tiles));
  memory.clear();
  Rounds rounds(memory.data(), tiles);
  constexpr unsigned never = ~0U;
  std::array<unsigned, Rounds::head> state{static_cast<unsigned>(tiles), 0, 0, 0, never};
  cuda::check(cudaMemcpyAsync(rounds.count, state.data(), sizeof(state), cudaMemcpyHostToDevice, stream.get()),
              "begin a reconstruction");
  constexpr int threads = 32 * warps_of_block<Form>;
  constexpr std::size_t shared_bytes = sizeof(TileMemory<Form>) * warps_of_block<Form>;
  const int blocks = std::min(cuda::resident_blocks(stream, rounds_kernel<Form>, threads, shared_bytes),
                              (tiles + warps_of_block<Form> - 1) / warps_of_block<Form>);
  void* arguments[] = {&grid, &rounds};
  do {
    stage.advance(0);
    cuda::check(cudaLaunchCooperativeKernel(rounds_kernel<Form>, dim3(static_cast<unsigned>(blocks)), dim3(threads),
                                            arguments, shared_bytes, stream.get()),
                "reconstruct");
    cuda::check(cudaMemcpyAsync(state.data(), rounds.count, sizeof(state), cudaMemcpyDeviceToHost, stream.get()),
                "look at a reconstruction");
    stream.synchronize();
  } while (state[state[3] % 3] != 0);
  stage.advance(shape.count());
}

template <class Sample>
ReconstructFaults run(const cuda::Stream& stream, const ReconstructArrays& arrays, const ReconstructForm& form,
                      Stage& stage) {
  using Cell = CellOf<Sample>;
  const Shape& shape = arrays.shape;
  constexpr std::int64_t row_unit = 64;
  CellGrid<Cell> grid;
  grid.pitch = (shape.x + row_unit - 1) / row_unit * row_unit;
  grid.ny = shape.y;
  grid.nz = shape.z;
  const cuda::DeviceBuffer<Cell> j(stream, grid.pitch * shape.y * shape.z);
  const cuda::DeviceBuffer<Cell> i(stream, grid.pitch * shape.y * shape.z);
  grid.j = j.data();
  grid.i = i.data();
  const ReconstructFaults faults = fill_cells<Sample>(stream, arrays, form, grid.pitch, j.data(), i.data());
  if (faults.any()) return faults;
  if (shape.rank == 3) {
    form.full ? run_rounds<TileForm<Cell, 3, true>>(stream, grid, shape, stage)
              : run_rounds<TileForm<Cell, 3, false>>(stream, grid, shape, stage);
  } else {
    form.full ? run_rounds<TileForm<Cell, 2, true>>(stream, grid, shape, stage)
              : run_rounds<TileForm<Cell, 2, false>>(stream, grid, shape, stage);
  }
  write_cells<Sample>(stream, arrays, form, grid.pitch, j.data());
  stream.synchronize();
  return faults;
}

}  // namespace

ReconstructFaults reconstruct_arrays(const cuda::Stream& stream, const ReconstructArrays& arrays,
                                     const ReconstructForm& form, Stage& stage) {
  if (arrays.type == Type::Bool) return run<bool>(stream, arrays, form, stage);
  if (arrays.type == Type::U8) return run<std::uint8_t>(stream, arrays, form, stage);
  if (arrays.type == Type::U16) return run<std::uint16_t>(stream, arrays, form, stage);
  if (arrays.type == Type::I16) return run<std::int16_t>(stream, arrays, form, stage);
  if (arrays.type == Type::U32) return run<std::uint32_t>(stream, arrays, form, stage);
  if (arrays.type == Type::U64) return run<std::uint64_t>(stream, arrays, form, stage);
  return run<float>(stream, arrays, form, stage);
}

}  // namespace tamis::morphology_detail::gpu
