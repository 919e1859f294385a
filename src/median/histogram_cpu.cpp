#include "median/histogram_cpu.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include <vector>

#include "core/memory.hpp"
#include "median/bucket_kernels.hpp"
#include "median/histogram_kernels.hpp"
#include "median/ranked_tile.hpp"
#include "median/tiles.hpp"

namespace tamis::median_detail {
namespace {

HistogramTask task_for(const RankStep& step, const Tile& tile) {
  const OffsetBox& box = step.window.box();
  HistogramTask task;
  task.width = box.high.x - box.low.x + 1;
  task.height = box.high.y - box.low.y + 1;
  task.depth = box.high.z - box.low.z + 1;
  task.columns = tile.extent.x;
  task.rows = tile.extent.y;
  task.rank = static_cast<std::int32_t>(step.rank);
  return task;
}

void run_in(Buffer<std::byte>& scratch, Simd simd, const HistogramTask& task) {
  const std::int64_t bytes = histogram_scratch_bytes(task);
  if (scratch.size() < bytes) scratch = Buffer<std::byte>(bytes);
  run_histograms(simd, task, scratch.data());
}

/// Bytes go straight from the slab, in stripes whose histograms stay in the cache.
void run_bytes(const BandWork<std::uint8_t>& work) {
  const OffsetBox& box = work.step->window.box();
  constexpr std::int64_t least_columns = 1024;  // 280 KB of counts
  const std::int64_t columns = std::max(least_columns, 4 * (box.high.x - box.low.x + 1));
  Buffer<std::byte> scratch;
  for (std::int64_t z = work.band.z0; z < work.band.z1; ++z) {
    for (std::int64_t x = work.x0; x < work.x1; x += columns) {
      const Tile tile{{z, work.band.y0, x}, {1, work.band.y1 - work.band.y0, std::min(columns, work.x1 - x)}};
      HistogramTask task = task_for(*work.step, tile);
      const Offset seen = tile.first + box.low;
      task.keys = work.in->row(seen.z, seen.y) + seen.x;
      task.row_stride = work.in->row_stride();
      task.slice_stride = work.in->slice_stride();
      if (work.ranks) task.ranks = work.rank_row(z, work.band.y0) + x;
      task.rank_stride = work.rank_stride;
      task.out = work.out_row(z, work.band.y0) + x;
      task.out_stride = work.row_stride;
      run_in(scratch, work.simd, task);
    }
  }
}

template <class K, class Coordinate>
class BucketTiles {
 public:
  explicit BucketTiles(const BandWork<K>& work) : work_(work) {}

  void run(const Tile& tile) {
    number_places(tile);
    ranked_.fill(*work_.in, work_.step->window.box(), tile, seen_);
    share_out();
    for (std::int64_t z = 0; z < tile.extent.z; ++z) run_slice(tile, z);
  }

 private:
  static constexpr int bucket_bits = 8;

  /// Numbers of places are made of the bits of their coordinates.
  void number_places(const Tile& tile) {
    const OffsetBox& box = work_.step->window.box();
    seen_.extent = tile.extent + box.high - box.low;
    const auto bits = [](std::int64_t n) {
      return static_cast<unsigned>(std::bit_width(static_cast<std::uint64_t>(n - 1)));
    };
    x_bits_ = bits(seen_.extent.x);
    y_bits_ = bits(seen_.extent.y);
    seen_.row_stride = std::int64_t{1} << x_bits_;
    seen_.slice_stride = seen_.row_stride << y_bits_;
  }

  /// Buckets by place, places by rank.
  void share_out() {
    const std::int64_t count = seen_.count();
    shift_ = std::max(0, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(count - 1))) - bucket_bits);
    for (auto* const vector : {&cx_, &cy_, &cz_}) vector->resize(static_cast<std::size_t>(count + bucket_over_read));
    buckets_.resize(static_cast<std::size_t>(seen_.extent.z * seen_.slice_stride));
    std::uint8_t* const buckets = buckets_.data();
    Coordinate* const cx = cx_.data();
    Coordinate* const cy = cy_.data();
    Coordinate* const cz = cz_.data();
    const auto shift = static_cast<unsigned>(shift_), x_bits = x_bits_, y_bits = y_bits_;
    const std::uint32_t x_mask = (1U << x_bits) - 1, y_mask = (1U << y_bits) - 1;
    for (std::int64_t rank = 0; rank < count; ++rank) {
      const std::uint32_t place = ranked_.place(rank);
      buckets[place] = static_cast<std::uint8_t>(rank >> shift);
      cx[rank] = static_cast<Coordinate>(place & x_mask);
      cy[rank] = static_cast<Coordinate>(place >> x_bits & y_mask);
      cz[rank] = static_cast<Coordinate>(place >> (x_bits + y_bits));
    }
  }

