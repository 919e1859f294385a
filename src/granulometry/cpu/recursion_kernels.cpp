#include "granulometry/cpu/recursion.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include <hwy/cache_control.h>

#include "core/cpu/simd.hpp"

#define HWY_TARGET_INCLUDE "granulometry/cpu/recursion_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tamis::granulometry_detail::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

/// Lines of a block that are worked on together. A row may have more of them: what lies beside is then of another
/// piece, and may have gone through the stage already, in which case its earlier state was saved.
constexpr std::int64_t piece_lines = 64;

/// The rows of one block and its neighbours above and below, in the state before the stage.
template <class Lane, int N>
struct Block {
  std::int64_t stride;
  Lane* centre;
  const Lane* next;
  const Lane* previous;
  Lane* saved;
  const Lane* above[3];
  const Lane* below[3];

  Block(const SliceStep<Lane>& step, std::int64_t b)
      : stride(step.stride),
        centre(step.centre + b * N * stride),
        next(step.next + b * N * stride),
        previous(step.previous + b * N * stride),
        saved(step.saved + b * N * stride) {
    const bool top = b == 0;
    const bool bottom = b + 1 == step.blocks;
    // The row above has been updated; its earlier state was saved.
    const Lane* const inside_above[3] = {previous - stride, saved - stride, next - stride};
    const Lane* const inside_below[3] = {previous + N * stride, centre + N * stride, next + N * stride};
    for (int k = 0; k < 3; ++k) {
      above[k] = top ? step.above[k] : inside_above[k];
      below[k] = bottom ? step.below[k] : inside_below[k];
    }
  }
};

