// One step d of the recursion (d = largest-2 ... 0) replaces every lane W > d by the maximum of W over the unit
// element, all reads before all writes. A pass does several steps at once while the slices are in cache. It is skewed,
// so that it works in place without computing anything twice: in strip [y0, y1) stage s of the pass handles slice
// z = p - s, rows [y0 - s, y1 - s), as p marches through the volume.
//
//      rows ->   y0            y1           Behind the march, W holds the state after stage s, ahead of it the state
//   stage 0      |--------------|           before. Rows above and slices behind have moved on already: their earlier
//   stage 1     |--------------|            state is in `old` (the strip's last slice, per stage) and in `edge` (the
//   stage 2    |--------------|             last row of the strip above, per stage and slice).
//
// Strips and passes are tasks in one order. A task follows the one above it in the same pass and the one below it in
// the pass before at a fixed distance in z, so threads work on neighbouring strips and passes at once.
//
// A line of 64 bytes takes part in step d only if a distance in it exceeds d; the support of step d is {D > d}.
#include "granulometry/recursion_cpu.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

#include "core/cpu/parallel.hpp"
#include "core/cpu/simd.hpp"

namespace tamis::granulometry_detail {
#ifndef TAMIS_SLICE_STEP
#define TAMIS_SLICE_STEP
namespace {

/// Rows that one pass over the columns of a slice handles together, so that rows in registers serve as neighbours.
constexpr std::int64_t block_rows = 4;

/// One stage on one slice of a strip. Index 0, 1, 2 of `above` and `below` are slices z-1, z, z+1.
template <class Lane>
struct SliceStep {
  Lane* centre = nullptr;          ///< first row, updated in place
  std::int64_t stride = 0;
  const Lane* next = nullptr;      ///< first row at z+1
  std::int64_t next_stride = 0;
  const Lane* previous = nullptr;  ///< first row at z-1, state before the stage
  Lane* saved = nullptr;           ///< receives the state before the stage; the cross lets it be `previous`
  std::int64_t saved_stride = 0;
  const Lane* above[3] = {};       ///< the row before the first
  const Lane* below[3] = {};       ///< the row after the last
  const Lane* peaks = nullptr;
  std::int64_t peak_stride = 0;
  std::uint64_t* stale = nullptr;  ///< per block: lines of `saved` that are not zero
  Lane* scratch = nullptr;         ///< cube: block_rows rows of zeros with a line of zeros between
  std::int64_t rows = 0;
  std::int64_t lines = 0;
  Lane threshold = 0;
};

}  // namespace
#endif
}  // namespace tamis::granulometry_detail

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "granulometry/recursion_cpu.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tamis::granulometry_detail::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

/// Rows first-1 .. first+N of three slices, in the state before the stage.
template <class Lane, int N>
struct Block {
  const Lane* previous[N + 2];
  const Lane* current[N + 2];
  const Lane* next[N + 2];
  Lane* centre[N];
  Lane* saved[N];

  Block(const SliceStep<Lane>& step, std::int64_t first) {
    const bool top = first == 0;
    const bool bottom = first + N == step.rows;
    for (int r = -1; r <= N; ++r) {
      const std::int64_t row = first + r;
      const bool outside_above = r < 0 && top;
      const bool outside_below = r == N && bottom;
      const Lane* const* outside = outside_above ? step.above : step.below;
      const bool is_outside = outside_above || outside_below;
      previous[r + 1] = is_outside ? outside[0] : step.previous + row * step.saved_stride;
      // The row above the block has been updated; its earlier state was saved.
      const Lane* const inside = r < 0 ? step.saved + row * step.saved_stride : step.centre + row * step.stride;
      current[r + 1] = is_outside ? outside[1] : inside;
      next[r + 1] = is_outside ? outside[2] : step.next + row * step.next_stride;
    }
    for (int r = 0; r < N; ++r) {
      centre[r] = step.centre + (first + r) * step.stride;
      saved[r] = step.saved + (first + r) * step.saved_stride;
    }
  }
};

/// Lines of the block with a peak above the threshold, 64 from `begin` on.
template <class Lane, int N>
std::uint64_t active_lines(const SliceStep<Lane>& step, std::int64_t first, std::int64_t begin) {
  const hn::CappedTag<Lane, 16> d;
  const auto threshold = hn::Set(d, step.threshold);
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::uint64_t active = 0;
  for (std::int64_t i = begin; i < std::min(step.lines, begin + 64); i += lanes) {
    auto peak = hn::LoadU(d, step.peaks + first * step.peak_stride + i);
    for (int r = 1; r < N; ++r) peak = hn::Max(peak, hn::LoadU(d, step.peaks + (first + r) * step.peak_stride + i));
    std::uint64_t bits = 0;
    std::uint8_t bytes[8] = {};
    hn::StoreMaskBits(d, hn::Gt(peak, threshold), bytes);
    std::memcpy(&bits, bytes, sizeof bits);
    active |= bits << (i - begin);
  }
  return active;
}

