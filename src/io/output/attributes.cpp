#include "io/output/attributes.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <vector>

namespace tamis::io {
namespace {

constexpr const char* access_list = "system.posix_acl_access";
constexpr const char* list_for_entries = "system.posix_acl_default";  // of a folder, for what is made in it

/// The names of all attributes; none where the file system has no such thing.
std::vector<std::string> attributes_of(const std::string& file) {
  std::string names(static_cast<std::size_t>(std::max<ssize_t>(0, ::listxattr(file.c_str(), nullptr, 0))), '\0');
  const ssize_t length = ::listxattr(file.c_str(), names.data(), names.size());
  names.resize(static_cast<std::size_t>(std::max<ssize_t>(0, length)));
  std::vector<std::string> all;
  for (std::size_t at = 0; at < names.size(); at += all.back().size() + 1) all.emplace_back(names.c_str() + at);
  return all;
}

bool copy_attribute(const std::string& from, int to, const char* name) {
  std::vector<char> value(XATTR_SIZE_MAX);
  const ssize_t length = ::getxattr(from.c_str(), name, value.data(), value.size());
  return length >= 0 && ::fsetxattr(to, name, value.data(), static_cast<std::size_t>(length), 0) == 0;
}

/// One that the folder has handed down must not open what the old file kept shut.
bool copy_list(const std::string& from, const std::vector<std::string>& names, int to, const char* name) {
  for (const std::string& there : names) {
    if (there == name) return copy_attribute(from, to, name);
  }
  return ::fremovexattr(to, name) == 0 || errno == ENODATA || errno == ENOTSUP || errno == EINVAL;
}

bool keep_owner_and_group(const struct stat& old, int fresh, struct stat& now, std::string& lost) {
  keep_owner(old, fresh);
  if (::fstat(fresh, &now) != 0) return false;
  if (now.st_uid != old.st_uid) lost += fmt::format(", its owner ({})", old.st_uid);
  if (now.st_gid != old.st_gid) lost += fmt::format(", its group ({})", old.st_gid);
  return now.st_uid == old.st_uid;
}

}  // namespace

void keep_owner(const struct stat& old, int fresh) noexcept {
  if (::fchown(fresh, old.st_uid, old.st_gid) == 0) return;
  static_cast<void>(::fchown(fresh, static_cast<uid_t>(-1), old.st_gid) == 0);
}

std::string keep_attributes(const OutputPlace& place, int fresh) {
  struct stat old {};
  struct stat now {};
  // O_PATH: neither a right to read it nor anything that could wait is needed.
  const Descriptor file(::openat(place.opened.get(), place.name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
  if (!file.valid() || ::fstat(file.get(), &old) != 0) return {};
  std::string lost;
  const bool same_owner = keep_owner_and_group(old, fresh, now, lost);
  const std::string from = fmt::format("/proc/self/fd/{}", file.get());
  const std::vector<std::string> names = attributes_of(from);
  bool lists = !same_owner || copy_list(from, names, fresh, access_list);
  if (same_owner && S_ISDIR(old.st_mode)) lists = copy_list(from, names, fresh, list_for_entries) && lists;
  if (!same_owner) lists = std::find(names.begin(), names.end(), access_list) == names.end();
  if (!lists) lost += ", its access list";
  // The bit that a folder has handed down to a folder stays: it is about groups of files, not about rights.
  const mode_t handed_down = S_ISDIR(now.st_mode) ? now.st_mode & S_ISGID : 0;
  if (same_owner && old.st_uid == ::geteuid()) {
    static_cast<void>(::fchmod(fresh, (old.st_mode & 0777) | handed_down));
  } else {
    static_cast<void>(::fstat(fresh, &now) == 0 && ::fchmod(fresh, (now.st_mode & 0777) | handed_down) == 0);
  }
  if (::fstat(fresh, &now) == 0 && (now.st_mode & 07777) != (old.st_mode & 07777)) {
    lost += fmt::format(", its mode ({:o}, now {:o})", old.st_mode & 07777, now.st_mode & 07777);
  }
  bool attributes = true;
  for (const std::string& name : names) {
    if (name.starts_with("user.")) attributes = copy_attribute(from, fresh, name.c_str()) && attributes;
  }
  if (!attributes) lost += ", its attributes";
  return lost.empty() ? lost : lost.substr(2);
}

}  // namespace tamis::io
