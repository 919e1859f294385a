#include "errors.hpp"

#include <cctype>
#include <exception>

#include <tamis/error.hpp>

namespace nb = nanobind;

namespace tamis::python {
namespace {

/// The exception class of the module under a name; the module keeps it.
nb::object add_class(nb::module_& module, const char* name, PyObject* base, const char* doc) {
  const std::string full = std::string("tamis.") + name;
  nb::object made = nb::steal(PyErr_NewExceptionWithDoc(full.c_str(), doc, base, nullptr));
  if (!made.is_valid()) throw nb::python_error();
  module.attr(name) = made;
  return made;
}

void set_error(PyObject* module, const char* name, const std::exception& error) {
  const nb::object type = nb::handle(module).attr(name);
  PyErr_SetString(type.ptr(), in_python(error.what()).c_str());
}

void translate(const std::exception_ptr& thrown, void* module) {
  try {
    std::rethrow_exception(thrown);
  } catch (const InputError& error) {
    set_error(static_cast<PyObject*>(module), "InputError", error);
  } catch (const EnvironmentError& error) {
    set_error(static_cast<PyObject*>(module), "EnvironmentError", error);
  } catch (const Cancelled&) {
    PyErr_SetNone(PyExc_KeyboardInterrupt);
  }
}

}  // namespace

std::string in_python(std::string_view message) {
  std::string words;
  for (std::size_t i = 0; i < message.size(); ++i) {
    const bool option = message.substr(i, 2) == "--" && i + 2 < message.size() &&
                        std::islower(static_cast<unsigned char>(message[i + 2])) != 0;
    if (!option) {
      words += message[i];
      continue;
    }
    for (i += 2; i < message.size(); ++i) {
      const char letter = message[i];
      if (letter != '-' && std::islower(static_cast<unsigned char>(letter)) == 0) break;
      words += letter == '-' ? '_' : letter;
    }
    words += '=';
    if (i < message.size() && message[i] != ' ') --i;
  }
  return words;
}

void add_errors(nb::module_& module) {
  add_class(module, "InputError", PyExc_ValueError,
            "A parameter, an array or a file that cannot be used; one line: what, got, wanted.");
  add_class(module, "EnvironmentError", PyExc_RuntimeError,
            "The machine cannot do it: too little memory, no GPU, a package that is missing.");
  nb::register_exception_translator(translate, module.ptr());
}

}  // namespace tamis::python