/// Calls visit(lane offset of the line) for every set bit.
template <class Lane, class Visit>
HWY_INLINE void for_lines(std::uint64_t bits, std::int64_t begin, Visit visit) {
  for (; bits != 0; bits &= bits - 1) {
    visit((begin + static_cast<std::int64_t>(hwy::Num0BitsBelowLS1Bit_Nonzero64(bits))) * Field<Lane>::line);
  }
}

template <class Lane>
void clear_line(Lane* line) {
  std::memset(line, 0, line_bytes);
}

/// Six neighbours. The stores of a vector wait until its right neighbour has been read, which needs the old lanes.
template <class Lane, int N>
void cross_block(const SliceStep<Lane>& step, const Block<Lane, N>& block, std::uint64_t active, std::int64_t begin) {
  const hn::ScalableTag<Lane> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto threshold = hn::Set(d, step.threshold);
  hn::Vec<decltype(d)> waiting[N];
  std::int64_t waiting_at = -1;
  const auto flush = [&] {
    for (int r = 0; r < N; ++r) hn::Store(waiting[r], d, block.centre[r] + waiting_at);
  };
  for_lines<Lane>(active, begin, [&](std::int64_t line) HWY_ATTR {
    for (std::int64_t x = line; x < line + Field<Lane>::line; x += lanes) {
      auto up = hn::Load(d, block.current[0] + x);
      auto centre = hn::Load(d, block.current[1] + x);
      hn::Vec<decltype(d)> result[N];
      for (int r = 0; r < N; ++r) {
        const auto down = hn::Load(d, block.current[r + 2] + x);
        const auto along_x = hn::Max(hn::LoadU(d, block.current[r + 1] + x - 1), hn::LoadU(d, block.current[r + 1] + x + 1));
        const auto along_z = hn::Max(hn::Load(d, block.previous[r + 1] + x), hn::Load(d, block.next[r + 1] + x));
        const auto most = hn::Max(hn::Max(hn::Max(up, down), hn::Max(along_x, along_z)), centre);
        result[r] = hn::IfThenElse(hn::Gt(centre, threshold), most, centre);
        hn::Store(centre, d, block.saved[r] + x);
        up = centre;
        centre = down;
      }
      if (waiting_at >= 0) flush();
      for (int r = 0; r < N; ++r) waiting[r] = result[r];
      waiting_at = x;
    }
  });
  if (waiting_at >= 0) flush();
}

/// 26 neighbours: maxima over the 9 columns of z and y first, kept in scratch rows, then along x.
template <class Lane, int N>
void cube_block(const SliceStep<Lane>& step, const Block<Lane, N>& block, std::uint64_t active, std::int64_t begin) {
  const hn::ScalableTag<Lane> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto threshold = hn::Set(d, step.threshold);
  const std::int64_t scratch_stride = (step.lines + 1) * Field<Lane>::line;
  const auto column = [&](int r, std::int64_t x) HWY_ATTR {
    return hn::Max(hn::Max(hn::Load(d, block.previous[r] + x), hn::Load(d, block.next[r] + x)),
                   hn::Load(d, block.current[r] + x));
  };
  for_lines<Lane>(active, begin, [&](std::int64_t line) HWY_ATTR {
    for (std::int64_t x = line; x < line + Field<Lane>::line; x += lanes) {
      auto before = column(0, x);
      auto here = column(1, x);
      for (int r = 0; r < N; ++r) {
        const auto after = column(r + 2, x);
        hn::Store(hn::Max(hn::Max(before, after), here), d, step.scratch + r * scratch_stride + x);
        before = here;
        here = after;
      }
    }
  });
  for_lines<Lane>(active, begin, [&](std::int64_t line) HWY_ATTR {
    for (std::int64_t x = line; x < line + Field<Lane>::line; x += lanes) {
      for (int r = 0; r < N; ++r) {
        const Lane* const columns = step.scratch + r * scratch_stride + x;
        const auto most = hn::Max(hn::Max(hn::LoadU(d, columns - 1), hn::LoadU(d, columns + 1)), hn::Load(d, columns));
        const auto centre = hn::Load(d, block.centre[r] + x);
        hn::Store(centre, d, block.saved[r] + x);
        hn::Store(hn::IfThenElse(hn::Gt(centre, threshold), most, centre), d, block.centre[r] + x);
      }
    }
  });
  // The next block may have other lines; those it leaves out have to read as zeros.
  for_lines<Lane>(active, begin, [&](std::int64_t line) {
    for (int r = 0; r < N; ++r) clear_line(step.scratch + r * scratch_stride + line);
  });
}

