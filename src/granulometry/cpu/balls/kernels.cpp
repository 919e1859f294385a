#include "granulometry/cpu/balls/tile.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "core/cpu/simd.hpp"

#define HWY_TARGET_INCLUDE "granulometry/cpu/balls/kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tamis::granulometry_detail::cpu::balls::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using D16 = hn::ScalableTag<std::uint16_t>;
using V16 = hn::Vec<D16>;
using D32 = hn::ScalableTag<std::int32_t>;
using V32 = hn::Vec<D32>;
using DF = hn::ScalableTag<float>;

template <class D>
HWY_INLINE std::int64_t lanes(D d) {
  return static_cast<std::int64_t>(hn::Lanes(d));
}

/// The bits of a mask, read as wide as they were written: a wider load would have to wait for the store.
template <class D, class M>
HWY_INLINE std::uint64_t bits_of(D d, M mask) {
  constexpr std::size_t bytes = (hn::MaxLanes(D()) + 7) / 8;
  std::uint8_t stored[8 + bytes];
  hn::StoreMaskBits(d, mask, stored);
  std::uint64_t bits = 0;
  std::memcpy(&bits, stored, bytes);
  return bytes == 1 && hn::MaxLanes(D()) < 8 ? bits & ((1U << hn::MaxLanes(D())) - 1) : bits;
}

/// All bits where a >= b.
HWY_INLINE V16 not_less(V16 a, V16 b) { return hn::VecFromMask(D16(), hn::Eq(hn::Max(a, b), a)); }

/// What the two neighbours along an axis leave of the balls of a vector.
struct Left {
  V16 live;  ///< all bits where there may be something to paint
  V16 flat;  ///< all bits where that is the middle alone, along every axis so far
  V16 away;  ///< a lower bound of the square of the distance from the middle to what is left, along axes of side 1
};

/// A neighbour with m >= 0 more leaves what is at least floor((m + h^2) / 2 h^2) steps away from it. `side` is h^2.
HWY_INLINE void leave(Left& left, V16 centre, V16 below, V16 above, std::uint16_t side) {
  const D16 d;
  if (side == 0) return;
  const V16 least = hn::Set(d, side);
  const V16 both = hn::And(not_less(below, centre), not_less(above, centre));
  const V16 more = hn::Max(hn::SaturatedSub(below, centre), hn::SaturatedSub(above, centre));
  const V16 beyond = not_less(more, least);
  left.live = hn::AndNot(hn::And(both, beyond), left.live);
  left.flat = hn::And(left.flat, both);
  if (side > 1) return;
  const V16 steps = hn::Min(hn::AverageRound(more, hn::Zero(d)), hn::Set(d, std::uint16_t{255}));
  left.away = hn::SaturatedAdd(left.away, hn::Mul(steps, steps));
}

HWY_INLINE V16 largest_of(const std::uint16_t* a, const std::uint16_t* b, std::int64_t x) {
  const D16 d;
  return hn::Max(hn::Max(hn::LoadU(d, a + x - 1), hn::LoadU(d, a + x + 1)),
                 hn::Max(hn::LoadU(d, b + x - 1), hn::LoadU(d, b + x + 1)));
}

void store_around(const Neighbourhood<std::uint16_t>& near, std::int64_t x, std::uint16_t* const around[diagonals]) {
  const D16 d;
  const auto& rows = near.rows;
  const V16 slices = hn::Max(hn::Max(hn::LoadU(d, rows[0] + x), hn::LoadU(d, rows[2] + x)),
                             hn::Max(hn::LoadU(d, rows[6] + x), hn::LoadU(d, rows[8] + x)));
  hn::StoreU(largest_of(rows[3], rows[5], x), d, around[diagonal_xy] + x);
  hn::StoreU(largest_of(rows[1], rows[7], x), d, around[diagonal_xz] + x);
  hn::StoreU(slices, d, around[diagonal_yz] + x);
  hn::StoreU(hn::Max(largest_of(rows[0], rows[2], x), largest_of(rows[6], rows[8], x)), d, around[diagonal_xyz] + x);
}

