// One step d of the recursion (d = largest-2 ... 0) replaces every lane W > d by the maximum of W over the unit
// element, all reads before all writes. A pass does several steps at once while the slices are in cache. It is skewed,
// so that it works in place without computing anything twice: in strip [y0, y1) stage s of the pass handles slice
// z = p - s, rows [y0 - N s, y1 - N s), as p marches through the volume; N is the height of a block of rows.
//
//      rows ->   y0            y1           Behind the march, W holds the state after stage s, ahead of it the state
//   stage 0      |--------------|           before. Rows above and slices behind have moved on already: their earlier
//   stage 1    |--------------|             state is in `old` (the strip's last slice, per stage) and in `edge` (the
//   stage 2  |--------------|               last row of the strip above, per stage and slice).
//
// Strips and passes are tasks in one order. A task follows the one above it in the same pass and the one below it in
// the pass before at a fixed distance in z, so threads work on neighbouring strips and passes at once.
//
// A line of 64 bytes of a block takes part in step d only if a distance in it exceeds d: the support of step d is
// {D > d}.
#include "granulometry/cpu/recursion.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <thread>
#include <utility>
#include <vector>

#include "core/cpu/parallel.hpp"
#include "granulometry/plan.hpp"

namespace tamis::granulometry_detail::cpu {
namespace {

/// Rows of a strip: whole blocks, no more than there are, and more than the stages of a pass are skewed.
template <class Lane>
std::int64_t strip_rows(std::int64_t y, const RecursionTuning& tuning) {
  const std::int64_t block = Field<Lane>::block_rows(y);
  const std::int64_t padded = (y + block - 1) / block * block;
  return std::max(std::min(tuning.strip_rows, padded), (tuning.stages + 1) * block);
}

template <class Lane>
std::int64_t strip_count(std::int64_t y, const RecursionTuning& tuning) {
  // The last stage of the last strip still has to reach the last row.
  const std::int64_t rows = y + (tuning.stages - 1) * Field<Lane>::block_rows(y);
  return (rows + strip_rows<Lane>(y, tuning) - 1) / strip_rows<Lane>(y, tuning);
}

template <class Lane>
class Recursion {
 public:
  Recursion(const Context& context, Field<Lane>& field, const SliceRange& slices, bool chessboard, Lane largest,
            Stage& stage, const RecursionTuning& tuning)
      : context_(context),
        field_(field),
        slices_(slices),
        chessboard_(chessboard),
        stage_(stage),
        tuning_(tuning),
        kernel_(march_kernel<Lane>(context.simd, chessboard)),
        steps_(std::int64_t{largest} - 1),
        passes_((steps_ + tuning.stages - 1) / tuning.stages),
        strip_rows_(strip_rows<Lane>(field.y(), tuning)),
        strips_(strip_count<Lane>(field.y(), tuning)),
        slots_(std::min<std::int64_t>(thread_count(context), passes_ * strips_) + 2),
        zeros_((strip_rows_ + 1) * field.stride() + Field<Lane>::line),
        edges_(strips_ > 1 ? slots_ * tuning.stages * depth() * field.stride() : 1),
        progress_(static_cast<std::size_t>(passes_ * strips_)) {}

  void run() {
    parallel_for(context_, std::min<std::int64_t>(thread_count(context_), tasks()), [&](std::int64_t) {
      Worker worker(*this);
      try {
        for (std::int64_t task = next_task_++; task < tasks(); task = next_task_++) worker.run(task);
      } catch (...) {
        failed_ = true;  // frees those that wait for this thread
        throw;
      }
    });
  }

 private:
  [[nodiscard]] std::int64_t tasks() const { return passes_ * strips_; }
  [[nodiscard]] std::int64_t depth() const { return slices_.end - slices_.begin; }
  [[nodiscard]] std::int64_t stages_of(std::int64_t pass) const {
    return std::min(tuning_.stages, steps_ - pass * tuning_.stages);
  }
  [[nodiscard]] std::int64_t marches_of(std::int64_t pass) const { return depth() + stages_of(pass) - 1; }
  [[nodiscard]] const Lane* zero_row() const { return zeros_.data() + Field<Lane>::line; }

  /// Rows of the field with those that fill its last block.
  [[nodiscard]] std::int64_t padded_rows() const { return field_.blocks() * field_.block_rows(); }

  /// The last row of the strip that `task` handles, as it was before `stage`, at slice z.
  [[nodiscard]] Lane* edge(std::int64_t task, std::int64_t stage, std::int64_t z) {
    return edges_.data() + (((task % slots_) * tuning_.stages + stage) * depth() + z) * field_.stride();
  }

  void wait_for(std::int64_t task, std::int64_t marches) {
    for (int spins = 0; progress_[static_cast<std::size_t>(task)].load(std::memory_order_acquire) < marches; ++spins) {
      if (failed_) throw Cancelled();
      if (spins > 64) std::this_thread::yield();
    }
  }