template <class Lane, bool cube, int N>
void step_rows(const SliceStep<Lane>& step, std::int64_t first, std::uint64_t* stale) {
  for (std::int64_t begin = 0; begin < step.lines; begin += 64, ++stale) {
    const std::uint64_t active = active_lines<Lane, N>(step, first, begin);
    if ((active | *stale) == 0) continue;
    const Block<Lane, N> block(step, first);
    for_lines<Lane>(*stale & ~active, begin, [&](std::int64_t x) {
      for (int r = 0; r < N; ++r) clear_line(block.saved[r] + x);
    });
    *stale = active;
    if (active == 0) continue;
    if constexpr (cube) {
      cube_block<Lane, N>(step, block, active, begin);
    } else {
      cross_block<Lane, N>(step, block, active, begin);
    }
  }
}

template <class Lane, bool cube>
void step_slice(const SliceStep<Lane>& step) {
  const std::int64_t words = (step.lines + 63) / 64;
  std::uint64_t* stale = step.stale;
  std::int64_t first = 0;
  for (; first + block_rows <= step.rows; first += block_rows, stale += words) {
    step_rows<Lane, cube, block_rows>(step, first, stale);
  }
  for (; first < step.rows; ++first, stale += words) step_rows<Lane, cube, 1>(step, first, stale);
}

#define TAMIS_FOR_LANE(Lane, suffix)                                                      \
  void cross_##suffix(const SliceStep<Lane>& step) { step_slice<Lane, false>(step); }     \
  void cube_##suffix(const SliceStep<Lane>& step) { step_slice<Lane, true>(step); }
