// What squares come to, and squares as samples of a map.
#pragma once

#include <cstddef>

#include <tamis/gpu/array.hpp>

#include "distance/gpu/squares.hpp"

namespace tamis::distance_detail::gpu {

/// All squares that 16 bits hold.
inline constexpr std::int64_t table_size = 65536;

/// Queues a search: `largest` grows to the largest of the squares, those of 65535 aside.
void find_largest(const cuda::Stream& stream, const SquareRows<std::uint16_t>& squares, unsigned* largest);

/// That square. Waits.
[[nodiscard]] std::uint64_t largest_of(const cuda::Stream& stream, const SquareRows<std::uint16_t>& squares);
/// The same of squares of 32 or 64 bits, the largest number aside.
template <class Lane>
[[nodiscard]] std::uint64_t largest_of(const cuda::Stream& stream, const SquareRows<Lane>& squares);

/// Queues samples by a table of them, in device memory, to an array of the squares' shape; 0 is 0. The table has
/// `table_size` samples of the array's type, whose 1, 2, 4 or 8 bytes are copied as they are.
void look_up(const cuda::Stream& stream, const SquareRows<std::uint16_t>& squares, const std::byte* table,
             const GpuOutput& out);

/// Queues a copy of squares of 32 or 64 bits, as the array's type where they fit, or the lengths of them, F32: roots
/// times a unit, infinite for the largest value. The largest number stays it in fewer bits, or in as many.
template <class Lane>
void copy_wide(const cuda::Stream& stream, const SquareRows<Lane>& squares, const GpuOutput& out);
template <class Lane>
void write_wide_lengths(const cuda::Stream& stream, const SquareRows<Lane>& squares, double unit, const GpuOutput& out);

}  // namespace tamis::distance_detail::gpu
