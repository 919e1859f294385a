#include "io/output/tree.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>
#include <utility>

#include "io/output/place.hpp"

namespace tamis::io {
namespace {

constexpr int most_levels = 64;
constexpr int folder_flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

/// Calls `visit` for the name of everything in a folder until it returns an error number.
template <class Visit>
int for_each_in(int folder, const Visit& visit) {
  const int copy = ::openat(folder, ".", folder_flags);
  if (copy < 0) return errno;
  DIR* const stream = ::fdopendir(copy);
  if (!stream) return ::close(copy), ENOMEM;
  int error = 0;
  while (error == 0) {
    errno = 0;
    const dirent* const entry = ::readdir(stream);
    if (!entry) error = errno;
    if (!entry) break;
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") error = visit(entry->d_name);
  }
  ::closedir(stream);
  return error;
}

int remove_at(int folder, const char* name, int levels) {
  if (::unlinkat(folder, name, 0) == 0 || errno == ENOENT) return 0;
  if (errno != EISDIR && errno != EPERM) return errno;
  if (levels == 0) return ELOOP;
  {
    const Descriptor inside(::openat(folder, name, folder_flags));
    if (!inside.valid()) return errno;
    const int error = for_each_in(inside.get(), [&](const char* entry) { return remove_at(inside.get(), entry, levels - 1); });
    if (error != 0) return error;
  }
  return ::unlinkat(folder, name, AT_REMOVEDIR) == 0 || errno == ENOENT ? 0 : errno;
}

int sync_at(int folder, int levels, bool (*wanted)(const void*), const void* asked) {
  if (levels == 0) return ELOOP;
  const int error = for_each_in(folder, [&](const char* name) {
    if (!wanted(asked)) return ECANCELED;
    Descriptor entry(::openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (!entry.valid()) return errno;
    struct stat status {};
    if (::fstat(entry.get(), &status) != 0) return errno;
    if (S_ISDIR(status.st_mode)) return sync_at(entry.get(), levels - 1, wanted, asked);
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
  return for_each_in(folder, [](const char*) { return ENOTEMPTY; }) == 0;
}

int sync_tree(int folder, bool (*wanted)(const void*), const void* asked) noexcept {
  return sync_at(folder, most_levels, wanted, asked);
}

}  // namespace tamis::io
