// The arithmetic of squared distances: along a row of bits, and along columns of lanes.
#pragma once

#include <cstdint>
#include <type_traits>

#include <tamis/context.hpp>

namespace tamis::distance_detail::cpu {

/// Steps along a row are counted in lanes of half the width: their square has to fit.
template <class Lane>
using Half = std::conditional_t<sizeof(Lane) == 2, std::uint8_t,
                                std::conditional_t<sizeof(Lane) == 4, std::uint16_t, std::uint32_t>>;

template <class Lane>
struct Kernels {
  /// Sets `count` lanes, whole lines, to the largest value where the bit is 1 and to 0 elsewhere.
  void (*expand_bits)(const std::uint64_t* bits, Half<Lane>* row, std::int64_t count);
  /// Steps to the nearest 0 of a row by doubling, at most the largest value of a lane. Both buffers have `reach` lanes
  /// before and behind the `count` lanes, which say what lies beyond the row. Returns the buffer with the result.
  Half<Lane>* (*count_steps)(Half<Lane>* from, Half<Lane>* to, std::int64_t count, std::int64_t reach);
  /// (side * steps)^2; `unreached` from `cap` steps on.
  void (*square)(const Half<Lane>* steps, Lane* row, std::int64_t count, Lane side, Half<Lane> cap);
  /// to[i] = the least of from[i +- d] + squares[d], lane by lane, for a column of `count` lines. Lines -1 and `count`
  /// say what lies beyond, and serve every line behind them. squares[0 ... reach] grow, and the last is `unreached`.
  /// Returns the largest result.
  Lane (*lower)(const Lane* from, Lane* to, std::int64_t count, const Lane* squares, std::int64_t reach);
};

template <class Lane>
Kernels<Lane> kernels(Simd simd);

}  // namespace tamis::distance_detail::cpu