/// Lines of block b with a peak above the threshold, those of the piece from `begin` on.
template <class Lane>
HWY_INLINE std::uint64_t active_lines(const SliceStep<Lane>& step, std::int64_t b, std::int64_t begin) {
  const hn::CappedTag<Lane, 16> d;
  const auto threshold = hn::Set(d, step.threshold);
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::uint64_t active = 0;
  for (std::int64_t i = begin; i < std::min(step.lines, begin + piece_lines); i += lanes) {
    std::uint64_t bits = 0;
    std::uint8_t bytes[8] = {};
    hn::StoreMaskBits(d, hn::Gt(hn::LoadU(d, step.peaks + b * step.peak_stride + i), threshold), bytes);
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

/// Moves a pointer to the next row. The compiler is not to know by how much: it would keep a register for every row of
/// every slice, and have to spill them.
template <class Pointer>
HWY_INLINE void step_down(Pointer& pointer, std::int64_t stride) {
  pointer += stride;
  asm("" : "+r"(pointer));
}

/// Whether a line of block b has a peak above the threshold. Others are as they were, and their voxels add nothing to
/// their neighbours.
template <class Lane>
HWY_INLINE bool is_active(const SliceStep<Lane>& step, std::int64_t b, std::int64_t line) {
  return line >= 0 && line < step.lines && step.peaks[b * step.peak_stride + line] > step.threshold;
}

/// While it lives, the lanes before a piece are in the state before the stage.
template <class Lane, int N>
class EarlierBefore {
 public:
  EarlierBefore(const SliceStep<Lane>& step, const Block<Lane, N>& block, std::int64_t b, std::int64_t begin)
      : restores_(begin > 0 && is_active(step, b, begin - 1)),
        stride_(block.stride),
        at_(block.centre + begin * Field<Lane>::line - 1) {
    if (!restores_) return;
    const Lane* const earlier = block.saved + begin * Field<Lane>::line - 1;
    for (int r = 0; r < N; ++r) now_[r] = std::exchange(at_[r * stride_], earlier[r * stride_]);
  }
  EarlierBefore(const EarlierBefore&) = delete;
  EarlierBefore& operator=(const EarlierBefore&) = delete;
  ~EarlierBefore() {
    for (int r = 0; restores_ && r < N; ++r) at_[r * stride_] = now_[r];
  }

 private:
  bool restores_;
  std::int64_t stride_;
  Lane* at_;
  Lane now_[N] = {};
};

/// Six neighbours. The stores of a vector wait until its right neighbour has been read, which needs the old lanes.
template <class Lane, int N>
HWY_INLINE void cross_block(const SliceStep<Lane>& step, const Block<Lane, N>& block, std::int64_t b,
                            std::uint64_t active, std::int64_t begin) {
  const EarlierBefore<Lane, N> before_piece(step, block, b, begin);
  const hn::ScalableTag<Lane> d;
  using V = hn::Vec<decltype(d)>;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto threshold = hn::Set(d, step.threshold);
  const std::int64_t stride = block.stride;
  V waiting[N];
  Lane* waiting_at = nullptr;
  for_lines<Lane>(active, begin, [&](std::int64_t line) HWY_ATTR {
    if (step.prefetch != 0) {
      for (int r = 0; r < N; ++r) hwy::Prefetch(block.next + step.prefetch + r * stride + line);
    }
    for (std::int64_t x = line; x < line + Field<Lane>::line; x += lanes) {
      Lane* const here = block.centre + x;
      const Lane* row = here;  // one pointer a slice, moved down row by row: more would not fit the registers
      const Lane* after = block.next + x;
      const Lane* before = block.previous + x;
      Lane* save = block.saved + x;
      V up = hn::Load(d, block.above[1] + x);
      V centre = hn::Load(d, row);
      V result[N];
      for (int r = 0; r < N; ++r) {
        const Lane* const below = r + 1 < N ? row + stride : block.below[1] + x;
        const V down = hn::Load(d, below);
        const V along_x = hn::Max(hn::LoadU(d, row - 1), hn::LoadU(d, row + 1));
        const V along_z = hn::Max(hn::Load(d, before), hn::Load(d, after));
        const V most = hn::Max(hn::Max(along_x, hn::Max(up, down)), hn::Max(along_z, centre));
        result[r] = hn::IfThenElse(hn::Gt(centre, threshold), most, centre);
        hn::Store(centre, d, save);
        up = centre;
        centre = down;
        step_down(row, stride);
        step_down(after, stride);
        step_down(before, stride);
        step_down(save, stride);
      }
      if (waiting_at) {
        Lane* to = waiting_at;
        for (int r = 0; r < N; ++r) {
          hn::Store(waiting[r], d, to);
          step_down(to, stride);
        }
      }
      for (int r = 0; r < N; ++r) waiting[r] = result[r];
      waiting_at = here;
    }
  });
  for (int r = 0; r < N; ++r) hn::Store(waiting[r], d, waiting_at + r * stride);
}

/// 26 neighbours: maxima over the 9 columns of z and y first, kept in scratch rows, then along x.
///
/// A column is of use where its own voxel is not: of one outside the domain, whose line may not be active, the column
/// still joins voxels above, below and beside it. So lines next to active ones lend the columns at their ends.
template <class Lane, int N>
HWY_INLINE void cube_block(const SliceStep<Lane>& step, const Block<Lane, N>& block, std::int64_t b,
                           std::uint64_t active, std::int64_t begin) {
  const hn::ScalableTag<Lane> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto threshold = hn::Set(d, step.threshold);
  const std::int64_t stride = block.stride;
  constexpr std::int64_t line_lanes = Field<Lane>::line;
  const std::int64_t scratch_stride = (step.lines + 1) * line_lanes;
  const auto along_z = [&](const Lane* previous, const Lane* current, const Lane* next) HWY_ATTR {
    return hn::Max(hn::Max(hn::Load(d, previous), hn::Load(d, next)), hn::Load(d, current));
  };
  /// A vector of columns; `centre` is the slice before the stage.
  const auto find_columns = [&](const Lane* centre, std::int64_t x) HWY_ATTR {
    auto before = along_z(block.above[0] + x, block.above[1] + x, block.above[2] + x);
    auto here = along_z(block.previous + x, centre + x, block.next + x);
    for (int r = 0; r < N; ++r) {
      const std::int64_t row = (r + 1) * stride + x;
      const auto after = r + 1 < N ? along_z(block.previous + row, centre + row, block.next + row)
                                   : along_z(block.below[0] + x, block.below[1] + x, block.below[2] + x);
      hn::Store(hn::Max(hn::Max(before, after), here), d, step.scratch + r * scratch_stride + x);
      before = here;
      here = after;
    }
  };
  for_lines<Lane>(active, begin, [&](std::int64_t line) HWY_ATTR {
    for (std::int64_t x = line; x < line + line_lanes; x += lanes) find_columns(block.centre, x);
  });
  const std::int64_t end = std::min(begin + piece_lines, step.lines);
  const std::uint64_t inside = ~std::uint64_t{0} >> (piece_lines - (end - begin));
  for_lines<Lane>(~active & (active >> 1), begin,
                  [&](std::int64_t line) HWY_ATTR { find_columns(block.centre, line + line_lanes - lanes); });
  for_lines<Lane>(~active & (active << 1) & inside, begin,
                  [&](std::int64_t line) HWY_ATTR { find_columns(block.centre, line); });
  // The line before the piece may have gone through the stage, and was saved then.
  if (begin > 0 && (active & 1) != 0) {
    find_columns(is_active(step, b, begin - 1) ? block.saved : block.centre, begin * line_lanes - lanes);
  }
  const bool last_active = (active >> (end - begin - 1) & 1) != 0;
  if (end < step.lines && last_active) find_columns(block.centre, end * line_lanes);
  for_lines<Lane>(active, begin, [&](std::int64_t line) HWY_ATTR {
    for (std::int64_t x = line; x < line + line_lanes; x += lanes) {
      for (int r = 0; r < N; ++r) {
        const Lane* const columns = step.scratch + r * scratch_stride + x;
        const auto most = hn::Max(hn::Max(hn::LoadU(d, columns - 1), hn::LoadU(d, columns + 1)), hn::Load(d, columns));
        const auto centre = hn::Load(d, block.centre + r * stride + x);
        hn::Store(centre, d, block.saved + r * stride + x);
        hn::Store(hn::IfThenElse(hn::Gt(centre, threshold), most, centre), d, block.centre + r * stride + x);
      }
    }
  });
}

/// Up to piece_lines lines of one block in one stage.
template <class Lane>
struct Piece {
  const SliceStep<Lane>* step = nullptr;
  std::int64_t b = 0;
  std::int64_t begin = 0;
  std::uint64_t active = 0;
};

/// Asks for the rows that no stage before has just brought close.
template <class Lane, int N>
HWY_INLINE void prefetch(const Piece<Lane>& piece) {
  const std::int64_t stride = piece.step->stride;
  const Lane* const centre = piece.step->centre + piece.b * N * stride;
  const Lane* const previous = piece.step->previous + piece.b * N * stride;
  for_lines<Lane>(piece.active, piece.begin, [&](std::int64_t line) HWY_ATTR {
    for (int r = 0; r < N; ++r) {
      hwy::Prefetch(centre + r * stride + line);
      hwy::Prefetch(previous + r * stride + line);
    }
  });
}

template <class Lane, bool cube, int N>
HWY_INLINE void work(const Piece<Lane>& piece) {
  const SliceStep<Lane>& step = *piece.step;
  std::uint64_t& stale =
      step.stale[piece.b * ((step.lines + piece_lines - 1) / piece_lines) + piece.begin / piece_lines];
  if ((piece.active | stale) == 0) return;
  const Block<Lane, N> block(step, piece.b);
  for_lines<Lane>(stale & ~piece.active, piece.begin, [&](std::int64_t line) {
    for (int r = 0; r < N; ++r) clear_line(block.saved + r * block.stride + line);
  });
  stale = piece.active;
  if (piece.active == 0) return;
  if constexpr (cube) {
    cube_block<Lane, N>(step, block, piece.b, piece.active, piece.begin);
  } else {
    cross_block<Lane, N>(step, block, piece.b, piece.active, piece.begin);
  }
}

/// Block after block, each in all its stages. While one piece is worked on the next one is on its way to the cache.
template <class Lane, bool cube, int N>
void march_blocks(const March<Lane>& march) {
  Piece<Lane> waiting;
  for (std::int64_t i = 0; i < march.blocks; ++i) {
    for (std::int64_t s = 0; s < march.stages; ++s) {
      const SliceStep<Lane>& step = march.steps[s];
      const std::int64_t b = i - step.lead;
      if (b < 0 || b >= step.blocks) continue;
      for (std::int64_t begin = 0; begin < step.lines; begin += piece_lines) {
        const Piece<Lane> next{&step, b, begin, active_lines<Lane>(step, b, begin)};
        prefetch<Lane, N>(next);
        if (waiting.step) work<Lane, cube, N>(waiting);
        waiting = next;
      }
    }
  }
  if (waiting.step) work<Lane, cube, N>(waiting);
}

template <class Lane, bool cube>
void march_strip(const March<Lane>& march) {
  if (march.tall) {
    march_blocks<Lane, cube, tall_block_rows>(march);
  } else {
    march_blocks<Lane, cube, 1>(march);
  }
}

template <class Lane>
MarchKernel<Lane> march_kernel(bool chessboard) {
  return chessboard ? march_strip<Lane, true> : march_strip<Lane, false>;
}

}  // namespace
}  // namespace tamis::granulometry_detail::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tamis::granulometry_detail::cpu {

template <class Lane>
MarchKernel<Lane> march_kernel(Simd simd, bool chessboard) {
  return TAMIS_SIMD(simd, march_kernel<Lane>)(chessboard);
}

template MarchKernel<std::uint8_t> march_kernel(Simd, bool);
template MarchKernel<std::uint16_t> march_kernel(Simd, bool);
template MarchKernel<std::uint32_t> march_kernel(Simd, bool);

}  // namespace tamis::granulometry_detail::cpu
#endif