  void run_slice(const Tile& tile, std::int64_t z) {
    const std::int64_t slice_z = tile.first.z + z, y0 = tile.first.y, x0 = tile.first.x;
    HistogramTask task = task_for(*work_.step, tile);
    task.row_stride = seen_.row_stride;
    task.slice_stride = seen_.slice_stride;
    task.keys = buckets_.data() + z * task.slice_stride;
    if (work_.ranks) task.ranks = work_.rank_row(slice_z, y0) + x0;
    task.rank_stride = work_.rank_stride;
    const auto results = static_cast<std::size_t>(task.columns * task.rows);
    found_.resize(results);
    place_.resize(results);
    rank_.resize(static_cast<std::size_t>(task.columns));
    task.out = found_.data();
    task.out_stride = task.columns;
    task.place = place_.data();
    run_in(scratch_, work_.simd, task);

    BucketTask<Coordinate> select;
    select.cz = task.depth < seen_.extent.z ? cz_.data() : nullptr;
    select.cy = cy_.data();
    select.cx = cx_.data();
    select.shift = shift_;
    select.width = task.width;
    select.height = task.height;
    select.depth = task.depth;
    select.z = z;
    select.results = task.columns;
    select.rank = rank_.data();
    for (std::int64_t y = 0; y < task.rows; ++y) {
      select.y = y;
      select.bucket = found_.data() + y * task.columns;
      select.place = place_.data() + y * task.columns;
      select_in_buckets(work_.simd, select);
      K* const out = work_.out_row(slice_z, y0 + y) + x0;
      for (std::int64_t x = 0; x < task.columns; ++x) out[x] = ranked_.key(rank_[static_cast<std::size_t>(x)]);
    }
  }

  const BandWork<K>& work_;
  RankedTile<K> ranked_;
  SeenPlaces seen_;
  unsigned x_bits_ = 0, y_bits_ = 0;
  int shift_ = 0;
  std::vector<Coordinate> cx_, cy_, cz_;
  std::vector<std::uint8_t> buckets_, found_;
  std::vector<std::uint32_t> place_, rank_;
  Buffer<std::byte> scratch_;
};

/// Buckets of 256 keys, 64 of which are looked at in a step; more for large windows.
constexpr std::int64_t keys_of_a_tile = 1 << 16;

template <class K>
void run_buckets(const BandWork<K>& work) {
  const OffsetBox& box = work.step->window.box();
  const Offset extent = tile_extent(work, keys_of_a_tile);
  const Offset seen = extent + box.high - box.low;
  if (std::max({seen.z, seen.y, seen.x}) <= std::numeric_limits<std::uint8_t>::max() + 1) {
    BucketTiles<K, std::uint8_t> tiles(work);
    for_tiles(work, extent, [&](const Tile& tile) { tiles.run(tile); });
  } else {
    BucketTiles<K, std::uint16_t> tiles(work);
    for_tiles(work, extent, [&](const Tile& tile) { tiles.run(tile); });
  }
}

}  // namespace

bool histogram_can(const RankStep& step) {
  const OffsetBox& box = step.window.box();
  return step.window.is_box() &&
         histogram_fits(box.high.x - box.low.x + 1, box.high.y - box.low.y + 1, box.high.z - box.low.z + 1);
}

template <>
void histogram_band(const BandWork<std::uint8_t>& work) {
  run_bytes(work);
}
template <>
void histogram_band(const BandWork<std::uint16_t>& work) {
  run_buckets(work);
}
template <>
void histogram_band(const BandWork<std::uint32_t>& work) {
  run_buckets(work);
}

}  // namespace tamis::median_detail
