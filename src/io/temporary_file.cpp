#include "io/temporary_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <random>

#include <tamis/error.hpp>

namespace tamis::io {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void cannot_write(const std::string& target, std::string_view reason) {
  throw EnvironmentError(fmt::format("cannot write {}: {}", target, reason));
}

/// The file behind a symbolic link, also where that file does not exist yet.
std::string resolved(const std::string& target) {
  std::error_code error;
  if (!fs::is_symlink(target, error)) return target;
  const fs::path behind = fs::weakly_canonical(target, error);
  return error ? target : behind.string();
}

/// ".foam.tif.3f9a0c21.part": hidden, so that a folder of slices being written is not read with it.
std::string name_beside(const std::string& target) {
  const fs::path path(target);
  // The name only has to be new (O_EXCL checks that), so any source of randomness does.
  return (path.parent_path() / fmt::format(".{}.{:08x}.part", path.filename().string(), std::random_device{}()))
      .string();
}

}  // namespace

TemporaryFile::TemporaryFile(const std::string& target) : shown_(target), target_(resolved(target)) {
  struct stat status {};
  const bool exists = ::stat(target_.c_str(), &status) == 0;
  if (target.empty()) cannot_write("''", "the name is empty");
  if (target.back() == '/' || (exists && S_ISDIR(status.st_mode))) cannot_write(target, "Is a directory");
  direct_ = exists && !S_ISREG(status.st_mode);
  // A file that must not be written stays as it is, although a rename could replace it.
  if (exists && ::access(target_.c_str(), W_OK) != 0) cannot_write(target, std::strerror(errno));
  path_ = direct_ ? target_ : name_beside(target_);
  const int flags = O_CLOEXEC | (direct_ ? O_WRONLY : O_RDWR | O_CREAT | O_EXCL);
  fd_ = ::open(path_.c_str(), flags, 0666);
  if (fd_ < 0) cannot_write(target, std::strerror(errno));
  if (exists && !direct_) static_cast<void>(::fchmod(fd_, status.st_mode & 07777));  // keep the old file's mode
}

TemporaryFile::~TemporaryFile() {
  if (fd_ >= 0) ::close(fd_);
  if (!committed_ && !direct_) ::unlink(path_.c_str());
}

void TemporaryFile::write(const void* bytes, std::int64_t count) {
  const char* next = static_cast<const char*>(bytes);
  while (count > 0) {
    const auto piece = static_cast<std::size_t>(std::min<std::int64_t>(count, std::int64_t{1} << 30));
    const ssize_t written = ::write(fd_, next, piece);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail_errno(errno);
    next += written;
    count -= written;
  }
}

void TemporaryFile::commit() {
  // Some file systems report a full disk only here. Pipes and devices cannot be synchronised (EINVAL, ENOTSUP).
  if (::fsync(fd_) != 0 && errno != EINVAL && errno != ENOTSUP) fail_errno(errno);
  const int fd = fd_;
  fd_ = -1;
  if (::close(fd) != 0) fail_errno(errno);
  if (!direct_ && ::rename(path_.c_str(), target_.c_str()) != 0) fail_errno(errno);
  committed_ = true;
}

void TemporaryFile::fail(std::string_view reason) const {
  throw EnvironmentError(fmt::format("could not write {}: {}", shown_, reason));
}

void TemporaryFile::fail_errno(int error) const { fail(std::strerror(error)); }

}  // namespace tamis::io
