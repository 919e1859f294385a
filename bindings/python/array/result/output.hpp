// Where a result goes: a fresh NumPy array, or the one that the caller gave as `out`.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <string>

#include <tamis/image.hpp>

#include "python/arguments.hpp"
#include "python/array/host.hpp"

namespace tamis::python {

/// Made and destroyed with the GIL held; its samples are written without.
class Output {
 public:
  /// Throws InputError for an `out` of another type or shape, or that is read-only.
  Output(Type type, const Shape& shape, nb::handle out);

  [[nodiscard]] const Samples& samples() const { return samples_; }
  /// Whether nobody else has the array, which is dense.
  [[nodiscard]] bool is_fresh() const { return !given_; }
  /// The samples of a fresh array as an image to write to; nothing for bits, and for an `out`, which may overlap inputs
  /// and is written only when all went well.
  [[nodiscard]] Image fresh_image() const;
  /// The same for bits, as an image of u8, which has to get zeros and ones.
  [[nodiscard]] Image fresh_bytes() const;
  /// The array for the caller, of the kind of `image`: what a PyTorch tensor in host memory gives is a tensor. `spacing` says
  /// where an array of another shape lies, a part of the image.
  [[nodiscard]] ArrayResult result(nb::handle image, const Spacing& spacing = {}) const;

 private:
  nb::object array_;
  bool given_;
  std::unique_ptr<Buffer> buffer_;
  Samples samples_;
};

/// As Python writes the shape of an array: "(5, 30, 40)".
[[nodiscard]] std::string shape_text(const Shape& shape);

/// The type of the samples of an `out`.
[[nodiscard]] Type type_of_out(nb::handle out);

/// A fresh array as one of the library of `image`, where that shares arrays by DLPack.
[[nodiscard]] ArrayResult like(nb::handle array, nb::handle image, const Spacing& spacing = {});

/// A 1-D array of 64-bit integers or doubles with a copy of the values.
[[nodiscard]] ArrayResult numpy_array(const std::int64_t* values, std::size_t count);
[[nodiscard]] ArrayResult numpy_array(const double* values, std::size_t count);

}  // namespace tamis::python
