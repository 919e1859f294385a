#include "median/gpu/step.hpp"

#include <cstdint>
#include <type_traits>

#include "core/gpu/border.cuh"
#include "core/gpu/launch.hpp"
#include "core/visit_type.hpp"
#include "median/gpu/keys.cuh"
#include "median/gpu/ordinal/sort.cuh"
#include "median/plan/gpu_tiles.hpp"

namespace tamis::median_detail::gpu {
namespace {

// The samples that a window sees as a set of ordinals, one set a lane, in shared memory: word k of lane l lies in bank
// l.

/// A set of ordinals, a word of it, and how many are in the words before. With `counts_present` also how many of them
/// are below a limit.
template <bool counts_present>
class OrdinalLane {
 public:
  __device__ OrdinalLane(std::byte* set, unsigned lane, int present)
      : set_(set), lane_bytes_(lane * 4U), present_limit_(static_cast<std::uint32_t>(present) << 16) {}

  __device__ void clear(int words) const {
    for (int i = 0; i < words; ++i) *word(static_cast<std::uint32_t>(i) << 7) = 0;
  }

  /// `length` ordinals side by side come in (or go out).
  template <bool in>
  __device__ __forceinline__ void move(const std::uint16_t* ordinals, int length) {
    const unsigned shift = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(ordinals) & 2) * 8;
    const auto* words = reinterpret_cast<const std::uint32_t*>(ordinals - shift / 16);
    // Of half a word, in its upper half: what is below this is in an earlier word of the set.
    const std::uint32_t limit = static_cast<std::uint32_t>(at_) << 21;
    std::uint32_t now = *words;
    int left = length;
#pragma unroll 4
    for (; left >= 2; left -= 2) {
      const std::uint32_t next = *++words;
      const std::uint32_t two = __funnelshift_r(now, next, shift);
      toggle(two << 2, two);
      toggle(two >> 14, two >> 16);
      tally<in>(two << 16, limit);
      tally<in>(two, limit);
      now = next;
    }
    if (left == 0) return;
    const std::uint32_t one = now >> shift & 0xFFFFU;
    toggle(one << 2, one);
    tally<in>(one << 16, limit);
  }

  template <bool in>
  __device__ __forceinline__ void move_one(const std::uint16_t* ordinal) {
    const std::uint32_t one = *ordinal;
    toggle(one << 2, one);
    tally<in>(one << 16, static_cast<std::uint32_t>(at_) << 21);
  }

  /// The ordinal with index `rank` in the set; from where the last one was. There are more than that.
  __device__ __forceinline__ int find(int rank) {
    while (before_ > rank) before_ -= __popc(*word(static_cast<std::uint32_t>(--at_) << 7));
    for (;;) {
      std::uint32_t bits = *word(static_cast<std::uint32_t>(at_) << 7);
      const int next = before_ + __popc(bits);
      if (next > rank) {
        for (int i = before_; i < rank; ++i) bits &= bits - 1;
        return at_ * 32 + __ffs(static_cast<int>(bits)) - 1;
      }
      before_ = next;
      ++at_;
    }
  }
  [[nodiscard]] __device__ int present() const { return present_; }

 private:
  /// `place` has an ordinal times 4, `ordinal` it in its lowest bits; what else is in them does not matter.
  __device__ __forceinline__ void toggle(std::uint32_t place, std::uint32_t ordinal) const {
    constexpr std::uint32_t words = 0x3FF80U;  // 32 ordinals in 128 bytes
    atomicXor(word(place & words), 1U << (ordinal & 31));
  }
  template <bool in>
  __device__ __forceinline__ void tally(std::uint32_t upper_half, std::uint32_t limit) {
    constexpr int step = in ? 1 : -1;
    if (upper_half < limit) before_ += step;
    // The lower half may be anything: ordinals are whole numbers.
    if (counts_present && upper_half < present_limit_) present_ += step;
  }
  [[nodiscard]] __device__ __forceinline__ std::uint32_t* word(std::uint32_t place) const {
    return reinterpret_cast<std::uint32_t*>(set_ + (place | lane_bytes_));
  }

