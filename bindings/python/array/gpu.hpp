// Arrays of other libraries that lie on a GPU: where their samples are, on which stream they are used, and fresh ones
// of the same kind. python/tamis/_gpu.py knows the libraries.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <optional>
#include <string_view>

#include <tamis/gpu/array.hpp>

#include "python/arguments.hpp"

namespace tamis::python {

/// An array of the caller and its samples in place. Made and destroyed with the GIL held.
struct HeldGpuArray {
  nb::object object;
  nb::ndarray<nb::ro> keeper;  ///< of samples that were lent through DLPack
  GpuOutput samples;           ///< written only where it is an output
  bool read_only = false;
  std::optional<std::uintptr_t> stream;  ///< on which somebody may still be writing

  [[nodiscard]] GpuArray input() const;
};

/// One call on arrays of one GPU: those of the image's library, on the stream that is current there.
class GpuExchange {
 public:
  /// Throws InputError for what is no image on a GPU, with the cure.
  explicit GpuExchange(nb::handle image);

  [[nodiscard]] const HeldGpuArray& image() const { return image_; }
  [[nodiscard]] int gpu() const { return image_.samples.gpu; }
  /// The context with the stream of this call.
  [[nodiscard]] Context on_stream(const Context& context) const;

  /// Another array of the call. Throws InputError unless it is on the image's GPU.
  [[nodiscard]] HeldGpuArray take(nb::handle array, std::string_view what) const;
  /// The array that the caller gave as `out`, or a fresh one. Throws InputError for one of another shape, type (unless
  /// that is the caller's choice: nullptr) or that cannot be written.
  [[nodiscard]] HeldGpuArray output(nb::handle out, const Type* type, const Shape& shape) const;
  /// A fresh array of any number of axes; `axes` is a tuple.
  [[nodiscard]] nb::object empty(nb::handle axes, Type type) const;
  /// Queues a copy from one array of the library to another.
  void copy(nb::handle from, nb::handle to) const;
  /// A NumPy array with a copy of the image: for operations whose result is made in host memory.
  [[nodiscard]] nb::object download() const;
  /// What such an operation asks for: where the caller has not chosen a device, the image's GPU does the work.
  [[nodiscard]] Context on_gpu(const Context& context) const;
  /// A copy of a dense NumPy array on the GPU.
  [[nodiscard]] HeldGpuArray upload(nb::handle numpy_array) const;
  /// table[sizes], to `out` if that is not None.
  [[nodiscard]] HeldGpuArray widths(const HeldGpuArray& sizes, nb::handle table, nb::handle out) const;

 private:
  /// The stream of this call waits for who is still writing.
  void wait_for(const HeldGpuArray& array) const;

  HeldGpuArray image_;
  nb::object library_;  ///< tamis._gpu.Library
  void* stream_ = nullptr;
};

}  // namespace tamis::python
