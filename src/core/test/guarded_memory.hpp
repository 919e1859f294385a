// Memory whose ends are watched: Python's arrays are filtered where they lie, and nothing may be read or written behind
// their last sample.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>

#include <tamis/image.hpp>

#include "core/image_over.hpp"

namespace tamis {

/// Memory that ends where no one may go on.
class GuardedMemory {
 public:
  explicit GuardedMemory(std::int64_t bytes) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t used = (static_cast<std::size_t>(bytes) + page - 1) / page * page;
    bytes_ = used + 2 * page;
    pages_ = static_cast<std::byte*>(mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    mprotect(pages_, page, PROT_NONE);
    mprotect(pages_ + page + used, page, PROT_NONE);
    end_ = pages_ + page + used;
  }
  ~GuardedMemory() { munmap(pages_, bytes_); }
  GuardedMemory(const GuardedMemory&) = delete;
  GuardedMemory& operator=(const GuardedMemory&) = delete;

  /// An image that ends with it.
  [[nodiscard]] Image image(Type type, const Shape& shape) const {
    return image_over(end_ - shape.count() * sample_bytes(type), type, shape);
  }

 private:
  std::size_t bytes_ = 0;
  std::byte* pages_ = nullptr;
  std::byte* end_ = nullptr;
};

}  // namespace tamis
