// The arithmetic of the distance transform on single rows; distance.cpp says which rows and in what order.
#pragma once

#include <cstdint>

#include <tamis/context.hpp>

#include "granulometry/cpu/field.hpp"

namespace tamis::granulometry_detail::cpu {

template <class Lane>
struct RowKernels {
  /// Distance along a row of `count` lanes, by doubling. `from` holds 0 or an upper bound, and both buffers have
  /// `reach` lanes before and behind the row that say what lies beyond it. Returns the buffer with the result.
  Lane* (*scan_row)(Lane* from, Lane* to, std::int64_t count, std::int64_t reach);
  /// row = min(row, from + 1). Returns whether a lane changed.
  bool (*relax_row)(Lane* row, const Lane* from, std::int64_t count);
  /// to[i] = min(from[i-1], from[i], from[i+1])
  void (*min_of_three)(const Lane* from, Lane* to, std::int64_t count);
  /// Lanes whose bit is 0 become `value`.
  void (*mask_row)(Lane* row, const std::uint64_t* bits, std::int64_t count, Lane value);
  /// Bounds the lanes of `rows` rows by `cap` and notes the maximum of each line over these rows.
  void (*finish_block)(Lane* first, std::int64_t stride, std::int64_t rows, Lane* peaks, std::int64_t lines, Lane cap);
};

/// The kernels for an instruction set.
template <class Lane>
RowKernels<Lane> row_kernels(Simd simd);

}  // namespace tamis::granulometry_detail::cpu
