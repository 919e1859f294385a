#include "cli/output/files.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <system_error>

#include <tamis/error.hpp>
#include <tamis/image/channels.hpp>

#include "cli/input/files.hpp"

namespace tamis::cli {
namespace {

namespace fs = std::filesystem;

/// The file of "file.h5:/dataset"; other paths as they are.
std::string file_of(const std::string& path) {
  const std::size_t colon = path.find(":/");
  std::error_code ignored;
  const bool inside = colon != std::string::npos && colon > 0 && !fs::exists(path, ignored);
  return inside ? path.substr(0, colon) : path;
}

fs::path folder_of(const fs::path& file) {
  const fs::path folder = file.parent_path();
  return folder.empty() ? fs::path(".") : folder;
}

/// The same file, also before it exists.
bool same_file(const std::string& one, const std::string& other) {
  std::error_code fault;
  if (fs::equivalent(one, other, fault)) return true;
  // Made absolute first: what does not exist would stay as it was written.
  const fs::path a = fs::weakly_canonical(fs::absolute(one, fault), fault);
  if (fault) return one == other;
  const fs::path b = fs::weakly_canonical(fs::absolute(other, fault), fault);
  return fault ? one == other : a == b;
}

bool is_store(const std::string& file) {
  fs::path path(file);
  if (!path.has_filename()) path = path.parent_path();
  return path.extension() == ".zarr";
}

[[noreturn]] void would_overwrite(const std::string& option, const std::string& path, std::string_view what) {
  throw InputError(fmt::format("{} {}: would overwrite {}, wanted another name", option, path, what));
}

}  // namespace

Outputs::Outputs(Session& session)
    : session_(session), files_(session.cancel), at_sudden_end_(session.sudden_end, [this] { files_.abandon(); }) {}

void Outputs::protect(const std::string& input) { protected_.push_back(file_of(input)); }

void Outputs::declare(const std::string& option, const std::string& path, std::string_view ending) {
  if (path.empty()) throw InputError(option + ": the name of the file is empty");
  if (!ending.empty() && !path.ends_with(ending)) {
    throw InputError(fmt::format("{} {}: wanted a name that ends in {}", option, path, ending));
  }
  const std::string file = file_of(path);
  std::error_code ignored;
  const fs::file_status status = fs::status(file, ignored);
  // A store of Zarr takes the place of another; whether it is one, check() says.
  if ((fs::is_directory(status) || file.ends_with('/')) && !is_store(file)) {
    throw ResourceError(fmt::format("{} {}: is a folder, and folders of slices are only read; wanted the name of a file", option, path));
  }
  Target target{option, path, file, false, false};
  require_apart_from_inputs(target);  // before anything is tried in a folder of somebody's data
  try {
    const OutputFiles::Checked checked = files_.check(path);
    target.real = checked.file;
    target.direct = checked.direct;
  } catch (const ResourceError& error) {
    throw ResourceError(fmt::format("{}: {}", option, error.what()));
  }
  for (const Target& other : targets_) {
    if (same_file(other.real, target.real)) {
      throw InputError(fmt::format("{} {}: is the file of {} too, wanted another name", option, path, other.option));
    }
  }
  require_apart_from_inputs(target);
  targets_.push_back(std::move(target));
}

void Outputs::require_apart_from_inputs() const {
  for (const Target& target : targets_) require_apart_from_inputs(target);
}

void Outputs::require_apart_from_inputs(const Target& target) const {
  std::error_code ignored;
  for (const std::string& input : protected_) {
    const bool slice = fs::exists(target.real, ignored) && fs::is_directory(input, ignored) &&
                       same_file(folder_of(target.real).string(), input);
    if (slice || same_file(input, target.real)) would_overwrite(target.option, target.path, "the input");
  }
  struct stat status {};
  if (::stat(target.real.c_str(), &status) != 0) return;  // an input exists
  if (const std::string* const input = input_files().find(status)) {
    would_overwrite(target.option, target.path, *input + ", which is read");
  }
  if (!S_ISDIR(status.st_mode)) return;
  if (const std::string* const input = input_files().find_below(target.real)) {
    would_overwrite(target.option, target.path, *input + ", which is read");
  }
}

Outputs::Target& Outputs::find(const std::string& path) {
  for (Target& target : targets_) {
    if (target.path == path) return target;
  }
  throw std::logic_error("output was not declared: " + path);
}

void Outputs::check_format(const std::string& path, const Layout& layout) {
  if (find(path).direct) return;  // to open it is to write to it
  static_cast<void>(files_.create(path, layout, writing()));
}

void Outputs::write_text(const std::string& path, std::string_view text) {
  Target& target = find(path);
  files_.write_text(path, text);
  target.written = true;
}

void Outputs::write_image(const Context& context, const std::string& path, SliceSource& source, const Layout& layout) {
  const std::unique_ptr<SliceSink> sink = create(path, layout);
  copy_slices(context, source, *sink);
  sink->finish();
}

std::unique_ptr<SliceSink> Outputs::told(std::unique_ptr<SliceSink> sink, Target& target) {
  /// The library's sink, which tells that it is finished.
  class ToldSink final : public SliceSink {
   public:
    ToldSink(std::unique_ptr<SliceSink> sink, Target& target) : sink_(std::move(sink)), target_(target) {}
    void write(const std::byte* slices, std::int64_t count) override {
      sink_->write(slices, count);
      target_.slices += count;
    }
    bool checkpoint() override {
      if (!sink_->checkpoint()) return false;
      target_.kept = target_.slices;
      return true;
    }
    void drop_checkpoint() override {
      sink_->drop_checkpoint();
      target_.kept = 0;
    }
    void show(const Display& display) override { sink_->show(display); }
    void finish() override {
      sink_->finish();
      target_.written = true;
    }

   private:
    std::unique_ptr<SliceSink> sink_;
    Target& target_;
  };
  return std::make_unique<ToldSink>(std::move(sink), target);
}

std::unique_ptr<SliceSink> Outputs::create(const std::string& path, const Layout& layout) {
  Target& target = find(path);
  return told(files_.create(path, layout, writing()), target);
}

OutputFiles::Resumable Outputs::create_resumable(const std::string& path, const Layout& layout, const std::string& job) {
  Target& target = find(path);
  OutputFiles::Resumable made = files_.create_resumable(path, layout, job, writing());
  target.slices = target.kept = made.slices;
  return {told(std::move(made.sink), target), made.slices, std::move(made.note)};
}

std::int64_t Outputs::kept(const std::string& path) const {
  const auto target = std::find_if(targets_.begin(), targets_.end(), [&](const Target& t) { return t.path == path; });
  return target == targets_.end() ? 0 : target->kept;
}

void Outputs::discard(const std::string& path) {
  files_.discard(path);
  find(path).written = false;
}

std::vector<std::string> Outputs::commit() {
  require_apart_from_inputs();
  const std::vector<std::string> notes = files_.commit();
  session_.notes.insert(session_.notes.end(), notes.begin(), notes.end());
  std::vector<std::string> paths;
  for (const Target& target : targets_) {
    if (target.written) paths.push_back(target.path);
  }
  return paths;
}

}  // namespace tamis::cli
