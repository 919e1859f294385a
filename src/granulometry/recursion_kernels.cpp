#include "granulometry/recursion_kernels.hpp"

#include <algorithm>
#include <cstring>

#include <hwy/cache_control.h>

#include "core/cpu/simd.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "granulometry/recursion_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tamis::granulometry_detail::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

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

/// Lines of block b with a peak above the threshold, 64 from `begin` on.
template <class Lane>
HWY_INLINE std::uint64_t active_lines(const SliceStep<Lane>& step, std::int64_t b, std::int64_t begin) {
  const hn::CappedTag<Lane, 16> d;
  const auto threshold = hn::Set(d, step.threshold);
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::uint64_t active = 0;
  for (std::int64_t i = begin; i < std::min(step.lines, begin + 64); i += lanes) {
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

/// Six neighbours. The stores of a vector wait until its right neighbour has been read, which needs the old lanes.
template <class Lane, int N>
HWY_INLINE void cross_block(const SliceStep<Lane>& step, const Block<Lane, N>& block, std::uint64_t active,
                            std::int64_t begin) {
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
      const Lane* const after = block.next + x;
      const Lane* const before = block.previous + x;
      Lane* const save = block.saved + x;
      V rows[N + 2];
      rows[0] = hn::Load(d, block.above[1] + x);
      for (int r = 0; r < N; ++r) rows[r + 1] = hn::Load(d, here + r * stride);
      rows[N + 1] = hn::Load(d, block.below[1] + x);
      V result[N];
      for (int r = 0; r < N; ++r) {
        const V centre = rows[r + 1];
        const V along_x = hn::Max(hn::LoadU(d, here + r * stride - 1), hn::LoadU(d, here + r * stride + 1));
        const V along_y = hn::Max(rows[r], rows[r + 2]);
        const V along_z = hn::Max(hn::Load(d, before + r * stride), hn::Load(d, after + r * stride));
        const V most = hn::Max(hn::Max(along_x, along_y), hn::Max(along_z, centre));
        result[r] = hn::IfThenElse(hn::Gt(centre, threshold), most, centre);
        hn::Store(centre, d, save + r * stride);
      }
      if (waiting_at) {
        for (int r = 0; r < N; ++r) hn::Store(waiting[r], d, waiting_at + r * stride);
      }
      for (int r = 0; r < N; ++r) waiting[r] = result[r];
      waiting_at = here;
    }
  });
  for (int r = 0; r < N; ++r) hn::Store(waiting[r], d, waiting_at + r * stride);
}

/// 26 neighbours: maxima over the 9 columns of z and y first, kept in scratch rows, then along x.
template <class Lane, int N>
HWY_INLINE void cube_block(const SliceStep<Lane>& step, const Block<Lane, N>& block, std::uint64_t active,
                           std::int64_t begin) {
  const hn::ScalableTag<Lane> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto threshold = hn::Set(d, step.threshold);
  const std::int64_t stride = block.stride;
  const std::int64_t scratch_stride = (step.lines + 1) * Field<Lane>::line;
  const auto along_z = [&](const Lane* previous, const Lane* current, const Lane* next) HWY_ATTR {
    return hn::Max(hn::Max(hn::Load(d, previous), hn::Load(d, next)), hn::Load(d, current));
  };
  for_lines<Lane>(active, begin, [&](std::int64_t line) HWY_ATTR {
    for (std::int64_t x = line; x < line + Field<Lane>::line; x += lanes) {
      auto before = along_z(block.above[0] + x, block.above[1] + x, block.above[2] + x);
      auto here = along_z(block.previous + x, block.centre + x, block.next + x);
      for (int r = 0; r < N; ++r) {
        const std::int64_t row = (r + 1) * stride + x;
        const auto after = r + 1 < N ? along_z(block.previous + row, block.centre + row, block.next + row)
                                     : along_z(block.below[0] + x, block.below[1] + x, block.below[2] + x);
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
        const auto centre = hn::Load(d, block.centre + r * stride + x);
        hn::Store(centre, d, block.saved + r * stride + x);
        hn::Store(hn::IfThenElse(hn::Gt(centre, threshold), most, centre), d, block.centre + r * stride + x);
      }
    }
  });
  // The next block may have other lines; those it leaves out have to read as zeros.
  for_lines<Lane>(active, begin, [&](std::int64_t line) {
    for (int r = 0; r < N; ++r) clear_line(step.scratch + r * scratch_stride + line);
  });
}

template <class Lane, bool cube, int N>
HWY_INLINE void step_block(const SliceStep<Lane>& step, std::int64_t b) {
  std::uint64_t* stale = step.stale + b * ((step.lines + 63) / 64);
  for (std::int64_t begin = 0; begin < step.lines; begin += 64, ++stale) {
    const std::uint64_t active = active_lines<Lane>(step, b, begin);
    if ((active | *stale) == 0) continue;
    const Block<Lane, N> block(step, b);
    for_lines<Lane>(*stale & ~active, begin, [&](std::int64_t line) {
      for (int r = 0; r < N; ++r) clear_line(block.saved + r * block.stride + line);
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

template <class Lane, bool cube, int N>
void march_blocks(const March<Lane>& march) {
  for (std::int64_t i = 0; i < march.blocks; ++i) {
    for (std::int64_t s = 0; s < march.stages; ++s) {
      const SliceStep<Lane>& step = march.steps[s];
      const std::int64_t b = i - step.lead;
      if (b >= 0 && b < step.blocks) step_block<Lane, cube, N>(step, b);
    }
  }
}

template <class Lane, bool cube>
void march_strip(const March<Lane>& march) {
  if (march.tall) {
    march_blocks<Lane, cube, tall_block_rows>(march);
  } else {
    march_blocks<Lane, cube, 1>(march);
  }
}

#define TAMIS_FOR_LANE(Lane, suffix)                                                 \
  void cross_##suffix(const March<Lane>& march) { march_strip<Lane, false>(march); } \
  void cube_##suffix(const March<Lane>& march) { march_strip<Lane, true>(march); }
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

#define TAMIS_EXPORT(suffix)  \
  HWY_EXPORT(cross_##suffix); \
  HWY_EXPORT(cube_##suffix);
TAMIS_EXPORT(u8)
TAMIS_EXPORT(u16)
TAMIS_EXPORT(u32)
#undef TAMIS_EXPORT

}  // namespace

template <class Lane>
MarchKernel<Lane> march_kernel(Simd simd, bool chessboard) {
  if constexpr (sizeof(Lane) == 1) return chessboard ? TAMIS_SIMD(simd, cube_u8) : TAMIS_SIMD(simd, cross_u8);
  if constexpr (sizeof(Lane) == 2) return chessboard ? TAMIS_SIMD(simd, cube_u16) : TAMIS_SIMD(simd, cross_u16);
  if constexpr (sizeof(Lane) == 4) return chessboard ? TAMIS_SIMD(simd, cube_u32) : TAMIS_SIMD(simd, cross_u32);
}

template MarchKernel<std::uint8_t> march_kernel(Simd, bool);
template MarchKernel<std::uint16_t> march_kernel(Simd, bool);
template MarchKernel<std::uint32_t> march_kernel(Simd, bool);

}  // namespace tamis::granulometry_detail
#endif
