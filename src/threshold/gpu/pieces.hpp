// Pieces of a slab on their way through the GPU, and the memory that they pass through.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/gpu/event.hpp"
#include "core/gpu/stream.hpp"
#include "threshold/device.hpp"

namespace tamis::threshold_detail::gpu {

/// An array that crosses the bus: its two ends, which are taken when they are first wanted.
template <class T>
struct Crossing {
  cuda::PinnedBuffer<T> host;
  cuda::DeviceBuffer<T> device;

  [[nodiscard]] T* on_host(const cuda::Stream& stream, std::int64_t count) {
    if (host.size() == 0) host = cuda::PinnedBuffer<T>(stream, count);
    return host.data();
  }
  [[nodiscard]] T* on_device(const cuda::Stream& stream, std::int64_t count) {
    if (device.size() == 0) device = cuda::DeviceBuffer<T>(stream, count);
    return device.data();
  }
};

/// Where a piece lies at the moment. Each slot has a stream, so that copies of one overlap with kernels of the other.
struct Slot {
  explicit Slot(int device) : stream(device), arrived(device) {}

  cuda::Stream stream;
  cuda::Event arrived;
  Crossing<std::byte> samples;
  Crossing<std::uint64_t> domain;
  Crossing<std::uint64_t> bits;
};

/// Consecutive bands of a slab.
struct Piece {
  std::int64_t first = 0;  ///< index of the first band
  std::int64_t bands = 0;
  std::int64_t first_row = 0;  ///< counted through all slices
  std::int64_t rows = 0;
};

/// Rows as a kernel reads them start at 16 bytes, which is what a lane loads.
[[nodiscard]] inline std::int64_t padded(std::int64_t bytes) { return (bytes + 15) / 16 * 16; }

}  // namespace tamis::threshold_detail::gpu
