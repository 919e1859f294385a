#include "median/gpu/step.hpp"

#include <algorithm>
#include <bit>

#include "core/gpu/launch.hpp"
#include "core/visit_type.hpp"
#include "median/gpu/bucket/search.cuh"
#include "median/gpu/bucket/sort.hpp"
#include "median/plan/gpu_tiles.hpp"

namespace tamis::median_detail::gpu {
namespace {

std::int64_t parts(std::int64_t n, std::int64_t part) { return (n + part - 1) / part; }

/// Where in the workspace everything lies.
class Layout {
 public:
  Layout(const GpuBucketTile& tile, std::int64_t tiles, std::int64_t sort_bytes) {
    const std::int64_t samples = tiles * tile.count;
    words_ = take((samples + read_behind) * 8);
    others_ = take((samples + read_behind) * 8);
    buckets_ = take(samples + read_behind);
    present_ = take(tiles * 4);
    found_ = take(tiles * tile.results * 4);
    sort_ = take(sort_bytes);
  }

  /// Samples behind the last tile that are read with it, and change nothing.
  static constexpr std::int64_t read_behind = 16;

  [[nodiscard]] std::int64_t bytes() const { return bytes_; }
  void lend(std::byte* workspace, BucketTask& task) const {
    task.words = reinterpret_cast<std::uint64_t*>(workspace + words_);
    task.buckets = reinterpret_cast<std::uint8_t*>(workspace + buckets_);
    task.present = reinterpret_cast<std::uint32_t*>(workspace + present_);
    task.found = reinterpret_cast<std::uint32_t*>(workspace + found_);
  }
  /// Words in order; places take the memory that is free then.
  void sort(const cuda::Stream& stream, const WordSort& sort, std::byte* workspace, BucketTask& task) const {
    auto* const others = reinterpret_cast<std::uint64_t*>(workspace + others_);
    std::uint64_t* const sorted = sort.run(stream, task.words, others, workspace + sort_);
    task.places = reinterpret_cast<std::uint32_t*>(sorted == others ? task.words : others);
    task.words = sorted;
  }

 private:
  std::int64_t take(std::int64_t bytes) {
    constexpr std::int64_t alignment = 256;
    const std::int64_t at = bytes_;
    bytes_ += parts(bytes, alignment) * alignment;
    return at;
  }
  std::int64_t bytes_ = 0;
  std::int64_t words_, others_, buckets_, present_, found_, sort_;
};

using BucketKernel = void (*)(BucketTask);
struct Kernels {
  BucketKernel words = nullptr, buckets = nullptr, search = nullptr;
};

Kernels kernels_of(const Step& step, std::int64_t samples) {
  constexpr std::int64_t most_of_16 = 65535;
  const bool box = step.rank.window.is_box();
  return visit_filter_type(step.type, [&](auto sample) {
    using Sample = decltype(sample);
    return Kernels{word_kernel<Sample>, samples <= most_of_16 ? bucket_kernel<16> : bucket_kernel<32>,
                   box ? search_kernel<Sample, true> : search_kernel<Sample, false>};
  });
}

/// Bits of keys: where samples may be absent those need a key of their own; floats have one to spare.
int key_bits_of(const Step& step) {
  const int bits = 8 * static_cast<int>(sample_bytes(step.type));
  return step.type == Type::F32 ? bits : bits + (step.varies() ? 1 : 0);
}

/// A bit for each place of the window's box, x first.
cuda::PinnedBuffer<std::uint32_t> mask_of(const cuda::Stream& stream, const OffsetSet& window) {
  const OffsetBox& box = window.box();
  const Offset extent = box.high - box.low;
  cuda::PinnedBuffer<std::uint32_t> mask(stream, parts(box.count(), 32));
  std::fill_n(mask.data(), mask.size(), 0);
  for (const OffsetSet::Run& run : window.runs()) {
    const Offset at = run.start - box.low;
    const std::int64_t first = (at.z * (extent.y + 1) + at.y) * (extent.x + 1) + at.x;
    for (std::int64_t bit = first; bit < first + run.length; ++bit) mask.data()[bit / 32] |= 1U << (bit % 32);
  }
  return mask;
}

class BucketRanks : public cuda::DeviceFilter {
 public:
  BucketRanks(const cuda::Stream& stream, const Step& step, const DeviceRunList& runs, const GpuBucketTile& tile)
      : stream_(stream),
        workspace_(step.workspace),
        kernels_(kernels_of(step, runs.samples())),
        at_once_(tiles_at_once(tile, key_bits_of(step))),
        layout_(tile, at_once_, sort_of(tile, key_bits_of(step), at_once_).workspace_bytes()) {
    step.workspace.want(layout_.bytes());
    task_.nx = step.shape.x;
    task_.ny = step.shape.y;
    task_.nz = step.shape.z;
    task_.border = step.border.kind;
    task_.outside = outside_bits(step.type, step.border);
    task_.tile = tile;
    task_.key_bits = key_bits_of(step);
    const OffsetBox& box = step.rank.window.box();
    task_.low = box.low;
    task_.width = static_cast<int>(box.high.x - box.low.x + 1);
    task_.height = static_cast<int>(box.high.y - box.low.y + 1);
    task_.depth = static_cast<int>(box.high.z - box.low.z + 1);
    const std::int64_t strips_of_row = parts(step.shape.x, 32) * tile.down * step.shape.z;
    task_.rows = strip_rows(tile.tall, strips_of_row, runs.samples(), runs.changes());
    task_.varies = step.varies();
    task_.rank = static_cast<int>(step.rank.rank);
    task_.percentile = step.rank.percentile;
    task_.runs = runs.get();
    if (!step.rank.window.is_box()) take_mask(step.rank.window);
  }

