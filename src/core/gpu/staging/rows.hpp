// Rows that cross the bus a piece at a time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/gpu/stream.hpp"

namespace tamis::cuda {

/// Rows on a device, which are dense on the host.
struct DeviceRows {
  std::byte* data = nullptr;
  std::int64_t pitch = 0;  ///< bytes from a row to the next, on the device
  std::int64_t row_bytes = 0;
  std::int64_t count = 0;

  [[nodiscard]] std::int64_t bytes() const { return row_bytes * count; }
};

/// Part of rows that one copy of the driver moves: whole ones, or some bytes of one.
struct Patch {
  std::int64_t begin = 0;  ///< its first byte, among the dense ones of the host
  std::int64_t row_bytes = 0;
  std::int64_t rows = 0;
  std::byte* on_device = nullptr;
  std::int64_t pitch = 0;

  [[nodiscard]] std::int64_t bytes() const { return row_bytes * rows; }
};

/// What follows the first `done` bytes, at most `most` bytes of it. `done` is 0 or where a part ended.
[[nodiscard]] Patch patch_after(const DeviceRows& rows, std::int64_t done, std::int64_t most);

/// Queue a copy; `dense` is where the part's first byte lies on the host.
void queue_up(const Stream& stream, const Patch& patch, const std::byte* dense);
void queue_down(const Stream& stream, const Patch& patch, std::byte* dense);

}  // namespace tamis::cuda
