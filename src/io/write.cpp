// create(), write() and write_text(): which format, and what holds for all of them.
#include <utility>
#include <vector>

#include <tamis/io.hpp>

#include "io/format.hpp"
#include "io/output/output.hpp"
#include "io/refuse.hpp"
#include "io/samples.hpp"

namespace tamis {
namespace io {

void require_single_slice(const std::string& path, std::string_view format, const Layout& layout) {
  if (layout.shape.z == 1) return;
  refuse("{}: {} holds one slice, got {}; wanted .tif, .raw, .h5 or .npy", path, format, layout.shape.z);
}

void require_grey(const std::string& path, std::string_view format, const Layout& layout) {
  if (layout.channels == 1) return;
  refuse("{}: {} holds grey images, got {} channels; wanted .tif, .png or .ppm", path, format, layout.channels);
}

namespace {

void require_use(const std::string& path, const Format& format, const WriteOptions& options) {
  if (options.compress && &format != &tiff_format) {
    refuse("{}: `compress` chooses how TIFF is compressed, and this is {}; wanted .tif", path, format.name);
  }
  if (options.ome_zarr && &format != &zarr_format) {
    refuse("{}: `ome_zarr` chooses a version of OME-Zarr, and this is {}; wanted .zarr", path, format.name);
  }
}

std::unique_ptr<SliceSink> create_at(const Target& target, const Layout& layout) {
  const std::string& path = target.path;
  require_layout(layout, path);
  const Format* const format = format_by_name(split_dataset(path).first);
  if (!format || !format->create) {
    refuse("{}: {}; wanted one of {}", path,
           format ? fmt::format("{} is only read", format->name) : "unknown format to write", known_extensions(true));
  }
  require_use(path, *format, target.options);
  static_cast<void>(checked_bytes(path, layout));
  return format->create(target, layout);
}

bool is_folder(const std::string& path) {
  const Format* const format = format_by_name(path);
  return format && format->is_folder;
}

/// The ledger of what an ended run has left of a file, if it had the same to do; otherwise `why` says what differs.
std::optional<Ledger> ledger_of_job(const std::string& path, const Layout& layout, const std::string& job,
                                    std::string& why) {
  const OutputPlace place = output_place(split_dataset(path).first);
  if (place.direct) return {};
  std::optional<Ledger> ledger = read_ledger(place.folder + '/' + place.name);
  if (!ledger) return {};
  if (ledger->job.empty() || ledger->job != job) {
    why = "was made with other options, of another input, or by another version of tamis";
    return {};
  }
  const std::int64_t slices = ledger->end().slices;
  if (slices > layout.shape.z) refuse("{}: got {} slices, wanted 1 to {}", ledger_name(path), slices, layout.shape.z);
  // Gone: the run before was killed between giving it its name and removing the ledger, or somebody has removed it.
  return stands_beside(place, hidden_name(place, ledger->part)) ? ledger : std::nullopt;
}

}  // namespace
}  // namespace io

std::unique_ptr<SliceSink> create(const std::string& path, const Layout& layout, const WriteOptions& options) {
  io::Target target{path};
  target.options = options;
  return io::create_at(target, layout);
}

void write(const Image& image, const std::string& path, const WriteOptions& options) {
  if (image.empty()) io::refuse("{}: got an empty image, wanted one to write", path);
  const Layout layout{image.type(), image.shape(), 1, image.spacing};
  const std::unique_ptr<SliceSink> sink = create(path, layout, options);
  if (image.type() != Type::Bool) {
    sink->write(image.data(), layout.shape.z);
  } else {
    const std::unique_ptr<SliceSource> source = source_of(image);
    std::vector<std::byte> slice(static_cast<std::size_t>(layout.shape.y * layout.shape.x));
    for (std::int64_t z = 0; z < layout.shape.z; ++z) {
      source->read(z, 1, slice.data());
      sink->write(slice.data(), 1);
    }
  }
  sink->finish();
}

void write_text(const std::string& path, std::string_view text) {
  io::TemporaryFile file({path});
  file.write(text);
  file.complete();
  static_cast<void>(file.publish());
}

struct OutputFiles::State {
  std::stop_token cancel;
  io::OutputSet set;
  bool resumes = false;
  [[nodiscard]] io::Target target(const std::string& path, const WriteOptions& options = {}) {
    return {path, cancel, &set, resumes, nullptr, options};
  }
};

OutputFiles::OutputFiles(std::stop_token cancel) : state_(std::make_unique<State>()) {
  state_->cancel = std::move(cancel);
}

OutputFiles::~OutputFiles() = default;

OutputFiles::Checked OutputFiles::check(const std::string& path) {
  const std::string file = io::split_dataset(path).first;
  // The only proof that a folder takes new files is a new file.
  if (io::is_folder(file)) {
    const io::OutputPlace place = io::output_folder_place(file);
    static_cast<void>(io::TemporaryFolder(state_->target(file)));
    return {place.folder + '/' + place.name, false};
  }
  const io::OutputPlace place = io::output_place(file);
  if (place.direct) return {file, true};  // to open it is to write to it
  static_cast<void>(io::TemporaryFile(state_->target(file)));
  return {place.folder + '/' + place.name, false};
}

std::unique_ptr<SliceSink> OutputFiles::create(const std::string& path, const Layout& layout,
                                               const WriteOptions& options) {
  return io::create_at(state_->target(path, options), layout);
}

void OutputFiles::resume() { state_->resumes = true; }

OutputFiles::Resumable OutputFiles::create_resumable(const std::string& path, const Layout& layout,
                                                     const std::string& job, const WriteOptions& options) {
  io::Resumption resumption{job, {}};
  std::string why;
  if (state_->resumes && !io::is_folder(path)) resumption.taken = io::ledger_of_job(path, layout, job, why);
  io::Target target = state_->target(path, options);
  target.resumption = &resumption;
  std::unique_ptr<SliceSink> sink = io::create_at(target, layout);
  const auto* const file = dynamic_cast<const io::FileSink*>(sink.get());
  const std::int64_t slices = file ? file->taken() : 0;
  if (file && why.empty()) why = file->why_anew();
  std::string note;
  if (!why.empty()) {
    const std::string from = slices == 0 ? "begun anew" : fmt::format("goes on after its first {} slices", slices);
    note = fmt::format("{}: {}, as the unfinished file {}", path, from, why);
  }
  return {std::move(sink), slices, std::move(note)};
}

void OutputFiles::write_text(const std::string& path, std::string_view text) {
  auto file = std::make_unique<io::TemporaryFile>(state_->target(path));
  file->write(text);
  file->complete();
  state_->set.take(std::move(file));
}

void OutputFiles::discard(const std::string& path) { state_->set.discard(io::split_dataset(path).first); }

std::vector<std::string> OutputFiles::commit() { return state_->set.publish(); }

void OutputFiles::abandon() noexcept { state_->set.abandon(); }

}  // namespace tamis
