#include "median/ordinal_cuda.hpp"

#include <type_traits>

#include "core/cuda/border.cuh"
#include "core/cuda/launch.hpp"
#include "median/device_runs.hpp"
#include "median/gpu_keys.cuh"
#include "median/ordinal_lane.cuh"
#include "median/ordinal_sort.cuh"
#include "median/ordinal_tile.hpp"
#include "median/rank_of.cuh"

namespace tamis::median_detail {
namespace {

struct OrdinalTask {
  cuda::DeviceImage from, to;
  int nx = 0, ny = 0, nz = 0;
  Border::Kind border = Border::Kind::Reflect;
  std::uint32_t outside = 0;
  bool frame_only = false;
  int low_x = 0, low_y = 0, low_z = 0;  ///< of the window
  OrdinalTile tile;
  int across = 0, down = 0;  ///< tiles
  int rank = 0;
  double percentile = 50;
  DeviceRuns runs;
};

/// Of a tile: its first result, and whether all that it sees is in the image.
struct Corner {
  int x, y, z;
  bool inside;
};
__device__ __forceinline__ Corner corner_of(const OrdinalTask& task) {
  const OrdinalTile& tile = task.tile;
  const auto block = static_cast<int>(blockIdx.x);
  Corner corner{block % task.across * tile.wide, block / task.across % task.down * tile.tall,
                block / task.across / task.down * tile.deep, false};
  const auto fits = [](int first, int count, int n) { return first >= 0 && first + count <= n; };
  corner.inside = fits(corner.x + task.low_x, tile.seen_x, task.nx) &&
                  fits(corner.y + task.low_y, tile.seen_y, task.ny) &&
                  fits(corner.z + task.low_z, tile.seen_z, task.nz);
  return corner;
}

/// Keys, with their places in the lower 16 bits.
template <class Sample, class Word>
__device__ __forceinline__ void load_words(const OrdinalTask& task, const Corner& corner, Word* words) {
  const OrdinalTile& tile = task.tile;
  const auto threads = static_cast<int>(blockDim.x), thread = static_cast<int>(threadIdx.x);
  const int step_row = threads / tile.seen_x, step_x = threads % tile.seen_x;
  const int x0 = corner.x + task.low_x, y0 = corner.y + task.low_y, z0 = corner.z + task.low_z;
  Sample outside;
  memcpy(&outside, &task.outside, sizeof(Sample));
  const std::uint32_t outside_key = task.border == Border::Kind::Neutral ? gpu_absent : gpu_key_of(outside);
  const auto row_at = [&](std::int64_t z, std::int64_t y) {
    return reinterpret_cast<const Sample*>(task.from.data + z * task.from.slice + y * task.from.pitch);
  };
  int row = thread / tile.seen_x, x = thread % tile.seen_x;
#pragma unroll 4
  for (int place = thread; place < tile.ordered; place += threads) {
    const int z = tile.seen_z == 1 ? 0 : row / tile.seen_y;
    const int y = row - z * tile.seen_y;
    std::uint32_t key = outside_key;
    if (corner.inside) {
      key = place < tile.count ? gpu_key_of(__ldg(row_at(z0 + z, y0 + y) + x0 + x)) : 0;
    } else {
      const int from_z = cuda::seen_at(z0 + z, task.nz, task.border);
      const int from_y = cuda::seen_at(y0 + y, task.ny, task.border);
      const int from_x = cuda::seen_at(x0 + x, task.nx, task.border);
      if (from_z >= 0 && from_y >= 0 && from_x >= 0) key = gpu_key_of(row_at(from_z, from_y)[from_x]);
    }
    // What fills up the last thread is above everything.
    words[place] = place < tile.count ? static_cast<Word>(key) << 16 | static_cast<Word>(place) : ~Word{0};
    row += step_row;
    x += step_x;
    if (x >= tile.seen_x) {
      x -= tile.seen_x;
      ++row;
    }
  }
}

/// Whether the window at a sample sees one of the image.
__device__ bool sees_image(const OrdinalTask& task, int z, int y, int x) {
  if (task.border != Border::Kind::Neutral) return true;
  for (const DeviceRun& run : task.runs.whole()) {
    const int run_z = z + run.z, run_y = y + run.y, run_x = x + run.x;
    const bool row_inside = run_z >= 0 && run_z < task.nz && run_y >= 0 && run_y < task.ny;
    if (row_inside && run_x < task.nx && run_x + run.length > 0) return true;
  }
  return false;
}

/// A block makes the results of a tile. `varies`: ranks depend on how many of the samples seen are there.
template <class Sample, class Word, bool varies>
__global__ void ordinal_kernel(OrdinalTask task) {
  extern __shared__ __align__(16) std::byte shared[];
  __shared__ int present;
  using Key = std::conditional_t<sizeof(Word) == 8, std::uint32_t, std::uint16_t>;
  const OrdinalTile& tile = task.tile;
  const Corner corner = corner_of(task);
  if (task.frame_only && corner.inside) return;
  auto* const keys = reinterpret_cast<Key*>(shared);
  auto* const ordinals = reinterpret_cast<std::uint16_t*>(shared + tile.key_bytes);
  auto* const words = reinterpret_cast<Word*>(shared + tile.table_bytes);
  const auto thread = static_cast<int>(threadIdx.x);
  if (thread == 0) present = tile.count;
  load_words<Sample>(task, corner, words);
  __syncthreads();
  put_in_order(words, tile.ordered);
  for (int i = thread; i < tile.count; i += static_cast<int>(blockDim.x)) {
    const Word word = words[i];
    const auto key = static_cast<Key>(word >> 16);
    keys[i] = key;
    ordinals[word & 0xFFFFU] = static_cast<std::uint16_t>(i);
    if (varies && key == gpu_absent && (i == 0 || static_cast<Key>(words[i - 1] >> 16) != gpu_absent)) present = i;
  }
  __syncthreads();
  const int lane = thread % 32, warp = thread / 32;
  if (warp >= tile.warps) return;
  const int group = warp / tile.columns % tile.groups, slice = warp / (tile.columns * tile.groups);
  const int rows = tile.tall / tile.groups, column = warp % tile.columns * 32 + lane;
  const int x = corner.x + column, z = corner.z + slice;
  int y = corner.y + group * rows;
  const int end = min(y + rows, task.ny);
  if (y >= end || z >= task.nz) return;
  OrdinalLane<varies> seen(reinterpret_cast<std::byte*>(words) + warp * tile.set_words * 128,
                           static_cast<unsigned>(lane), present);
  seen.clear(tile.set_words);
  // The place of the window's origin; runs lead from there to places of the tile.
  const int pitch = tile.seen_x, plane = tile.seen_x * tile.seen_y;
  int at = (slice - task.low_z) * plane + (group * rows - task.low_y) * pitch + column - task.low_x;
  auto* to = task.to.data + z * task.to.slice + y * task.to.pitch;
  for (const DeviceRun& run : task.runs.whole()) {
    seen.template move<true>(ordinals + at + run.row(pitch, plane) + run.x, run.length);
  }
  for (;;) {
    const int rank = varies ? static_cast<int>(device_rank_of(task.percentile, seen.present())) : task.rank;
    std::uint32_t key = gpu_absent;
    if (rank >= 0) key = keys[seen.find(rank)];
    if (x < task.nx) {
      Sample& out = reinterpret_cast<Sample*>(to)[x];
      out = gpu_sample_of<Sample>(key);
      if (varies && rank < 0 && !sees_image(task, z, y, x)) {
        out = reinterpret_cast<const Sample*>(task.from.data + z * task.from.slice + y * task.from.pitch)[x];
      }
    }
    if (++y == end) return;
    for (const DeviceRun& run : task.runs.leaving()) {
      seen.template move<false>(ordinals + at + run.row(pitch, plane) + run.x, run.length);
    }
    at += tile.seen_x;
    to += task.to.pitch;
    for (const DeviceRun& run : task.runs.entering()) {
      seen.template move<true>(ordinals + at + run.row(pitch, plane) + run.x, run.length);
    }
  }
}

[[nodiscard]] bool varies(const GpuStep& task) { return task.around_nan || task.border.kind == Border::Kind::Neutral; }

/// Bytes of a key with its place: where there may be absent ones they need a key of their own.
[[nodiscard]] int word_bytes(const GpuStep& task) {
  const bool short_keys = task.type == Type::U16 || task.type == Type::I16;
  return short_keys && !varies(task) ? 4 : 8;
}

[[nodiscard]] std::optional<OrdinalTile> tile_of(const cuda::Stream& stream, const RankStep& step, std::int64_t changes,
                                                 const GpuStep& task) {
  int shared_bytes = 0;
  constexpr const char* what = "ask for shared memory";
  cuda::check(cudaDeviceGetAttribute(&shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, stream.device()), what);
  constexpr int own = 16;  // beside the tile's
  return choose_tile(step.window, changes, task.shape, word_bytes(task), static_cast<std::size_t>(shared_bytes - own));
}

template <class Sample, class Word, bool counts>
void run(const cuda::Stream& stream, const OrdinalTask& task) {
  const std::int64_t tiles = std::int64_t{task.across} * task.down * ((task.nz + task.tile.deep - 1) / task.tile.deep);
  cuda::launch(
      stream,
      {dim3(static_cast<unsigned>(tiles)), dim3(static_cast<unsigned>(task.tile.threads)), task.tile.shared_bytes},
      "ranks by ordinals", ordinal_kernel<Sample, Word, counts>, task);
}

}  // namespace

bool ordinal_cuda_can(const cuda::Stream& stream, const RankStep& step, const DeviceRunList& runs,
                      const GpuStep& task) {
  return task.type != Type::Bool && tile_of(stream, step, runs.changes(), task).has_value();
}

void ordinal_cuda(const cuda::Stream& stream, const RankStep& step, const DeviceRunList& runs, const GpuStep& task) {
  OrdinalTask work;
  work.from = task.from;
  work.to = task.to;
  work.nx = static_cast<int>(task.shape.x);
  work.ny = static_cast<int>(task.shape.y);
  work.nz = static_cast<int>(task.shape.z);
  work.border = task.border.kind;
  work.outside = outside_bits(task.type, task.border);
  work.frame_only = task.frame_only;
  work.tile = *tile_of(stream, step, runs.changes(), task);
  work.across = (work.nx + work.tile.wide - 1) / work.tile.wide;
  work.down = (work.ny + work.tile.tall - 1) / work.tile.tall;
  work.rank = static_cast<int>(step.rank);
  work.percentile = step.percentile;
  const OffsetBox& box = step.window.box();
  work.low_x = static_cast<int>(box.low.x);
  work.low_y = static_cast<int>(box.low.y);
  work.low_z = static_cast<int>(box.low.z);
  work.runs = runs.get();
  using Word64 = unsigned long long;
  const bool counts = varies(task);
  switch (task.type) {
    case Type::U16:
      return counts ? run<std::uint16_t, Word64, true>(stream, work)
                    : run<std::uint16_t, unsigned, false>(stream, work);
    case Type::I16:
      return counts ? run<std::int16_t, Word64, true>(stream, work) : run<std::int16_t, unsigned, false>(stream, work);
    case Type::F32:
      return counts ? run<float, Word64, true>(stream, work) : run<float, Word64, false>(stream, work);
    default:
      return run<std::uint8_t, Word64, true>(stream, work);
  }
}

}  // namespace tamis::median_detail
