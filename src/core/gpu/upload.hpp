// Host memory to a device, through pinned memory: the driver's own way from pageable memory is several times slower.
#pragma once

#include <cstddef>
#include <cstdint>

#include <tamis/context.hpp>

#include "core/gpu/event.hpp"
#include "core/gpu/stream.hpp"

namespace tamis::cuda {

/// Copies pageable memory with all threads into one piece of pinned memory while the other one crosses the bus.
class Uploader {
 public:
  /// `stream`: the one that all copies are on.
  explicit Uploader(const Stream& stream);
  /// Returns when `from` has been read; the copies on the stream may still be under way.
  void copy(const Context& context, void* to, const void* from, std::size_t bytes);

 private:
  static constexpr std::size_t piece = std::size_t{8} << 20;
  const Stream& stream_;
  PinnedBuffer<std::byte> staging_[2];
  Event free_[2];
};

}  // namespace tamis::cuda
