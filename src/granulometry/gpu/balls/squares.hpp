// What happens to squares before and after balls are painted, and tables and counts of them.
#pragma once

#include <cstdint>

#include <tamis/distance.hpp>

#include "core/gpu/stream.hpp"
#include "distance/gpu/samples.hpp"
#include "distance/gpu/squares.hpp"
#include "granulometry/balls/tally.hpp"
#include "granulometry/gpu/balls/boxes.hpp"

namespace tamis::granulometry_detail::gpu::balls {

using distance_detail::gpu::table_size;

/// Each square becomes what the table says; 0 stays 0.
void change(const cuda::Stream& stream, const SquareRows<std::uint16_t>& squares, const std::uint16_t* table);

/// Adds to counts of 65536 squares. Samples behind the end of rows do not count; those of 0 need not.
void count(const cuda::Stream& stream, const SquareRows<std::uint16_t>& squares, unsigned long long* counts);

/// Where the object's bit is 1 and the square 0 it becomes 65535.
void show_infinite(const cuda::Stream& stream, const SquareRows<std::uint16_t>& squares, const std::uint64_t* object);

// Tables of all squares that 16 bits hold, and counts of them.

/// Queues the upload of make(square) for every square.
template <class Make>
[[nodiscard]] cuda::DeviceBuffer<std::uint16_t> table_of(const cuda::Stream& stream, Make make) {
  const cuda::PinnedBuffer<std::uint16_t> host(stream, table_size);
  for (std::int64_t square = 0; square < table_size; ++square) {
    host[square] = static_cast<std::uint16_t>(make(static_cast<std::uint64_t>(square)));
  }
  cuda::DeviceBuffer<std::uint16_t> table(stream, table_size);
  cuda::check(cudaMemcpyAsync(table.data(), host.data(), table.bytes(), cudaMemcpyHostToDevice, stream.get()),
              "copy to the device");
  return table;
}

/// Counts squares; those of 65535 have no end. Waits.
[[nodiscard]] BallTally tally_of(const cuda::Stream& stream, const SquareRows<std::uint16_t>& squares,
                                 const TallyRule& rule);

// What porosimetry does with squares of any type. Queued; nothing waits.

using distance_detail::gpu::SquareRows;

/// Squares where a bit is 1, 0 elsewhere.
template <class Lane>
void mark(const cuda::Stream& stream, const SquareRows<Lane>& squares, const std::uint64_t* bits, Lane* to);

/// Bits of the squares that are not 0, rows as theirs.
template <class Lane>
void pack_positive(const cuda::Stream& stream, const SquareRows<Lane>& squares, std::uint64_t* bits);

/// Squares of 0 become 1 where a bit is 1: balls of themselves, which others may cover.
template <class Lane>
void stand_alone(const cuda::Stream& stream, const SquareRows<Lane>& squares, const std::uint64_t* bits);
/// Squares of 1 become 0 where no bit is 1.
template <class Lane>
void hide_alone(const cuda::Stream& stream, const SquareRows<Lane>& squares, const std::uint64_t* bits);

/// Grows to the largest square of one face of the volume.
template <class Lane>
void find_largest_of_face(const cuda::Stream& stream, const SquareRows<Lane>& squares, const Faces& face,
                          unsigned long long* largest);

/// Squares as those of 32 bits.
void widen(const cuda::Stream& stream, const SquareRows<std::uint16_t>& squares, std::uint32_t* to);

}  // namespace tamis::granulometry_detail::gpu::balls