  /// A thread's private buffers and the march of one task at a time.
  class Worker {
   public:
    explicit Worker(Recursion& all)
        : all_(all),
          parities_(all.chessboard_ ? 2 : 1),
          stride_(all.field_.stride()),
          words_((all.field_.lines() + 63) / 64),
          old_(parities_ * all.tuning_.stages * all.strip_rows_ * stride_),
          stale_(parities_ * all.tuning_.stages * all.strip_rows_ * words_),
          scratch_(Field<Lane>::line + (tall_block_rows + 1) * (all.field_.lines() + 1) * Field<Lane>::line) {}

    void run(std::int64_t task) {
      const std::int64_t pass = task / all_.strips_;
      const std::int64_t strip = task % all_.strips_;
      if (task >= all_.slots_) {  // tasks that read the edges this one overwrites have to be done
        const std::int64_t reader = task - all_.slots_ + 1;
        all_.wait_for(reader, all_.marches_of(reader / all_.strips_));
      }
      std::memset(old_.data(), 0, static_cast<std::size_t>(old_.size()) * sizeof(Lane));
      std::memset(stale_.data(), 0, static_cast<std::size_t>(stale_.size()) * sizeof(std::uint64_t));
      for (std::int64_t p = 0; p < all_.marches_of(pass); ++p) {
        follow(pass, strip, p);
        march(pass, strip, p);
        all_.progress_[static_cast<std::size_t>(task)].store(p + 1, std::memory_order_release);
        if (all_.context_.cancel.stop_requested()) throw Cancelled();
      }
      all_.stage_.advance();
    }

   private:
    /// Waits until the tasks this one follows are far enough ahead for march p.
    void follow(std::int64_t pass, std::int64_t strip, std::int64_t p) {
      if (strip > 0) {  // its edge rows up to slice z + 1
        all_.wait_for(pass * all_.strips_ + strip - 1, std::min(p + 2, all_.marches_of(pass)));
      }
      if (pass > 0) {  // slice p + 1 of the rows of this strip and one more has gone through all its stages
        const std::int64_t below = std::min(strip + 1, all_.strips_ - 1);
        all_.wait_for((pass - 1) * all_.strips_ + below,
                      std::min(p + all_.stages_of(pass - 1) + 1, all_.marches_of(pass - 1)));
      }
    }

    void march(std::int64_t pass, std::int64_t strip, std::int64_t p) {
      steps_.clear();
      for (std::int64_t stage = 0; stage < all_.stages_of(pass); ++stage) {
        const std::int64_t z = p - stage;
        if (z >= 0 && z < all_.depth()) add_step(pass, strip, stage, z);
      }
      const std::int64_t block_rows = all_.field_.block_rows();
      all_.kernel_(
          {steps_.data(), static_cast<std::int64_t>(steps_.size()), all_.strip_rows_ / block_rows, block_rows > 1});
      if (strip + 1 == all_.strips_) return;
      for (std::int64_t stage = 0; stage < all_.stages_of(pass); ++stage) {
        const std::int64_t z = p - stage;
        if (z >= 0 && z < all_.depth()) save_edge(pass, strip, stage, z);
      }
    }

    /// The rows of a strip that a stage handles.
    [[nodiscard]] std::pair<std::int64_t, std::int64_t> rows_of(std::int64_t strip, std::int64_t stage) const {
      const std::int64_t first = strip * all_.strip_rows_ - stage * all_.field_.block_rows();
      return {std::max<std::int64_t>(first, 0), std::min(first + all_.strip_rows_, all_.padded_rows())};
    }

    void save_edge(std::int64_t pass, std::int64_t strip, std::int64_t stage, std::int64_t z) {
      const auto [begin, end] = rows_of(strip, stage);
      if (begin >= end) return;
      std::copy_n(old(stage, z) + (end - begin - 1) * stride_, stride_,
                  all_.edge(pass * all_.strips_ + strip, stage, z));
    }

    void add_step(std::int64_t pass, std::int64_t strip, std::int64_t stage, std::int64_t z) {
      Field<Lane>& field = all_.field_;
      const auto [begin, end] = rows_of(strip, stage);
      if (begin >= end) return;
      const std::int64_t slice = all_.slices_.begin + z;

      SliceStep<Lane> args;
      args.stride = stride_;
      args.centre = field.row(slice, begin);
      args.next = z + 1 == all_.depth() ? all_.zero_row() : field.row(slice + 1, begin);
      args.previous = old(stage, z - 1);
      args.saved = old(stage, z);
      for (std::int64_t k = 0; k < 3; ++k) {
        args.above[k] = above(pass, strip, stage, z + k - 1, begin);
        args.below[k] = below(z + k - 1, end);
      }
      args.prefetch = stage == 0 && z + 2 < all_.depth() ? field.slice_stride() : 0;
      args.peaks = field.peaks(slice, begin / field.block_rows());
      args.peak_stride = field.peak_stride();
      args.stale = stale_.data() + (parity(z) * all_.tuning_.stages + stage) * all_.strip_rows_ * words_;
      args.scratch = scratch_.data() + Field<Lane>::line;
      args.lead = (begin - strip * all_.strip_rows_) / field.block_rows() + stage;
      args.blocks = (end - begin) / field.block_rows();
      args.lines = field.lines();
      args.threshold = static_cast<Lane>(all_.steps_ - 1 - pass * all_.tuning_.stages - stage);
      steps_.push_back(args);
    }

