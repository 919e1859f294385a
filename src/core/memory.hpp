// Large zeroed buffers, aligned for SIMD, on huge pages where the system has them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace tamis {

/// Memory filled with zeros, aligned to 64 bytes (large ones to 2 MiB). Throws ResourceError if there is none.
std::byte* allocate_zeroed(std::size_t bytes);
void release(std::byte* memory, std::size_t bytes);

/// Bytes the machine could still give without swapping; 0 if it does not say.
std::int64_t available_memory();

/// A movable owner of such memory, seen as an array of T.
template <class T>
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(std::int64_t count)
      : count_(count), data_(reinterpret_cast<T*>(allocate_zeroed(static_cast<std::size_t>(count) * sizeof(T)))) {}
  Buffer(Buffer&& other) noexcept { swap(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    Buffer(std::move(other)).swap(*this);
    return *this;
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() {
    if (data_) release(reinterpret_cast<std::byte*>(data_), static_cast<std::size_t>(count_) * sizeof(T));
  }

  [[nodiscard]] T* data() { return data_; }
  [[nodiscard]] const T* data() const { return data_; }
  [[nodiscard]] std::int64_t size() const { return count_; }
  T& operator[](std::int64_t i) { return data_[i]; }
  const T& operator[](std::int64_t i) const { return data_[i]; }

 private:
  void swap(Buffer& other) noexcept {
    std::swap(count_, other.count_);
    std::swap(data_, other.data_);
  }
  std::int64_t count_ = 0;
  T* data_ = nullptr;
};

}  // namespace tamis
