#include "core/system/tree.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <functional>
#include <string_view>

#include "core/system/descriptor.hpp"

namespace tamis {
namespace {

constexpr int most_levels = 64;
constexpr int folder_flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

/// Calls `visit` for the name of everything in the folder `name` of the open `folder` until it returns an error number. One
/// descriptor a level: what removes a tree may have few left.
template <class Visit>
int for_each_in(int folder, const char* name, const Visit& visit) {
  const int opened = ::openat(folder, name, folder_flags);
  if (opened < 0) return errno;
  DIR* const stream = ::fdopendir(opened);
  if (!stream) return ::close(opened), ENOMEM;
  int error = 0;
  while (error == 0) {
    errno = 0;
    const dirent* const entry = ::readdir(stream);
    if (!entry) error = errno;
    if (!entry) break;
    const std::string_view found = entry->d_name;
    if (found != "." && found != "..") error = visit(opened, entry->d_name);
  }
  ::closedir(stream);
  return error;
}

int remove_at(int folder, const char* name, int levels) {
  if (::unlinkat(folder, name, 0) == 0 || errno == ENOENT) return 0;
  if (errno != EISDIR && errno != EPERM) return errno;
  if (::unlinkat(folder, name, AT_REMOVEDIR) == 0) return 0;  // an empty one needs no descriptor
  if (levels == 0) return ELOOP;
  const int error =
      for_each_in(folder, name, [&](int inside, const char* entry) { return remove_at(inside, entry, levels - 1); });
  if (error != 0) return error;
  return ::unlinkat(folder, name, AT_REMOVEDIR) == 0 || errno == ENOENT ? 0 : errno;
}

int sync_at(int folder, int levels, const std::function<bool(int)>& visit) {
  if (levels == 0) return ELOOP;
  const int error = for_each_in(folder, ".", [&](int, const char* name) {
    Descriptor entry(::openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (!entry.valid()) return errno;
    struct stat status {};
    if (::fstat(entry.get(), &status) != 0) return errno;
    if (!visit(entry.get())) return ECANCELED;
    if (S_ISDIR(status.st_mode)) return sync_at(entry.get(), levels - 1, visit);
    // What cannot be synchronised is no error.
    const bool done = ::fsync(entry.get()) == 0 || errno == EINVAL || errno == ENOTSUP;
    return done ? 0 : errno;
  });
  if (error != 0) return error;
  return ::fsync(folder) == 0 || errno == EINVAL || errno == ENOTSUP ? 0 : errno;
}

}  // namespace

int remove_tree(int folder, const std::string& name) noexcept { return remove_at(folder, name.c_str(), most_levels); }

bool is_empty(int folder) noexcept {
  return for_each_in(folder, ".", [](int, const char*) { return ENOTEMPTY; }) == 0;
}

int sync_tree(int folder, const std::function<bool(int)>& visit) noexcept {
  return sync_at(folder, most_levels, visit);
}

}  // namespace tamis
