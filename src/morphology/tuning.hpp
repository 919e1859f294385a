// Numbers that change speed and nothing else, and where they were measured.
#pragma once

#include <cstdint>

namespace tamis::morphology_detail {

/// Measured on 2 cores of an AMD EPYC (Zen 4, 32 KiB L1, 1 MiB L2 a core); see NOTES.md of this folder.
struct CpuTuning {
  std::int64_t fused_rows = 1200;  ///< most rows (slices in 3-D: fused_slices) that a pass may reach
  std::int64_t fused_slices = 64;
  std::int64_t tile_bytes = 2 << 20;      ///< what the rows in flight of a tile may take; whole rows are worth an L2
  std::int64_t stream_bytes = 8 << 20;    ///< results from this size on are written past the caches
  std::int64_t least_tile_columns = 512;  ///< narrower tiles spend their time on halos
  std::int64_t least_strip_rows = 64;     ///< a strip is at least as high, and if it can four times its halo
  std::int64_t strips_per_thread = 4;
  std::int64_t least_task_samples = 128 << 10;  ///< what is smaller is done before another thread has woken up
  std::int64_t batch_rows = 32;                 ///< rows asked for at once where there are runs across rows
  std::int64_t batch_rows_of_long_runs = 64;
  std::int64_t batch_slices = 8;
  bool boxes = true;                        ///< boxes go their own way (morphology/cpu/box/run.hpp), else through tiles
  std::int64_t box_block_bytes = 24 << 10;  ///< rows that are made at once, while the next ones come
  std::int64_t box_chunk_bytes = 2 << 10;   ///< of a slice, that is worked on along z
  std::int64_t box_task_bytes = 512 << 10;  ///< what is smaller is done before another thread has woken up
  std::int64_t least_split_reach = 6;  ///< boxes of 7 and more slices and rows are split (morphology/cpu/passes.hpp)

  /// How many strips an image is cut into. A thread that is alone has nobody to wait for.
  [[nodiscard]] std::int64_t strips(std::int64_t threads) const { return threads == 1 ? 1 : threads * strips_per_thread; }
};

}  // namespace tamis::morphology_detail
