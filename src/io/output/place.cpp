#include "io/output/output.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <climits>
#include <cstdlib>
#include <cstring>

#include "core/system/tree.hpp"
#include "io/refuse.hpp"

namespace tamis::io {
namespace {

/// What realpath() says; empty if there is no such thing.
std::string canonical(const std::string& path) {
  const std::unique_ptr<char, void (*)(void*)> real(::realpath(path.c_str(), nullptr), std::free);
  return real ? std::string(real.get()) : std::string();
}

/// The number of "/proc/self/fd/1" if `folder`, as realpath() says it, is that of this process.
int stream_of(const std::string& folder, const std::string& name) {
  if (folder != fmt::format("/proc/{}/fd", ::getpid())) return -1;
  int number = -1;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  return error == std::errc() && end == name.data() + name.size() ? number : -1;
}

void split(const std::string& path, OutputPlace& place) {
  const std::size_t slash = path.rfind('/');
  place.folder = slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
  place.name = path.substr(slash + 1);
}

/// Follows links by hand: the last one may lead to what does not exist, and one of /proc is not a path at all.
OutputPlace follow(const std::string& path) {
  OutputPlace place;
  std::string next = path;
  constexpr int most_links = 40;  // as Linux
  for (int hops = 0;; ++hops) {
    split(next, place);
    const std::string folder = canonical(place.folder);
    if (folder.starts_with("/proc/")) {
      place.direct = true;
      place.stream = stream_of(folder, place.name);
      return place;
    }
    std::array<char, PATH_MAX> text{};
    const ssize_t length = ::readlink(next.c_str(), text.data(), text.size() - 1);
    if (length < 0) return place;
    if (hops == most_links) cannot_write(path, std::strerror(ELOOP));
    const std::string link(text.data(), static_cast<std::size_t>(length));
    next = link.starts_with('/') ? link : place.folder + '/' + link;
    if (link.ends_with('/')) cannot_write(path, std::strerror(EISDIR));
  }
}

std::uint64_t fnv1a(std::string_view text) {
  std::uint64_t hash = 14695981039346656037U;
  for (const char letter : text) hash = (hash ^ static_cast<unsigned char>(letter)) * 1099511628211U;
  return hash;
}

/// No byte of a cut UTF-8 letter stays: some file systems refuse such names.
std::string_view cut(std::string_view name, std::size_t bytes) {
  if (name.size() <= bytes) return name;
  while (bytes > 0 && (static_cast<unsigned char>(name[bytes]) & 0xC0) == 0x80) --bytes;
  return name.substr(0, bytes);
}

/// 0 where the name is that of the open file, EAGAIN where it is not; another number is what the system says.
int check_named(const OutputPlace& place, const std::string& name, int fd) {
  struct stat by_name {};
  struct stat by_descriptor {};
  if (::fstatat(place.opened.get(), name.c_str(), &by_name, AT_SYMLINK_NOFOLLOW) != 0) {
    return errno == ENOENT ? EAGAIN : errno;
  }
  if (::fstat(fd, &by_descriptor) != 0) return errno;
  return by_name.st_dev == by_descriptor.st_dev && by_name.st_ino == by_descriptor.st_ino ? 0 : EAGAIN;
}

/// The folder and what is in it under the name; nothing of that has been refused.
OutputPlace found_place(const std::string& path) {
  OutputPlace place = follow(path);
  place.opened = Descriptor(::open(place.folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!place.opened.valid()) cannot_write(path, std::strerror(errno));
  struct stat status {};
  if (::fstatat(place.opened.get(), place.name.c_str(), &status, 0) == 0) {
    place.old = status;
  } else if (errno != ENOENT) {
    cannot_write(path, std::strerror(errno));
  }
  return place;
}

/// What must not be written stays as it is, although a rename could replace it.
void require_writable(const std::string& path, const OutputPlace& place) {
  if (::faccessat(place.opened.get(), place.name.c_str(), W_OK, 0) != 0) cannot_write(path, std::strerror(errno));
}

/// After a hidden name could not be opened: false where it is free, true where something that is not ours has it. Any
/// other error would come back with the next name, so it ends the search, in words.
bool is_taken(const std::string& path, int error) {
  if (error == ENOENT) return false;
  for (const int ours_not : {EACCES, EPERM, ELOOP, ENXIO, EISDIR, ENOTDIR}) {
    if (error == ours_not) return true;
  }
  cannot_write(path, std::strerror(error));
}

/// With the lock in hand nobody else can come to own the name: whoever makes a file locks it and then looks. One that
/// is locked has a living writer.
bool is_stale(const OutputPlace& place, const std::string& name, int fd) {
  return ::flock(fd, LOCK_EX | LOCK_NB) == 0 && check_named(place, name, fd) == 0;
}

/// False where there is no such file. One that is not a file is not ours.
bool remove_if_stale(const std::string& path, const OutputPlace& place, const std::string& name) {
  constexpr int flags = O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY;
  // NFS gives exclusive locks only to descriptors that can write.
  Descriptor file(::openat(place.opened.get(), name.c_str(), O_RDWR | flags));
  if (!file.valid() && errno == EACCES) file = Descriptor(::openat(place.opened.get(), name.c_str(), O_RDONLY | flags));
  if (!file.valid()) return is_taken(path, errno);
  struct stat status {};
  const bool is_file = ::fstat(file.get(), &status) == 0 && S_ISREG(status.st_mode);
  if (is_file && is_stale(place, name, file.get())) ::unlinkat(place.opened.get(), name.c_str(), 0);
  return true;
}

/// The same for a folder.
bool remove_if_stale_folder(const std::string& path, const OutputPlace& place, const std::string& name) {
  const Descriptor folder(::openat(place.opened.get(), name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!folder.valid()) return is_taken(path, errno);
  if (is_stale(place, name, folder.get())) static_cast<void>(remove_tree(place.opened.get(), name));
  return true;
}

/// Slots are taken from 0 on; a few free ones in a row are the end of them.
template <class Remove>
void remove_stale(const std::string& path, const OutputPlace& place, const Remove& remove_if) {
  constexpr int enough = 4;
  for (int slot = 0, free = 0; free < enough && slot < most_slots; ++slot) {
    free = remove_if(path, place, hidden_name(place, slot)) ? 0 : free + 1;
  }
}

}  // namespace

void cannot_write(const std::string& path, std::string_view reason) { give_up("cannot write {}: {}", path, reason); }

OutputPlace output_place(const std::string& path) {
  if (path.empty()) cannot_write("''", "the name is empty");
  if (path.back() == '/') cannot_write(path, std::strerror(EISDIR));
  OutputPlace place = found_place(path);
  if (!place.old) return place;
  if (S_ISDIR(place.old->st_mode)) cannot_write(path, std::strerror(EISDIR));
  place.direct = place.direct || !S_ISREG(place.old->st_mode);
  if (place.stream < 0) require_writable(path, place);
  return place;
}

OutputPlace output_folder_place(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  OutputPlace place = found_place(path);
  if (place.direct || (place.old && !S_ISDIR(place.old->st_mode))) {
    cannot_write(path, "something else has that name; wanted a Zarr store, or nothing");
  }
  if (!place.old) return place;
  const Descriptor old(::openat(place.opened.get(), place.name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!old.valid()) cannot_write(path, std::strerror(errno));
  if (!may_be_replaced(old.get())) {
    cannot_write(path, "a folder that is no Zarr store and would go; wanted another name");
  }
  require_writable(path, place);
  return place;
}

bool may_be_replaced(int folder) {
  for (const char* const name : {"zarr.json", ".zarray", ".zgroup"}) {
    if (::faccessat(folder, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0) return true;
  }
  return is_empty(folder);
}

std::string hidden_name(const OutputPlace& place, int slot) {
  const std::string end = fmt::format(".tamis-{}.part", slot);
  const long limit = ::fpathconf(place.opened.get(), _PC_NAME_MAX);
  const auto most = static_cast<std::size_t>(limit > 0 ? limit : NAME_MAX);
  // The same cut for every slot.
  constexpr std::size_t longest_end = 24;
  if (1 + place.name.size() + longest_end <= most) return '.' + place.name + end;
  const std::string hash = fmt::format("~{:016x}", fnv1a(place.name));
  const std::size_t taken = 1 + hash.size() + longest_end;
  return fmt::format(".{}{}{}", cut(place.name, most > taken ? most - taken : 0), hash, end);
}

bool stands_beside(const OutputPlace& place, const std::string& name) {
  return ::faccessat(place.opened.get(), name.c_str(), F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

void remove_stale_files(const std::string& path, const OutputPlace& place) {
  remove_stale(path, place, remove_if_stale);
}

void remove_stale_folders(const std::string& path, const OutputPlace& place) {
  remove_stale(path, place, remove_if_stale_folder);
}

int lock_hidden(const OutputPlace& place, const std::string& name, int fd) {
  // Shared is enough to keep an exclusive one out, and lets HDF5 read the file as soon as it has its name.
  if (::flock(fd, LOCK_SH | LOCK_NB) != 0) return errno == EWOULDBLOCK ? EAGAIN : 0;
  return check_named(place, name, fd);
}

}  // namespace tamis::io
