#include "streaming.hpp"

#include <algorithm>
#include <vector>

#include <tamis/convert.hpp>
#include <tamis/error.hpp>

namespace tamis::cli {

void copy(const Context& context, SliceSource& source, SliceSink& sink) {
  constexpr std::int64_t slab_bytes = std::int64_t{8} << 20;
  const Layout& layout = source.layout();
  const std::int64_t slice_bytes = layout.shape.y * layout.shape.x * layout.channels * sample_bytes(layout.type);
  const std::int64_t at_once = std::clamp<std::int64_t>(slab_bytes / slice_bytes, 1, layout.shape.z);
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
