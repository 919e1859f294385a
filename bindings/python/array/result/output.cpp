#include "python/array/result/output.hpp"

#include <nanobind/stl/string.h>

#include <cstring>
#include <string>

#include <tamis/error.hpp>

#include "core/image_over.hpp"
#include "python/array/host.hpp"
#include "python/array/result/calibrated.hpp"

namespace tamis::python {
namespace {

nb::object shape_tuple(const Shape& shape) {
  return shape.rank == 2 ? nb::make_tuple(shape.y, shape.x) : nb::make_tuple(shape.z, shape.y, shape.x);
}

/// The writable buffer of the caller's array. A tensor has none; DLPack makes an array of it that shares its memory.
nb::object with_buffer(nb::handle out) {
  if (PyObject_CheckBuffer(out.ptr())) return nb::borrow(out);
  return nb::module_::import_("tamis._chunks").attr("adapt_out")(out);
}

std::unique_ptr<Buffer> writable(nb::handle out) {
  try {
    return std::make_unique<Buffer>(out, PyBUF_RECORDS);
  } catch (const nb::python_error&) {
    throw InputError("out: the array is read-only; wanted one that can be written");
  }
}

nb::object copied(const void* values, std::size_t count, std::size_t bytes, Type type) {
  nb::object array = numpy_empty(nb::make_tuple(count), type);
  if (count == 0) return array;
  const Buffer buffer(array, PyBUF_WRITABLE);
  std::memcpy(buffer.view().buf, values, count * bytes);
  return array;
}

}  // namespace

std::string shape_text(const Shape& shape) { return nb::cast<std::string>(nb::repr(shape_tuple(shape))); }

ArrayResult numpy_array(const std::int64_t* values, std::size_t count) {
  return {copied(values, count, sizeof *values, Type::I64)};
}

ArrayResult numpy_array(const double* values, std::size_t count) {
  return {copied(values, count, sizeof *values, Type::F64)};
}

Type type_of_out(nb::handle out) { return samples_of(writable(with_buffer(out))->view(), "out").type; }

Output::Output(Type type, const Shape& shape, nb::handle out) : given_(!out.is_none()) {
  if (!given_) {
    array_ = numpy_empty(shape_tuple(shape), type);
    buffer_ = std::make_unique<Buffer>(array_, PyBUF_WRITABLE);
    const std::int64_t x = sample_bytes(type), y = shape.x * x;
    samples_ = {static_cast<std::byte*>(buffer_->view().buf), type, shape, {shape.y * y, y, x}};
    return;
  }
  array_ = nb::borrow(out);
  buffer_ = writable(with_buffer(out));
  samples_ = samples_of(buffer_->view(), "out");
  if (may_share_places(samples_.shape, samples_.strides, sample_bytes(samples_.type))) {
    throw InputError("out: an array whose samples share places in memory; wanted one with a place for each");
  }
  if (samples_.type != type || samples_.shape != shape) {
    throw InputError("out: got shape " + shape_text(samples_.shape) + " of " + numpy_name(samples_.type) +
                     "; wanted shape " + shape_text(shape) + " of " + numpy_name(type));
  }
}

Image Output::fresh_image() const {
  if (given_ || samples_.type == Type::Bool) return {};
  return image_over(samples_.data, samples_.type, samples_.shape);
}

Image Output::fresh_bytes() const {
  return given_ ? Image() : image_over(samples_.data, Type::U8, samples_.shape);
}

ArrayResult Output::result(nb::handle image, const Spacing& spacing) const {
  return given_ || image.is_none() ? ArrayResult{array_} : like(array_, image, spacing);
}

ArrayResult like(nb::handle array, nb::handle image, const Spacing& spacing) {
  if (PyObject_CheckBuffer(image.ptr())) return {calibrated_like(array, image, spacing)};
  return {nb::module_::import_("tamis._chunks").attr("like")(array, image)};
}

}  // namespace tamis::python
