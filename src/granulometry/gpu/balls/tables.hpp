// Tables of all squares that 16 bits hold, and counts of them.
#pragma once

#include <cstdint>

#include "core/gpu/stream.hpp"
#include "granulometry/balls/tally.hpp"
#include "granulometry/gpu/balls/squares.hpp"

namespace tamis::granulometry_detail::gpu::balls {

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

}  // namespace tamis::granulometry_detail::gpu::balls
