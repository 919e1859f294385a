// What happens to squares before and after balls are painted. Queued; nothing waits.
#pragma once

#include <cstdint>

#include "distance/gpu/samples.hpp"
#include "granulometry/gpu/balls/boxes.hpp"

namespace tamis::granulometry_detail::gpu::balls {

using distance_detail::gpu::table_size;

/// Each square becomes what the table says; 0 stays 0.
void change(const cuda::Stream& stream, const SquareRows<std::uint16_t>& squares, const std::uint16_t* table);

/// Adds to counts of 65536 squares. Samples behind the end of rows do not count; those of 0 need not.
void count(const cuda::Stream& stream, const SquareRows<std::uint16_t>& squares, unsigned long long* counts);

/// Where the object's bit is 1 and the square 0 it becomes 65535.
void show_infinite(const cuda::Stream& stream, const SquareRows<std::uint16_t>& squares, const std::uint64_t* object);

}  // namespace tamis::granulometry_detail::gpu::balls
