// Plans on the CPU.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <tamis/context.hpp>
#include <tamis/image.hpp>

#include "core/stage.hpp"
#include "morphology/plan/steps.hpp"

namespace tamis::morphology_detail {

// Numbers that change speed and nothing else, and where they were measured.

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
  std::int64_t least_split_reach = 6;  ///< boxes of 7 and more slices and rows are split (passes_of())

  /// How many strips an image is cut into. A thread that is alone has nobody to wait for.
  [[nodiscard]] std::int64_t strips(std::int64_t threads) const {
    return threads == 1 ? 1 : threads * strips_per_thread;
  }
};

}  // namespace tamis::morphology_detail

namespace tamis::morphology_detail::cpu {

// Which steps of a plan are done at once, tile by tile.

/// The plan's steps, cut where those together reach farther than the tuning allows.
[[nodiscard]] std::vector<std::span<const Step>> fused_steps(const Plan& plan, const CpuTuning& tuning);

/// Steps from one image to another; what lies between them need not be stored whole.
struct Pass {
  int rank = 2;  ///< 2: slices are images of their own
  std::vector<Step> steps;
};

/// The plan's passes; in volumes a large box is a run along z and a rectangle, and rectangles that follow each other
/// work slice by slice: halos in y and z at once would be most of what a tile holds. At least one, which may be empty.
[[nodiscard]] std::vector<Pass> passes_of(const Plan& plan, const CpuTuning& tuning);

/// For people: one line for steps that are fused.
[[nodiscard]] std::string describe(const Plan& plan, const CpuTuning& tuning);

/// Runs a plan on `in`. `out` has type and shape of `in`; how results get into it is `combine`'s matter, which may
/// look at `image` (of the same form). NaN counts as the neutral value of the first step; returns whether there is one.
bool run(const Context& context, const Plan& plan, const Image& in, Combine combine, const Image& image, Image& out,
         Stage& stage, const CpuTuning& tuning = {});

/// Steps that run() reports to its stage.
[[nodiscard]] std::int64_t stage_steps(const Plan& plan, Type type, const Shape& shape);

// Plans under borders that tiles do not know.

/// run() where is_laid_out() of the plan's border: each step by itself, on an image with what the border shows around
/// its input. Memory: two of these images, and one between steps.
bool run_laid_out(const Context& context, const Plan& plan, const Image& in, Combine combine, const Image& image,
                  Image& out, Stage& stage, const CpuTuning& tuning);

[[nodiscard]] std::int64_t laid_out_stage_steps(const Plan& plan, Type type, const Shape& shape);

}  // namespace tamis::morphology_detail::cpu
