// Arrays into files.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <tamis/error.hpp>
#include <tamis/io.hpp>
#include <tamis/operations.hpp>

#include "python/arguments.hpp"
#include "python/array/array.hpp"
#include "python/array/host.hpp"
#include "python/array/result/calibrated.hpp"
#include "python/family/families.hpp"
#include "python/file/open_file.hpp"
#include "python/file/watched.hpp"
#include "python/operation.hpp"

namespace tamis::python {
namespace {

/// Between two looks at whether the work has to stop.
constexpr std::int64_t at_once_bytes = std::int64_t{64} << 20;

void write_slices(SliceSource& source, const Layout& layout, SliceSink& sink, const std::stop_token& stop) {
  const std::int64_t row = layout.shape.x * layout.channels * sample_bytes(layout.type);
  const std::int64_t slice = layout.shape.y * row;
  const std::int64_t at_once = std::clamp<std::int64_t>(at_once_bytes / slice, 1, layout.shape.z);
  const std::optional<MappedSlices> mapped = source.mapped();
  // Bytes of NumPy's bool need not be 0 and 1 where somebody has made them.
  const bool in_place = mapped && mapped->row_stride == row && mapped->slice_stride == slice && layout.type != Type::Bool;
  std::vector<std::byte> slab(in_place ? 0 : static_cast<std::size_t>(at_once * slice));
  for (std::int64_t z = 0; z < layout.shape.z; z += at_once) {
    if (stop.stop_requested()) throw Cancelled();
    const std::int64_t count = std::min(at_once, layout.shape.z - z);
    if (!in_place) source.read(z, count, slab.data());
    sink.write(in_place ? mapped->data + z * slice : slab.data(), count);
  }
}

/// `channels` of them lie side by side in each row of the array, which is one of NumPy, an open file or a
/// tamis._chunks.Reader.
std::vector<std::string> write_array(const nb::bytes& path, nb::handle image, int channels, nb::handle spacing,
                                     const std::string& unit, nb::handle placement, const nb::dict& options) {
  const auto wanted = arguments_in(writing(), options).as<WriteOptions>();
  std::unique_ptr<SliceSource> source = source_of_open_file(image, "image");
  if (!source && nb::hasattr(image, "read_into")) source = chunked_source(nb::borrow(image), "image");
  if (!source) source = host_source(image, "image", true);
  Layout layout = source->layout();
  layout.channels = channels;
  layout.shape.x /= channels;
  if (const auto told = spacing_of(spacing, unit, layout.shape.rank)) layout.spacing = *told;
  layout.spacing.placement = placement_in(placement);
  const std::string name(path.c_str(), path.size());
  std::stop_source stop;
  const std::int64_t bytes = layout.shape.count() * channels * sample_bytes(layout.type);
  return watched(stop, bytes, [&] {
    OutputFiles files(stop.get_token());
    const std::unique_ptr<SliceSink> sink = files.create(name, layout, wanted);
    write_slices(*source, layout, *sink, stop.get_token());
    sink->finish();
    return files.commit();
  });
}

}  // namespace

void add_writing(nb::module_& module) {
  module.def("_write", write_array, nb::arg("path"), nb::arg("image"), nb::arg("channels"), nb::arg("spacing").none(),
             nb::arg("unit"), nb::arg("placement").none(), nb::arg("options"));
}

}  // namespace tamis::python
