// Rounds over tiles (tile.hpp), all of them in one kernel: in a round a warp takes one tile after the other
// and puts those it wakes on the list of the next one. So no tile is at work twice at the same time, and what a tile
// sees of the others is at worst old, in which case it is woken. Irregular wavefronts on GPUs: Teodoro et al. 2013.
#include <algorithm>
#include <array>
#include <cstdint>
#include <type_traits>

#include <cooperative_groups.h>

#include "core/gpu/launch.hpp"
#include "morphology/gpu/reconstruct/run.hpp"
#include "morphology/gpu/reconstruct/tile.hpp"

namespace tamis::morphology_detail::gpu {
namespace reconstruct_kernel {
namespace {

// Images on the device to cells and back. For run.cu.

constexpr int threads = 256;

struct CellsTask {
  DeviceImage marker, mask, out;
  std::int64_t nx = 0, ny = 0, nz = 0;
  std::int64_t pitch = 0;  ///< of rows of cells, a multiple of 64
  bool turned = false, clip_marker = false;
};

cuda::LaunchShape shape_of(const CellsTask& task) {
  cuda::LaunchShape shape;
  shape.threads = dim3(threads);
  constexpr std::int64_t most = 65535;
  shape.blocks = dim3(static_cast<unsigned>((task.pitch + threads - 1) / threads),
                      static_cast<unsigned>(std::min(task.ny * task.nz, most)));
  return shape;
}

template <class Sample>
__device__ __forceinline__ Sample sample_at(const DeviceImage& image, std::int64_t z, std::int64_t y, std::int64_t x) {
  const std::byte* const row = image.data + z * image.slice + y * image.pitch;
  if constexpr (std::is_same_v<Sample, bool>) {
    return (static_cast<unsigned>(row[x / 8]) >> (x % 8) & 1U) != 0;
  } else {
    return reinterpret_cast<const Sample*>(row)[x];
  }
}

/// faults: the first NaN, the first marker above its mask.
template <class Sample>
__global__ void __launch_bounds__(threads)
    fill_kernel(const CellsTask task, CellOf<Sample>* j, CellOf<Sample>* i, unsigned long long* faults) {
  const std::int64_t x = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (x >= task.pitch) return;
  for (std::int64_t row = blockIdx.y; row < task.ny * task.nz; row += gridDim.y) {
    CellOf<Sample> of_marker = 0;
    CellOf<Sample> of_mask = 0;
    if (x < task.nx) {
      const Sample marker = sample_at<Sample>(task.marker, row / task.ny, row % task.ny, x);
      const Sample mask = sample_at<Sample>(task.mask, row / task.ny, row % task.ny, x);
      of_marker = cell_of<Sample>(marker, task.turned);
      of_mask = cell_of<Sample>(mask, task.turned);
      const auto index = static_cast<unsigned long long>(row * task.nx + x);
      if (is_nan(marker) || is_nan(mask)) {
        atomicMin(faults, index);
      } else if (of_marker > of_mask) {
        if (!task.clip_marker) atomicMin(faults + 1, index);
        of_marker = of_mask;
      }
    }
    j[row * task.pitch + x] = of_marker;
    i[row * task.pitch + x] = of_mask;
  }
}

template <class Sample>
__global__ void __launch_bounds__(threads) write_kernel(const CellsTask task, const CellOf<Sample>* j) {
  const std::int64_t x = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (x >= task.pitch) return;  // whole warps: the pitch is a multiple of their cells
  for (std::int64_t row = blockIdx.y; row < task.ny * task.nz; row += gridDim.y) {
    const Sample sample = sample_of<Sample>(j[row * task.pitch + x], task.turned);
    std::byte* const to = task.out.data + row / task.ny * task.out.slice + row % task.ny * task.out.pitch;
    if constexpr (std::is_same_v<Sample, bool>) {
      // Bits behind the row's end are 0, in words that belong to it.
      const unsigned bits = __ballot_sync(~0U, x < task.nx && sample);
      if (x % 32 == 0 && x / 8 < task.out.pitch) reinterpret_cast<unsigned*>(to)[x / 32] = bits;
    } else {
      if (x < task.nx) reinterpret_cast<Sample*>(to)[x] = sample;
    }
  }
}

CellsTask task_of(const ReconstructArrays& arrays, const ReconstructForm& form, std::int64_t pitch) {
  const Shape& shape = arrays.shape;
  return {arrays.marker, arrays.mask, arrays.out, shape.x, shape.y, shape.z, pitch, form.turned, form.clip_marker};
}

}  // namespace
}  // namespace reconstruct_kernel

namespace {

/// Cells of marker and mask, rows `pitch` apart with zeros behind them. Waits for the device.
template <class Sample>
ReconstructFaults fill_cells(const cuda::Stream& stream, const ReconstructArrays& arrays, const ReconstructForm& form,
                             std::int64_t pitch, CellOf<Sample>* j, CellOf<Sample>* i) {
  using namespace reconstruct_kernel;
  constexpr auto none = static_cast<unsigned long long>(ReconstructFaults::none);
  std::array<unsigned long long, 2> found{none, none};
  const cuda::DeviceBuffer<unsigned long long> faults(stream, 2);
  cuda::check(cudaMemcpyAsync(faults.data(), found.data(), sizeof(found), cudaMemcpyHostToDevice, stream.get()),
              "look for faults");
  const CellsTask task = task_of(arrays, form, pitch);
  cuda::launch(stream, shape_of(task), "fill cells", fill_kernel<Sample>, task, j, i, faults.data());
  cuda::check(cudaMemcpyAsync(found.data(), faults.data(), sizeof(found), cudaMemcpyDeviceToHost, stream.get()),
              "look for faults");
  stream.synchronize();
  return {static_cast<std::int64_t>(found[0]), static_cast<std::int64_t>(found[1])};
}

/// Queues the samples of the result.
template <class Sample>
void write_cells(const cuda::Stream& stream, const ReconstructArrays& arrays, const ReconstructForm& form,
                 std::int64_t pitch, const CellOf<Sample>* j) {
  using namespace reconstruct_kernel;
  const CellsTask task = task_of(arrays, form, pitch);
  cuda::launch(stream, shape_of(task), "write cells", write_kernel<Sample>, task, j);
}

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
