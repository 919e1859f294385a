#include "io/zarr/zarr.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "io/header_text.hpp"
#include "io/refuse.hpp"

namespace tamis::io {
namespace {

[[noreturn]] void cannot_read(const std::string& path, int error) {
  refuse("{}: cannot read it: {}", path, std::strerror(error));
}

std::string_view without_slashes(std::string_view path) {
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  return path;
}

}  // namespace

void StoredFile::read(std::int64_t offset, std::span<std::byte> out) const {
  const std::int64_t got = read_at(file_.get(), out.data(), std::ssize(out), offset);
  if (got < 0) cannot_read(path_, errno);
  if (got < std::ssize(out)) refuse("{}: was shortened while it was read", path_);
}

Store::Store(std::string path, bool follow) : path_(without_slashes(path)), follow_(follow) {
  folder_ = Descriptor(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder_.valid()) cannot_read(path_, errno);
}

std::string Store::path_of(std::string_view key) const { return fmt::format("{}/{}", path_, key); }

/// Part by part, so that no link leads out of the folder. Invalid where the last part, or a folder before it, is not
/// there.
Descriptor Store::descend(std::string_view key, int flags) const {
  Descriptor here;
  for (std::string_view rest = key;;) {
    const std::size_t slash = rest.find('/');
    const bool last = slash == std::string_view::npos;
    const std::string part(rest.substr(0, slash));
    if (part.empty() || part == "." || part == ".." || part.find('\0') != std::string::npos) {
      refuse("{}: refers to {}; wanted a name below it", path_, shown(key));
    }
    const int from = here.valid() ? here.get() : folder_.get();
    const int how = (last ? flags : O_PATH | O_DIRECTORY) | O_CLOEXEC | (follow_ ? 0 : O_NOFOLLOW);
    Descriptor next(::openat(from, part.c_str(), how));
    if (!next.valid()) {
      const int error = errno;
      if (error == ENOENT) return next;
      struct stat status {};
      // Of a link that is not followed O_DIRECTORY says that it is no folder.
      const bool link = ::fstatat(from, part.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(status.st_mode);
      if (!link || follow_) cannot_read(path_of(key), error);
      refuse("{}: {} is a symbolic link; wanted the file or folder itself, or `follow`", path_of(key), part);
    }
    here = std::move(next);
    if (last) return here;
    rest.remove_prefix(slash + 1);
  }
}

std::optional<StoredFile> Store::open(std::string_view key) const {
  Descriptor file = descend(key, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  if (!file.valid()) return {};
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) cannot_read(path_of(key), errno);
  if (!S_ISREG(status.st_mode)) refuse("{} is not a regular file; wanted one", path_of(key));
  return StoredFile(path_of(key), std::move(file), status.st_size);
}

std::optional<std::string> Store::text(std::string_view key) const {
  const std::optional<StoredFile> file = open(key);
  if (!file) return {};
  if (file->size() > longest_header) header_too_long(file->path(), "Zarr");
  std::string text(static_cast<std::size_t>(file->size()), '\0');
  file->read(0, std::as_writable_bytes(std::span(text)));
  return text;
}

void Store::each_file(const std::function<bool(const std::string& key)>& visit) const {
  namespace fs = std::filesystem;
  std::error_code fault;
  for (fs::recursive_directory_iterator it(path_, fault), end; !fault && it != end; it.increment(fault)) {
    std::error_code none;
    const std::string name = it->path().filename().string();
    if (name.starts_with('.') || name == "zarr.json" || !it->is_regular_file(none) || it->file_size(none) == 0) continue;
    if (!visit(it->path().lexically_relative(path_).string())) return;
  }
}

Store Store::below(std::string_view key) const {
  Descriptor folder = descend(key, O_RDONLY | O_DIRECTORY);
  if (!folder.valid()) cannot_read(path_of(key), ENOENT);
  return {path_of(key), follow_, std::move(folder)};
}

bool is_zarr_name(std::string_view path) {
  path = without_slashes(path);
  return lower_case(path.substr(path.size() - std::min<std::size_t>(path.size(), 5))) == ".zarr";
}

bool holds_zarr(const std::string& folder) {
  const auto is_there = [&](const char* name) {
    struct stat status {};
    return ::stat(fmt::format("{}/{}", folder, name).c_str(), &status) == 0 && S_ISREG(status.st_mode);
  };
  return is_there("zarr.json") || is_there(".zarray") || is_there(".zgroup");
}

}  // namespace tamis::io
