#include "median/cpu/histogram/run.hpp"

#include <algorithm>

#include "core/memory.hpp"
#include "median/cpu/tiles.hpp"

namespace tamis::median_detail::cpu {
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
  task.step = &step;
  return task;
}

void run_in(Buffer<std::byte>& scratch, Simd simd, const HistogramTask& task) {
  const std::int64_t bytes = histogram_scratch_bytes(task);
  if (scratch.size() < bytes) scratch = Buffer<std::byte>(bytes);
  run_histograms(simd, task, scratch.data());
}

/// Columns of a stripe: stripes are alike, and their histograms stay in the cache.
std::int64_t stripe_columns(std::int64_t columns, std::int64_t width) {
  constexpr std::int64_t wanted = 2048;  // 600 KB of counts
  const std::int64_t most = std::max(wanted, 4 * width);
  const std::int64_t stripes = std::max<std::int64_t>(1, (columns + most / 2) / most);
  return (columns + stripes - 1) / stripes;
}

/// Bytes go straight from the slab.
void run_bytes(const BandTask<std::uint8_t>& work) {
  const OffsetBox& box = work.step->window.box();
  const std::int64_t columns = stripe_columns(work.x1 - work.x0, box.high.x - box.low.x + 1);
  Buffer<std::byte> scratch;
  for (std::int64_t z = work.band.z0; z < work.band.z1; ++z) {
    for (std::int64_t x = work.x0; x < work.x1; x += columns) {
      work.step->stop_if_cancelled();
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

}  // namespace

bool histogram_can(const RankStep& step) {
  const OffsetBox& box = step.window.box();
  return step.window.is_box() &&
         histogram_fits(box.high.x - box.low.x + 1, box.high.y - box.low.y + 1, box.high.z - box.low.z + 1);
}

void histogram_band(const BandTask<std::uint8_t>& work) { run_bytes(work); }

}  // namespace tamis::median_detail::cpu
