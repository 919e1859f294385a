// The working array of a granulometry: one lane a voxel, rows padded so that every neighbour can be read.
#pragma once

#include <cstdint>

#include <tamis/context.hpp>

#include "core/memory.hpp"

namespace tamis::granulometry_detail::cpu {

/// Lines are 64 bytes: a vector of AVX-512, two of AVX2. Rows start at a line.
constexpr std::int64_t line_bytes = 64;

/// Rows of a block in a volume: enough for rows in registers to serve as neighbours and to pay for a block's overhead.
constexpr std::int64_t tall_block_rows = 8;

template <class Lane>
class Field {
 public:
  static constexpr std::int64_t line = line_bytes / static_cast<std::int64_t>(sizeof(Lane));

  Field() = default;
  /// Rows are added so that y is a multiple of block_rows(y); they stay 0.
  Field(std::int64_t z, std::int64_t y, std::int64_t x)
      : z_(z),
        y_(y),
        x_(x),
        allocated_z_(z),
        lines_((x + line - 1) / line),
        row_stride_(row_stride(x)),
        slice_stride_(blocks(y) * block_rows(y) * row_stride_ + slice_padding),
        peak_stride_((lines_ + 15) / 16 * 16),
        lanes_(line + z * slice_stride_),
        peaks_(z * blocks(y) * peak_stride_) {}

  [[nodiscard]] std::int64_t z() const { return z_; }
  [[nodiscard]] std::int64_t allocated_z() const { return allocated_z_; }
  [[nodiscard]] std::int64_t y() const { return y_; }
  [[nodiscard]] std::int64_t x() const { return x_; }
  /// Lines of a row that hold voxels.
  [[nodiscard]] std::int64_t lines() const { return lines_; }
  /// Lanes from one row to the next, for rows of x lanes.
  static std::int64_t row_stride(std::int64_t x) {
    const std::int64_t stride = (x + 1 + line - 1) / line * line;  // at least one lane of padding
    return stride % (4 * line) == 0 ? stride + line : stride;      // nor rows in the same L1 set
  }
  /// Lanes from one row to the next. row(z, y)[-1] and row(z, y)[x()] can be read and are 0.
  [[nodiscard]] std::int64_t stride() const { return row_stride_; }
  [[nodiscard]] Lane* row(std::int64_t z, std::int64_t y) {
    return lanes_.data() + line + z * slice_stride_ + y * row_stride_;
  }
  [[nodiscard]] std::int64_t slice_stride() const { return slice_stride_; }

  /// Rows that kernels treat together. An image has slices of one row.
  static std::int64_t block_rows(std::int64_t y) { return y == 1 ? 1 : tall_block_rows; }
  [[nodiscard]] std::int64_t block_rows() const { return block_rows(y_); }
  [[nodiscard]] std::int64_t blocks() const { return blocks(y_); }
  /// One lane a line: the largest lane of that line in the rows of block b.
  /// 16 lanes at a time can be read; they are 0 beyond lines().
  [[nodiscard]] Lane* peaks(std::int64_t z, std::int64_t b) {
    return peaks_.data() + (z * blocks(y_) + b) * peak_stride_;
  }
  [[nodiscard]] std::int64_t peak_stride() const { return peak_stride_; }

  /// Uses only the first `z` slices of those allocated.
  void use_slices(std::int64_t z) { z_ = z; }

  /// Bytes of a field, for plans.
  static std::int64_t bytes(std::int64_t z, std::int64_t y, std::int64_t x) {
    const std::int64_t lines = (x + line - 1) / line;
    const auto lane = static_cast<std::int64_t>(sizeof(Lane));
    const std::int64_t rows = blocks(y) * block_rows(y);
    return z * lane * (rows * row_stride(x) + slice_padding + blocks(y) * ((lines + 15) / 16 * 16));
  }

 private:
  // Slices a whole number of L2 ways apart would evict each other while several are in flight; an odd number of
  // lines between them does not.
  static constexpr std::int64_t slice_padding = 33 * line;

  static std::int64_t blocks(std::int64_t y) { return (y + block_rows(y) - 1) / block_rows(y); }

  std::int64_t z_ = 0, y_ = 0, x_ = 0, allocated_z_ = 0, lines_ = 0, row_stride_ = 0, slice_stride_ = 0,
               peak_stride_ = 0;
  Buffer<Lane> lanes_;
  Buffer<Lane> peaks_;
};

/// The slices of a field that take part; what lies outside contributes nothing.
struct SliceRange {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

/// The value of a lane that no distance reaches; sums with it stay at or above it.
template <class Lane>
constexpr Lane unreached = static_cast<Lane>(~Lane{0});
template <>
inline constexpr std::uint32_t unreached<std::uint32_t> = 1U << 30;  // 32-bit lanes add without saturation

// How many lanes of a size map have each value.

/// A part of a field, half open along each axis.
struct FieldBox {
  SliceRange z, y, x;
};

/// Adds the number of lanes of each value 1 .. largest in the box to counts[value]; counts[0] becomes 0.
template <class Lane>
void count_values(const Context& context, Field<Lane>& field, const FieldBox& box, std::int64_t* counts, Lane largest);

}  // namespace tamis::granulometry_detail::cpu
