// What travels between tamis and the process that decodes foreign formats for it, over a socket.
//
// Both ends are built from this header, so values travel as they lie in memory. The end in tamis trusts nothing that
// comes back: a hostile file may have taken over the process that it was decoded in.
#pragma once

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include <tamis/image.hpp>

namespace tamis::io {

/// What the process replies. Refused and Failed are followed by one line of text: the file's fault, the system's.
/// OpenFile is a request of its own within a reply: a path, answered by an error number and, where that is 0, a file.
/// WriteOutput and ReadOutput are so too, of a process that makes a file: a place in it and a number of bytes; those to
/// be written follow, and those that stand there are the answer.
enum class Reply : std::uint8_t { Done, Refused, Failed, NoMemory, OpenFile, WriteOutput, ReadOutput };

/// One end of the line. Every function says whether the other end was still there and spoke sense.
class Wire {
 public:
  static constexpr std::uint32_t longest_text = 1 << 16;

  explicit Wire(int socket) : socket_(socket) {}

  [[nodiscard]] bool send(const void* bytes, std::size_t count) const {
    const char* next = static_cast<const char*>(bytes);
    while (count > 0) {
      const ssize_t sent = ::send(socket_, next, count, MSG_NOSIGNAL);
      if (sent < 0 && errno == EINTR) continue;
      if (sent <= 0) return false;
      next += sent;
      count -= static_cast<std::size_t>(sent);
    }
    return true;
  }
  [[nodiscard]] bool receive(void* bytes, std::size_t count) const {
    char* next = static_cast<char*>(bytes);
    while (count > 0) {
      const ssize_t got = ::recv(socket_, next, count, 0);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return false;
      next += got;
      count -= static_cast<std::size_t>(got);
    }
    return true;
  }

  /// Numbers and structs of them, texts, layouts and lists, whose length the other end knows.
  template <class... Values>
  [[nodiscard]] bool put(const Values&... values) const {
    return (put_one(values) && ...);
  }
  template <class... Values>
  [[nodiscard]] bool get(Values&... values) const {
    return (get_one(values) && ...);
  }
  [[nodiscard]] bool put_text(const char* text, std::size_t length) const {
    return length <= longest_text && put(static_cast<std::uint32_t>(length)) && send(text, length);
  }

  /// An open file goes along with one byte.
  [[nodiscard]] bool put_file(int file) const {
    FileMessage message;
    cmsghdr* const header = CMSG_FIRSTHDR(&message.head);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(header), &file, sizeof file);
    ssize_t sent = 0;
    do sent = ::sendmsg(socket_, &message.head, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent == 1;
  }
  [[nodiscard]] bool get_file(int& file) const {
    FileMessage message;
    ssize_t got = 0;
    do got = ::recvmsg(socket_, &message.head, MSG_CMSG_CLOEXEC);
    while (got < 0 && errno == EINTR);
    const cmsghdr* const header = CMSG_FIRSTHDR(&message.head);
    if (got != 1 || !header || header->cmsg_type != SCM_RIGHTS || header->cmsg_len != CMSG_LEN(sizeof(int))) {
      return false;
    }
    std::memcpy(&file, CMSG_DATA(header), sizeof file);
    return true;
  }

 private:
  struct FileMessage {
    char byte = 0;
    iovec part{&byte, 1};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
    msghdr head{nullptr, 0, &part, 1, control, sizeof control, 0};
  };
  template <class T>
  [[nodiscard]] bool put_one(const T& value) const {
    static_assert(std::is_trivially_copyable_v<T>);
    return send(&value, sizeof value);
  }
  template <class T>
  [[nodiscard]] bool get_one(T& value) const {
    static_assert(std::is_trivially_copyable_v<T> && !std::is_same_v<T, bool>);
    return receive(&value, sizeof value);
  }
  template <class T>
  [[nodiscard]] bool put_one(const std::vector<T>& values) const {
    return send(values.data(), values.size() * sizeof(T));
  }
  template <class T>
  [[nodiscard]] bool get_one(std::vector<T>& values) const {
    static_assert(std::is_trivially_copyable_v<T>);
    return receive(values.data(), values.size() * sizeof(T));
  }
  [[nodiscard]] bool put_one(const std::string& text) const { return put_text(text.data(), text.size()); }
  [[nodiscard]] bool get_one(std::string& text) const {
    std::uint32_t length = 0;
    if (!get(length) || length > longest_text) return false;
    text.resize(length);
    return receive(text.data(), length);
  }
  [[nodiscard]] bool put_one(const Layout& l) const {
    return put(l.type, l.shape, l.channels, l.spacing.z, l.spacing.y, l.spacing.x, l.spacing.unit);
  }
  [[nodiscard]] bool get_one(Layout& l) const {
    return get(l.type, l.shape, l.channels, l.spacing.z, l.spacing.y, l.spacing.x, l.spacing.unit);
  }

  int socket_;
};

}  // namespace tamis::io
