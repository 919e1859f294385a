#include "median/cpu/bucket/run.hpp"

#include <algorithm>
#include <tuple>
#include <vector>

#include "core/memory.hpp"
#include "median/cpu/bucket/kernels.hpp"
#include "median/cpu/bucket/tile.hpp"
#include "median/cpu/tiles.hpp"

namespace tamis::median_detail::cpu {
namespace {

/// Small tiles stay in the cache, large ones see less beside their results.
std::int64_t keys_of_a_tile(std::int64_t count) {
  constexpr std::int64_t keys_of_a_sample = 12, least = 1 << 15, most = 63'000;
  return std::clamp(count * keys_of_a_sample, least, most);
}

template <class K, class Corner>
class BucketTiles {
 public:
  void run(const BandTask<K>& work, const Tile& tile) {
    const RankStep& step = *work.step;
    const double share = (static_cast<double>(step.rank) + 0.5) / static_cast<double>(step.count);
    keys_.fill(*work.in, step, tile, share);
    if (keys_.alike()) return put_alike(work, tile);
    const auto columns = static_cast<std::size_t>(tile.extent.x);
    bucket_.resize(columns);
    place_.resize(columns);
    number_.resize(columns);
    const OffsetBox& box = step.window.box();
    const Offset window = box.high - box.low + Offset{1, 1, 1};
    const BucketSweep sweep = sweep_of(window, tile);
    BucketTask<Corner> task = task_of(window, tile);
    // Down one slice and up the next, so that few keys enter and leave from row to row.
    for (std::int64_t z = 0; z < tile.extent.z; ++z) {
      const bool down = z % 2 == 0;
      for (std::int64_t i = 0; i < tile.extent.y; ++i) {
        const SweepMove along = down ? SweepMove::Down : SweepMove::Up;
        const SweepMove start = z == 0 ? SweepMove::First : SweepMove::Through;
        step.stop_if_cancelled();
        task.z = z;
        task.y = down ? i : tile.extent.y - 1 - i;
        run_row(work, tile, sweep, i == 0 ? start : along, task);
      }
    }
  }

 private:
  void put_alike(const BandTask<K>& work, const Tile& tile) const {
    for (std::int64_t z = 0; z < tile.extent.z; ++z) {
      for (std::int64_t y = 0; y < tile.extent.y; ++y) {
        std::fill_n(work.out_row(tile.first.z + z, tile.first.y + y) + tile.first.x, tile.extent.x, keys_.first_key());
      }
    }
  }
  BucketSweep sweep_of(const Offset& window, const Tile& tile) {
    BucketSweep sweep;
    sweep.row_stride = keys_.places().row_stride;
    sweep.slice_stride = keys_.places().slice_stride;
    sweep.buckets = keys_.buckets();
    sweep.groups = keys_.groups();
    sweep.width = window.x;
    sweep.height = window.y;
    sweep.depth = window.z;
    sweep.columns = tile.extent.x;
    const std::int64_t bytes = bucket_sweep_bytes(sweep);
    if (counts_.size() < bytes) counts_ = Buffer<std::byte>(bytes);
    sweep.counts = counts_.data();
    return sweep;
  }
  BucketTask<Corner> task_of(const Offset& window, const Tile& tile) {
    BucketTask<Corner> task;
    task.corners = keys_.corners();
    task.shift = keys_.shift();
    task.first_bucket = keys_.first_bucket();
    task.width = window.x;
    task.height = window.y;
    task.depth = window.z;
    task.results = tile.extent.x;
    task.bucket = bucket_.data();
    task.place = place_.data();
    task.number = number_.data();
    return task;
  }
  void run_row(const BandTask<K>& work, const Tile& tile, const BucketSweep& sweep, SweepMove move,
               const BucketTask<Corner>& task) {
    const Offset first = tile.first + Offset{task.z, task.y, 0};
    BucketRow row;
    row.z = task.z;
    row.y = task.y;
    row.rank = static_cast<std::int32_t>(work.step->rank);
    if (work.ranks) row.ranks = work.rank_row(first.z, first.y) + first.x;
    row.bucket = bucket_.data();
    row.place = place_.data();
    sweep_buckets(work.simd, sweep, move, row);
    select_in_buckets(work.simd, task);
    K* const out = work.out_row(first.z, first.y) + first.x;
    for (std::int64_t x = 0; x < tile.extent.x; ++x) out[x] = keys_.key(number_[static_cast<std::size_t>(x)]);
  }

  BucketTile<K, Corner> keys_;
  std::vector<std::uint16_t> bucket_;          ///< of the results of a row
  std::vector<std::uint32_t> place_, number_;  ///< of the results of a row
  Buffer<std::byte> counts_;
};

}  // namespace

Offset bucket_tile_extent(const RankStep& step, const Shape& shape, std::int64_t key_bytes) {
  return tile_extent(step.window.box(), {shape.z, shape.y, shape.x}, keys_of_a_tile(step.count), key_bytes);
}

template <class K>
struct BucketBands<K>::Memory {
  std::tuple<BucketTiles<K, FlatCorner>, BucketTiles<K, LargeFlatCorner>, BucketTiles<K, DeepCorner>,
             BucketTiles<K, LargeDeepCorner>>
      tiles;
};

template <class K>
BucketBands<K>::BucketBands() : memory_(std::make_unique<Memory>()) {}
template <class K>
BucketBands<K>::~BucketBands() = default;
template <class K>
BucketBands<K>::BucketBands(BucketBands&&) noexcept = default;

template <class K>
void BucketBands<K>::run(const BandTask<K>& work) {
  const OffsetBox& box = work.step->window.box();
  const Offset extent = tile_extent(work, keys_of_a_tile(work.step->count));
  const Offset seen = extent + box.high - box.low;
  const bool large = std::max({seen.z, seen.y, seen.x}) > FlatCorner::places;
  const auto run_tiles = [&](auto& tiles) {
    for_tiles(work, extent, [&](const Tile& tile) { tiles.run(work, tile); });
  };
  auto& [flat, large_flat, deep, large_deep] = memory_->tiles;
  if (seen.z == 1) return large ? run_tiles(large_flat) : run_tiles(flat);
  return large ? run_tiles(large_deep) : run_tiles(deep);
}

template class BucketBands<std::uint16_t>;
template class BucketBands<std::uint32_t>;

}  // namespace tamis::median_detail::cpu
