#include "outputs.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include <tamis/error.hpp>

namespace tamis::cli {
namespace {

namespace fs = std::filesystem;

/// The file of "file.h5:/dataset"; other paths as they are.
std::string file_of(const std::string& path) {
  const std::size_t colon = path.find(":/");
  const bool inside = colon != std::string::npos && colon > 0 && !fs::exists(path);
  return inside ? path.substr(0, colon) : path;
}

fs::path folder_of(const std::string& file) {
  const fs::path folder = fs::path(file).parent_path();
  return folder.empty() ? fs::path(".") : folder;
}

/// The only proof that a folder takes new files is a new file.
void require_writable_folder(const std::string& option, const std::string& file) {
  const fs::path folder = folder_of(file);
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored)) {
    throw EnvironmentError(fmt::format("{} {}: there is no folder {}", option, file, folder.string()));
  }
  std::string probe = (folder / ".tamis-XXXXXX").string();
  const int descriptor = mkstemp(probe.data());
  if (descriptor < 0) {
    throw EnvironmentError(
        fmt::format("{} {}: cannot write in folder {}: {}", option, file, folder.string(), std::strerror(errno)));
  }
  close(descriptor);
  unlink(probe.c_str());
}

/// The same file, also before it exists.
bool same_file(const std::string& one, const std::string& other) {
  std::error_code fault;
  if (fs::equivalent(one, other, fault)) return true;
  // Made absolute first: what does not exist would stay as it was written.
  const fs::path a = fs::weakly_canonical(fs::absolute(one), fault);
  if (fault) return one == other;
  const fs::path b = fs::weakly_canonical(fs::absolute(other), fault);
  return fault ? one == other : a == b;
}

/// Gives a finished file its name. A link stays a link, and a file that was there keeps its mode.
void publish(const std::string& staged, const std::string& file) {
  std::error_code fault;
  const fs::path target = fs::is_symlink(file, fault) ? fs::weakly_canonical(file) : fs::path(file);
  const fs::file_status old = fs::status(target, fault);
  if (fs::exists(old)) fs::permissions(staged, old.permissions(), fault);
  fs::rename(staged, target, fault);
  if (fault) throw EnvironmentError(fmt::format("{}: cannot be replaced: {}", file, fault.message()));
}

}  // namespace

Outputs::~Outputs() {
  for (const Target& target : targets_) {
    std::error_code ignored;
    if (target.written && !target.direct()) fs::remove(target.staged, ignored);
  }
}

void Outputs::protect(const std::string& input) { inputs_.push_back(file_of(input)); }

void Outputs::declare(const std::string& option, const std::string& path, std::string_view ending) {
  if (path.empty()) throw InputError(option + ": the name of the file is empty");
  if (!ending.empty() && !path.ends_with(ending)) {
    throw InputError(fmt::format("{} {}: wanted a name that ends in {}", option, path, ending));
  }
  Target target{option, path, file_of(path), {}, false};
  std::error_code ignored;
  const fs::file_status status = fs::status(target.file, ignored);
  if (fs::is_directory(status)) {
    throw EnvironmentError(fmt::format("{} {}: is a folder, wanted the name of a file", option, path));
  }
  // A file that must not be written stays as it is, although a rename could replace it.
  if (fs::exists(status) && access(target.file.c_str(), W_OK) != 0) {
    throw EnvironmentError(fmt::format("{} {}: cannot be written: {}", option, path, std::strerror(errno)));
  }
  for (const Target& other : targets_) {
    if (same_file(other.file, target.file)) {
      throw InputError(fmt::format("{} {}: is the file of {} too, wanted another name", option, path, other.option));
    }
  }
  for (const std::string& input : inputs_) {
    const bool slice =
        fs::exists(status) && fs::is_directory(input, ignored) && same_file(folder_of(target.file).string(), input);
    if (slice || same_file(input, target.file)) {
      throw InputError(fmt::format("{} {}: would overwrite the input, wanted another name", option, path));
    }
  }
  // Pipes and devices, and what a shell has opened for us, have no name that a finished file could take.
  const bool opened_elsewhere = target.file.starts_with("/dev/") || target.file.starts_with("/proc/");
  if (fs::exists(status) && (opened_elsewhere || !fs::is_regular_file(status))) {
    target.staged = target.file;
    targets_.push_back(std::move(target));
    return;
  }
  // Beside the file a link leads to, for a rename cannot leave a file system.
  const fs::path real =
      fs::is_symlink(target.file, ignored) ? fs::weakly_canonical(target.file) : fs::path(target.file);
  require_writable_folder(option, real.string());
  // The ending stays at the end: it is what chooses the format. A long name would not take what is put before it.
  constexpr std::size_t longest = 100;
  std::string name = real.filename().string();
  if (name.size() > longest) {
    name = name.substr(name.size() - longest);
    // From a whole word on, for the name of a raw file says its shape.
    if (const std::size_t word = name.find_first_of("_-. "); word != std::string::npos) name = name.substr(word);
  }
  target.staged = real.parent_path() / fmt::format(".tamis-{}-{}", getpid(), name);
  targets_.push_back(std::move(target));
}

Outputs::Target& Outputs::find(const std::string& path) {
  for (Target& target : targets_) {
    if (target.path == path) return target;
  }
  throw std::logic_error("output was not declared: " + path);
}

std::string Outputs::staged_path(const Target& target) {
  return target.staged + target.path.substr(target.file.size());
}

template <class Write>
auto Outputs::named(const Target& target, Write write) {
  const auto replaced = [&](std::string text) {
    std::size_t at = 0;
    while ((at = text.find(target.staged, at)) != std::string::npos) {
      text.replace(at, target.staged.size(), target.file);
      at += target.file.size();
    }
    return text;
  };
  try {
    return write();
  } catch (const InputError& error) {
    throw InputError(replaced(error.what()));
  } catch (const EnvironmentError& error) {
    throw EnvironmentError(replaced(error.what()));
  }
}

void Outputs::check_format(const std::string& path, const Layout& layout) {
  const Target& target = find(path);
  if (target.direct()) return;  // to open it is to write to it
  named(target, [&] { return tamis::create(staged_path(target), layout); });
}

void Outputs::write_text(const std::string& path, std::string_view text) {
  Target& target = find(path);
  named(target, [&] { tamis::write_text(target.staged, text); });
  target.written = true;
}

std::unique_ptr<SliceSink> Outputs::create(const std::string& path, const Layout& layout) {
  /// The library's sink, with errors that name the target.
  class NamedSink final : public SliceSink {
   public:
    NamedSink(Target& target, const Layout& layout)
        : target_(target), sink_(named(target, [&] { return tamis::create(staged_path(target), layout); })) {}
    void write(const std::byte* slices, std::int64_t count) override {
      named(target_, [&] { sink_->write(slices, count); });
    }
    void finish() override {
      named(target_, [&] { sink_->finish(); });
      target_.written = true;
    }

   private:
    Target& target_;
    std::unique_ptr<SliceSink> sink_;
  };
  return std::make_unique<NamedSink>(find(path), layout);
}

std::vector<std::string> Outputs::commit() {
  std::vector<std::string> paths;
  for (Target& target : targets_) {
    if (!target.written) continue;
    if (!target.direct()) publish(target.staged, target.file);
    target.written = false;
    paths.push_back(target.path);
  }
  return paths;
}

}  // namespace tamis::cli