    [[nodiscard]] std::int64_t parity(std::int64_t z) const { return (z + 2) % parities_; }
    Lane* old(std::int64_t stage, std::int64_t z) {
      return old_.data() + (parity(z) * all_.tuning_.stages + stage) * all_.strip_rows_ * stride_;
    }

    /// Row begin - 1 before the stage: the strip above saved it.
    const Lane* above(std::int64_t pass, std::int64_t strip, std::int64_t stage, std::int64_t z, std::int64_t begin) {
      if (begin == 0 || z < 0 || z >= all_.depth()) return all_.zero_row();
      return all_.edge(pass * all_.strips_ + strip - 1, stage, z);
    }
    /// Row `end` before the stage: nobody has touched it since the stage before.
    const Lane* below(std::int64_t z, std::int64_t end) {
      if (end == all_.padded_rows() || z < 0 || z >= all_.depth()) return all_.zero_row();
      return all_.field_.row(all_.slices_.begin + z, end);
    }

    Recursion& all_;
    std::int64_t parities_;
    std::int64_t stride_;
    std::int64_t words_;
    Buffer<Lane> old_;             ///< [parity][stage][row]
    Buffer<std::uint64_t> stale_;  ///< [parity][stage][block][word]
    Buffer<Lane> scratch_;
    std::vector<SliceStep<Lane>> steps_;
  };

  const Context& context_;
  Field<Lane>& field_;
  SliceRange slices_;
  bool chessboard_;
  Stage& stage_;
  RecursionTuning tuning_;
  MarchKernel<Lane> kernel_;
  std::int64_t steps_;
  std::int64_t passes_;
  std::int64_t strip_rows_;
  std::int64_t strips_;
  std::int64_t slots_;
  Buffer<Lane> zeros_;  ///< as many rows as a strip has
  Buffer<Lane> edges_;  ///< [slot][stage][slice] rows
  std::vector<std::atomic<std::int64_t>> progress_;
  std::atomic<std::int64_t> next_task_{0};
  std::atomic<bool> failed_{false};
};

}  // namespace

template <class Lane>
std::int64_t recursion_tasks(const Field<Lane>& field, Lane largest, const RecursionTuning& tuning) {
  const std::int64_t steps = std::max<std::int64_t>(std::int64_t{largest} - 1, 0);
  return (steps + tuning.stages - 1) / tuning.stages * strip_count<Lane>(field.y(), tuning);
}

template <class Lane>
std::int64_t recursion_bytes(const Context& context, const Grid& grid, std::int64_t z, bool chessboard,
                             const RecursionTuning& tuning) {
  const std::int64_t threads = thread_count(context);
  const std::int64_t row = Field<Lane>::row_stride(grid.x) * static_cast<std::int64_t>(sizeof(Lane));
  const std::int64_t rows = strip_rows<Lane>(grid.y, tuning);
  const std::int64_t edges = strip_count<Lane>(grid.y, tuning) > 1 ? (threads + 2) * tuning.stages * z : 0;
  const std::int64_t old = threads * (chessboard ? 2 : 1) * tuning.stages * rows;
  return (edges + old + rows) * row;
}

template <class Lane>
void recursion(const Context& context, Field<Lane>& field, const SliceRange& slices, bool chessboard, Lane largest,
               Stage& stage, const RecursionTuning& tuning) {
  if (largest < 2 || slices.begin >= slices.end) return;  // distances of 1 are their own sizes
  Recursion<Lane>(context, field, slices, chessboard, largest, stage, tuning).run();
}

#define TAMIS_INSTANTIATE(Lane)                                                                \
  template std::int64_t recursion_tasks(const Field<Lane>&, Lane, const RecursionTuning&);     \
  template std::int64_t recursion_bytes<Lane>(const Context&, const Grid&, std::int64_t, bool, \
                                              const RecursionTuning&);                         \
  template void recursion(const Context&, Field<Lane>&, const SliceRange&, bool, Lane, Stage&, const RecursionTuning&);
TAMIS_INSTANTIATE(std::uint8_t)
TAMIS_INSTANTIATE(std::uint16_t)
TAMIS_INSTANTIATE(std::uint32_t)
#undef TAMIS_INSTANTIATE

}  // namespace tamis::granulometry_detail::cpu
