#include "granulometry/gpu/balls/squares.hpp"

namespace tamis::granulometry_detail::gpu::balls {

BallTally tally_of(const cuda::Stream& stream, const SquareRows<std::uint16_t>& squares, const TallyRule& rule) {
  const cuda::DeviceBuffer<unsigned long long> counts(stream, table_size);
  const cuda::PinnedBuffer<unsigned long long> host(stream, table_size);
  counts.clear();
  count(stream, squares, counts.data());
  cuda::check(cudaMemcpyAsync(host.data(), counts.data(), counts.bytes(), cudaMemcpyDeviceToHost, stream.get()),
              "read counts");
  stream.synchronize();
  BallTally tally;
  for (std::int64_t square = 1; square < table_size - 1; ++square) {
    const auto voxels = static_cast<std::int64_t>(host[square]);
    if (voxels > 0) tally.add(static_cast<std::uint64_t>(square), voxels, rule);
  }
  tally.tally.never = static_cast<std::int64_t>(host[table_size - 1]);
  return tally;
}

}  // namespace tamis::granulometry_detail::gpu::balls
