#include "io/confined/shared_memory.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include <tamis/error.hpp>

namespace tamis::io {

SharedMemory::SharedMemory(std::int64_t bytes) : size_(bytes) {
  descriptor_ = ::memfd_create("tamis-samples", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  const bool sized = descriptor_ >= 0 && ::ftruncate(descriptor_, bytes) == 0 &&
                     ::fcntl(descriptor_, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0;
  void* const memory =
      sized ? ::mmap(nullptr, static_cast<std::size_t>(bytes), PROT_READ, MAP_SHARED, descriptor_, 0) : MAP_FAILED;
  if (memory == MAP_FAILED) {
    const int error = errno;
    if (descriptor_ >= 0) ::close(descriptor_);
    throw ResourceError(fmt::format("no {} bytes of shared memory: {}", bytes, std::strerror(error)));
  }
  data_ = static_cast<std::byte*>(memory);
}

SharedMemory::~SharedMemory() {
  if (data_) ::munmap(data_, static_cast<std::size_t>(size_));
  if (descriptor_ >= 0) ::close(descriptor_);
}

void SharedMemory::write(std::int64_t at, const std::byte* bytes, std::int64_t count) {
  while (count > 0) {
    const ssize_t written = ::pwrite(descriptor_, bytes, static_cast<std::size_t>(count), at);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) throw ResourceError(fmt::format("no {} bytes of shared memory: {}", size_, std::strerror(errno)));
    bytes += written;
    at += written;
    count -= written;
  }
}

void SharedMemory::swap(SharedMemory& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(descriptor_, other.descriptor_);
}

}  // namespace tamis::io