TAMIS_FOR_LANE(std::uint8_t, u8)
TAMIS_FOR_LANE(std::uint16_t, u16)
TAMIS_FOR_LANE(std::uint32_t, u32)
#undef TAMIS_FOR_LANE

}  // namespace
}  // namespace tamis::granulometry_detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tamis::granulometry_detail {
namespace {

#define TAMIS_EXPORT(suffix) \
  HWY_EXPORT(cross_##suffix); \
  HWY_EXPORT(cube_##suffix);
TAMIS_EXPORT(u8)
TAMIS_EXPORT(u16)
TAMIS_EXPORT(u32)
#undef TAMIS_EXPORT

template <class Lane>
using Kernel = void (*)(const SliceStep<Lane>&);

template <class Lane>
Kernel<Lane> choose_kernel(Simd simd, bool chessboard) {
  if constexpr (sizeof(Lane) == 1) return chessboard ? TAMIS_SIMD(simd, cube_u8) : TAMIS_SIMD(simd, cross_u8);
  if constexpr (sizeof(Lane) == 2) return chessboard ? TAMIS_SIMD(simd, cube_u16) : TAMIS_SIMD(simd, cross_u16);
  if constexpr (sizeof(Lane) == 4) return chessboard ? TAMIS_SIMD(simd, cube_u32) : TAMIS_SIMD(simd, cross_u32);
}

template <class Lane>
class Recursion {
 public:
  Recursion(const Context& context, Field<Lane>& field, const SliceRange& slices, bool chessboard, Lane largest,
            Stage& stage, const RecursionTuning& tuning)
      : context_(context), field_(field), slices_(slices), chessboard_(chessboard), stage_(stage), tuning_(tuning),
        kernel_(choose_kernel<Lane>(context.simd, chessboard)), steps_(std::int64_t{largest} - 1),
        passes_((steps_ + tuning.stages - 1) / tuning.stages), strips_(strip_count(field, tuning)),
        slots_(std::min<std::int64_t>(thread_count(context), passes_ * strips_) + 2),
        zeros_(field.stride() + Field<Lane>::line),
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

  static std::int64_t strip_count(const Field<Lane>& field, const RecursionTuning& tuning) {
    // The last stage of the last strip still has to reach the last row.
    return (field.y() + tuning.stages - 1 + tuning.strip_rows - 1) / tuning.strip_rows;
  }

 private:
  [[nodiscard]] std::int64_t tasks() const { return passes_ * strips_; }
  [[nodiscard]] std::int64_t depth() const { return slices_.end - slices_.begin; }
  [[nodiscard]] std::int64_t stages_of(std::int64_t pass) const {
    return std::min(tuning_.stages, steps_ - pass * tuning_.stages);
  }
  [[nodiscard]] std::int64_t marches_of(std::int64_t pass) const { return depth() + stages_of(pass) - 1; }
  [[nodiscard]] const Lane* zero_row() const { return zeros_.data() + Field<Lane>::line; }

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
        : all_(all), parities_(all.chessboard_ ? 2 : 1), stride_(all.field_.stride()),
          words_((all.field_.lines() + 63) / 64),
          old_(parities_ * all.tuning_.stages * all.tuning_.strip_rows * stride_),
          stale_(parities_ * all.tuning_.stages * all.tuning_.strip_rows * words_),
          scratch_(Field<Lane>::line + (block_rows + 1) * (all.field_.lines() + 1) * Field<Lane>::line) {}

    void run(std::int64_t task) {
      const std::int64_t pass = task / all_.strips_;
      const std::int64_t strip = task % all_.strips_;
      if (task >= all_.slots_) {  // whoever reads the edges this task will overwrite has to be through
        const std::int64_t reader = task - all_.slots_ + 1;
        all_.wait_for(reader, all_.marches_of(reader / all_.strips_));
      }
      std::memset(old_.data(), 0, static_cast<std::size_t>(old_.size()) * sizeof(Lane));
      std::memset(stale_.data(), 0, static_cast<std::size_t>(stale_.size()) * sizeof(std::uint64_t));
      for (std::int64_t p = 0; p < all_.marches_of(pass); ++p) {
        follow(pass, strip, p);
        for (std::int64_t stage = 0; stage < all_.stages_of(pass); ++stage) {
          const std::int64_t z = p - stage;
          if (z >= 0 && z < all_.depth()) step(pass, strip, stage, z);
        }
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

    void step(std::int64_t pass, std::int64_t strip, std::int64_t stage, std::int64_t z) {
      Field<Lane>& field = all_.field_;
      const std::int64_t rows = all_.tuning_.strip_rows;
      const std::int64_t begin = std::max<std::int64_t>(strip * rows - stage, 0);
      const std::int64_t end = std::min(strip * rows + rows - stage, field.y());
      if (begin >= end) return;
      const std::int64_t slice = all_.slices_.begin + z;
      const bool last = z + 1 == all_.depth();

      SliceStep<Lane> args;
      args.centre = field.row(slice, begin);
      args.stride = stride_;
      args.next = last ? all_.zero_row() : field.row(slice + 1, begin);
      args.next_stride = last ? 0 : stride_;
      args.previous = old(stage, z - 1);
      args.saved = old(stage, z);
      args.saved_stride = stride_;
      for (std::int64_t k = 0; k < 3; ++k) {
        args.above[k] = above(pass, strip, stage, z + k - 1, begin);
        args.below[k] = below(z + k - 1, end);
      }
      args.peaks = field.peaks(slice, begin);
      args.peak_stride = begin + 1 < field.y() ? field.peaks(slice, begin + 1) - args.peaks : 0;
      args.stale = stale_.data() + (parity(z) * all_.tuning_.stages + stage) * rows * words_;
      args.scratch = scratch_.data() + Field<Lane>::line;
      args.rows = end - begin;
      args.lines = field.lines();
      args.threshold = static_cast<Lane>(all_.steps_ - 1 - pass * all_.tuning_.stages - stage);
      all_.kernel_(args);
      if (strip + 1 < all_.strips_) {
        std::copy_n(args.saved + (args.rows - 1) * stride_, stride_, all_.edge(pass * all_.strips_ + strip, stage, z));
      }
    }

    [[nodiscard]] std::int64_t parity(std::int64_t z) const { return (z + 2) % parities_; }
    Lane* old(std::int64_t stage, std::int64_t z) {
      return old_.data() + (parity(z) * all_.tuning_.stages + stage) * all_.tuning_.strip_rows * stride_;
    }

    /// Row begin - 1 before the stage: the strip above saved it.
    const Lane* above(std::int64_t pass, std::int64_t strip, std::int64_t stage, std::int64_t z, std::int64_t begin) {
      if (begin == 0 || z < 0 || z >= all_.depth()) return all_.zero_row();
      return all_.edge(pass * all_.strips_ + strip - 1, stage, z);
    }
    /// Row `end` before the stage: nobody has touched it since the stage before.
    const Lane* below(std::int64_t z, std::int64_t end) {
      if (end == all_.field_.y() || z < 0 || z >= all_.depth()) return all_.zero_row();
      return all_.field_.row(all_.slices_.begin + z, end);
    }

    Recursion& all_;
    std::int64_t parities_;
    std::int64_t stride_;
    std::int64_t words_;
    Buffer<Lane> old_;             ///< [parity][stage][row]
    Buffer<std::uint64_t> stale_;  ///< [parity][stage][block][word]
    Buffer<Lane> scratch_;
  };

  const Context& context_;
  Field<Lane>& field_;
  SliceRange slices_;
  bool chessboard_;
  Stage& stage_;
  RecursionTuning tuning_;
  Kernel<Lane> kernel_;
  std::int64_t steps_;
  std::int64_t passes_;
  std::int64_t strips_;
  std::int64_t slots_;
  Buffer<Lane> zeros_;
  Buffer<Lane> edges_;  ///< [slot][stage][slice] rows
  std::vector<std::atomic<std::int64_t>> progress_;
  std::atomic<std::int64_t> next_task_{0};
  std::atomic<bool> failed_{false};
};

}  // namespace

template <class Lane>
std::int64_t recursion_tasks(const Field<Lane>& field, Lane largest, const RecursionTuning& tuning) {
  const std::int64_t steps = std::max<std::int64_t>(std::int64_t{largest} - 1, 0);
  return (steps + tuning.stages - 1) / tuning.stages * Recursion<Lane>::strip_count(field, tuning);
}

template <class Lane>
void recursion(const Context& context, Field<Lane>& field, const SliceRange& slices, bool chessboard, Lane largest,
               Stage& stage, const RecursionTuning& tuning) {
  if (largest < 2 || slices.begin >= slices.end) return;  // distances of 1 are their own sizes
  Recursion<Lane>(context, field, slices, chessboard, largest, stage, tuning).run();
}

template <class Lane>
void count_values(const Context& context, Field<Lane>& field, const SliceRange& slices, std::int64_t* counts,
                  Lane largest) {
  const std::int64_t bins = std::int64_t{largest} + 1;
  const std::int64_t blocks = std::min<std::int64_t>(slices.end - slices.begin, 8L * thread_count(context));
  std::vector<std::vector<std::int64_t>> partial(static_cast<std::size_t>(blocks));
  parallel_for(context, blocks, [&](std::int64_t b) {
    constexpr std::int64_t tables = 4;  // equal neighbours would wait for each other's counter
    std::vector<std::int64_t> table(static_cast<std::size_t>(tables * bins));
    const std::int64_t depth = slices.end - slices.begin;
    for (std::int64_t z = slices.begin + depth * b / blocks; z < slices.begin + depth * (b + 1) / blocks; ++z) {
      for (std::int64_t y = 0; y < field.y(); ++y) {
        const Lane* const peaks = field.peaks(z, y);
        const Lane* lane = field.row(z, y);
        for (std::int64_t l = 0; l < field.lines(); ++l, lane += Field<Lane>::line) {
          if (peaks[l] == 0) continue;
          for (std::int64_t i = 0; i < Field<Lane>::line; i += tables) {
            for (std::int64_t t = 0; t < tables; ++t) ++table[static_cast<std::size_t>(t * bins + lane[i + t])];
          }
        }
      }
    }
    partial[static_cast<std::size_t>(b)] = std::move(table);
  });
  for (const std::vector<std::int64_t>& table : partial) {
    for (std::size_t i = 0; i < table.size(); ++i) {
      const auto value = static_cast<std::int64_t>(i) % bins;
      if (value > 0) counts[value] += table[i];
    }
  }
}

#define TAMIS_INSTANTIATE(Lane)                                                                                      \
  template std::int64_t recursion_tasks(const Field<Lane>&, Lane, const RecursionTuning&);                           \
  template void recursion(const Context&, Field<Lane>&, const SliceRange&, bool, Lane, Stage&, const RecursionTuning&); \
  template void count_values(const Context&, Field<Lane>&, const SliceRange&, std::int64_t*, Lane);
TAMIS_INSTANTIATE(std::uint8_t)
TAMIS_INSTANTIATE(std::uint16_t)
TAMIS_INSTANTIATE(std::uint32_t)
#undef TAMIS_INSTANTIATE

}  // namespace tamis::granulometry_detail
#endif
