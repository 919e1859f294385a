// Memory that tamis and a process of its own both see.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/system/descriptor.hpp"

namespace tamis {

/// Memory behind a file descriptor that can be sent to another process. Its size is sealed, so that the other end
/// cannot take it away from under this one.
class SharedMemory {
 public:
  SharedMemory() = default;
  /// Throws ResourceError where there is none.
  explicit SharedMemory(std::int64_t bytes);
  SharedMemory(SharedMemory&& other) noexcept { swap(other); }
  SharedMemory& operator=(SharedMemory&& other) noexcept {
    SharedMemory(static_cast<SharedMemory&&>(other)).swap(*this);
    return *this;
  }
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  ~SharedMemory();

  /// Throws ResourceError where there is no memory for it.
  void write(std::int64_t at, const std::byte* bytes, std::int64_t count);

  [[nodiscard]] const std::byte* data() const { return data_; }
  [[nodiscard]] std::int64_t size() const { return size_; }
  [[nodiscard]] int descriptor() const { return descriptor_.get(); }

 private:
  void swap(SharedMemory& other) noexcept;

  std::byte* data_ = nullptr;
  std::int64_t size_ = 0;
  Descriptor descriptor_;
};

}  // namespace tamis