void select_row(const Neighbourhood<std::uint16_t>& near, const SelectTask& task, std::uint64_t* live,
                std::uint16_t* const around[diagonals]) {
  const D16 d;
  const std::int64_t step = lanes(d);
  const V16 all = hn::Set(d, std::uint16_t{0xffff});
  std::fill_n(live, (task.count + 63) / 64, std::uint64_t{0});
  for (std::int64_t x = 0; x < task.count; x += step) {
    const V16 centre = hn::LoadU(d, near.centre() + x);
    // A ball of square 1 is its middle, which needs no painting.
    Left left{not_less(centre, hn::Set(d, std::uint16_t{2})), all, hn::Zero(d)};
    if (hn::AllFalse(d, hn::MaskFromVec(left.live))) continue;
    leave(left, centre, hn::LoadU(d, near.centre() + x - 1), hn::LoadU(d, near.centre() + x + 1), task.along_x);
    leave(left, centre, hn::LoadU(d, near.rows[3] + x), hn::LoadU(d, near.rows[5] + x), task.along_y);
    leave(left, centre, hn::LoadU(d, near.rows[1] + x), hn::LoadU(d, near.rows[7] + x), task.along_z);
    const V16 dropped = hn::Or(left.flat, not_less(left.away, centre));
    const auto chosen = hn::MaskFromVec(hn::AndNot(dropped, left.live));
    if (hn::AllFalse(d, chosen)) continue;
    live[x / 64] |= bits_of(d, chosen) << (x % 64);
    store_around(near, x, around);
  }
  if (task.count % 64 != 0) live[task.count / 64] &= (std::uint64_t{1} << (task.count % 64)) - 1;
}

/// Writes `value` where the bits of a row are set and no larger one is: a voxel whose own ball was not painted, because
/// others paint all of it but its middle, still has its own square.
HWY_INLINE void write_row(std::uint16_t* row, std::uint32_t bits, std::uint16_t value) {
  const D16 d;
  const std::int64_t step = lanes(d);
  if (step < 8) {  // masks are loaded by whole bytes
    for (; bits != 0; bits &= bits - 1) {
      std::uint16_t& sample = row[std::countr_zero(bits)];
      sample = std::max(sample, value);
    }
    return;
  }
  std::uint8_t bytes[8] = {};
  std::memcpy(bytes, &bits, sizeof bits);
  for (std::int64_t x = 0; x < edge; x += step) {
    const V16 larger = hn::Max(hn::Set(d, value), hn::Load(d, row + x));
    hn::BlendedStore(larger, hn::LoadMaskBits(d, bytes + x / 8), d, row + x);
  }
}

/// Roots of 0 ... 65535, rounded down.
struct Roots {
  std::uint8_t of[65536] = {};
  constexpr Roots() {
    int root = 0;
    for (int square = 0; square < 65536; ++square) {
      if ((root + 1) * (root + 1) <= square) ++root;
      of[square] = static_cast<std::uint8_t>(root);
    }
  }
};
constexpr Roots roots;

/// The parts of a slice's rows that lie in a ball: half the width of row y is the root of what `rest` leaves.
struct Slice {
  std::int32_t rest = 0;  ///< square - 1 less what the slice is away
  std::int32_t middle_y = 0;
  std::int32_t middle_x = 0;
  std::int32_t side_y = 1;
  std::int32_t side_x = 1;
  std::int32_t first_y = 0;
  std::int32_t last_y = 0;
  std::int32_t first_x = 0;
  std::int32_t last_x = 0;
};

/// Of the range first ... last of one axis what the ball can reach where the other is `near` whole sides away.
HWY_INLINE void tighten(std::int32_t rest, std::int32_t near, std::int32_t middle, std::int32_t side,
                        std::int32_t& first, std::int32_t& last) {
  const std::int32_t left = rest - near * near;
  const std::int32_t reach = left < 0 ? -1 : roots.of[left] / side;
  first = std::max(first, middle - reach);
  last = std::min(last, middle + reach);
}

