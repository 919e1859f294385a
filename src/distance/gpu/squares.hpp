// Squares of distances on a GPU.
#pragma once

#include <cstdint>

#include <tamis/image.hpp>

#include "core/gpu/stream.hpp"
#include "distance/plan.hpp"

namespace tamis::distance_detail::gpu {

/// Bits in device memory, rows as in an Image of type Bool.
struct BitRows {
  const std::uint64_t* words = nullptr;  ///< nullptr: there are none
  std::int64_t slices = 0;               ///< 1: the same slice everywhere
};

/// Squares in device memory: rows of `pitch` samples, which are 0 behind `x`.
template <class Lane>
struct SquareRows {
  Lane* data = nullptr;
  std::int64_t z = 1;
  std::int64_t y = 1;
  std::int64_t x = 1;
  std::int64_t pitch = 64;

  [[nodiscard]] std::int64_t slice() const { return y * pitch; }
  [[nodiscard]] SquareRows slices(std::int64_t begin, std::int64_t end) const {
    return {data + begin * slice(), end - begin, y, x, pitch};
  }
};

/// Rows of squares begin where rows of bits do.
[[nodiscard]] inline std::int64_t pitch_of(std::int64_t x) { return (x + 63) / 64 * 64; }

/// As SquaredDistances, in device memory.
struct Squares {
  Shape shape;
  cuda::DeviceBuffer<std::uint16_t> narrow;  ///< where all fit
  cuda::DeviceBuffer<std::uint32_t> wide;    ///< otherwise
  std::uint64_t largest = 0;                 ///< of the finite squares
  bool unbounded = false;                    ///< somewhere there is no background: the largest value of the type

  [[nodiscard]] bool is_narrow() const { return narrow.data() != nullptr; }
  [[nodiscard]] Type type() const { return is_narrow() ? Type::U16 : Type::U32; }
  template <class Lane>
  [[nodiscard]] SquareRows<Lane> rows() const {
    if constexpr (sizeof(Lane) == 2) {
      return {narrow.data(), shape.z, shape.y, shape.x, pitch_of(shape.x)};
    } else {
      return {wide.data(), shape.z, shape.y, shape.x, pitch_of(shape.x)};
    }
  }
};

struct Task {
  Plan plan;
  BitRows object;
  BitRows domain;  ///< none: everything counts
  bool neutral = false;
};

/// Whether a GPU can hold every square of the plan: those of 64 bits are the CPU's.
[[nodiscard]] bool can_hold(const Plan& plan);

/// Device bytes of so many slices while squares are made that are all below 168^2, and of others.
[[nodiscard]] std::int64_t narrow_bytes(const Shape& shape, std::int64_t slices);
[[nodiscard]] std::int64_t wide_bytes(const Shape& shape, std::int64_t slices);

/// Waits, for the width of squares follows from the largest. Throws OutOfMemory.
[[nodiscard]] Squares squares_of(const cuda::Stream& stream, const Task& task);

}  // namespace tamis::distance_detail::gpu
