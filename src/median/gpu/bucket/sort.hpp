// Many short lists put in order at once.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/gpu/stream.hpp"

namespace tamis::median_detail::gpu {

/// Words that are put in order by their bits from `low` up to below `high`.
struct WordSort {
  std::int64_t count = 0;
  int low = 0, high = 64;

  /// Of device memory, while it runs.
  [[nodiscard]] std::int64_t workspace_bytes() const;
  /// Queues it, between two memories of `count` words. Time: one pass over them for every eight bits (CUB).
  /// Returns the memory in which they then are; the other one is free.
  [[nodiscard]] std::uint64_t* run(const cuda::Stream& stream, std::uint64_t* words, std::uint64_t* others,
                                   std::byte* workspace) const;
};

}  // namespace tamis::median_detail::gpu