  std::byte* set_;
  unsigned lane_bytes_;
  std::uint32_t present_limit_;
  int at_ = 0;
  int before_ = 0;
  int present_ = 0;
};

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
  const std::uint32_t outside_key = task.border == Border::Kind::Neutral ? absent_key : key_of(outside);
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
      key = place < tile.count ? key_of(__ldg(row_at(z0 + z, y0 + y) + x0 + x)) : 0;
    } else {
      const int from_z = cuda::seen_at(z0 + z, task.nz, task.border);
      const int from_y = cuda::seen_at(y0 + y, task.ny, task.border);
      const int from_x = cuda::seen_at(x0 + x, task.nx, task.border);
      if (from_z >= 0 && from_y >= 0 && from_x >= 0) key = key_of(row_at(from_z, from_y)[from_x]);
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

/// A block makes the results of a tile. `varies`: ranks depend on how many of the samples seen are there.
template <class Sample, class Word, bool varies>
__global__ void ordinal_kernel(OrdinalTask task) {
  extern __shared__ __align__(16) std::byte shared[];
  __shared__ int present;
  using Key = std::conditional_t<sizeof(Word) == 8, std::uint32_t, std::uint16_t>;
  constexpr auto absent = static_cast<Key>(absent_key);
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
    if (varies && key == absent && (i == 0 || static_cast<Key>(words[i - 1] >> 16) != absent)) present = i;
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
  const auto first_of = [&](const DeviceRun& run) { return ordinals + at + run.row(pitch, plane) + run.x; };
  for (const DeviceRun& run : task.runs.whole()) seen.template move<true>(first_of(run), run.length);
  for (;;) {
    const int rank = varies ? static_cast<int>(device_rank_of(task.percentile, seen.present())) : task.rank;
    std::uint32_t key = absent_key;
    if (rank >= 0) key = keys[seen.find(rank)];
    if (x < task.nx) {
      Sample& out = reinterpret_cast<Sample*>(to)[x];
      out = sample_of<Sample>(key);
      if (varies && rank < 0 && !sees_image(task, z, y, x)) {
        out = reinterpret_cast<const Sample*>(task.from.data + z * task.from.slice + y * task.from.pitch)[x];
      }
    }
    if (++y == end) return;
    task.runs.visit_leaving([&](const DeviceRun& run) { seen.template move<false>(first_of(run), run.length); },
                            [&](const DeviceRun& run) { seen.template move_one<false>(first_of(run)); });
    at += tile.seen_x;
    to += task.to.pitch;
    task.runs.visit_entering([&](const DeviceRun& run) { seen.template move<true>(first_of(run), run.length); },
                             [&](const DeviceRun& run) { seen.template move_one<true>(first_of(run)); });
  }
}

/// Where there may be absent samples they need a key of their own: what 16 bits do not hold is kept with its place
/// in 64.
template <class Sample, bool varies>
using WordOf = std::conditional_t<(sizeof(Sample) > (varies ? 1 : 2)), unsigned long long, unsigned>;

using OrdinalKernel = void (*)(OrdinalTask);
struct KernelOfType {
  OrdinalKernel kernel;
  int word_bytes;
};

template <class Sample, bool varies>
[[nodiscard]] KernelOfType kernel_of() {
  using Word = WordOf<Sample, varies>;
  return {ordinal_kernel<Sample, Word, varies>, static_cast<int>(sizeof(Word))};
}
[[nodiscard]] KernelOfType kernel_of(const Step& step) {
  return visit_filter_type(step.type, [&]<class Sample>(Sample) {
    if constexpr (sizeof(Sample) == 1) {
      return kernel_of<Sample, true>();  // where ranks of U8 do not vary there are histograms
    } else {
      return step.varies() ? kernel_of<Sample, true>() : kernel_of<Sample, false>();
    }
  });
}

class OrdinalRanks : public cuda::DeviceFilter {
 public:
  OrdinalRanks(const cuda::Stream& stream, const Step& step, const DeviceRunList& runs, OrdinalKernel kernel,
               const OrdinalTile& tile)
      : stream_(stream), kernel_(kernel) {
    task_.nx = static_cast<int>(step.shape.x);
    task_.ny = static_cast<int>(step.shape.y);
    task_.nz = static_cast<int>(step.shape.z);
    task_.border = step.border.kind;
    task_.outside = outside_bits(step.type, step.border);
    task_.frame_only = step.frame_only;
    task_.tile = tile;
    const auto parts = [](int n, int part) { return (n + part - 1) / part; };
    task_.across = parts(task_.nx, tile.wide);
    task_.down = parts(task_.ny, tile.tall);
    task_.rank = static_cast<int>(step.rank.rank);
    task_.percentile = step.rank.percentile;
    const OffsetBox& box = step.rank.window.box();
    task_.low_x = static_cast<int>(box.low.x);
    task_.low_y = static_cast<int>(box.low.y);
    task_.low_z = static_cast<int>(box.low.z);
    task_.runs = runs.get();
    const std::int64_t tiles = std::int64_t{task_.across} * task_.down * parts(task_.nz, tile.deep);
    shape_ = {dim3(static_cast<unsigned>(tiles)), dim3(static_cast<unsigned>(tile.threads)), tile.shared_bytes};
    cuda::allow_shared_bytes(stream, kernel_, tile.shared_bytes, what);
  }

  void run(const cuda::DeviceImage& image, const cuda::DeviceImage& out, unsigned*) const override {
    OrdinalTask task = task_;
    task.from = image;
    task.to = out;
    cuda::launch_allowed(stream_, shape_, what, kernel_, task);
  }

 private:
  static constexpr const char* what = "ranks by ordinals";

  const cuda::Stream& stream_;
  OrdinalKernel kernel_;
  OrdinalTask task_;
  cuda::LaunchShape shape_;
};

}  // namespace

std::optional<OrdinalTile> ordinal_tile(const cuda::Stream& stream, const Step& step, const DeviceRunList& runs) {
  int shared_bytes = 0;
  cuda::check(cudaDeviceGetAttribute(&shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, stream.device()),
              "ask for shared memory");
  constexpr int own = 16;  // beside the tile's
  return choose_tile(step.rank.window, runs.changes(), step.shape, kernel_of(step).word_bytes,
                     static_cast<std::size_t>(shared_bytes - own));
}

cuda::DeviceStep ordinal_step(const cuda::Stream& stream, const Step& step, const DeviceRunList& runs,
                              const OrdinalTile& tile) {
  return std::make_unique<OrdinalRanks>(stream, step, runs, kernel_of(step).kernel, tile);
}

}  // namespace tamis::median_detail::gpu
