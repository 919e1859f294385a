#include "threshold/slabs.hpp"

#include <algorithm>
#include <array>
#include <future>

#include <tamis/memory.hpp>

#include "core/cpu/parallel.hpp"
#include "core/memory.hpp"

namespace tamis::threshold_detail {
namespace {

// A band keeps a thread busy for about 0.1 ms, long enough to hide the scheduling, short enough to share out evenly.
constexpr std::int64_t band_bytes = std::int64_t{1} << 19;
constexpr std::int64_t part_bytes = band_bytes / 4;
constexpr std::int64_t slab_bytes = std::int64_t{16} << 20;

std::int64_t bytes_of_row(const Layout& layout) { return layout.shape.x * layout.channels * sample_bytes(layout.type); }

std::int64_t rows_of_band(const Layout& layout) {
  return std::clamp<std::int64_t>(band_bytes / bytes_of_row(layout), 1, layout.shape.y);
}

std::int64_t bands_of_slice(const Layout& layout) {
  const std::int64_t rows = rows_of_band(layout);
  return (layout.shape.y + rows - 1) / rows;
}

/// Where bands are too few to share them out evenly they are cut once more: a quarter of one is enough for a thread that
/// is awake, so that two share an image of 512^2 bytes. Not of wider types, whose sums are rounded band by band.
std::int64_t parts_of_band(const Context& context, const Layout& layout) {
  constexpr std::int64_t enough = 4;  // bands a thread
  if (sample_bytes(layout.type) > 2 || band_count(layout) >= enough * thread_count(context)) return 1;
  return std::max<std::int64_t>(1, rows_of_band(layout) * bytes_of_row(layout) / part_bytes);
}

Band part_of(Band band, std::int64_t part, std::int64_t parts) {
  const std::int64_t first = band.rows * part / parts;
  band.rows = band.rows * (part + 1) / parts - first;
  band.y += first;
  band.samples += first * band.row_stride;
  return band;
}

bool aligned(const MappedSlices& mapped, std::int64_t bytes) {
  const auto address = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(mapped.data) % 8);
  return address % bytes == 0 && mapped.row_stride % bytes == 0 && mapped.slice_stride % bytes == 0;
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
    body({0, shape.z, mapped->data, mapped->row_stride, mapped->slice_stride});
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
    body({z, std::min(slices, shape.z - z), buffers[static_cast<std::size_t>(z / slices % 2)].data(), row, slice});
    if (next.valid()) next.get();
  }
}

void for_each_band(const Context& context, const Layout& layout, const Slab& slab, Stage* stage,
                   const std::function<void(const Band&)>& body) {
  const std::int64_t per_slice = bands_of_slice(layout);
  const std::int64_t first = slab.z0 * per_slice;
  const std::int64_t parts = parts_of_band(context, layout);
  parallel_for(context, slab.count * per_slice * parts, [&](std::int64_t i) {
    const Band band = part_of(band_at(layout, slab, first + i / parts), i % parts, parts);
    if (band.rows == 0) return;
    body(band);
    if (stage) stage->advance(band.rows);
  });
}

}  // namespace tamis::threshold_detail