/// Steps from the middle to a range.
HWY_INLINE std::int32_t steps_to(std::int32_t middle, std::int32_t first, std::int32_t last) {
  return std::max(std::max(first - middle, middle - last), 0);
}

/// Bits first ... last of each lane; 0 where there are none.
HWY_INLINE V32 bits_between(V32 first, V32 last) {
  const D32 d;
  const hn::RebindToUnsigned<D32> du;
  const auto ones = hn::Set(du, 0xffffffffU);
  const auto low = hn::Shl(ones, hn::BitCast(du, hn::Max(hn::Min(first, hn::Set(d, 31)), hn::Zero(d))));
  const auto up = hn::Sub(hn::Set(d, 31), hn::Max(hn::Min(last, hn::Set(d, 31)), hn::Zero(d)));
  const auto high = hn::Shr(ones, hn::BitCast(du, up));
  const auto some = hn::RebindMask(du, hn::Not(hn::Lt(last, first)));
  return hn::BitCast(d, hn::IfThenElseZero(some, hn::And(low, high)));
}

/// Of rows y, y + 1, ... what of the ball they show.
HWY_INLINE V32 rows_of(const Slice& slice, std::int64_t y) {
  const D32 d;
  const DF df;
  const V32 at = hn::Iota(d, static_cast<std::int32_t>(y));
  const V32 away = hn::Mul(hn::Sub(at, hn::Set(d, slice.middle_y)), hn::Set(d, slice.side_y));
  const V32 rest = hn::Sub(hn::Set(d, slice.rest), hn::Mul(away, away));
  const auto inside =
      hn::And(hn::Not(hn::Lt(rest, hn::Zero(d))),
              hn::And(hn::Not(hn::Lt(at, hn::Set(d, slice.first_y))), hn::Not(hn::Gt(at, hn::Set(d, slice.last_y)))));
  // Whole numbers below 2^22 have roots that single precision does not round up to the next whole one.
  auto half = hn::Sqrt(hn::ConvertTo(df, hn::Max(rest, hn::Zero(d))));
  if (slice.side_x > 1) {
    const auto whole = hn::ConvertTo(df, hn::ConvertTo(d, half));
    half = hn::Mul(hn::Add(whole, hn::Set(df, 0.5F)), hn::Set(df, 1.0F / static_cast<float>(slice.side_x)));
  }
  const V32 width = hn::ConvertTo(d, half);
  const V32 middle = hn::Set(d, slice.middle_x);
  const V32 first = hn::Max(hn::Sub(middle, width), hn::Set(d, slice.first_x));
  const V32 last = hn::Min(hn::Add(middle, width), hn::Set(d, slice.last_x));
  return hn::IfThenElseZero(inside, bits_between(first, last));
}

/// Covers what the ball shows of a slice and is still uncovered, and notes what that is. Nothing here asks whether
/// there is any: the answer would come too late to guess it.
HWY_INLINE void paint_slice(Tile<std::uint16_t>& tile, std::int64_t z, const Slice& slice, std::uint16_t value) {
  const D32 d;
  const std::int64_t step = std::min(lanes(d), edge);
  const V32 in_box =
      hn::Set(d, static_cast<std::int32_t>((0xffffffffU << slice.first_x) & (0xffffffffU >> (31 - slice.last_x))));
  auto* const words = reinterpret_cast<std::int32_t*>(tile.uncovered) + z * edge;
  for (std::int64_t y = slice.first_y / step * step; y <= slice.last_y; y += step) {
    const V32 open = hn::Load(d, words + y);
    if (hn::AllTrue(d, hn::Eq(hn::And(open, in_box), hn::Zero(d)))) continue;
    const V32 hit = hn::And(hn::And(open, in_box), rows_of(slice, y));
    const V32 left = hn::AndNot(hit, open);
    hn::Store(left, d, words + y);
    const auto rows = static_cast<std::uint32_t>(bits_of(d, hn::Ne(left, hn::Zero(d))) << y);
    const auto here = static_cast<std::uint32_t>((std::uint64_t{1} << step) - 1) << y;
    tile.rows[z] = (tile.rows[z] & ~here) | rows;
    const auto some = hn::Ne(hit, hn::Zero(d));
    hn::StoreU(hn::Compress(hit, some), d, tile.hits.bits + tile.hits.count);
    hn::StoreU(hn::Compress(hn::Iota(d, static_cast<std::int32_t>(z * edge + y)), some), d,
               tile.hits.rows + tile.hits.count);
    hn::StoreU(hn::Set(d, std::int32_t{value}), d, tile.hits.values + tile.hits.count);
    tile.hits.count += static_cast<std::int64_t>(hn::CountTrue(d, some));
  }
}