  void run(const cuda::DeviceImage& image, const cuda::DeviceImage& out, unsigned*) const override {
    BucketTask task = task_;
    task.from = image;
    task.to = out;
    const std::int64_t tiles = task.tile.tiles();
    for (task.first_tile = 0; task.first_tile < tiles; task.first_tile += at_once_) {
      task.tiles = static_cast<int>(std::min(at_once_, tiles - task.first_tile));
      layout_.lend(workspace_.data(), task);
      share_out(task);
      find(task);
    }
  }

 private:
  static std::int64_t tiles_at_once(const GpuBucketTile& tile, int key_bits) {
    constexpr std::int64_t most_samples = std::int64_t{1} << 25, most_of_a_launch = 65535;
    constexpr int most_bits = 16;
    const std::int64_t by_bits = std::int64_t{1} << std::min(64 - tile.place_bits - key_bits, most_bits);
    return std::min({std::max<std::int64_t>(most_samples / tile.count, 1), by_bits, most_of_a_launch, tile.tiles()});
  }
  static WordSort sort_of(const GpuBucketTile& tile, int key_bits, std::int64_t tiles) {
    const int tile_bits = std::bit_width(static_cast<std::uint64_t>(tiles - 1));
    return {tiles * tile.count, tile.place_bits, tile.place_bits + key_bits + tile_bits};
  }

  void take_mask(const OffsetSet& window) {
    host_mask_ = mask_of(stream_, window);
    mask_ = cuda::DeviceBuffer<std::uint32_t>(stream_, host_mask_.size());
    cuda::check(cudaMemcpyAsync(mask_.data(), host_mask_.data(), mask_.bytes(), cudaMemcpyHostToDevice, stream_.get()),
                "copy a window");
    task_.mask = mask_.data();
  }

  void share_out(BucketTask& task) const {
    constexpr int rows_of_block = threads_of_block / 32;
    constexpr std::int64_t samples_of_block = 4 * threads_of_block;
    const GpuBucketTile& tile = task.tile;
    cuda::check(cudaMemsetAsync(task.buckets + std::int64_t{task.tiles} * tile.count, 0, Layout::read_behind, stream_.get()),
                "clear what is read behind tiles");
    launch(task, parts(std::int64_t{tile.seen_y} * tile.seen_z, rows_of_block), threads_of_block, kernels_.words,
           "number the samples of tiles");
    layout_.sort(stream_, sort_of(tile, task.key_bits, task.tiles), workspace_.data(), task);
    const dim3 blocks(static_cast<unsigned>(parts(task.tiles, threads_of_block)));
    cuda::launch(stream_, {blocks, dim3(threads_of_block)}, "count the samples of tiles", present_kernel, task);
    launch(task, parts(tile.count, samples_of_block), threads_of_block, share_kernel, "share out samples");
  }
  void find(const BucketTask& task) const {
    const GpuBucketTile& tile = task.tile;
    launch(task, parts(tile.tall, task.rows) * (tile.wide / 32) * tile.deep, 32, kernels_.buckets, "find buckets");
    launch(task, parts(tile.results, threads_of_block), threads_of_block, kernels_.search, "search buckets");
  }
  void launch(const BucketTask& task, std::int64_t blocks, int threads, BucketKernel kernel, const char* what) const {
    const dim3 of_tiles(static_cast<unsigned>(blocks), static_cast<unsigned>(task.tiles));
    cuda::launch(stream_, {of_tiles, dim3(static_cast<unsigned>(threads))}, what, kernel, task);
  }

  const cuda::Stream& stream_;
  const Workspace& workspace_;
  Kernels kernels_;
  std::int64_t at_once_;
  Layout layout_;
  BucketTask task_;
  cuda::PinnedBuffer<std::uint32_t> host_mask_;
  cuda::DeviceBuffer<std::uint32_t> mask_;
};

}  // namespace

cuda::DeviceStep bucket_step(const cuda::Stream& stream, const Step& step, const DeviceRunList& runs,
                             const GpuBucketTile& tile) {
  return std::make_unique<BucketRanks>(stream, step, runs, tile);
}

}  // namespace tamis::median_detail::gpu
