// A strip of neighbouring traced lines, laid out so that what is next along the lines is in the next row. All lines of
// a strip are then worked on side by side, a vector of them at a time, whatever their angle.
#pragma once

#include <cstdint>

#include <tamis/context.hpp>

#include "core/bits/ordered_bits.hpp"
#include "line/traced/lines.hpp"

namespace tamis::line_detail::cpu {

inline constexpr std::int64_t strip_alignment = 64;  ///< bytes: a line of the cache; as many lie between rows

/// Row r, lane l: the sample of line first_line + l at place first_place + r along the lines.
template <class Lane>
struct Strip {
  Lane* rows = nullptr;
  std::int64_t stride = 0;  ///< lanes from row to row: `lanes` and strip_alignment bytes that hold nothing
  std::int64_t count = 0;   ///< rows
  std::int64_t lanes = 0;   ///< a multiple of strip_alignment bytes
  std::int64_t first_line = 0;
  std::int64_t first_place = 0;
  /// Of shallow lines, whose rows are columns of the image. The strip has rows for columns first_column ...
  /// last_column - 1 too, which start and end where lines of the cache do.
  std::int64_t first_column = 0;
  std::int64_t last_column = 0;
  Lane* const* columns = nullptr;  ///< where sample 0 of each of these columns would be
  Lane* panel = nullptr;           ///< room for panel_lanes()
};

/// Lanes of a line of the cache.
template <class Lane>
inline constexpr std::int64_t line_lanes = strip_alignment / static_cast<std::int64_t>(sizeof(Lane));

/// A line of the cache of each row of the image that a strip of `lanes` lines meets there, and a tile more.
template <class Lane>
constexpr std::int64_t panel_lanes(std::int64_t lanes) {
  return (lanes + 2 * line_lanes<Lane>)*line_lanes<Lane>;
}

/// A slice; rows may go upwards (negative stride).
template <class Sample>
struct Slice {
  Sample* samples = nullptr;
  std::int64_t stride = 0;  ///< samples from row to row
  std::int64_t width = 0;
  std::int64_t height = 0;
};

/// Lines (x, c - shift[x]) of an image, shifts growing from 0, or (c - shift[y], y).
struct StripLines {
  const std::int32_t* shift = nullptr;
  std::int64_t places = 0;  ///< along a line
  std::int64_t across = 0;  ///< samples of the image across
  /// Of shallow lines: the first x whose shift is at least t, for t = 0 ... last shift + 1.
  const std::int32_t* first_at = nullptr;
};

/// Between images and strips. Lanes outside of the image become `fill`, and are not written back.
template <class Sample>
struct StripKernels {
  using Lane = LaneOf<Sample>;
  void (*load_steep)(const Strip<Lane>&, const StripLines&, const Slice<const Sample>&, Lane fill);
  void (*store_steep)(const Strip<Lane>&, const StripLines&, const Slice<Sample>&);
  void (*load_shallow)(const Strip<Lane>&, const StripLines&, const Slice<const Sample>&, Lane fill);
  void (*store_shallow)(const Strip<Lane>&, const StripLines&, const Slice<Sample>&);
};
template <class Sample>
[[nodiscard]] StripKernels<Sample> strip_kernels(Simd simd);

/// A segment moves along the rows of a strip, in place.
template <class Lane>
struct StripWalk {
  std::int64_t length = 1;
  std::int64_t before = 0;  ///< the first step's window at row p is p - before ... p - before + length - 1
  /// Windows of the first step that count: those that start at rows first_start ... last_start - 1.
  std::int64_t first_start = 0;
  std::int64_t last_start = 0;
  Lane first_neutral{};   ///< what an extremum of the first step over nothing is
  Lane second_neutral{};  ///< of the second step; where the first one's results do not count, this stands for them
  /// Rows outside [whole_first, whole_last) have lanes outside of the image, whose results do not count: row p of the
  /// mask starts at outside - shift[p] and holds first_neutral, or second_neutral for those.
  const Lane* outside = nullptr;
  const std::int32_t* shift = nullptr;
  std::int64_t whole_first = 0;
  std::int64_t whole_last = 0;
};

/// Lanes of scratch memory, aligned as strips are.
template <class Lane>
constexpr std::int64_t walk_scratch(std::int64_t length) {
  return 2 * length * 2 * strip_alignment / static_cast<std::int64_t>(sizeof(Lane));
}
template <class Lane>
using WalkKernel = void (*)(const Strip<Lane>&, const StripWalk<Lane>&, Lane* scratch);
template <class Lane>
[[nodiscard]] WalkKernel<Lane> walk_kernel(Simd simd, Along what);

}  // namespace tamis::line_detail::cpu
