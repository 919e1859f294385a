#include "core/system/shared_memory.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include <tamis/error.hpp>

namespace tamis {

SharedMemory::SharedMemory(std::int64_t bytes)
    : size_(bytes), descriptor_(::memfd_create("tamis-samples", MFD_CLOEXEC | MFD_ALLOW_SEALING)) {
  const bool sized = descriptor_.valid() && ::ftruncate(descriptor(), bytes) == 0 &&
                     ::fcntl(descriptor(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0;
  void* const memory =
      sized ? ::mmap(nullptr, static_cast<std::size_t>(bytes), PROT_READ, MAP_SHARED, descriptor(), 0) : MAP_FAILED;
  if (memory == MAP_FAILED)
    throw ResourceError(fmt::format("no {} bytes of shared memory: {}", bytes, std::strerror(errno)));
  data_ = static_cast<std::byte*>(memory);
}

SharedMemory::~SharedMemory() {
  if (data_) ::munmap(data_, static_cast<std::size_t>(size_));
}

void SharedMemory::write(std::int64_t at, const std::byte* bytes, std::int64_t count) {
  if (write_at(descriptor(), bytes, count, at)) return;
  throw ResourceError(fmt::format("no {} bytes of shared memory: {}", size_, std::strerror(errno)));
}

void SharedMemory::swap(SharedMemory& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(descriptor_, other.descriptor_);
}

}  // namespace tamis
