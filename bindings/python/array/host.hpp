// Arrays in host memory through the buffer protocol.
#pragma once

#include <nanobind/nanobind.h>

#include <array>
#include <memory>
#include <string_view>

#include <tamis/image.hpp>

namespace tamis::python {

/// A held buffer: the exporter neither frees nor moves it. Destroyed with the GIL held.
class Buffer {
 public:
  /// Throws nanobind::python_error.
  Buffer(nanobind::handle exporter, int flags);
  ~Buffer() { PyBuffer_Release(&view_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  [[nodiscard]] const Py_buffer& view() const { return view_; }

 private:
  Py_buffer view_{};
};

/// How the samples of a buffer lie.
struct Samples {
  std::byte* data = nullptr;
  Type type = Type::U8;
  Shape shape;
  std::array<std::int64_t, 3> strides{};  ///< bytes along z, y, x; any sign
  bool swapped = false;                   ///< of the other byte order
};

/// Throws InputError for types and ranks that are not those of an image, with the cure.
[[nodiscard]] Samples samples_of(const Py_buffer& view, std::string_view what);

/// An object with the buffer protocol as a source, in place where its rows are dense and of this machine's byte order.
/// What looks like an image in colour is refused, unless `any_volume`.
[[nodiscard]] std::unique_ptr<SliceSource> host_source(nanobind::handle array, std::string_view what,
                                                       bool any_volume = false);

}  // namespace tamis::python
