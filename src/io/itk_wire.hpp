// What tamis asks of ITK, and how it travels to the process that asks (itk_process.cpp).
//
// A process of its own, because GDCM ends the one it is in where a file breaks an assertion of its (rtdose files
// without frames do), because its codecs print to stderr, and because ITK would add 20 ms to every start of tamis.
// Both ends are built from this header, so values travel as they lie in memory.
#pragma once

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include <tamis/image.hpp>

namespace tamis::io {

enum class ItkFormat : std::uint8_t { Nrrd, Meta, Nifti, Dicom };

/// What ITK understood of a file.
struct ItkHeader {
  Type type = Type::U8;
  std::array<std::int64_t, 3> sizes{1, 1, 1};  ///< x first
  std::array<double, 3> spacing{1, 1, 1};      ///< mm, x first
  // DICOM only; empty where the file does not say.
  std::string series;       ///< (0020,000E)
  std::string number;       ///< (0020,0013), the place in the series
  std::string position;     ///< (0020,0032), "x\y\z" of the first voxel's centre in mm
  std::string orientation;  ///< (0020,0037), the directions of a row and of a column
};

/// Header: format and path; the answer is a header. Samples: also the type and sizes that the header had; the answer
/// is all samples of the file, dense, native byte order, rescaled as the file says.
enum class ItkQuestion : std::uint8_t { Header, Samples };
/// Refused is followed by a text of one line.
enum class ItkAnswer : std::uint8_t { Done, Refused, NoMemory };

/// One end of the line. Every function says whether the other end was still there.
class ItkWire {
 public:
  explicit ItkWire(int socket) : socket_(socket) {}

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

  template <class T>
  [[nodiscard]] bool put(const T& value) const {
    static_assert(std::is_trivially_copyable_v<T>);
    return send(&value, sizeof value);
  }
  template <class T>
  [[nodiscard]] bool get(T& value) const {
    static_assert(std::is_trivially_copyable_v<T>);
    return receive(&value, sizeof value);
  }
  [[nodiscard]] bool put(const std::string& text) const {
    return put(static_cast<std::uint32_t>(text.size())) && send(text.data(), text.size());
  }
  [[nodiscard]] bool get(std::string& text) const {
    std::uint32_t length = 0;
    if (!get(length)) return false;
    text.resize(length);
    return receive(text.data(), length);
  }
  [[nodiscard]] bool put(const ItkHeader& h) const {
    return put(h.type) && put(h.sizes) && put(h.spacing) && put(h.series) && put(h.number) && put(h.position) &&
           put(h.orientation);
  }
  [[nodiscard]] bool get(ItkHeader& h) const {
    return get(h.type) && get(h.sizes) && get(h.spacing) && get(h.series) && get(h.number) && get(h.position) &&
           get(h.orientation);
  }

 private:
  int socket_;
};

}  // namespace tamis::io
