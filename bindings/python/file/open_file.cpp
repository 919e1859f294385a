#include "python/file/open_file.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <system_error>

#include <tamis/error.hpp>
#include <tamis/operations.hpp>

#include "core/cpu/parallel.hpp"
#include "python/array/host.hpp"
#include "python/array/result/calibrated.hpp"
#include "python/family/families.hpp"
#include "python/file/watched.hpp"
#include "python/operation.hpp"

namespace tamis::python {
namespace {

/// Reads a file of Python's; the object stays as long as it is needed.
class FileReader final : public SliceSource {
 public:
  explicit FileReader(nb::handle file) : object_(nb::borrow(file)), file_(*nb::inst_ptr<OpenFile>(file)) {}
  [[nodiscard]] const Layout& layout() const override { return file_.source().layout(); }
  void read(std::int64_t z0, std::int64_t count, std::byte* out) override { file_.read_into(z0, count, out); }
  [[nodiscard]] std::optional<MappedSlices> mapped() const override { return file_.source().mapped(); }

 private:
  nb::object object_;
  OpenFile& file_;
};

/// Copies slices of a mapped file by all threads: most of the time goes into making pages known.
void copy_mapped(const Layout& layout, const MappedSlices& from, std::int64_t z0, std::int64_t count, std::byte* out) {
  constexpr std::int64_t piece = std::int64_t{4} << 20;
  const std::int64_t row = layout.shape.x * layout.channels * sample_bytes(layout.type);
  const std::int64_t rows = count * layout.shape.y;
  const std::int64_t at_once = std::max<std::int64_t>(1, piece / row);
  parallel_for(Context{}, (rows + at_once - 1) / at_once, [&](std::int64_t i) {
    for (std::int64_t y = i * at_once; y < std::min(rows, (i + 1) * at_once); ++y) {
      const std::byte* const slice = from.data + (z0 + y / layout.shape.y) * from.slice_stride;
      std::memcpy(out + y * row, slice + y % layout.shape.y * from.row_stride, static_cast<std::size_t>(row));
    }
  });
}

}  // namespace

OpenFile::OpenFile(const nb::bytes& path, const nb::dict& options) {
  auto wanted = arguments_in(reading(), options).as<ReadOptions>();
  wanted.cancel = stop_.get_token();
  const std::string name(path.c_str(), path.size());
  std::error_code folder;  // or a dataset of a file
  const std::uintmax_t bytes = std::filesystem::file_size(name, folder);
  source_ = watched(stop_, folder ? INT64_MAX : static_cast<std::int64_t>(bytes), [&] { return open_file(name, wanted); });
}

nb::tuple OpenFile::shape() const {
  const Layout& layout = source_->layout();
  nb::list edges;
  if (layout.shape.rank == 3) edges.append(layout.shape.z);
  edges.append(layout.shape.y);
  edges.append(layout.shape.x);
  if (layout.channels > 1) edges.append(layout.channels);
  return nb::tuple(edges);
}

nb::object OpenFile::voxel() const {
  const Spacing& spacing = source_->layout().spacing;
  if (!spacing.known()) return nb::none();
  const bool flat = source_->layout().shape.rank == 2;
  return nb::make_tuple(flat ? nb::make_tuple(spacing.y, spacing.x) : nb::make_tuple(spacing.z, spacing.y, spacing.x),
                        spacing.unit);
}

void OpenFile::read_into(std::int64_t z0, std::int64_t count, std::byte* out) {
  const std::lock_guard<std::mutex> one_at_a_time(reading_);
  const std::optional<MappedSlices> there = source_->mapped();
  if (!there) return source_->read(z0, count, out);
  copy_mapped(source_->layout(), *there, z0, count, out);
}

nb::object OpenFile::read(std::int64_t z0, std::int64_t count) {
  const Layout& layout = source_->layout();
  nb::list edges;
  for (const std::int64_t edge : {count, layout.shape.y, layout.shape.x}) edges.append(edge);
  if (layout.channels > 1) edges.append(layout.channels);
  nb::object array = numpy_empty(nb::tuple(edges), layout.type);
  const Buffer buffer(array, PyBUF_WRITABLE);
  auto* const out = static_cast<std::byte*>(buffer.view().buf);
  watched(stop_, buffer.view().len, [&] { read_into(z0, count, out); });
  return array;
}

std::unique_ptr<SliceSource> source_of_open_file(nb::handle file, std::string_view what) {
  if (!nb::isinstance<OpenFile>(file)) return nullptr;
  auto source = std::make_unique<FileReader>(file);
  if (const int channels = source->layout().channels; channels > 1) {
    throw InputError(std::string(what) + ": a file of " + std::to_string(channels) +
                     " channels; wanted one of them: tamis.open_file(path, channel=0)");
  }
  return source;
}

void add_files(nb::module_& module) {
  nb::class_<OpenFile>(module, "_File")
      .def(nb::init<const nb::bytes&, const nb::dict&>(), nb::arg("path"), nb::arg("options"))
      .def_prop_ro("shape", &OpenFile::shape)
      .def_prop_ro("dtype", [](const OpenFile& file) { return numpy_name(file.source().layout().type); })
      .def_prop_ro("channels", [](const OpenFile& file) { return file.source().layout().channels; })
      .def_prop_ro("voxel", &OpenFile::voxel)
      .def_prop_ro("placement", [](const OpenFile& file) { return placement_tuple(file.source().layout().spacing); })
      .def_prop_ro("description", [](const OpenFile& file) { return file.source().description(); })
      .def_prop_ro("remark", [](const OpenFile& file) { return file.source().remark(); })
      .def_prop_ro("layer", [](const OpenFile& file) { return file.source().layer(); })
      .def_prop_ro("files",
                   [](const OpenFile& file) {
                     nb::list names;
                     for (const std::string& name : file.source().files()) names.append(nb::bytes(name.data(), name.size()));
                     return names;
                   })
      .def("read", &OpenFile::read, nb::arg("z0"), nb::arg("count"));
  add_writing(module);
}

}  // namespace tamis::python
