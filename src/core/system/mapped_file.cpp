#include "core/system/mapped_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include <tamis/error.hpp>

#include "core/system/descriptor.hpp"

namespace tamis {
namespace {

[[noreturn]] void cannot_read(const std::string& path) {
  throw InputError(fmt::format("{}: cannot read it: {}", path, std::strerror(errno)));
}

/// A descriptor of an open regular file that is not empty, and its length.
struct Opened {
  explicit Opened(const std::string& path) : file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    struct stat status {};
    if (!file.valid() || ::fstat(file.get(), &status) != 0) cannot_read(path);
    if (S_ISDIR(status.st_mode)) throw InputError(fmt::format("{} is a directory; wanted a file", path));
    if (!S_ISREG(status.st_mode)) throw InputError(fmt::format("{} is not a regular file; wanted one", path));
    if (status.st_size == 0) throw InputError(fmt::format("{} is empty (0 bytes); wanted an image", path));
    size = status.st_size;
  }

  Descriptor file;
  std::int64_t size = 0;
};

}  // namespace

MappedFile::MappedFile(std::string path) : path_(std::move(path)) {
  const Opened opened(path_);
  size_ = opened.size;
  void* const memory = ::mmap(nullptr, static_cast<std::size_t>(size_), PROT_READ, MAP_SHARED, opened.file.get(), 0);
  if (memory == MAP_FAILED) cannot_read(path_);
  ::madvise(memory, static_cast<std::size_t>(size_), MADV_SEQUENTIAL);  // a wish: read ahead, drop behind
  data_ = static_cast<const std::byte*>(memory);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : path_(std::move(other.path_)), data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

MappedFile::~MappedFile() {
  if (data_) ::munmap(const_cast<std::byte*>(data_), static_cast<std::size_t>(size_));
}

void MappedFile::let_go(const std::byte* from, std::int64_t bytes) const noexcept {
  static const std::int64_t page = ::sysconf(_SC_PAGESIZE);
  const std::int64_t begin = (from - data_) / page * page;  // the first page has its beginning from the copy before
  const std::int64_t end = (from - data_ + bytes) / page * page;
  if (end > begin)
    ::madvise(const_cast<std::byte*>(data_ + begin), static_cast<std::size_t>(end - begin), MADV_DONTNEED);
}

std::int64_t file_length(const std::string& path) { return Opened(path).size; }

std::string file_head(const std::string& path, std::size_t count) {
  const Opened opened(path);
  std::string head(count, '\0');
  const std::int64_t got = read_at(opened.file.get(), head.data(), std::ssize(head), 0);
  if (got < 0) cannot_read(path);
  head.resize(static_cast<std::size_t>(got));
  return head;
}

}  // namespace tamis
