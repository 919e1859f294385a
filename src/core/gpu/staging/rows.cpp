#include "core/gpu/staging/rows.hpp"

#include <algorithm>

#include "core/gpu/check.hpp"

namespace tamis::cuda {
namespace {

/// The driver takes no pitch above 2^31, which a part that is one long row may exceed: that is copied without one.
void queue(const Stream& stream, void* to, std::int64_t to_pitch, const void* from, std::int64_t from_pitch,
           const Patch& patch) {
  const auto row_bytes = static_cast<std::size_t>(patch.row_bytes);
  check(patch.rows == 1
            ? cudaMemcpyAsync(to, from, row_bytes, cudaMemcpyDefault, stream.get())
            : cudaMemcpy2DAsync(to, static_cast<std::size_t>(to_pitch), from, static_cast<std::size_t>(from_pitch),
                                row_bytes, static_cast<std::size_t>(patch.rows), cudaMemcpyDefault, stream.get()),
        "copy an image");
}

}  // namespace

Patch patch_after(const DeviceRows& rows, std::int64_t done, std::int64_t most) {
  const std::int64_t left = rows.bytes() - done;
  if (rows.pitch == rows.row_bytes) {
    const std::int64_t bytes = std::min(most, left);
    return {done, bytes, 1, rows.data + done, bytes};
  }
  const std::int64_t in_row = done % rows.row_bytes;
  std::byte* const on_device = rows.data + done / rows.row_bytes * rows.pitch + in_row;
  // A row that is longer than a piece crosses in several, none of which has bytes of the next row.
  if (rows.row_bytes > most) return {done, std::min(most, rows.row_bytes - in_row), 1, on_device, rows.pitch};
  return {done, rows.row_bytes, std::min(most, left) / rows.row_bytes, on_device, rows.pitch};
}

void queue_up(const Stream& stream, const Patch& patch, const std::byte* dense) {
  queue(stream, patch.on_device, patch.pitch, dense, patch.row_bytes, patch);
}

void queue_down(const Stream& stream, const Patch& patch, std::byte* dense) {
  queue(stream, dense, patch.row_bytes, patch.on_device, patch.pitch, patch);
}

}  // namespace tamis::cuda
