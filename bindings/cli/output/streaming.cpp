#include "cli/output/streaming.hpp"

#include <algorithm>
#include <vector>

#include <tamis/convert.hpp>
#include <tamis/error.hpp>
#include <tamis/memory.hpp>

namespace tamis::cli {

namespace {

std::int64_t bytes_of_slice(const Layout& layout) {
  const Type type = layout.type == Type::Bool ? Type::U8 : layout.type;  // as bytes
  return layout.channels * image_bytes(type, {1, layout.shape.y, layout.shape.x, 2});
}

std::int64_t slices_at_once(const Layout& layout) {
  constexpr std::int64_t slab_bytes = std::int64_t{8} << 20;
  return std::clamp<std::int64_t>(slab_bytes / bytes_of_slice(layout), 1, layout.shape.z);
}

}  // namespace

std::int64_t bytes_of_copy(const Layout& layout) { return slices_at_once(layout) * bytes_of_slice(layout); }

void copy(const Context& context, SliceSource& source, SliceSink& sink) {
  const Layout& layout = source.layout();
  const std::int64_t slice_bytes = bytes_of_slice(layout);
  const std::int64_t at_once = slices_at_once(layout);
  require_memory(context, "writing", bytes_of_copy(layout));
  std::vector<std::byte> slab(static_cast<std::size_t>(at_once * slice_bytes));
  for (std::int64_t z = 0; z < layout.shape.z; z += at_once) {
    if (context.cancel.stop_requested()) throw Cancelled();
    if (context.on_progress) context.on_progress({"writing", z, layout.shape.z});
    const std::int64_t count = std::min(at_once, layout.shape.z - z);
    source.read(z, count, slab.data());
    sink.write(slab.data(), count);
  }
  sink.finish();
}

std::unique_ptr<SliceSource> black_and_white(const Image& image) {
  return convert(source_of(image), Type::U8, Window{0, 1});
}

}  // namespace tamis::cli
