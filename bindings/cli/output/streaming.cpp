#include "cli/output/files.hpp"

#include <tamis/image/channels.hpp>
#include <tamis/convert.hpp>

namespace tamis::cli {

void copy(const Context& context, SliceSource& source, SliceSink& sink) {
  copy_slices(context, source, sink);
  sink.finish();
}

std::unique_ptr<SliceSource> black_and_white(const Image& image) {
  return convert(source_of(image), Type::U8, Window{0, 1});
}

}  // namespace tamis::cli
