#include "core/system/tree.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "core/system/descriptor.hpp"

namespace tamis {
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

bool keep_lists(const std::string& from, const std::vector<std::string>& names, int fresh, bool folder) {
  const bool entries = !folder || copy_list(from, names, fresh, list_for_entries);
  return copy_list(from, names, fresh, access_list) && entries;
}

bool keep_user_attributes(const std::string& from, const std::vector<std::string>& names, int fresh) {
  bool kept = true;
  for (const std::string& name : names) {
    if (name.starts_with("user.")) kept = copy_attribute(from, fresh, name.c_str()) && kept;
  }
  return kept;
}

struct stat status_of(int file) {
  struct stat status {};
  static_cast<void>(::fstat(file, &status));
  return status;
}

/// The old mode where that file is ours; otherwise the new one stays as it is. Set-id and sticky bits go, but that
/// which a folder has handed down to a folder: it is about groups of files, not about rights.
void set_mode(const struct stat& old, int fresh) {
  const struct stat now = status_of(fresh);
  const mode_t handed_down = S_ISDIR(now.st_mode) ? now.st_mode & S_ISGID : 0;
  const mode_t mode = old.st_uid == ::geteuid() ? old.st_mode : now.st_mode;
  static_cast<void>(::fchmod(fresh, (mode & 0777) | handed_down));
}

}  // namespace

void keep_owner(const struct stat& old, int fresh) noexcept {
  if (::fchown(fresh, old.st_uid, old.st_gid) == 0) return;
  static_cast<void>(::fchown(fresh, static_cast<uid_t>(-1), old.st_gid) == 0);
}

std::string keep_attributes(int folder, const std::string& name, int fresh) {
  // O_PATH: neither a right to read it nor anything that could wait is needed.
  const Descriptor file(::openat(folder, name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
  if (!file.valid()) return {};
  const struct stat old = status_of(file.get());
  const std::string from = fmt::format("/proc/self/fd/{}", file.get());
  const std::vector<std::string> names = attributes_of(from);
  keep_owner(old, fresh);
  const bool same_owner = status_of(fresh).st_uid == old.st_uid;
  const bool had_list = std::find(names.begin(), names.end(), access_list) != names.end();
  const bool lists = same_owner ? keep_lists(from, names, fresh, S_ISDIR(old.st_mode)) : !had_list;
  const bool attributes = keep_user_attributes(from, names, fresh);
  set_mode(old, fresh);
  const struct stat now = status_of(fresh);
  std::string lost;
  if (!same_owner) lost += fmt::format(", its owner ({})", old.st_uid);
  if (now.st_gid != old.st_gid) lost += fmt::format(", its group ({})", old.st_gid);
  if (!lists) lost += ", its access list";
  if ((now.st_mode & 07777) != (old.st_mode & 07777)) {
    lost += fmt::format(", its mode ({:o}, now {:o})", old.st_mode & 07777, now.st_mode & 07777);
  }
  if (!attributes) lost += ", its attributes";
  return lost.empty() ? lost : lost.substr(2);
}

}  // namespace tamis
