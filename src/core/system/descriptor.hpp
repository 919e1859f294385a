// What files of the system have in common: a descriptor that closes itself, and all the bytes of a place in one call.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <utility>

namespace tamis {

/// An open file descriptor, or none (-1).
class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor() { static_cast<void>(close()); }
  [[nodiscard]] int get() const { return fd_; }
  [[nodiscard]] bool valid() const { return fd_ >= 0; }
  /// What close() says; the descriptor is gone in any case.
  int close() {
    const int fd = std::exchange(fd_, -1);
    return fd < 0 ? 0 : ::close(fd);
  }

 private:
  int fd_;
};

/// How many bytes come from that place of a file on: fewer than `count` at its end, and -1, with errno, for an error.
[[nodiscard]] inline std::int64_t read_at(int file, void* out, std::int64_t count, std::int64_t at) {
  std::int64_t done = 0;
  while (done < count) {
    const ssize_t got =
        ::pread(file, static_cast<char*>(out) + done, static_cast<std::size_t>(count - done), at + done);
    if (got == 0) break;
    if (got < 0 && errno != EINTR) return -1;
    if (got > 0) done += got;
  }
  return done;
}

/// False, with errno, where not all bytes could be written. `at`: where in the file; below 0: where it stands.
[[nodiscard]] inline bool write_at(int file, const void* bytes, std::int64_t count, std::int64_t at = -1) {
  for (std::int64_t done = 0; done < count;) {
    const char* const from = static_cast<const char*>(bytes) + done;
    const auto rest = static_cast<std::size_t>(count - done);
    const ssize_t put = at < 0 ? ::write(file, from, rest) : ::pwrite(file, from, rest, at + done);
    if (put < 0 && errno != EINTR) return false;
    if (put > 0) done += put;
  }
  return true;
}

}  // namespace tamis
