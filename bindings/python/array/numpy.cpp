#include "python/array/host.hpp"

#include <nanobind/stl/string.h>

#include <array>
#include <string>

#include <tamis/error.hpp>

namespace nb = nanobind;

namespace tamis::python {
namespace {

/// They live until the process ends, as the interpreter may end first.
struct Numpy {
  nb::handle array_type;
  nb::handle empty;
  std::array<nb::handle, 11> types;
};

Numpy look_up() {
  const nb::module_ numpy = nb::module_::import_("numpy");
  Numpy found{nb::object(numpy.attr("ndarray")).release(), nb::object(numpy.attr("empty")).release(), {}};
  for (std::size_t i = 0; i < found.types.size(); ++i) {
    found.types[i] = numpy.attr("dtype")(numpy_name(static_cast<Type>(i))).release();
  }
  return found;
}

const Numpy& numpy() {
  static const Numpy found = look_up();
  return found;
}

}  // namespace

bool is_plain_array(nb::handle object) { return object.type().is(numpy().array_type); }

const char* numpy_name(Type type) {
  switch (type) {
    case Type::Bool:
      return "bool";
    case Type::U8:
      return "uint8";
    case Type::U16:
      return "uint16";
    case Type::I16:
      return "int16";
    case Type::F32:
      return "float32";
    case Type::I8:
      return "int8";
    case Type::U32:
      return "uint32";
    case Type::I32:
      return "int32";
    case Type::U64:
      return "uint64";
    case Type::I64:
      return "int64";
    case Type::F64:
      return "float64";
  }
  return "";
}

nb::object numpy_empty(nb::handle shape, Type type) {
  try {
    return numpy().empty(shape, numpy().types[static_cast<std::size_t>(type)]);
  } catch (const nb::python_error& error) {
    if (!error.matches(PyExc_MemoryError) && !error.matches(PyExc_ValueError)) throw;
    throw ResourceError("out of memory: a result of shape " + nb::cast<std::string>(nb::repr(shape)) + " of " +
                        numpy_name(type) + " could not be allocated");
  }
}

}  // namespace tamis::python
