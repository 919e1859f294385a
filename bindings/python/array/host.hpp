// Arrays in host memory through the buffer protocol.
#pragma once

#include <nanobind/nanobind.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include <tamis/context.hpp>
#include <tamis/image.hpp>

namespace tamis::python {

// What is asked of NumPy in every call, looked up once.

/// Whether an object is numpy.ndarray itself: no subclass, so in host memory, with nothing masked.
[[nodiscard]] bool is_plain_array(nanobind::handle object);

/// What NumPy calls a type.
[[nodiscard]] const char* numpy_name(Type type);

/// numpy.empty. Throws ResourceError where there is no memory.
[[nodiscard]] nanobind::object numpy_empty(nanobind::handle shape, Type type);

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

// Samples with strides to dense slices and back.

/// Copies slices z0 .. z0+count-1 to `out`, dense and in this machine's byte order.
void gather(const Samples& samples, std::int64_t z0, std::int64_t count, std::byte* out);

/// The reverse: dense slices of samples.type to where `samples` lie.
void scatter(const std::byte* slices, const Samples& samples, std::int64_t z0, std::int64_t count);

/// Bits to samples of one byte, 0 or 1; the shapes are the same.
void unpack(const Context& context, const Image& bits, const Samples& samples);

/// Whether samples that many bytes long may lie on each other, as those of repeated rows do. `strides` of any sign, in
/// bytes. Such an array can be read; written by several threads it would hold anybody's sample.
[[nodiscard]] bool may_share_places(const Shape& shape, std::array<std::int64_t, 3> strides, std::int64_t bytes);

}  // namespace tamis::python
