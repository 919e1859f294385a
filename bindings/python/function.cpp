#include "python/function.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <utility>

namespace nb = nanobind;

namespace tamis::python {
namespace {

/// More than there are. A builtin knows nothing but its module when it is called, so each has C++ code of its own,
/// which knows its number.
constexpr std::size_t most_functions = 64;

struct Function {
  Signature signature;
  std::string doc;
  FunctionBody body;
  PyMethodDef definition{};
};

/// They live until the process ends, as the Python objects in them may outlive the interpreter.
std::array<std::optional<Function>, most_functions>& functions() {
  static auto& all = *new std::array<std::optional<Function>, most_functions>;
  return all;
}

PyObject* called(std::size_t number, PyObject* module, const PassedArguments& passed) noexcept {
  try {
    const Function& function = *functions()[number];
    return function.body(function.signature.bind(passed)).release().ptr();
  } catch (...) {
    set_current_error(module);
    return nullptr;
  }
}

using Entry = PyObject* (*)(PyObject* module, PyObject* const* values, Py_ssize_t by_position, PyObject* names);

template <std::size_t number>
PyObject* entry(PyObject* module, PyObject* const* values, Py_ssize_t by_position, PyObject* names) noexcept {
  return called(number, module, {values, static_cast<std::size_t>(by_position), names});
}

template <std::size_t... numbers>
constexpr std::array<Entry, most_functions> entries_of(std::index_sequence<numbers...>) {
  return {entry<numbers>...};
}

/// The place of a function: that of the same name, if the module is imported once more.
std::size_t place_of(const std::string& name) {
  for (std::size_t i = 0; i < most_functions; ++i) {
    const std::optional<Function>& function = functions()[i];
    if (!function || function->signature.function() == name) return i;
  }
  throw std::length_error("more functions than most_functions");
}

}  // namespace

void add_function(nb::module_& module, Signature signature, const std::string& doc, FunctionBody body) {
  static constexpr auto entries = entries_of(std::make_index_sequence<most_functions>());
  const std::size_t place = place_of(signature.function());
  Function& function = functions()[place].emplace(Function{std::move(signature), {}, std::move(body), {}});
  function.doc = function.signature.introspected() + doc;
  function.definition = {function.signature.function().c_str(),
                         reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(entries[place])),
                         METH_FASTCALL | METH_KEYWORDS, function.doc.c_str()};
  // The package shows it as its own, for pickle too.
  const nb::object made = nb::steal(PyCFunction_NewEx(&function.definition, module.ptr(), nb::str("tamis").ptr()));
  if (!made.is_valid()) throw nb::python_error();
  module.attr(function.signature.function().c_str()) = made;
  if (!nb::hasattr(module, "_declarations")) module.attr("_declarations") = nb::dict();
  module.attr("_declarations")[function.signature.function().c_str()] = nb::cast(function.signature.declarations());
}

}  // namespace tamis::python
