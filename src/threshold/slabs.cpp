#include "threshold/slabs.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <future>
#include <memory>
#include <string>

#include <tamis/error.hpp>
#include <tamis/memory.hpp>

#include "core/cpu/parallel.hpp"
#include "core/cpu/workspace_pool.hpp"
#include "core/memory.hpp"

namespace tamis::threshold_detail {
namespace {

// A band keeps a thread busy for about 0.1 ms, long enough to hide the scheduling, short enough to share out evenly.
constexpr std::int64_t band_bytes = std::int64_t{1} << 19;
constexpr std::int64_t slab_bytes = std::int64_t{16} << 20;

std::int64_t bytes_of_row(const Layout& layout) { return layout.shape.x * layout.channels * sample_bytes(layout.type); }

std::int64_t rows_of_band(const Layout& layout) {
  return std::clamp<std::int64_t>(band_bytes / bytes_of_row(layout), 1, layout.shape.y);
}

std::int64_t bands_of_slice(const Layout& layout) {
  const std::int64_t rows = rows_of_band(layout);
  return (layout.shape.y + rows - 1) / rows;
}

bool aligned(const MappedSlices& mapped, std::int64_t bytes) {
  const auto address = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(mapped.data) % 8);
  return address % bytes == 0 && mapped.row_stride % bytes == 0 && mapped.slice_stride % bytes == 0;
}

void read_file(int file, std::int64_t offset, std::int64_t bytes, std::byte* out) {
  while (bytes > 0) {
    const ssize_t got = ::pread(file, out, static_cast<std::size_t>(bytes), offset);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw InputError(std::string("an input cannot be read: ") + std::strerror(errno));
    if (got == 0) throw InputError("an input was shortened by another program while it was read");
    out += got;
    offset += got;
    bytes -= got;
  }
}

}  // namespace

std::int64_t band_count(const Layout& layout) { return layout.shape.z * bands_of_slice(layout); }

Band band_at(const Layout& layout, const Slab& slab, std::int64_t index) {
  const std::int64_t per_slice = bands_of_slice(layout);
  Band band;
  band.index = index;
  band.z = index / per_slice;
  band.y = index % per_slice * rows_of_band(layout);
  band.rows = std::min(rows_of_band(layout), layout.shape.y - band.y);
  band.row_stride = slab.row_stride;
  band.samples = slab.data + (band.z - slab.z0) * slab.slice_stride + band.y * slab.row_stride;
  return band;
}

void for_each_slab(const Context& context, SliceSource& source, const std::function<void(const Slab&)>& body) {
  const Layout& layout = source.layout();
  const Shape& shape = layout.shape;
  if (const auto mapped = source.mapped(); mapped && aligned(*mapped, sample_bytes(layout.type))) {
    body({0, shape.z, mapped->data, mapped->row_stride, mapped->slice_stride, mapped->file, mapped->file_offset});
    return;
  }
  const std::int64_t row = bytes_of_row(layout);
  const std::int64_t slice = row * shape.y;
  const std::int64_t wanted = context.memory_bytes > 0 ? std::min(slab_bytes, context.memory_bytes / 16) : slab_bytes;
  const std::int64_t slices = std::clamp<std::int64_t>(wanted / slice, 1, shape.z);
  require_memory(context, "a slab of the image", slices * slice * (slices < shape.z ? 2 : 1));
  std::array<Buffer<std::byte>, 2> buffers{Buffer<std::byte>(slices * slice),
                                           Buffer<std::byte>(slices < shape.z ? slices * slice : 0)};
  const auto read = [&](std::int64_t z) {
    source.read(z, std::min(slices, shape.z - z), buffers[static_cast<std::size_t>(z / slices % 2)].data());
  };
  read(0);
  for (std::int64_t z = 0; z < shape.z; z += slices) {
    // One reader beside the packing. The future is waited for on every way out, so the buffers outlive the reading.
    std::future<void> next;
    if (z + slices < shape.z) next = std::async(std::launch::async, read, z + slices);
    body({z, std::min(slices, shape.z - z), buffers[static_cast<std::size_t>(z / slices % 2)].data(), row, slice, -1,
          0});
    if (next.valid()) next.get();
  }
}

void for_each_band(const Context& context, const Layout& layout, const Slab& slab, Stage* stage,
                   const std::function<void(const Band&)>& body) {
  const std::int64_t per_slice = bands_of_slice(layout);
  const std::int64_t first = slab.z0 * per_slice;
  const std::int64_t bytes = rows_of_band(layout) * bytes_of_row(layout);
  // A crop's rows have others between them, and a band of one very long row would want much memory.
  const bool from_file = slab.file >= 0 && slab.row_stride == bytes_of_row(layout) && bytes <= band_bytes;
  WorkspacePool<Buffer<std::byte>> buffers([bytes] { return std::make_unique<Buffer<std::byte>>(bytes); });
  parallel_for(context, slab.count * per_slice, [&](std::int64_t i) {
    Band band = band_at(layout, slab, first + i);
    if (from_file) {
      buffers.with([&](Buffer<std::byte>& buffer) {
        read_file(slab.file, slab.file_offset + (band.samples - slab.data), band.rows * band.row_stride, buffer.data());
        band.samples = buffer.data();
        body(band);
      });
    } else {
      body(band);
    }
    if (stage) stage->advance(band.rows);
  });
}

}  // namespace tamis::threshold_detail