/// Writes what has been noted.
void write_hits(Tile<std::uint16_t>& tile) {
  const Hits& hits = tile.hits;
  for (std::int64_t i = 0; i < hits.count; ++i) {
    write_row(tile.squares + std::int64_t{hits.rows[i]} * edge, static_cast<std::uint32_t>(hits.bits[i]),
              static_cast<std::uint16_t>(hits.values[i]));
  }
  tile.hits.count = 0;
}

void paint(Tile<std::uint16_t>& tile, const Ball<std::uint16_t>& ball, const WholeSides& sides) {
  const auto in_z = ball.box_z();
  const auto in_y = ball.box_y();
  const auto in_x = ball.box_x();
  const std::uint32_t in_box = (0xffffffffU << in_y.first) & (0xffffffffU >> (31 - in_y.last));
  Slice slice;
  slice.middle_y = ball.y;
  slice.middle_x = ball.x;
  slice.side_y = static_cast<std::int32_t>(sides.y);
  slice.side_x = static_cast<std::int32_t>(sides.x);
  const std::int32_t near_x = steps_to(ball.x, in_x.first, in_x.last) * slice.side_x;
  const std::int32_t nearest_y = steps_to(ball.y, in_y.first, in_y.last) * slice.side_y;
  std::int32_t first_z = in_z.first;
  std::int32_t last_z = in_z.last;
  tighten(ball.square - 1 - near_x * near_x, nearest_y, ball.z, static_cast<std::int32_t>(sides.z), first_z, last_z);
  for (std::int32_t z = first_z; z <= last_z; ++z) {
    const std::uint32_t open = tile.rows[z] & in_box;
    if (open == 0) continue;
    const std::int32_t away = (z - ball.z) * static_cast<std::int32_t>(sides.z);
    slice.rest = ball.square - 1 - away * away;
    if (slice.rest < 0) continue;
    slice.first_y = std::countr_zero(open);
    slice.last_y = 31 - std::countl_zero(open);
    slice.first_x = in_x.first;
    slice.last_x = in_x.last;
    // Most of what is open in a box lies outside the ball: two looks at a table spare most of the work on it.
    tighten(slice.rest, near_x, ball.y, slice.side_y, slice.first_y, slice.last_y);
    if (slice.first_y > slice.last_y) continue;
    const std::int32_t near_y = steps_to(ball.y, slice.first_y, slice.last_y) * slice.side_y;
    tighten(slice.rest, near_y, ball.x, slice.side_x, slice.first_x, slice.last_x);
    if (slice.first_x > slice.last_x) continue;
    paint_slice(tile, z, slice, ball.square);
  }
  if (tile.hits.count > Hits::room) write_hits(tile);
}

std::uint32_t object_bits(const std::uint16_t* row) {
  const D16 d;
  const std::int64_t step = std::min(lanes(d), edge);
  std::uint32_t bits = 0;
  for (std::int64_t x = 0; x < edge; x += step) {
    bits |= static_cast<std::uint32_t>(bits_of(d, hn::Ne(hn::Load(d, row + x), hn::Zero(d))) << x);
  }
  return bits;
}

}  // namespace
}  // namespace tamis::granulometry_detail::cpu::balls::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tamis::granulometry_detail::cpu::balls {

Kernels kernels(Simd simd) {
  return {TAMIS_SIMD(simd, select_row), TAMIS_SIMD(simd, paint), TAMIS_SIMD(simd, write_hits),
          TAMIS_SIMD(simd, object_bits)};
}

}  // namespace tamis::granulometry_detail::cpu::balls
#endif
