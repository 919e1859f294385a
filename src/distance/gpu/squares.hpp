// Squares of distances on a GPU.
#pragma once

#include <cstdint>
#include <tuple>

#include <tamis/context.hpp>
#include <tamis/image.hpp>

#include "core/gpu/stream.hpp"
#include "core/visit_type.hpp"
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
  std::tuple<cuda::DeviceBuffer<std::uint16_t>, cuda::DeviceBuffer<std::uint32_t>, cuda::DeviceBuffer<std::uint64_t>>
      buffers;                ///< all but one are empty
  std::uint64_t largest = 0;  ///< of the finite squares
  bool unbounded = false;     ///< somewhere there is no background: the largest value of the type

  template <class Lane>
  [[nodiscard]] cuda::DeviceBuffer<Lane>& buffer() {
    return std::get<cuda::DeviceBuffer<Lane>>(buffers);
  }
  [[nodiscard]] bool is_narrow() const { return std::get<0>(buffers).data() != nullptr; }
  [[nodiscard]] Type type() const {
    return is_narrow() ? Type::U16 : std::get<1>(buffers).data() != nullptr ? Type::U32 : Type::U64;
  }
  template <class Lane>
  [[nodiscard]] SquareRows<Lane> rows() const {
    return {std::get<cuda::DeviceBuffer<Lane>>(buffers).data(), shape.z, shape.y, shape.x, pitch_of(shape.x)};
  }
  /// Calls work with slices [begin, end) of the squares, whatever their type.
  template <class Work>
  auto with_rows(std::int64_t begin, std::int64_t end, Work work) const {
    return visit_square_type(type(), [&](auto lane) { return work(rows<decltype(lane)>().slices(begin, end)); });
  }
};

struct Task {
  Plan plan;
  BitRows object;
  BitRows domain;  ///< none: everything counts
  bool neutral = false;
};

/// Whether a GPU can hold every square of the plan: rows of 65535 voxels and more, whose steps 16 bits do not count,
/// have to do with squares of 31 bits.
[[nodiscard]] bool can_hold(const Plan& plan);
/// What to say of others.
inline constexpr const char* too_large =
    "squares of distances may need more than 62 bits, or more than 31 in rows of 65535 voxels and more";
/// In a note: that the CPU does it, because of this.
void tell_of_cpu(const Context& context, const char* why);

/// Whether squares may all be below 168^2, which is tried first; then those of the plan are of 4 bytes, or of 8.
[[nodiscard]] bool may_be_narrow(const Plan& plan);

/// Device bytes of so many slices of a plan while squares are made, narrow ones and others.
[[nodiscard]] std::int64_t narrow_bytes(const Shape& shape, std::int64_t slices);
[[nodiscard]] std::int64_t wide_bytes(const Plan& plan, std::int64_t slices);

/// Waits, for the width of squares follows from the largest. Throws OutOfMemory.
[[nodiscard]] Squares squares_of(const cuda::Stream& stream, const Task& task);

}  // namespace tamis::distance_detail::gpu
